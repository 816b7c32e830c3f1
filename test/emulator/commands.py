#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commands.py PREFIX LLVM_RUNTIMES COMPILERS: the two commands of docs/use/executor.md, with what is installed and
nothing of CUDA's or ROCm's. Each clang and flang compiles a program with the emulator's configuration file, and
omptarget-run runs it. A file that is no PTX, and memory of the host that a kernel uses without --unified, are
named. Findings of checks are reported as JSON and SARIF, suppressed, and decide the exit code."""
import json
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
BOTH = """
extern int printf(const char *, ...);
int main(void) {
  int x[64], sum = 0;
#pragma omp target teams distribute parallel for map(from : x) reduction(+ : sum)
  for (int i = 0; i < 64; i++)
    sum += x[i] = 2 * i;
  printf("%d %d\\n", x[10], sum);
}
"""
# A local static object's guard would never end for the lanes of a wave. Clang 16 makes wrong code for NVIDIA's of one.
GUARDED = """
#include <cmath>
#include <cstdio>
#pragma omp begin declare target
struct Object { int value; Object() : value(7) {} };
#if __clang_major__ > 16
int read() { static Object object; return object.value; }
#else
int read() { return Object().value; }
#endif
#pragma omp end declare target
int main(int argc, char **) {
  int sum = 0;
  double x = 0;
#pragma omp target teams distribute parallel for map(from : x) reduction(+ : sum)
  for (int i = 0; i < 64; i++) {
    sum += read();
    if (i == 5)
      x = std::tgamma(i * 1.0 * argc);
  }
  printf("%d %g\\n", sum, x);
}
"""
FAULTY = """
extern int printf(const char *, ...); extern void *malloc(__SIZE_TYPE__);
int main(int argc, char **argv) {
  int a[64] = {0}, b[64], dropped[64] = {0};
#pragma omp target map(alloc : b) map(tofrom : a)
  a[0] = b[0];
#pragma omp target map(to : dropped)
  dropped[1] = 0x01010101;
  if (argc > 1) {
    int *block = malloc(4 * sizeof *block);
#pragma omp target data map(alloc : block[0 : 8])
    ;
  }
  if (argc > 2) {
#pragma omp target map(alloc : b) map(tofrom : a)
    if (b[1] > 5)
      a[1] = 1;
  }
  if (argc > 3 && *argv[3] == '-') {
#pragma omp target data map(from : b)
    ;
  } else if (argc > 3)
    __builtin_trap();
  printf("ran\\n");
  return 3;
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


def reports(scratch, program):
    """Findings are reported in each form, counted, and change the exit code if that is wanted."""
    told, sarif = os.path.join(scratch, "told.json"), os.path.join(scratch, "told.sarif")
    all_of_it = ["--check=all", "--json=" + told, "--sarif=" + sarif]
    code, out, errors = result([*all_of_it, "--error-exit-code=9"], [program])
    expect(code == 9 and out == "ran\n" and "2 findings: 1 mapping-dropped, 1 unwritten" in errors,
           "two findings are not reported", code, out, errors)
    with open(told) as file:
        found = json.load(file)
    places = {(one["rule"], os.path.basename(one["file"]), one["line"]) for one in found["findings"]}
    expect(found["status"] == 3 and found["summary"]["findings"] == 2 and
           places == {("unwritten", "faulty.c", 6), ("mapping-dropped", "faulty.c", 7)}, "the JSON is wrong", found)
    with open(sarif) as file:
        shown = json.load(file)
    lines = {one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in shown["runs"][0]["results"]}
    expect(shown["version"] == "2.1.0" and lines == {6, 7}, "the SARIF is wrong", shown)
    expect(result(["--check=all"], [program])[0] == 3, "the program's exit code is lost")
    errors = result(["--check=mapping"], [program, "more"])[2]
    expect("2 findings: 1 mapping-beyond, 1 mapping-dropped" in errors, "a short block is not told", errors)
    expect("0 findings" in result(["--check=races"], [program])[2], "a check finds what is another's")
    given = os.path.join(scratch, "suppressions")
    with open(given, "w") as file:
        file.write("# known\nunwritten faulty.c:6 *copy*  # b is garbage\nmapping-* faulty.c  # not needed\n"
                   "race other.c:3  # long gone\n")
    code, _, errors = result([*all_of_it, "--error-exit-code=9", "--suppressions=" + given], [program])
    expect(code == 3 and "0 findings; 2 suppressed" in errors and "suppressions:4: nothing" in errors,
           "findings are not suppressed", code, errors)
    with open(given, "w") as file:
        file.write("unwritten faulty.c:1[0-9] *branch*  # the kernel goes on\n")
    words = ["--check=initialisation", "--suppressions=" + given]
    code, out, errors = result(words, [program, "two", "more"])
    expect(code == 3 and out == "ran\n" and "1 finding: 1 unwritten; 1 suppressed" in errors,
           "a kernel ends by a suppressed finding", code, out, errors)
    result([*words, "--json=" + told], [program, "two", "more", "-"])
    with open(told) as file:
        found = json.load(file)["findings"]
    copies = {(os.path.basename(one["file"]), one["line"], "(a in target " in one["message"],
               "(b in target exit data " in one["message"]) for one in found if "suppressed" not in one}
    expect(copies == {("faulty.c", 6, True, False), ("faulty.c", 20, False, True)},
           "a copy is not told with its variable and construct", found)
    errors = result(words, [program, "three", "more", "words"])[2]
    expect("the program ended by signal" in errors, "a crash is not told", errors)
    for line in ("unwritten faulty.c", "nothing * # a reason"):
        with open(given, "w") as file:
            file.write(line)
        code, out, errors = result(["--suppressions=" + given], [program])
        expect(code == 1 and out == "" and "suppressions:1:" in errors, "a bad suppression is taken", code, errors)
    for word in ("--check=", "--check=none", "--error-exit-code=0", "--error-exit-code=300", "--json=", "--sarif="):
        expect(result([word], [program])[0] == 2, "%s is taken" % word)
    for word in ("--json=/nowhere/a", "--suppressions=/nowhere/a"):
        code, out, errors = result([word], [program])
        expect(code == 1 and out == "" and "No such file" in errors, "%s is taken" % word, code, out, errors)
    code, _, errors = result(["--check=mapping"], ["/bin/true"])
    expect(code == 2 and "no image for a GPU" in errors, "a program without an image is run", code, errors)


def one_file_for_all(scratch, clang, version, source):
    """The configuration file for GPUs of both vendors, one at a time and together."""
    for names in ("sm_80", "gfx90a", "sm_80,gfx90a"):
        program = os.path.join(scratch, "guarded")
        compiled([clang.replace("clang-", "clang++-"), "-O2", "--config=%s/%s/gpu.cfg" % (device, version),
                  "--cuda-path=" + os.path.join(prefix, "lib", "omptarget", "emulator", "toolkit"),
                  "-Wno-unknown-cuda-version", "-Wno-linker-warnings", "--offload-arch=" + names, source, "-o", program,
                  "-lm", "-isystem", os.path.join(runtimes, version, "include")] + (["-lomptarget.devicertl"] if version in ("16", "19") else []), version)
        for name in names.split(","):
            code, out, errors = result(["--device=" + name], [program])
            expect(code == 0 and out == "448 24\n", "clang %s's program of gpu.cfg for %s is wrong on %s" % (
                version, names, name), code, out, errors)


def expect(holds, what, *seen):
    if not holds:
        sys.exit("%s:\n%s" % (what, "\n".join(map(str, seen))))


def main():
    tried = 0
    with tempfile.TemporaryDirectory() as scratch:
        source, fortran = os.path.join(scratch, "a.c"), os.path.join(scratch, "h.f90")
        faulty, both = os.path.join(scratch, "faulty.c"), os.path.join(scratch, "both.c")
        guarded = os.path.join(scratch, "guarded.cpp")
        for path, text in ((source, PROGRAM), (fortran, FORTRAN), (faulty, FAULTY), (both, BOTH), (guarded, GUARDED)):
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
            for name in ("gfx90a", "gfx1100"):
                compiled([clang, "-O2", "--config=%s/%s/emulator.cfg" % (device, version), "--offload-arch=" + name,
                          both, "-o", program + "." + name], version)
                code, out, errors = result([], [program + "." + name])
                expect(code == 0 and out == "20 4032\n", "clang %s's program for %s is wrong" % (version, name), code,
                       out, errors)
            one_file_for_all(scratch, clang, version, guarded)
            tried += 1
            if tried > 1:
                continue
            compiled([clang, "-O2", "-g", "--config=%s/%s/emulator.cfg" % (device, version), "--offload-arch=sm_80",
                      faulty, "-o", program + ".faulty"], version)
            reports(scratch, program + ".faulty")
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
