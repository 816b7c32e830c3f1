#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commands.py PREFIX LLVM_RUNTIMES COMPILERS: the two commands of docs/use/executor.md, with what is installed and
nothing of CUDA's or ROCm's. Each clang and flang compiles a program with the emulator's configuration file, and
omptarget-run runs it. A file that is no PTX, and memory of the host that a kernel uses without --unified, are
named."""
import os
import shutil
import subprocess
import sys
import tempfile

prefix, runtimes, compilers = map(os.path.abspath, sys.argv[1:4])
device = os.path.join(prefix, "lib", "omptarget", "device")
run = os.path.join(prefix, "bin", "omptarget-run")
PROGRAM = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  float x[64];
  for (int i = 0; i < 64; i++)
    x[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : x)
  for (int i = 0; i < 64; i++)
    x[i] = sinf(x[i]) + 1;
  printf("%.3f\\n", x[10]);
  if (argc > 1) {
    int *far = malloc(sizeof *far);
    *far = 1;
#pragma omp target is_device_ptr(far)
    ++*far;
    printf("%d\\n", *far);
  }
}
"""
FORTRAN = """
program h
  integer :: i
  real :: x(64)
  x = 1
  !$omp target map(tofrom: x)
  !$omp parallel do
  do i = 1, 64
    x(i) = x(i) + i
  end do
  !$omp end target
  print '(F0.1)', x(10)
end program
"""


def libraries(version):
    folder = os.path.join(runtimes, version)
    return ":".join(os.path.join(folder, one) for one in ("omp", "lib"))


def compiler(name):
    """The path of a compiler, or null if this machine has none of that version."""
    return shutil.which(name, path=os.environ["PATH"] + ":" + os.path.join(compilers, "bin"))


def started(command, **variables):
    # Neither CUDA nor ROCm is found by the environment.
    others = ("LIBOMPTARGET", "OMP", "CUDA", "ROCM", "SIM_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return subprocess.run(command, capture_output=True, text=True, env=dict(clean, **variables))


def compiled(command, version):
    done = started(command, LIBRARY_PATH=libraries(version))
    if done.returncode or "error" in done.stderr:
        sys.exit("%s\nended with %d:\n%s" % (" ".join(command), done.returncode, done.stderr))


def result(words, program, version="19"):
    done = started([run, *words, program[0], *program[1:]], LD_LIBRARY_PATH=libraries(version))
    return done.returncode, done.stdout, done.stderr


def expect(holds, what, *seen):
    if not holds:
        sys.exit("%s:\n%s" % (what, "\n".join(map(str, seen))))


def main():
    tried = 0
    with tempfile.TemporaryDirectory() as scratch:
        source, fortran = os.path.join(scratch, "a.c"), os.path.join(scratch, "h.f90")
        for path, text in ((source, PROGRAM), (fortran, FORTRAN)):
            with open(path, "w") as file:
                file.write(text)
        for version in ("16", "19", "22"): # whose libomp is that of this machine's C library
            program = os.path.join(scratch, "a" + version)
            clang = compiler("clang-" + version)
            if not clang:
                continue
            compiled([clang, "-O2", "--config=%s/%s/emulator.cfg" % (device, version), "--offload-arch=sm_80", source,
                      "-o", program, "-lm"], version)
            code, out, errors = result([], [program])
            expect(code == 0 and out == "0.456\n", "clang %s's program is wrong" % version, code, out, errors)
            tried += 1
        expect(tried > 0, "no clang of 16, 19 and 22 is here")
        code, out, errors = result([], [program, "far"])
        expect(code != 0 and "in no allocation that this device reaches" in errors and "a.c:17" in errors,
               "memory of the host is not named", code, out, errors)
        code, out, errors = result(["--unified"], [program, "far"])
        expect(code == 0 and out == "0.456\n2\n", "--unified has no effect", code, out, errors)
        # The image's ELF file as CUDA's tools make it, without the emulator's own PTX.
        with open(program, "rb") as file:
            bytes_of = bytearray(file.read())
        at = bytes_of.index(b".version ", bytes_of.index(b"\x7fELF", 1))
        bytes_of[at:at + 9] = b"\1" * 9
        cubin = os.path.join(scratch, "cubin")
        with open(cubin, "wb") as file:
            file.write(bytes_of)
        os.chmod(cubin, 0o755)
        code, out, errors = result([], [cubin])
        expect(code != 0 and "cannot be run here" in errors and "emulator.cfg" in errors, "a cubin is not named",
               code, out, errors)
        for version in ("19", "22"):
            flang = compiler("flang-" + version) or compiler("flang-new-" + version)
            if not flang:
                continue
            program = os.path.join(scratch, "h" + version)
            emulator = os.path.join(prefix, "lib", "omptarget", "emulator")
            compiled([emulator + "/flang-to-ptx", emulator + "/toolkit", flang,
                      "--config=%s/%s/nvptx-flang.cfg" % (device, version), "--offload-arch=sm_80", "-O2", fortran,
                      "-o", program], version)
            code, out, errors = result([], [program], version)
            expect(code == 0 and out == "11.0\n", "flang %s's program is wrong" % version, code, out, errors)
    listed = started([run, "--list-devices"]).stdout
    expect("sm_NN" in listed and "gfx90a" in listed, "--list-devices says nothing", listed)
    print("the emulator's commands work with %d clangs" % tried)


main()
