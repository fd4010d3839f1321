"""A headless Chromium, driven over its DevTools protocol by pipes: nothing but Python's own library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 60  # for an answer: a loaded machine is slow


def find():
    """The browser's program, or None."""
    named = os.environ.get("CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page at a time. What went wrong in it is in errors, what it asked for in requests."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="browser.")
        self.errors, self.requests = [], []
        self.answers, self.events, self.pending, self.number = {}, [], b"", 0
        down_read, self.down = os.pipe()
        self.up, up_write = os.pipe()

        def place():  # the browser reads commands from 3 and writes answers to 4
            first, second = os.dup(down_read), os.dup(up_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--hide-scrollbars", "--disable-background-networking",
             f"--user-data-dir={self.folder}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down_read)
        os.close(up_write)
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.down)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.up)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, deadline):
        while b"\0" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.up], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.up, 1 << 20)
            if not piece:
                raise EOFError("the browser ended")
            self.pending += piece
        text, self.pending = self.pending.split(b"\0", 1)
        self.take(json.loads(text))

    def take(self, message):
        method, params = message.get("method"), message.get("params", {})
        if "id" in message:
            self.answers[message["id"]] = message
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(params["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialogue: " + params["message"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method:
            self.events.append(method)

    def call(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if hasattr(self, "session"):
            command["sessionId"] = self.session
        os.write(self.down, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while self.number not in self.answers:
            self.read(deadline)
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url):
        """Loads a page, and waits until its scripts have run."""
        self.load("about:blank")  # else the same page with another fragment would not load
        self.errors, self.requests = [], []
        self.load(url)

    def load(self, url):
        self.events = []
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + SECONDS
        while "Page.loadEventFired" not in self.events:
            self.read(deadline)

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=phone,
                  deviceScaleFactor=2 if phone else 1)

    def appearance(self, scheme, media=""):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def scripts(self, enabled):
        self.call("Emulation.setScriptExecutionDisabled", value=not enabled)

    def run(self, expression):
        """The value of JavaScript; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key],
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
