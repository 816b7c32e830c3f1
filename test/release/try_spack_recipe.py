# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# try_spack_recipe.py configure|install LLVM FOLDER: does in FOLDER what Spack would do with the recipe of
# src/packaging/spack. Dependencies are this machine's and those in LLVM (an installation as upstream makes it, with
# bin/clang without a version). No Spack is needed, so this shows the recipe's CMake arguments, dependencies and paths,
# not that Spack takes it. The build sees cmake, ninja, the C and C++ compilers and binutils, and nothing else: no
# Python, no clang but LLVM's, no GoogleTest. install also builds, installs, and runs a program with the environment
# that the recipe sets.

import os
import re
import shutil
import subprocess
import sys
import types

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD_PROGRAMS = ("cmake", "ninja", "cc", "c++", "gcc", "g++", "as", "ld", "ar", "nm", "ranlib", "objcopy", "strip",
                  "sh")


def recipe_text():
    return open(os.path.join(SOURCE, "src", "packaging", "spack", "package.py")).read()


class Prefix(str):
    """A folder whose attributes are folders in it."""

    def __getattr__(self, name):
        return Prefix(os.path.join(self, name))


class Directives:
    """The dependencies and options that a recipe names."""

    def __init__(self):
        self.licenses, self.versions, self.dependencies, self.generators = [], {}, {}, []

    def license(self, text):
        self.licenses.append(text)

    def version(self, name, **where):
        self.versions[name] = where

    def depends_on(self, spec, type=("build", "link")):
        name, versions, variants = re.fullmatch(r"([a-z0-9-]+)(@[0-9.:]+)?((?: ?[+~]\w+)*)", spec).groups()
        self.dependencies[name] = (versions or "", variants.strip(), type)

    def generator(self, *names):
        self.generators += names


class CMakePackage:
    def __init__(self, prefix, llvm):
        self.prefix = Prefix(prefix)
        self.spec = {"llvm": types.SimpleNamespace(prefix=Prefix(llvm))}

    @staticmethod
    def define(name, value):
        kind, value = ("BOOL", "ON" if value else "OFF") if isinstance(value, bool) else ("STRING", str(value))
        return "-D%s:%s=%s" % (name, kind, value)


class Environment(dict):
    def prepend_path(self, name, folder):
        self[name] = os.pathsep.join(filter(None, [str(folder), self.get(name, "")]))


def load_recipe():
    """The recipe's class and directives; a name that Spack's modules do not have there ends it."""
    directives = Directives()
    build_system = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    build_system.CMakePackage, build_system.generator = CMakePackage, directives.generator
    package = types.ModuleType("spack.package")
    for name in ("license", "version", "depends_on"):
        setattr(package, name, getattr(directives, name))
    parents = ["spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"]
    sys.modules.update({name: types.ModuleType(name) for name in parents})
    sys.modules.update({module.__name__: module for module in (build_system, package)})
    names = {}
    exec(compile(recipe_text(), "the recipe", "exec"), names)
    return names["Omptarget"], directives


def check_directives(directives):
    """The recipe agrees with CMake's options of this source."""
    def cmake_says(file, pattern):
        return re.search(pattern, open(os.path.join(SOURCE, file)).read())[1]

    least = cmake_says("CMakeLists.txt", r"cmake_minimum_required\(VERSION ([0-9.]+)\)")
    versions = sorted(map(int, cmake_says("src/dependencies.cmake", r"OMPTARGET_LLVM_VERSIONS ([0-9 ]+)").split()))
    wanted = {"cmake": "@%s:" % least, "llvm": "@%d:%d" % (versions[0], versions[-1]), "c": "", "cxx": "", "libffi": "",
              "zlib-api": "", "zstd": ""}
    found = {name: dependency[0] for name, dependency in directives.dependencies.items()}
    if found != wanted:
        sys.exit("the recipe depends on %s; CMake says %s" % (found, wanted))
    if "+clang" not in directives.dependencies["llvm"][1]:
        sys.exit("the recipe takes an LLVM without clang, which device code is made by")
    if directives.generators != ["ninja"] or not directives.versions or directives.licenses != [
        "Apache-2.0 WITH LLVM-exception"]:
        sys.exit("the recipe says %s" % vars(directives))


def cmake_arguments(package, folder):
    """Spack's own arguments for every CMake package, then the recipe's."""
    define = package.define
    return ["-S", SOURCE, "-B", folder + "/build", "-G", "Ninja", define("CMAKE_INSTALL_PREFIX", package.prefix),
            define("CMAKE_BUILD_TYPE", "Release"), define("CMAKE_INTERPROCEDURAL_OPTIMIZATION", False),
            define("CMAKE_INSTALL_RPATH_USE_LINK_PATH", False),
            define("CMAKE_INSTALL_RPATH", "%s;%s" % (package.prefix.lib, package.prefix.lib64)),
            define("CMAKE_PREFIX_PATH", package.spec["llvm"].prefix),
            # Programs and packages of this machine, which Spack's installations do not have.
            "-DCMAKE_IGNORE_PATH=/usr/bin;/bin;/usr/sbin;/sbin;/usr/local/bin", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON",
            "-DOMPTARGET_OTHER_COMPILERS=" + folder] + package.cmake_args()


def build_environment(folder):
    programs = os.path.join(folder, "programs")
    os.makedirs(programs)
    for name in BUILD_PROGRAMS:
        path = shutil.which(name) or sys.exit("there is no %s here" % name)
        os.symlink(path, os.path.join(programs, name))
    kept = {name: value for name, value in os.environ.items() if re.match("CCACHE_|CMAKE_.*_LAUNCHER$|HOME$", name)}
    if shutil.which("ccache"):
        os.symlink(shutil.which("ccache"), os.path.join(programs, "ccache"))
    return dict(kept, PATH=programs, LC_ALL="C")


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode:
        sys.exit("%s\nfailed with %d:\n%s" % (" ".join(command), done.returncode, done.stdout[-4000:]))
    return done.stdout


def try_installation(package, llvm, version, folder):
    for file in ("lib/libomptarget.so", "lib/libomptarget.so.%s.1" % version, "lib/libomptarget.rtl.x86_64.so",
                 "bin/omptarget-info",
                 "include/omptarget/plugin.h", "lib/omptarget/clang%s/libomptarget-indirect.a" % version):
        if not os.path.exists(os.path.join(package.prefix, file)):
            sys.exit("the installation has no %s" % file)
    # Debian's LLVM has its OpenMP runtime in packages of its own.
    runtime = [llvm + "/lib"] if os.path.exists(llvm + "/lib/libomp.so") else [
        "%s/build/llvm/%s/%s" % (SOURCE, version, part) for part in ("omp", "lib")]
    if not os.path.exists(runtime[0] + "/libomp.so"):
        sys.exit("there is no libomp of LLVM %s: test/tools/unpack-llvm-runtimes" % version)
    program = folder + "/program"
    run([llvm + "/bin/clang", "-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu",
         os.path.join(SOURCE, "test", "release", "program.c"), "-o", program, "-L", package.prefix.lib]
        + ["-L" + part for part in runtime])
    environment = Environment(PATH=os.environ["PATH"], LD_LIBRARY_PATH=":".join(runtime),
                              OMP_TARGET_OFFLOAD="MANDATORY")
    package.setup_run_environment(environment)
    library = run([program], env=environment).strip()
    if os.path.dirname(os.path.realpath(library)) != os.path.realpath(package.prefix.lib):
        sys.exit("the program runs on %s" % library)
    print("a program runs on %s" % os.path.relpath(library, folder))


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("configure", "install"):
        sys.exit("usage: try_spack_recipe.py configure|install LLVM FOLDER")
    what, llvm, folder = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    recipe, directives = load_recipe()
    check_directives(directives)
    package = recipe(folder + "/prefix", llvm)
    environment = build_environment(folder)
    said = run(["cmake"] + cmake_arguments(package, folder), env=environment)
    version = re.search(r"LLVM (\d+)[0-9.]* \(static\) in " + re.escape(llvm), said)
    if not version:
        sys.exit("the configuration does not take the LLVM of %s:\n%s" % (llvm, said))
    if not re.search(r"device code for programs of clang %s$" % version[1], said, re.M):
        sys.exit("the configuration does not take the clang of %s:\n%s" % (llvm, said))
    print("configured with LLVM %s alone" % version[1])
    if what == "install":
        run(["cmake", "--build", folder + "/build", "-j", str(os.cpu_count())], env=environment)
        run(["cmake", "--install", folder + "/build"], env=environment)
        try_installation(package, llvm, version[1], folder)


main()
