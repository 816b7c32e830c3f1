# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# beside.py PREFIX RUNTIMES FOLDER [--processors=gfx90a,sm_80] [--kernels=rows,sum] [--table]
#
# The script compiles the kernels of kernels.c by clang 19 with LLVM 19's device RTL and with omptarget's, and compares
# what they need. That is for AMD's code objects: instructions, vector and scalar registers, shared memory, scratch; of
# PTX the instructions. With a ptxas in the PATH it is PTX's registers, spills and shared memory, too. The script fails
# where ours needs more than MORE says, or fewer waves of it run at once, and DEARER does not say so. An empty kernel
# must come to a bare return, by clang 19, 22 and 23 as far as they are there. A generic kernel that can be SPMD must
# become it. A loop's kernel calls nothing, also in an image that calls functions by their addresses.
# --table prints the whole as tables, as in test/bench/results/2026-11-25-device-rtl.txt.

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels.c")
FORMS = os.path.join(HERE, "forms.c")
CARVE = os.path.join(HERE, "..", "compilers", "inputs", "carve.py")
TOOLS = "/usr/lib/llvm-19/bin/"
NUMBERS = dict(re.findall(r"^#define KERNEL_(\w+) (\d+)$", open(SOURCE).read(), re.M))
# How much more than LLVM's. Scalar registers do not bound how many waves run until 102 of them are used.
MORE = {"VGPRs": 2, "SGPRs": 16, "LDS": 0, "scratch": 0, "spills": 0, "registers": 2, "shared": 0, "stack": 0,
        "instructions": 0}
# The figures of ours where they are higher, of waves where lower. docs/internals/device-rtl.md has the reasons.
PART = "a team that may be a part of the block keeps its size, and says which barrier is its last"
TWICE = "the body of a team that may be a part of the block is there twice: in one copy the team is the whole block"
LAID_OUT = "ptxas lays out the compiler's own variables so; of the RTL's nothing is left"
LINKED = ("what all files of a program are linked from clang 19 optimises a second time; LLVM's RTL is in the file, "
          "and optimised once")
LEVELS = "a thread may be alone in regions; what says that there are none, LLVM takes for true in ones that recurse"
BEHIND = "regions that the kernel may come to through a pointer; LLVM's takes the compiler's word that there are none"
WARPS = "code for whole warps, with each step laid out, beside that for a part of one and that for all teams' values"
INNER = "regions that a thread has for itself: bits and lists; LLVM's has them in the heap"
DEARER = [
    # kernel, what, {processor: ours}, why
    ("histogram", "VGPRs", {"gfx90a": 10}, "the loop's bounds are in vector registers"),
    ("chunked", "LDS", {"gfx90a": 6, "gfx942": 6}, PART),
    ("chunked", "SGPRs", {"gfx90a": 47}, PART),
    ("generic_barrier", "SGPRs", {"gfx90a": 39}, PART),
    ("generic_barrier", "LDS", {"gfx90a": 6, "gfx942": 6}, PART),
    ("nested", "LDS", {"gfx90a": 408, "gfx942": 408}, INNER),
    ("chunked", "instructions", {"gfx90a": 279, "gfx942": 261}, TWICE),
    ("generic_barrier", "instructions", {"gfx90a": 364, "gfx942": 332}, TWICE),
    ("nested", "instructions", {"gfx90a": 4888, "gfx942": 4828, "sm_80": 2225, "sm_90": 2225}, INNER),
    ("nested", "scratch", {"gfx90a": 256, "gfx942": 256}, "the inner region's own stack, which LLVM's leaves out"),
    ("scale", "instructions", {"sm_80": 54, "sm_90": 54}, LINKED),
    ("scale", "registers", {"sm_80": 18}, LINKED),
    ("chunked", "instructions", {"sm_80": 141, "sm_90": 141}, PART),
    ("generic_barrier", "instructions", {"sm_80": 121, "sm_90": 121}, PART),
    ("dynamic", "instructions", {"gfx90a": 4046, "gfx942": 3944}, BEHIND),
    ("dynamic", "VGPRs", {"gfx90a": 44, "gfx942": 44}, BEHIND),
    ("dynamic", "SGPRs", {"gfx90a": 82, "gfx942": 78}, BEHIND),
    ("dynamic", "LDS", {"gfx90a": 4520, "gfx942": 4520}, BEHIND),
    ("dynamic", "scratch", {"gfx90a": 96, "gfx942": 96}, BEHIND),
    ("dynamic", "waves", {"gfx90a": 7, "gfx942": 7}, BEHIND),
    ("guided", "instructions", {"gfx90a": 1268, "gfx942": 1231}, LEVELS),
    ("guided", "VGPRs", {"gfx90a": 32, "gfx942": 32}, LEVELS),
    ("guided", "LDS", {"gfx90a": 280, "gfx942": 280}, LEVELS),
    ("guided", "scratch", {"gfx90a": 16, "gfx942": 16}, LEVELS),
    ("sum", "instructions", {"sm_80": 317, "sm_90": 317}, WARPS),
    ("maximum", "instructions", {"sm_80": 227, "sm_90": 227}, WARPS),
    ("several_sums", "instructions", {"sm_80": 461, "sm_90": 461}, WARPS),
    ("generic_loop", "shared", {"sm_80": 20, "sm_90": 20}, LAID_OUT),
    ("rows", "shared", {"sm_80": 32, "sm_90": 32}, LAID_OUT),
    ("generic_teams", "shared", {"sm_80": 28, "sm_90": 28}, LAID_OUT),
]
# The look-up of indirect functions, which is in every image that is linked with all of the RTL.
LOOK_UP = "__kmpc_target_translate_fptr|__llvm_omp_indirect_call_lookup"
PINNED = {(kernel, processor, what): ours for kernel, what, values, _ in DEARER for processor, ours in values.items()}

options = dict(word[2:].partition("=")[::2] for word in sys.argv[1:] if word.startswith("--"))
prefix, runtimes, folder = (os.path.abspath(word) for word in sys.argv[1:] if not word.startswith("--"))


def rtl(whose, version):
    if whose == "LLVM":
        return os.path.join(runtimes, version, "lib")
    return os.path.join(prefix, "lib", "omptarget", "device", version)


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit("failed: %s\n%s%s" % (" ".join(words), done.stdout, done.stderr))
    return done.stdout + done.stderr


def carve(path, machine):
    run([sys.executable, CARVE, path, str(machine), path + ".image"])
    return path + ".image"


def compile_kernel(kernel, processor, whose, version="19", more=()):
    """The device image of the one kernel, or of all in forms.c; its path, and what the compiler said."""
    output = os.path.join(folder, "%s.%s.%s.%s" % (kernel, processor, whose, version))
    words = ["clang-" + version, "-O2", "-fopenmp", "--offload-arch=" + processor, "-isystem",
             os.path.join(runtimes, version, "include"),
             *(["-DKERNEL=" + NUMBERS[kernel], SOURCE] if kernel in NUMBERS else [FORMS]), "-o", output, *more]
    is_amd = processor.startswith("gfx")
    if is_amd or version != "19":
        words.append("-nogpulib")
    if is_amd:
        words.append("-fopenmp-targets=amdgcn-amd-amdhsa")
    else:
        words += ["-fopenmp-targets=nvptx64-nvidia-cuda", "--cuda-path=" + os.path.join(folder, "toolkit"),
                  "-Wno-unknown-cuda-version",
                  "-foffload-lto"]
    if not is_amd and whose == "LLVM":
        # As users get it: its bitcode in the file.
        words += ["-fno-offload-lto", "-c",
                  "--libomptarget-nvptx-bc-path=%s/libomptarget-nvptx-%s.bc" % (rtl(whose, version), processor)]
    else:
        words += ["-shared", "-fPIC", "-L" + os.path.join(prefix, "lib"), "-L" + os.path.join(runtimes, version, "omp")]
        if version == "19":
            words += ["-L" + rtl(whose, version), "-lomptarget.devicertl"]
        else:
            triple = "amdgcn-amd-amdhsa" if is_amd else "nvptx64-nvidia-cuda"
            words += ["-Xoffload-linker", "%s/%s/libompdevice.a" % (rtl(whose, version), triple)]
    said = run(words)
    if is_amd:
        return carve(output, 224), said
    data = open(carve(output, 190), "rb").read()
    begin = data.index(b".version")
    with open(output + ".ptx", "wb") as file:
        file.write(data[begin:data.index(b"\0", begin)])
    return output + ".ptx", said


def needs_of_code_object(path):
    notes = run([TOOLS + "llvm-readelf", "--notes", path])
    value = lambda name: int(re.search(r"\.%s:\s+(\d+)" % name, notes).group(1))
    # Without what fills up, and without the look-up of indirect functions.
    functions = run([TOOLS + "llvm-objdump", "-d", "--no-show-raw-insn", path]).split("\n\n")
    code = "\n".join(text for text in functions if not re.search("<(%s)>:" % LOOK_UP, text))
    return {"instructions": len(re.findall(r"^\t(?!s_nop|s_code_end)\w", code, re.M)),
            "VGPRs": value("vgpr_count"), "SGPRs": value("sgpr_count"), "LDS": value("group_segment_fixed_size"),
            "scratch": value("private_segment_fixed_size"),
            "spills": value("vgpr_spill_count") + value("sgpr_spill_count")}


def needs_of_ptx(path, processor):
    text = re.sub(r"^\.weak \.func [^;{]*(%s)\(.*?^\}" % LOOK_UP, "", open(path).read(), flags=re.M | re.S)
    needs = {"instructions": len(re.findall(r"^\t(?!\.)[^/\n]*;", text, re.M))}
    if shutil.which("ptxas"):
        said = run(["ptxas", "-v", "-c", "-arch=" + processor, path, "-o", path + ".cubin"])
        found = re.search(
            r"entry function.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?"
                          r"Used (\d+) registers([^\n]*)", said, re.S)
        stack, stores, loads, registers = map(int, found.groups()[:4])
        shared = re.search(r"(\d+) bytes smem", found.group(5))
        needs.update(registers=registers, spills=stores + loads, stack=stack,
                     shared=int(shared.group(1)) if shared else 0)
    return needs


def up(value, to):
    return -(-value // to) * to


def waves(needs, processor):
    """That run at once in a SIMD (AMD) or multiprocessor, in blocks of 128 threads, as far as registers and shared
    memory bound them."""
    if processor.startswith("gfx"): # gfx90a, gfx942: 512 vector registers of a lane, 64 KiB for four SIMDs
        blocks = min(512 // up(max(needs["VGPRs"], 1), 8), 8) * 4 // 2
        return min(blocks, 65536 // up(needs["LDS"], 512) if needs["LDS"] else blocks) * 2 // 4
    # sm_80, sm_90: 65,536 registers, 164 and 228 KiB, of which each block takes 1 KiB more than it asks for
    memory = {"sm_80": 164, "sm_90": 228}[processor] * 1024
    return min(16, 65536 // (up(needs["registers"], 8) * 128), memory // (up(needs["shared"], 128) + 1024)) * 4


def compare(kernel, processor):
    """LLVM's and ours, and what is wrong."""
    is_amd = processor.startswith("gfx")
    both = []
    for whose in ("LLVM", "ours"):
        path, _ = compile_kernel(kernel, processor, whose)
        needs = needs_of_code_object(path) if is_amd else needs_of_ptx(path, processor)
        if "registers" in needs or is_amd:
            needs["waves"] = waves(needs, processor)
        both.append(needs)
    theirs, ours = both
    failures = []
    for key in theirs:
        pinned = PINNED.get((kernel, processor, key))
        is_dearer = ours[key] > theirs[key] + MORE[key] if key in MORE else key == "waves" and ours[key] < theirs[key]
        if pinned is not None and (not is_dearer or (ours[key] > pinned if key == "waves" else ours[key] < pinned)):
            print("better than DEARER says: %s, %s: %s %d, there %d, with LLVM's %d" %
                  (kernel, processor, key, ours[key], pinned, theirs[key]))
        elif is_dearer and ours[key] != pinned:
            failures.append("%s, %s: %s %d, with LLVM's %d%s" % (kernel, processor, key, ours[key], theirs[key],
                                                                  "" if pinned is None else ", in DEARER %d" % pinned))
    return theirs, ours, failures


def print_table(results, processors):
    """Prints the rows of one target's processors."""
    keys = [(processor, key) for processor in processors for key in next(iter(results[processor].values()))[0]
            if key not in ("spills", "waves") and (key != "instructions" or processor == processors[0])]
    print("| kernel | %s |" %
          " | ".join(key if key == "instructions" else "%s %s" % (processor, key) for processor, key in keys))
    print("|---|%s" % ("--:|" * len(keys)))
    for kernel in results[processors[0]]:
        cells = ["%d / %d" % tuple(needs[key] for needs in results[processor][kernel]) for processor, key in keys]
        print("| `%s` | %s |" % (kernel, " | ".join(cells)))


def empty_is_bare(processor, version):
    """Code that is left of a parallel region without statements."""
    path, _ = compile_kernel("nothing", processor, "ours", version)
    if processor.startswith("gfx"):
        text = run([TOOLS + "llvm-objdump", "-d", "--no-show-raw-insn",
                    path]).split("<__omp_offloading", 1)[1].split("\n\n")[0]
        instructions = re.findall(r"^\t(\w+)", text, re.M)
        bare = ["s_endpgm"]
    else:
        text = open(path).read().split(".entry", 1)[1].split("{", 1)[1].split("}")[0]
        instructions = re.findall(r"^\t(\w+)[^\n]*;", text, re.M)
        bare = ["ret"]
    # Behind the end there is nothing but what aligns the next function.
    return [] if instructions[:1] == bare else ["an empty kernel, %s, clang %s: %s" %
                                                (processor, version, " ".join(instructions))]


def becomes_spmd(kernel, processor, version):
    _, said = compile_kernel(kernel, processor, "ours", version, ["-Rpass=openmp-opt"])
    is_so = "Transformed generic-mode kernel to SPMD-mode" in said
    return [] if is_so else ["%s, %s, clang %s: stays a generic kernel" % (kernel, processor, version)]


def calling_kernels(kernel, processor, version, more=()):
    """How many kernels of the image call functions, and how many it has."""
    path, _ = compile_kernel(kernel, processor, "ours", version, more)
    if processor.startswith("gfx"):
        text = run([TOOLS + "llvm-objdump", "-d", "--no-show-raw-insn", path])
        kernels, call = re.findall(r"<__omp_offloading_\w+>:\n(.*?)(?:\n\n|$)", text, re.S), r"\ts_swappc"
    else:
        kernels = re.findall(r"\.entry __omp_offloading_.*?^\}", open(path).read(), re.M | re.S)
        call = r"\tcall"
    return sum(re.search(call, kernel) is not None for kernel in kernels), len(kernels)


def calls_nothing(kernel, processor, version):
    """The kernel's loop is in the kernel, whatever else the image has."""
    calling, count = calling_kernels(kernel, processor, version, ["-DBESIDE_A_CALL"])
    return [] if (calling, count) == (1, 2) else ["%s beside a call by an address, %s, clang %s: %d of %d kernels call "
                                                  "functions" % (kernel, processor, version, calling, count)]


def forms_call_nothing(processor, version):
    """Nor do kernels whose regions have many arguments."""
    calling, count = calling_kernels("forms", processor, version)
    return [] if calling == 0 and count == 9 else ["forms.c, %s, clang %s: %d of %d kernels call functions" %
                                                   (processor, version, calling, count)]


def main():
    os.makedirs(folder, exist_ok=True)
    tools = os.path.join(HERE, "..", "..", "..", "src", "emulator", "toolkit")
    run([os.path.join(tools, "make-ptx-toolkit"), os.path.join(folder, "toolkit")])
    processors = options.get("processors", "gfx90a,gfx942,sm_80,sm_90").split(",")
    kernels = options["kernels"].split(",") if "kernels" in options else [name for name in NUMBERS if name != "nothing"]
    failures = []
    for version in ("19", "22", "23"):
        if shutil.which("clang-" + version) and os.path.exists(os.path.join(runtimes, version, "include")):
            for processor in ("gfx90a", "sm_80"):
                failures += empty_is_bare(processor, version) + becomes_spmd("generic_loop", processor, version)
                failures += forms_call_nothing(processor, version)
                if processor == "sm_80" or version == "19": # newer clangs' code for AMD's calls the loop
                    failures += calls_nothing("scale", processor, version) + calls_nothing("wide", processor, version)
                if processor == "sm_80":
                    failures += calls_nothing("wide_guided", processor, version)
    results = {}
    for processor in processors:
        results[processor] = {}
        for kernel in kernels:
            *results[processor][kernel], wrong = compare(kernel, processor)
            failures += wrong
    if "table" in options:
        for family in ("gfx", "sm_"):
            own = [processor for processor in processors if processor.startswith(family)]
            if own:
                print_table(results, own)
    print("\n".join(failures + ["%d kernels for %d processors, %d worse than they may be" %
                                (len(kernels), len(processors), len(failures))]))
    return 1 if failures else 0


sys.exit(main())
