# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of jit.py share: where things are, how programs are compiled and started."""
import os
import shutil
import stat
import subprocess
import sys

CPU = """
#include <stdio.h>
#pragma omp declare target
int scale = 3;
#pragma omp end declare target
int main(void) {
  int a[1000], wrong = 0;
  for (int i = 0; i < 1000; i++)
    a[i] = i;
  scale = 5;
#pragma omp target update to(scale)
#pragma omp target teams distribute parallel for map(tofrom : a)
  for (int i = 0; i < 1000; i++)
    a[i] *= scale;
  for (int i = 0; i < 1000; i++)
    wrong += a[i] != 5 * i;
  printf("%d wrong\\n", wrong);
  return wrong != 0;
}
"""
CONSTRUCTED = """
#include <cmath>
#include <cstdio>
struct Thing { int value; double root; Thing() : value(42), root(std::sqrt(2.0 + value)) {} };
#pragma omp declare target
Thing thing;
double deep(double x) { return std::sin(x) + std::pow(x, 0.3); }
#pragma omp end declare target
int main() {
  double got = 0;
#pragma omp target map(from : got)
  got = thing.value + deep(thing.root);
  std::printf(std::fabs(got - 44.107037) < 1e-6 ? "0 wrong\\n" : "%.9f\\n", got);
}
"""
THROWN = """
#include <cmath>
#include <cstdio>
int main() {
  int n = 3, wrong = 1;
#pragma omp target map(tofrom : wrong)
  try {
    throw n;
  } catch (int caught) {
    wrong = caught != n;
  }
  std::printf("%d wrong\\n", wrong);
}
"""
NO_KERNEL = """
#include <stdio.h>
#pragma omp declare target
int there = 7;
#pragma omp end declare target
int main(void) {
  int wrong = 0;
  there = 8;
#pragma omp target update to(there)
  there = 9;
#pragma omp target update from(there)
  wrong = there != 8;
  printf("%d wrong\\n", wrong);
  return wrong;
}
"""


class Setting:
    """prefix: the installation; runtimes: LLVM's; compilers: those that Debian lacks; folder: for this test alone."""

    def __init__(self, prefix, runtimes, compilers, folder):
        self.prefix, self.runtimes, self.compilers, self.folder = map(os.path.abspath,
                                                                      (prefix, runtimes, compilers, folder))
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.compiler = os.path.join(self.prefix, "lib", "omptarget", "omptarget-jit")
        self.caches = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def clang(self, version, suffix=""):
        """The path of a clang, or null if this machine has none of that version."""
        return shutil.which("clang%s-%s" % (suffix, version),
                            path=os.environ["PATH"] + ":" + os.path.join(self.compilers, "bin"))

    def llvm(self):
        """The version of LLVM that compiles bitcode here."""
        return int(subprocess.run([self.compiler, "--version"], capture_output=True, text=True,
                                  check=True).stdout.split()[-1].split(".")[0])

    def compiled(self, version, target, source=CPU, jit=True):
        """Compiles a program for the target (x86_64, sm_80, gfx90a), and returns its path."""
        suffix = "++" if "<cmath>" in source else ""
        program = self.path("%s.%s%s%s" % (target, version, suffix, "" if jit else ".aot"))
        with open(program + (".cpp" if suffix else ".c"), "w") as file:
            file.write(source)
        device = os.path.join(self.prefix, "lib", "omptarget", "device", str(version))
        command = [self.clang(version, suffix), "-O2", file.name, "-o", program,
                   "-L" + os.path.join(self.runtimes, str(version), "omp")]
        if target == "x86_64":
            command += ["-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-L" + os.path.join(self.prefix, "lib"),
                        "-L" + device]
        else:
            name = "emulator.cfg" if target.startswith("sm_") else "amdgcn.cfg"
            command += ["--config=" + os.path.join(device, name), "--offload-arch=" + target]
            if target.startswith("gfx") and version < 20:
                command.append("-lomptarget.devicertl")
        if jit:
            command.append("-fopenmp-target-jit")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s\nended with %d:\n%s" % (" ".join(command), done.returncode, done.stderr))
        return program

    def new_cache(self):
        self.caches += 1
        return self.path("cache-%d" % self.caches)

    def environment(self, cache, **variables):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("LIBOMPTARGET", "OMP", "SIM_", "XDG_", "LD_"))}
        libraries = [os.path.join(self.prefix, "lib"), os.path.join(self.runtimes, "19", "omp")]
        clean.update(LD_LIBRARY_PATH=":".join(libraries), LIBOMPTARGET_JIT_CACHE=cache,
                     LIBOMPTARGET_DEBUG="image,plugin", OMP_TARGET_OFFLOAD="MANDATORY", HOME=self.folder)
        clean.update(variables)
        return {name: value for name, value in clean.items() if value is not None}

    def started(self, program, cache, before=(), target="x86_64", options=None, arguments=(), **variables):
        command = [*before, program, *arguments]
        if target != "x86_64":
            command = [os.path.join(self.prefix, "bin", "omptarget-run"), "--device=" + target, program, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env=self.environment(cache, **variables), **(options or {}))

    def script(self, name, text):
        """An executable shell script that stands for omptarget-jit; $REAL is that."""
        path = self.path(name)
        with open(path, "w") as file:
            file.write("#!/bin/sh\nREAL=%s\n%s\n" % (self.compiler, text))
        os.chmod(path, stat.S_IRWXU)
        return path


def computes(done, compiles):
    """Whether a run has right results on the device, and whether it compiled the image as expected."""
    what = "compiling LLVM bitcode for" in done.stderr
    if done.returncode != 0 or "0 wrong" not in done.stdout or what != compiles:
        sys.exit("expected %s; ended with %d:\n%s%s" %
                 ("compiling" if compiles else "no compiling", done.returncode, done.stdout, done.stderr))


def fails(done, *texts):
    """Whether a run ended by the library's abort with these texts, each on stderr."""
    missing = [text for text in texts if text not in done.stderr]
    if done.returncode != -6 or missing:
        sys.exit("expected SIGABRT and %s; ended with %d:\n%s%s" % (missing, done.returncode, done.stdout, done.stderr))
