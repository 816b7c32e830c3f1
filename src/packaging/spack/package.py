# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# packages/omptarget/package.py of a repository of yours: docs/use/install.md, "Spack".
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Omptarget(CMakePackage):
    """OpenMP offloading runtime for programs of clang: takes the place of LLVM's libomptarget."""

    git = "file:///path/to/your/clone"  # or a url of your archive of the sources
    license("Apache-2.0 WITH LLVM-exception")
    version("main", branch="main")

    generator("ninja")
    depends_on("cmake@3.25:", type="build")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("llvm@16:23 +clang")
    depends_on("libffi")
    depends_on("zlib-api")
    depends_on("zstd")

    def cmake_args(self):
        return [self.define("OMPTARGET_TESTS", False), self.define("LLVM_DIR", self.spec["llvm"].prefix.lib.cmake.llvm)]

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
