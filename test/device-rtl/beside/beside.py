# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# beside.py PREFIX RUNTIMES FOLDER [--processors=gfx90a,sm_80] [--kernels=rows,sum] [--table]: compiles the kernels of kernels.c by clang 19
# with LLVM 19's device RTL and with omptarget's, and compares what they need: vector and scalar registers, shared memory, scratch of AMD's
# code objects, always; instructions of PTX, and with a ptxas in the PATH registers, spills and shared memory. Fails where ours needs more
# than kMore says. Besides: an empty kernel must come to a bare return, and a generic kernel that can be SPMD must become it.
# --table prints the whole as rows of docs/performance.md.

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels.c")
CARVE = os.path.join(HERE, "..", "compilers", "inputs", "carve.py")
TOOLS = "/usr/lib/llvm-19/bin/"
NUMBERS = dict(re.findall(r"^#define KERNEL_(\w+) (\d+)$", open(SOURCE).read(), re.M))
# How much more than LLVM's. Scalar registers do not bound how many waves run until 102 of them are used.
MORE = {"VGPRs": 2, "SGPRs": 16, "LDS": 0, "scratch": 0, "spills": 0, "registers": 2, "shared": 0, "stack": 0}
# docs/performance.md has the reasons.
KNOWN = {"gfx": {"histogram", "chunked", "generic_barrier", "generic_two_loops", "nested", "dynamic", "guided"},
         "sm_": {"rows", "generic_loop", "generic_two_loops", "generic_teams", "generic_barrier", "generic_call", "team_sums", "nested", "dynamic", "guided"}}

options = dict(word[2:].partition("=")[::2] for word in sys.argv[1:] if word.startswith("--"))
prefix, runtimes, folder = (os.path.abspath(word) for word in sys.argv[1:] if not word.startswith("--"))
rtl = {"LLVM": os.path.join(runtimes, "19", "lib"), "ours": os.path.join(prefix, "lib", "omptarget", "device", "19")}


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit("failed: %s\n%s%s" % (" ".join(words), done.stdout, done.stderr))
    return done.stdout + done.stderr


def carve(path, machine):
    run([sys.executable, CARVE, path, str(machine), path + ".image"])
    return path + ".image"


def compile_kernel(kernel, processor, whose, more=()):
    """The device image of the one kernel; its path, and what the compiler said."""
    output = os.path.join(folder, "%s.%s.%s" % (kernel, processor, whose))
    is_amd = processor.startswith("gfx")
    words = ["clang-19", "-O2", "-fopenmp", "--offload-arch=" + processor, "-isystem", os.path.join(runtimes, "19", "include"),
             "-DKERNEL=" + NUMBERS[kernel], SOURCE, "-o", output, *more]
    if is_amd:
        words += ["-fopenmp-targets=amdgcn-amd-amdhsa", "-nogpulib", "-shared", "-fPIC", "-L" + rtl[whose], "-lomptarget.devicertl",
                  "-L" + os.path.join(runtimes, "19", "omp"), "-L" + os.path.join(prefix, "lib")]
        return carve(output, 224) if run(words) is not None else None
    words += ["-fopenmp-targets=nvptx64-nvidia-cuda", "--cuda-path=" + os.path.join(folder, "toolkit"), "-Wno-unknown-cuda-version",
              "--libomptarget-nvptx-bc-path=%s/libomptarget-nvptx-%s.bc" % (rtl[whose], processor), "-c"]
    run(words)
    data = open(carve(output, 190), "rb").read()
    begin = data.index(b".version")
    with open(output + ".ptx", "wb") as file:
        file.write(data[begin:data.index(b"\0", begin)])
    return output + ".ptx"


def needs_of_code_object(path):
    notes = run([TOOLS + "llvm-readelf", "--notes", path])
    value = lambda name: int(re.search(r"\.%s:\s+(\d+)" % name, notes).group(1))
    return {"VGPRs": value("vgpr_count"), "SGPRs": value("sgpr_count"), "LDS": value("group_segment_fixed_size"),
            "scratch": value("private_segment_fixed_size"), "spills": value("vgpr_spill_count") + value("sgpr_spill_count")}


def needs_of_ptx(path, processor):
    text = open(path).read()
    needs = {"instructions": len(re.findall(r"^\t(?!\.)[^/\n]*;", text, re.M))}
    if shutil.which("ptxas"):
        said = run(["ptxas", "-v", "-c", "-arch=" + processor, path, "-o", path + ".cubin"])
        found = re.search(r"entry function.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?"
                          r"Used (\d+) registers([^\n]*)", said, re.S)
        stack, stores, loads, registers = map(int, found.groups()[:4])
        shared = re.search(r"(\d+) bytes smem", found.group(5))
        needs.update(registers=registers, spills=stores + loads, stack=stack, shared=int(shared.group(1)) if shared else 0)
    return needs


def compare(kernel, processor):
    is_amd = processor.startswith("gfx")
    both = []
    for whose in ("LLVM", "ours"):
        path = compile_kernel(kernel, processor, whose)
        both.append(needs_of_code_object(path) if is_amd else needs_of_ptx(path, processor))
    theirs, ours = both
    if "table" in options:
        print("| `%s` | %s | %s |" % (kernel, processor, " | ".join("%d / %d" % (theirs[key], ours[key]) for key in theirs)))
    worse = [key for key in theirs if key in MORE and ours[key] > theirs[key] + MORE[key]]
    if worse and kernel not in KNOWN[processor[:3]]:
        return ["%s, %s: %s %d, with LLVM's %d" % (kernel, processor, key, ours[key], theirs[key]) for key in worse]
    return []


def empty_is_bare(processor):
    """What is left of a parallel region without statements."""
    path = compile_kernel("nothing", processor, "ours")
    if processor.startswith("gfx"):
        text = run([TOOLS + "llvm-objdump", "-d", "--no-show-raw-insn", path]).split("<__omp_offloading", 1)[1].split("\n\n")[0]
        instructions = re.findall(r"^\t(\w+)", text, re.M)
        bare = ["s_endpgm"]
    else:
        text = open(path).read().split(".entry", 1)[1].split("{", 1)[1].split("}")[0]
        instructions = re.findall(r"^\t(\w+)[^\n]*;", text, re.M)
        bare = ["ret"]
    # Behind the end there is nothing but what aligns the next function.
    return [] if instructions[:1] == bare else ["an empty kernel, %s: %s" % (processor, " ".join(instructions))]


def becomes_spmd(kernel):
    remarks = []
    for processor in ("gfx90a", "sm_80"):
        words = ["clang-19", "-O2", "-fopenmp", "--offload-arch=" + processor, "-nogpulib", "-Rpass=openmp-opt", "-DKERNEL=" + NUMBERS[kernel],
                 "-fopenmp-targets=" + ("amdgcn-amd-amdhsa" if processor == "gfx90a" else "nvptx64-nvidia-cuda"), "-isystem",
                 os.path.join(runtimes, "19", "include"), "-c", SOURCE, "-o", os.path.join(folder, "spmd.o")]
        if processor == "sm_80":
            words.remove("-nogpulib")
            words += ["--cuda-path=" + os.path.join(folder, "toolkit"), "-Wno-unknown-cuda-version",
                      "--libomptarget-nvptx-bc-path=%s/libomptarget-nvptx-sm_80.bc" % rtl["ours"]]
        if "Transformed generic-mode kernel to SPMD-mode" not in run(words):
            remarks.append("%s, %s: stays a generic kernel" % (kernel, processor))
    return remarks


def main():
    os.makedirs(folder, exist_ok=True)
    run([os.path.join(HERE, "..", "..", "gpu", "make-ptx-toolkit"), os.path.join(folder, "toolkit")])
    processors = options.get("processors", "gfx90a,gfx942,sm_80,sm_90").split(",")
    kernels = options["kernels"].split(",") if "kernels" in options else [name for name in NUMBERS if name != "nothing"]
    failures = empty_is_bare("gfx90a") + empty_is_bare("sm_80") + becomes_spmd("generic_loop")
    for processor in processors:
        for kernel in kernels:
            failures += compare(kernel, processor)
    print("\n".join(failures + ["%d kernels for %d processors, %d worse than they may be" % (len(kernels), len(processors), len(failures))]))
    return 1 if failures else 0


sys.exit(main())
