# A Spack recipe. To use it, in a checkout, with Spack 1.0 or later (package API 2):
#
#     spack repo create my_repo; mkdir .../packages/tutti; cp packaging/spack/package.py .../packages/tutti/
#     spack repo add my_repo
#     spack dev-build tutti@0.1.0 +tools
#
# What was tried: tests/install/spack_recipe.py loads it with a stand-in for Spack, compares its
# directives with the build, and runs its smoke test against an installed tutti. Spack itself has
# not run it.
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Tutti(CMakePackage, CudaPackage):
    """Tunes a host function that a whole group of ranks calls together: a collective, a kernel
    launcher, an exchange. The slowest rank's time counts, and the fastest configuration is
    remembered on disk."""

    license("BSD-3-Clause")

    # There is no release to fetch yet: spack dev-build builds a checkout.
    version("0.1.0")

    variant("mpi", default=True, description="Groups over MPI, and the reverse all-to-all")
    variant("tools", default=True, description="The command tutti")

    depends_on("c", type="build")
    depends_on("cxx", type="build")  # for the smoke test, and with +cuda
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson@2.14:")
    depends_on("xxhash@0.8:")
    depends_on("hwloc@2.9:")
    depends_on("mpi@3.1:", when="+mpi")

    def cmake_args(self):
        args = [
            self.define_from_variant("TUTTI_MPI", "mpi"),
            self.define_from_variant("TUTTI_CUDA", "cuda"),
            self.define_from_variant("TUTTI_TOOLS", "tools"),
            self.define("TUTTI_TESTS", False),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            architectures = self.spec.variants["cuda_arch"].value
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(architectures)))
        return args

    smoke = join_path("tests", "install", "consumer", "tune_serial.cpp")

    @run_after("install")
    def keep_smoke_test(self):
        cache_extra_test_sources(self, self.smoke)

    def test_smoke(self):
        """a program builds against the installed library, tunes, and takes the fastest"""
        source = join_path(self.test_suite.current_test_cache_dir, self.smoke)
        compiler = which(os.environ["CXX"], required=True)
        compiler(
            "-std=c++17",
            f"-I{self.prefix.include}",
            source,
            f"-L{self.prefix.lib}",
            f"-Wl,-rpath,{self.prefix.lib}",
            "-ltutti",
            "-o",
            "smoke",
        )
        smoke = which("./smoke", required=True)  # fails if it chose wrongly
        smoke(extra_env={"TUTTI_MODE": "read-only", "TUTTI_CACHE_DIR": "/nonexistent"})

    def test_command(self):
        """the command tutti tells its version"""
        if self.spec.satisfies("~tools"):
            raise SkipTest("tutti was built without tools")
        tutti = which(join_path(self.prefix.bin, "tutti"), required=True)
        assert str(self.spec.version) in tutti("--version", output=str.split, error=str.split)
