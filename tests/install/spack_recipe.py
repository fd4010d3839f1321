#!/usr/bin/env python3
"""spack_recipe.py SOURCE PREFIX VERSION: packaging/spack/package.py, with a stand-in for Spack.

The recipe's directives are compared with the build: version, variants, dependencies and their
minimum versions, CMake options. Its smoke tests run against the tutti installed in PREFIX. What this
can't show is that Spack itself accepts the recipe.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

SOURCE, PREFIX, VERSION = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


class Skipped(Exception):
    pass


# --- The stand-in -------------------------------------------------------------------------------

directives = {"version": [], "variant": [], "depends_on": [], "license": []}


def directive(name):
    return lambda *args, **options: directives[name].append((args, options))


class Path(str):
    """Spack's Prefix: a path whose attributes are the paths below it."""

    def __getattr__(self, name):
        return Path(os.path.join(self, name))


class Executable:
    def __init__(self, path):
        self.path = path

    def __call__(self, *args, output=None, error=None, extra_env={}):
        done = subprocess.run([self.path, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=60, env={**os.environ, **extra_env})
        if done.returncode:
            raise RuntimeError(f"{self.path} {' '.join(args)}: {done.stdout}")
        return done.stdout


class Spec:
    version = VERSION
    variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}

    def __init__(self, on):
        self.on = on

    def satisfies(self, text):
        return (text[1:] in self.on) == (text[0] == "+")

    def __getitem__(self, name):
        return types.SimpleNamespace(mpicc="/the/mpicc")


class CMakePackage:
    def define(self, name, value):
        return f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"

    def define_from_variant(self, name, variant):
        return self.define(name, variant in self.spec.on)


class CudaPackage:
    pass


cached = []
package = types.ModuleType("spack.package")
for name in directives:
    setattr(package, name, directive(name))
package.join_path = os.path.join
package.run_after = lambda phase: lambda method: method
package.cache_extra_test_sources = lambda recipe, path: cached.append(path)
package.which = lambda path, required: Executable(path)
package.SkipTest = Skipped
modules = {"spack": types.ModuleType("spack"), "spack.package": package}
for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    modules[name] = types.ModuleType(name)
for name, base in (("cmake", CMakePackage), ("cuda", CudaPackage)):
    modules[f"spack_repo.builtin.build_systems.{name}"] = types.ModuleType(name)
    setattr(modules[f"spack_repo.builtin.build_systems.{name}"], base.__name__, base)
sys.modules.update(modules)

scope = {}
exec(compile((SOURCE / "packaging/spack/package.py").read_text(), "package.py", "exec"), scope)
recipe = scope["Tutti"]()

# --- The directives against the build -----------------------------------------------------------

cmake = (SOURCE / "CMakeLists.txt").read_text()
expect(directives["version"] == [((VERSION,), {})], f"the recipe's version is not {VERSION}")
variants = {args[0] for args, _ in directives["variant"]}
expect(variants == {"mpi", "tools"}, f"variants {variants}; cuda is CudaPackage's")

dependencies = {}
for args, options in directives["depends_on"]:
    name, _, minimum = args[0].partition("@")
    dependencies[name] = (minimum.rstrip(":"), options)
for module in re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET (\S+)\)", cmake):
    name = module.removeprefix("lib")
    expect(name in dependencies, f"the build needs {module}, and the recipe has no {name}")
minimum = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", cmake).group(1)
expect(dependencies["cmake"][0] == minimum, f"the build needs CMake {minimum}")
expect(dependencies["mpi"][1].get("when") == "+mpi", "mpi is needed with +mpi, and only then")
documented = (SOURCE / "docs/dependencies.md").read_text()
for name, title in (("jansson", "jansson"), ("xxhash", "xxHash"), ("hwloc", "hwloc"), ("mpi", "MPI")):
    version = dependencies.get(name, ("", {}))[0]
    expect(re.search(rf"{title}\W[^|]*?\b{re.escape(version)}\b", documented),
           f"docs/dependencies.md does not say {title} {version}")

modules = "".join(file.read_text() for file in (SOURCE / "cmake").glob("*.cmake"))
options = set(re.findall(r"option\((TUTTI_\w+)", cmake + modules))
for on in ((), ("mpi",), ("cuda",), ("mpi", "cuda", "tools")):
    recipe.spec = Spec(on)
    given = dict(argument[2:].split("=", 1) for argument in recipe.cmake_args())
    for name in given:
        expect(not name.startswith("TUTTI_") or name in options, f"the build has no option {name}")
    for variant in ("mpi", "cuda", "tools"):
        expect(given[f"TUTTI_{variant.upper()}"] == ("ON" if variant in on else "OFF"),
               f"{variant} does not reach the build")
    expect(("MPI_C_COMPILER" in given) == ("mpi" in on), "MPI_C_COMPILER")
    expect(("CMAKE_CUDA_ARCHITECTURES" in given) == ("cuda" in on), "CMAKE_CUDA_ARCHITECTURES")

# --- The smoke tests ----------------------------------------------------------------------------

recipe.prefix = Path(PREFIX)
recipe.spec = Spec(("mpi", "tools"))
recipe.test_suite = types.SimpleNamespace(current_test_cache_dir=str(SOURCE))
recipe.keep_smoke_test()
expect(cached == [recipe.smoke], "the smoke test's source is not kept")
os.environ.setdefault("CXX", "c++")
tests = [name for name in dir(recipe) if name.startswith("test_") and callable(getattr(recipe, name))]
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in tests:
        expect(getattr(recipe, name).__doc__, f"{name} does not say what it is for")
        try:
            getattr(recipe, name)()
        except (AssertionError, RuntimeError, OSError) as error:
            failures.append(f"{name}: {error}")
    os.chdir("/")
    recipe.spec = Spec(())
    try:
        recipe.test_command()
        failures.append("test_command runs without the tools")
    except Skipped:
        pass

print("\n".join(failures) or f"{len(dependencies)} dependencies, {len(tests)} smoke tests: all right")
sys.exit(1 if failures else 0)
