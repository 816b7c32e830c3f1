# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# several.py PREFIX RUNTIMES COMPILERS FOLDER [SEED]: programs of two and three source files (inputs/several). Each
# compiler that is here compiles them as docs/use/device-rtl-use.md says: by one command, as objects, with a static
# library. They run on the executor. With a CUDA toolkit they are linked as cubins, too, by nvlink itself with
# -fno-offload-lto: the device RTL must be there once. The same in Fortran. All ways, levels and GPUs, with SEED one of
# each for each compiler.

import os
import re
import shutil
import subprocess
import sys

prefix, runtimes, compilers, folder = map(os.path.abspath, sys.argv[1:5])
seed = int(sys.argv[5]) if len(sys.argv) > 5 else None
here = os.path.dirname(os.path.abspath(__file__))
FLANG_TO_PTX = os.path.join(here, "..", "..", "src", "emulator", "toolkit", "flang-to-ptx")
CARVE = os.path.join(here, "compilers", "inputs", "carve.py")
READELF = "/usr/lib/llvm-19/bin/llvm-readelf"
WAYS = ["two files", "three objects", "a library"]
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
GPUS = ["sm_80", "gfx90a", "gfx1100"]
os.environ["PATH"] += ":" + os.path.join(compilers, "bin")


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=300)
    if done.returncode:
        sys.exit("failed: %s\n%s%s" % (" ".join(words), done.stdout, done.stderr))


class Program:
    """One compiler for one GPU, at one level."""

    def __init__(self, version, gpu, level, more):
        target = "amdgcn" if gpu.startswith("gfx") else "nvptx"
        runtime = os.path.join(runtimes, version)
        self.name = "%s.%s%s" % (version, gpu, level)
        self.compiler = ["clang-" + version, "--config=%s/lib/omptarget/device/%s/%s.cfg" % (prefix, version, target),
                         "--offload-arch=" + gpu, level, *more]
        self.compile_only = ["-isystem", runtime + "/include", "-DTHREE"]
        self.link_only = ["-L%s/omp" % runtime, "-Wl,--allow-shlib-undefined", "-Wl,-rpath," + runtime + "/omp"]
        self.libraries = ["-lomptarget.devicertl"] if target == "amdgcn" and version < "22" else []

    def objects(self, names):
        paths = ["%s.%s.o" % (name, self.name) for name in names]
        for name, path in zip(names, paths):
            run(self.compiler + self.compile_only +
                ["-c", os.path.join(here, "inputs", "several", name + ".c"), "-o", path])
        return paths

    def link(self, inputs, output):
        run(self.compiler + self.link_only + inputs + ["-o", output] + self.libraries)

    def build(self, way):
        """The path of the program."""
        output = os.path.join(folder, "%s.%s" % (self.name, way.replace(" ", "-")))
        if way == "two files":
            sources = [os.path.join(here, "inputs", "several", name + ".c") for name in ("main", "functions")]
            self.link([word for word in self.compile_only if word != "-DTHREE"] + sources, output)
            return output
        objects = self.objects(["main", "functions", "kernels"])
        if way == "a library":
            library = "lib.%s.a" % self.name
            run(["ar", "rcs", library] + objects[1:])
            objects[1:] = [library]
        self.link(objects, output)
        return output


def build_fortran(version, gpu, toolkit, has_cuda):
    """The path of the program by flang, or None. flang has no option that makes one PTX of a program."""
    compiler = "flang-new-19" if version == "19" else "flang-" + version
    if not shutil.which(compiler):
        return None
    is_amd = gpu.startswith("gfx")
    rtl = "%s/lib/omptarget/device/%s" % (prefix, version)
    output = os.path.join(folder, "fortran.%s.%s" % (version, gpu))
    sources = [os.path.join(here, "inputs", "several", name + ".f90") for name in ("main", "functions")]
    words = [compiler, "--config=%s/%s.cfg" % (rtl, "amdgcn" if is_amd else "nvptx-flang"), "--offload-arch=" + gpu,
             "-O2", *sources,
             "-o", output, "-L%s/%s/omp" % (runtimes, version), "-Wl,--allow-shlib-undefined",
             "-Wl,-rpath,%s/%s/omp" % (runtimes, version)]
    if is_amd:
        run(words + (["-lomptarget.devicertl"] if version < "22" else []))
    else:
        archive = rtl + "/nvptx64-nvidia-cuda/libompdevice.a"
        without_cuda = [] if has_cuda or version < "23" else ["-nogpulib", "-Xoffload-linker", archive]
        run([FLANG_TO_PTX, toolkit] + words + without_cuda)
        if has_cuda:
            run(words[:words.index("-o")] + ["-o", output + ".cubins"] + words[words.index("-o") + 2:])
    return output


def fails(path, gpu):
    """The program's output, if not all is well."""
    done = subprocess.run([prefix + "/bin/omptarget-run", "--device=" + gpu, path], capture_output=True, text=True,
                          timeout=120,
                          env=dict(os.environ, OMP_TARGET_OFFLOAD="MANDATORY"))
    return "" if done.returncode == 0 and done.stdout.strip() in ("passed", "0") else "ended with %d: %s%s" % (
        done.returncode, done.stdout, done.stderr)


def copies(path):
    """Parts of the device RTL that are in the cubin more than once, or not at all."""
    cubin = path + ".cubin"
    run([sys.executable, CARVE, path, "190", cubin])
    said = subprocess.run([READELF, "--symbols", "--wide", cubin], capture_output=True, text=True).stdout
    names = re.findall(r"(?:FUNC|OBJECT)\s+\w+\s+\S+\s+\d+\s+(__kmpc_\w+|\w*omptarget10device_rtl\w+)", said)
    if not re.search(r"FUNC\s+GLOBAL\s.*\b__kmpc_target_init\b", said):
        return "no device RTL in it"
    return ", ".join(sorted({name for name in names if names.count(name) > 1}))


def main():
    os.makedirs(folder, exist_ok=True)
    checked = failed = 0

    def tell(what, fault):
        nonlocal checked, failed
        checked += 1
        failed += bool(fault)
        print("%s: %s" % (what, fault or "passed"), flush=True)

    cuda = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    has_cuda = os.path.exists(cuda + "/bin/nvlink") and os.path.exists(READELF)
    toolkit = os.path.join(folder, "toolkit")
    run([os.path.join(here, "..", "..", "src", "emulator", "toolkit", "make-ptx-toolkit"), toolkit])
    for number, version in enumerate(["16", "19", "22", "23"]):
        if not shutil.which("clang-" + version) or not os.path.exists("%s/lib/omptarget/device/%s" % (prefix, version)):
            print("no clang %s or no device RTL for it: left out" % version)
            continue
        for place, gpu in enumerate(GPUS):
            if seed is not None and gpu.startswith("gfx") and place != 1 + (seed + number) % 2:
                continue
            turn = None if seed is None else seed + number + place
            is_nvidia = gpu.startswith("sm_")
            for level in LEVELS if turn is None else [LEVELS[turn // 3 % 4]]:
                more = ["--cuda-path=" + toolkit, "-Wno-unknown-cuda-version"] if is_nvidia else []
                program = Program(version, gpu, level, more)
                for way in WAYS if turn is None else [WAYS[turn % 3]]:
                    tell("clang %s %s %s, %s" % (version, gpu, level, way), fails(program.build(way), gpu))
                if is_nvidia and has_cuda:
                    program = Program(version, gpu, level,
                                      ["-Wno-unknown-cuda-version", "-fno-offload-lto", "-g", "--cuda-path=" + cuda])
                    tell("clang %s %s %s, cubins" % (version, gpu, level), copies(program.build("three objects")))
            fortran = version != "16" and build_fortran(version, gpu, toolkit, has_cuda)
            if fortran:
                tell("flang %s %s" % (version, gpu), fails(fortran, gpu))
                if is_nvidia and has_cuda:
                    tell("flang %s %s, cubins" % (version, gpu), copies(fortran + ".cubins"))
    print("%d programs, %d failed" % (checked, failed))
    return 1 if failed or not checked else 0


sys.exit(main())
