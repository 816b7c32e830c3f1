# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands that compile and run programs."""

import glob
import os
import shutil
import subprocess

from tables import MPI, SANITIZER_OPTIONS


class Commands:
    def __init__(self, parameters):
        self.given = parameters

    def find_clang(self, version, language="c"):
        name = {"c": "clang", "c++": "clang++"}[language] + "-" + version
        return self.given.clang_path(name) or self.given.lit_config.fatal(
            "%s is not installed, nor unpacked by test/tools/unpack-compilers" % name)

    def foreign_libraries(self, version):
        """The folder of the dynamic linker and libraries that programs run with, unless they are this machine's."""
        if self.given.sysroot:
            return self.given.sysroot
        own = os.path.join(self.given.runtimes, version, "sysroot")
        return own if self.given.on_llvm and os.path.exists(own) else ""

    def foreign_linking(self, version):
        """Flags for programs that run with those. With libomp_folder they find them by a path of their own, since env
        and other programs of this machine begin some tests' runs."""
        libraries = self.foreign_libraries(version)
        flags = " -Wl,--dynamic-linker=%s/ld-linux-x86-64.so.2" % libraries if libraries else ""
        return flags + (" -Wl,--disable-new-dtags,-rpath,%s" % libraries if self.given.libomp_folder else "")

    def compiler(self, version, language, first=""):
        """A clang that offloads to the host device, linked against LLVM's own libraries of that version, or against
        those in the folder first."""
        path = self.find_clang(version, language)
        folder = os.path.join(self.given.runtimes, version)
        if not os.path.exists(os.path.join(folder, "complete")):
            self.given.lit_config.fatal("no OpenMP runtime of LLVM %s in %s: run test/tools/unpack-llvm-runtimes" % (
                version, folder))
        first += self.foreign_linking(version)
        if os.path.exists(os.path.join(folder, "sysroot")):
            # LLVM's library itself needs libraries of another release.
            first += " -Wl,--allow-shlib-undefined"
        return ("%s -O1 %s -fopenmp -fopenmp-targets=%s -isystem %s/include -I%s/include %s -L%s/omp -L%s/lib" % (
            path + self.machine_flags(version), self.sanitizer_flags(version), self.target, folder, self.given.here,
            first, folder,
            folder))

    @property
    def target(self):
        """As clang names the host device's."""
        return {"x86_64": "x86_64-pc-linux-gnu"}.get(self.given.machine, self.given.machine + "-unknown-linux-gnu")

    def machine_flags(self, version):
        """The flags of a compiler for programs of another machine."""
        given = self.given
        if not given.machine_root:
            return ""
        gcc = glob.glob("%s/usr/lib/gcc/%s-linux-gnu/*" % (given.machine_root, given.machine))[0]
        gcc = "--gcc-toolchain=%s/usr" % given.machine_root if version in ("14", "15") else "--gcc-install-dir=" + gcc
        return " --target=%s-linux-gnu --sysroot=%s %s -fuse-ld=lld-19" % (given.machine, given.machine_root, gcc)

    def indirect_compiler(self, version, language):
        """The same for programs with indirect functions: our header, and our lookups for device code."""
        return self.compiler(version, language, "-I%s/include -L%s/lib" % (self.given.prefix, self.given.prefix))

    def fortran_compiler(self, version):
        """The flang of that version with all to offload to the host device, or None."""
        path = self.given.clang_path("flang-" + version) or self.given.clang_path("flang-new-" + version)
        folder = os.path.join(self.given.runtimes, version)
        rtl = "-Wl,--device-linker=" if version == "19" else "-Xoffload-linker "
        return path and ("%s -O1 -fopenmp -fopenmp-version=52 -fopenmp-targets=x86_64-pc-linux-gnu -I%s/include "
                         "%s%s/lib/libomptarget-host-rtl.a%s -L%s/lib -L%s/omp -L%s/lib" % (
                             path, self.given.here, rtl, self.given.prefix, self.foreign_linking(version),
                             self.given.prefix, folder, folder))

    def plain_compiler(self, version):
        """A compiler without OpenMP that finds its headers: for libraries that tests load, and programs without device
        code."""
        return "%s -isystem %s/include%s" % (
            self.find_clang(version) + self.machine_flags(version), os.path.join(self.given.runtimes, version),
            self.foreign_linking(version))

    def sanitizer_flags(self, version):
        """Flags of programs: the runtime is that of the library, whatever the compiler would link. Clang 15 and 16
        insist on their own, so their programs are as ever; the library and the plugin see allocations and copies
        anyhow."""
        sanitizer = self.given.sanitizer
        if not sanitizer or version in ("15", "16"):
            return ""
        folder, name = os.path.split(self.given.sanitizer_library)
        # The sanitizers' own atexit forgets the module, whose handlers would run after its end: have libc's linked
        # first.
        return ("-fsanitize=%s -fno-sanitize-link-runtime -Wl,-u,atexit -l:libc_nonshared.a -L%s -Wl,-rpath,%s -l%s" %
                (sanitizer, folder, folder, name[3:-3]))

    def library_path(self, version):
        given = self.given
        if given.on_llvm:
            path = "%s/%s/omp:%s/%s/lib" % (given.runtimes, version, given.runtimes, version)
            if self.foreign_libraries(version):
                path = "%s/%s/lib:%s" % (given.runtimes, version, self.foreign_libraries(version))
            return given.plugin_folder + ":" + path if given.plugin_folder else path
        if given.libomp_folder:
            return "%s/lib:%s" % (given.prefix, given.libomp_folder)
        path = "%s/lib:%s/%s/omp" % (given.prefix, given.runtimes, version)
        return path + ":" + given.sysroot if given.sysroot else path

    def watcher(self):
        """The beginning of a run that compares what programs tell with what they tell on LLVM's runtime."""
        given = self.given
        tool = os.path.join(given.output, "ompt_tool.so")
        inputs = os.path.join(given.here, "inputs")
        os.makedirs(given.output, exist_ok=True)
        subprocess.run([self.find_clang(given.libomp), "-isystem", "%s/%s/include" % (given.runtimes, given.libomp),
                        "-shared",
                        "-fPIC", os.path.join(inputs, "ompt_tool.c"), "-o", tool], check=True)
        llvm = "%s/%s/lib:%s/%s/omp" % (given.runtimes, given.libomp, given.runtimes, given.libomp)
        script = os.path.join(inputs, "compare_with_llvm.py")
        return "python3 %s watch-%s unused %s %s " % (script, given.watch, llvm, tool)

    def run(self, version):
        """Variables may follow: %run OMP_TARGET_OFFLOAD=DISABLED program."""
        given = self.given
        command = self.watcher() if given.watch else ""
        command += "timeout 300 env LD_LIBRARY_PATH=%s OMP_TARGET_OFFLOAD=MANDATORY KMP_BLOCKTIME=0" % (
            self.library_path(version))
        if given.sanitizer:
            options = SANITIZER_OPTIONS[given.sanitizer].format(here=given.here, runtimes=given.runtimes)
            command += " LD_PRELOAD=%s %s" % (given.sanitizer_library, options)
        if given.plugin_folder:
            # LLVM 16 would take its own newer plugin first.
            command += (" LIBOMPTARGET_NEXTGEN_PLUGINS=false" if given.on_llvm else
                        " LIBOMPTARGET_PLUGIN_PATH=" + given.plugin_folder)
        if given.plugins:
            command += " LIBOMPTARGET_PLUGINS=" + given.plugins
        return command

    def mpi(self, name):
        """The launcher of programs of that MPI, and the flags that compile for it; None without it, or where it starts
        nothing."""
        start, flags = MPI[name]
        if not shutil.which("mpirun." + name) or not shutil.which("mpicc." + name):
            return None
        if subprocess.run(start.split() +
                          ["-np", "1", "true"], capture_output=True, stdin=subprocess.DEVNULL).returncode:
            self.given.lit_config.note("mpirun.%s starts nothing here: its tests are left out" % name)
            return None
        told = subprocess.run(["mpicc." + name, flags], check=True, capture_output=True, text=True).stdout.split()
        return start, " ".join(word for word in told if word[:2] in ("-I", "-L", "-l"))
