# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# commands.py PAGE PREFIX RUNTIMES COMPILERS FOLDER [SEED]: runs the commands of docs/use/device-rtl-use.md as they
# stand in its tables, P replaced. Each compiler that is here runs its own. Looks at the device images: for NVIDIA as
# PTX and, with a CUDA toolkit, as a cubin; for AMD as a code object. Nothing may be undefined. Each command is run for
# all GPUs below that its compiler knows, with SEED for one.

import os
import re
import shutil
import struct
import subprocess
import sys

page, prefix, runtimes, compilers, folder = map(os.path.abspath, sys.argv[1:6])
seed = int(sys.argv[6]) if len(sys.argv) > 6 else None
here = os.path.dirname(os.path.abspath(__file__))
C_PROGRAM = os.path.join(here, "inputs", "constructs.c")
FORTRAN_PROGRAM = os.path.join(here, "inputs", "constructs.f90")
TOOLKIT = os.path.join(here, "..", "..", "src", "emulator", "toolkit")
FLANG_TO_PTX, MAKE_TOOLKIT = os.path.join(TOOLKIT, "flang-to-ptx"), os.path.join(TOOLKIT, "make-ptx-toolkit")
# Functions that CUDA's driver brings for GPUs.
OF_DRIVER = {"vprintf", "malloc", "free", "__assertfail"}
GPUS = {"nvptx": ["sm_80", "sm_90", "sm_90a"], "amdgcn": ["gfx90a", "gfx942", "gfx1100"]}
NOT_KNOWN = {("16", "gfx942"), ("16", "sm_90a")}
os.environ["PATH"] += ":" + os.path.join(compilers, "bin")


def commands():
    """(version, target, processor, command) for each cell of the tables whose compiler and RTL are here, and the GPUs
    of the run."""
    found = re.findall(r"`(((?:clang|flang|flang-new)-(\d+)) --config=P/\S*/(nvptx|amdgcn)(?:-flang)?\.cfg [^`]*)`",
                       open(page).read())
    if len(found) != 14:
        sys.exit("%s: %d commands, expected 14" % (page, len(found)))
    for number, (text, compiler, version, target) in enumerate(found):
        if not shutil.which(compiler):
            print("no %s: left out" % compiler)
            continue
        # Where there is no CUDA, flang makes PTX of a version that has no sm_90a.
        known = [gpu for gpu in GPUS[target] if (version, gpu) not in NOT_KNOWN and
                 (not compiler.startswith("flang") or gpu != "sm_90a")]
        for gpu in known if seed is None else [known[(seed + number // 2) % len(known)]]:
            yield version, target, gpu, re.sub(r"--offload-arch=\S+", "--offload-arch=" + gpu, text)


def compile_program(version, text, output, more, first):
    """As documented; beside it, where this machine has what LLVM's packages bring: omp.h and libomp. first runs the
    compiler."""
    runtime = os.path.join(runtimes, version)
    text = text.replace("P/", prefix + "/", 1).replace(" a.c", " " + C_PROGRAM)
    words = text.replace(" a.f90", " " + FORTRAN_PROGRAM).split()
    words += ["-o", output, "-L%s/omp" % runtime, "-Wl,--allow-shlib-undefined"] + more
    if not text.startswith("flang"):
        words += ["-isystem", runtime + "/include"]
    words = first + words
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(words), done.stderr))


def images(path, machine):
    data = open(path, "rb").read()
    start = data.find(b"\x7fELF", 1)
    found = []
    while start >= 0:
        if struct.unpack_from("<H", data, start + 18)[0] == machine:
            found.append(data[start:])
        start = data.find(b"\x7fELF", start + 4)
    if len(found) != 1:
        sys.exit("%s has %d device images, expected 1" % (path, len(found)))
    return found[0]


def undefined_in_elf(image):
    """Names of the symbols, of both tables, that are neither defined nor empty nor the driver's."""
    offset, = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, offset + size * i) for i in range(count)]
    names, symbols = set(), 0
    for section in sections:
        if section[1] not in (2, 11): # SHT_SYMTAB, SHT_DYNSYM
            continue
        strings = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, _, _, index = struct.unpack_from("<IBBH", image, at)
            symbols += 1
            if index == 0 and name:
                names.add(image[strings + name:image.index(b"\0", strings + name)].decode())
    if symbols < 2:
        sys.exit("an image without symbols")
    return {name for name in names - OF_DRIVER if not name.startswith(".nv.")} # those are ptxas's own


def undefined_in_ptx(image):
    begin = image.index(b".version")
    text = image[begin:image.index(b"\0", begin)].decode()
    if ".entry" not in text:
        sys.exit("PTX without kernels")
    functions = re.findall(r"\.extern\s+\.func\s+(?:\([^)]*\)\s*)?([\w$]+)", text)
    variables = re.findall(r"\.extern\s+\.(?:global|const|shared)\b[^;]*?([\w$]+)(?:\[\d*\])?;", text)
    return set(functions + variables) - OF_DRIVER


def main():
    os.makedirs(folder, exist_ok=True)
    toolkits = {}
    for cuda in ("11.8", "12.3"):  # that clang 16 and 19 know
        toolkits[cuda] = os.path.join(folder, "toolkit-" + cuda)
        subprocess.run([MAKE_TOOLKIT, toolkits[cuda]], check=True,
                       env=dict(os.environ, PTX_TOOLKIT_CUDA=cuda))
    has_cuda = any(os.path.exists(path + "/bin/ptxas") for path in (os.environ.get("CUDA_PATH", ""), "/usr/local/cuda")
                   if path)
    checked = failed = 0
    for version, target, gpu, text in commands():
        forms = [("code object", 224, [], [], undefined_in_elf)]
        if target == "nvptx":
            toolkit = toolkits["11.8" if int(version) < 19 else "12.3"]
            forms = [("PTX", 190, ["--cuda-path=" + toolkit, "-foffload-lto"], [], undefined_in_ptx)]
            if text.startswith("flang"):  # its driver has neither option
                without_cuda = []
                if int(version) >= 23 and not has_cuda:
                    rtl = "%s/lib/omptarget/device/%s/nvptx64-nvidia-cuda/libompdevice.a" % (prefix, version)
                    without_cuda = ["-nogpulib", "-Xoffload-linker", rtl]
                forms = [("PTX", 190, without_cuda, [FLANG_TO_PTX, toolkit], undefined_in_ptx)]
            if has_cuda:
                forms.append(("cubin", 190, [], [], undefined_in_elf))
        for form, machine, more, first, undefined in forms:
            output = os.path.join(folder, "%s.%s" % (gpu, version))
            compile_program(version, text, output, more, first)
            missing = undefined(images(output, machine))
            checked += 1
            failed += bool(missing)
            print("%s: %s%s" % (text, form, ": nobody defines " + ", ".join(sorted(missing)) if missing else ""))
    print("%d images, %d with something undefined" % (checked, failed))
    return 1 if failed or not checked else 0


sys.exit(main())
