"""tutti report's page in a real browser: it draws what there is, on a desk and on a phone, without an
error, a request, or anything that a record's text could do. From the environment: TUTTI and MAKE_STORE.
Exits with 77, skipped, where there is no Chromium."""

import os
import subprocess
import sys
import tempfile

import browser
import report_records

TUTTI = os.environ["TUTTI"]
RACE = ["landscape", "samples", "race", "alive", "ranks"]
PLAIN = ["landscape", "samples", "ranks"]
PLOTS = {"exhaustive": PLAIN, "serial": PLAIN, "one_configuration": PLAIN, "triton": ["landscape", "samples"]}

FIGURES = """[...document.querySelectorAll("section:not([hidden]) figure")].map((figure) =>
    [figure.dataset.plot, figure.querySelectorAll("svg[aria-label] :is(rect, path, circle)").length])"""
OVERFLOW = """[...document.querySelectorAll("body *")].filter((element) => !element.closest(".wide, svg") &&
    element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 0.5)
    .map((element) => element.outerHTML.slice(0, 100))"""
SMALL = """[...document.querySelectorAll("select, summary, .records a")].filter((element) =>
    element.checkVisibility() && element.getBoundingClientRect().height < 44).length"""
CHOOSE = """(() => {{
    const figure = document.querySelector('section:not([hidden]) [data-plot={plot}]');
    const select = figure.querySelectorAll('select')[{which}];
    select.value = {value};
    select.dispatchEvent(new Event('change'));
    return figure.querySelector('svg[aria-label]').outerHTML;
}})()"""


def check(good, what):
    if not good:
        sys.exit(f"FAILED: {what}")


def make(folder, name, *arguments):
    path = f"{folder}/{name}.html"
    subprocess.run([TUTTI, "report", *arguments, "-o", path], check=True)
    return f"file://{path}"


def is_quiet(page, url, what):
    check(not page.errors, f"{what}: {page.errors}")
    asked = [asked for asked in page.requests if not asked.startswith("data:") and asked != url.split("#")[0]]
    check(not asked, f"{what} asks for {asked}")


def each_kind_has_its_plots(page, kind, url):
    page.size(1100, 900)
    page.open(url)
    is_quiet(page, url, kind)
    figures = page.run(FIGURES)
    check([name for name, _ in figures] == PLOTS.get(kind, RACE), f"{kind} has the plots {figures}")
    for name, shapes in figures:
        check(shapes > 0, f"{kind}: {name} is empty")


def fits_a_phone(page, kind, url):
    page.size(390, 844, phone=True)
    page.open(url)
    is_quiet(page, url, kind)
    page.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    check(page.run("document.documentElement.scrollWidth") <= 390, f"{kind} is wider than a phone")
    check(not page.run(OVERFLOW), f"{kind} on a phone: {page.run(OVERFLOW)}")
    check(page.run(SMALL) == 0, f"{kind}: a control is too small for a finger")
    page.size(1100, 900)
    wide = page.run("""new Promise((done) => setTimeout(() => done(
        document.querySelector("section:not([hidden]) [data-plot=samples] svg[aria-label]").clientWidth), 300))""")
    check(wide > 390, f"{kind}: the plots keep a phone's width on a desk")


def knobs_are_chosen(page, url):
    page.open(url)
    state = "[...document.querySelectorAll('[data-plot=landscape] svg[aria-label] text')].map((t) => t.textContent)"
    before = page.run(state)
    check("block" in before and "depth" in before, f"the landscape names {before}")
    check(sum(text == "×" for text in before) == 4, f"marks of what failed: {before}")
    one = page.run(CHOOSE.format(plot="landscape", which=0, value="String(1)"))
    two = page.run(CHOOSE.format(plot="landscape", which=1, value="String(0)"))
    check(one != two, "another knob, the same landscape")
    check("Landscape over depth and block" in two, "the landscape is not over the knobs that were chosen")
    same = page.run(CHOOSE.format(plot="landscape", which=1, value="String(1)"))
    check("Landscape over depth and depth" in same, "one knob alone")
    is_quiet(page, url, "choosing knobs")


def the_best_over_the_rest_is_shown(page, url):
    """Of two knobs and a third: the texts in the cells are the least times."""
    page.open(url)
    page.run(CHOOSE.format(plot="landscape", which=0, value="String(0)"))
    page.run(CHOOSE.format(plot="landscape", which=1, value="String(2)"))
    texts = page.run("""[...document.querySelectorAll("[data-plot=landscape] svg[aria-label] g[aria-label=text]")]
        .map((group) => [...group.children].map((text) => text.textContent)).find((list) => list.length === 6)""")
    # engine x share over tag and slots: configurations 0, 6, 12 and 1, 7, 14 are the first of each.
    check(sorted(texts) == sorted(["10.0 us", "10.6 us", "11.2 us", "10.1 us", "10.7 us", "11.4 us"]),
          f"cells show {texts}")


def rows_are_chosen(page, url):
    page.open(url)
    rows = "document.querySelectorAll('[data-plot={}] svg[aria-label] g[aria-label^=\"y-axis tick label\"] text').length"
    check(page.run(rows.format("samples")) == 20, "not twenty rows at first")
    page.run(CHOOSE.format(plot="samples", which=0, value="'50'"))
    check(page.run(rows.format("samples")) == 50, "not fifty rows")
    check(page.run(rows.format("race")) == 20, "the race follows the samples")


def dropouts_are_marked(page, url):
    page.open(url)
    marks = page.run("""[...document.querySelectorAll('[data-plot=race] svg[aria-label] text')]
        .filter((text) => text.textContent === '×').length""")
    check(marks == 9, f"{marks} of 9 dropouts are marked")


def a_store_is_walked_by_keys(page, url):
    page.size(1100, 900)
    page.open(url)
    check(page.run("document.querySelectorAll('section:not([hidden])').length") == 1, "not one record at a time")
    for _ in range(10):
        page.press("Tab")
        if page.run("document.activeElement.getAttribute('href')") == "#record-2":
            break
    page.press("Enter")
    page.run("new Promise((done) => setTimeout(done, 300))")
    check(page.run("document.querySelector('section:not([hidden])').id") == "record-2", "Enter opens nothing")
    check(page.run("document.activeElement.id") == "title-2", "the focus is left behind")
    check(page.run(FIGURES)[0][1] > 0, "the second record is empty")
    is_quiet(page, url, "walking")


def is_read_without_scripts(page, url):
    page.scripts(False)
    page.open(url)
    page.scripts(True)
    check(page.run("document.querySelectorAll('figure').length") == 0, "scripts ran")
    check(page.run("document.querySelectorAll('section:not([hidden])').length") == 4, "records are hidden")
    check("the outputs are wrong" in page.run("document.body.textContent"), "reasons are missing")


def hostile_text_stays_text(page, url):
    page.open(url)
    check(page.run("document.querySelectorAll('img, section svg script, section script').length") == 0,
          "a record's text became an element")
    text = report_records.HOSTILE.replace("\x01", "\\x01").replace("\x1b", "\\x1B")
    check(page.run("document.querySelector('h2 bdi').textContent") == text, "the function's name is not its text")
    check(text in page.run("[...document.querySelectorAll('option')].map((option) => option.textContent)"),
          "the knob's name is not its text")
    is_quiet(page, url, "a hostile record")


def policy_stops_scripts(page, url):
    page.open(url)
    page.run("document.body.append(Object.assign(document.createElement('script'), "
             "{ textContent: 'window.harmed = true' }))")
    check(page.run("window.harmed === undefined"), "a script that the policy does not name ran")


def main():
    program = browser.find()
    if not program:
        print("skipped: there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        paths = report_records.write(folder)
        urls = {kind: make(folder, kind, path) for kind, path in paths.items()}
        store = f"{folder}/store"
        subprocess.run([os.environ["MAKE_STORE"], store], check=True)
        subprocess.run([os.environ["MAKE_STORE"], f"{folder}/triton", "triton"], check=True)
        whole = make(folder, "store", "--store", store)
        triton = [f"{at}/{name}" for at, _, names in os.walk(f"{folder}/triton") for name in names]
        urls["triton"] = make(folder, "triton", *triton)
        page = browser.Browser(program)
        try:
            for kind, url in urls.items():
                each_kind_has_its_plots(page, kind, url)
                fits_a_phone(page, kind, url)
            knobs_are_chosen(page, urls["exhaustive"])
            the_best_over_the_rest_is_shown(page, urls["mixed"])
            rows_are_chosen(page, urls["thousand"])
            dropouts_are_marked(page, urls["race"])
            fits_a_phone(page, "store", whole)
            a_store_is_walked_by_keys(page, whole)
            page.appearance("dark")
            each_kind_has_its_plots(page, "race", urls["race"])
            is_read_without_scripts(page, whole)
            hostile_text_stays_text(page, urls["hostile"])
            policy_stops_scripts(page, urls["race"])
        finally:
            page.close()


if __name__ == "__main__":
    main()
