# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The device RTL and the compiler plugin by each compiler: programs linked for GPUs with the documented commands, and
# the plugin's work on intermediate code. Parameters: version (of clang), build (folder of device-rtl below the build
# folder), include, llvm_runtimes, output, llvm_tools. Nothing here needs a GPU.

import os
import shutil

import lit.formats


def param(name):
    value = lit_config.params.get(name)
    if value is None:
        lit_config.fatal("parameter %s is missing: lit --param %s=..." % (name, name))
    return value


version = param("version")
build = os.path.abspath(param("build"))
include = param("include")
tools = param("llvm_tools")
runtime = os.path.join(os.path.abspath(param("llvm_runtimes")), version, "lib")
runtime_19 = os.path.join(os.path.abspath(param("llvm_runtimes")), "19", "lib")
library = "-L%s/clang%s -lomptarget-indirect" % (build, version)
plugin = "%s/pass/omptarget-indirect-%s.so" % (build, version)
binaries = "/usr/lib/llvm-%s/bin" % version
if not os.path.exists(binaries):  # unpacked by test/tools/unpack-compilers
    binaries = "%s/compilers/%s/usr/lib/llvm-%s/bin" % (
        os.path.dirname(os.path.abspath(param("llvm_runtimes"))), version, version)

config.name = "device-rtl." + version
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".ll", ".test"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.abspath(param("output"))
config.environment["PATH"] = binaries + ":" + os.environ["PATH"]

clang = shutil.which("clang-" + version) or shutil.which("clang", path=binaries)
if clang and os.path.exists("%s/clang%s/libomptarget-indirect.a" % (build, version)):
    config.available_features.add("clang-" + version)
cuda = next((folder for folder in [os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
             if folder and os.path.exists(folder + "/bin/ptxas")), None)
# LLVM 23's code generator ends on the device RTL of LLVM 19, which stands in where Debian has none.
if cuda and version != "23":
    config.available_features.add("cuda")
if os.path.exists(os.path.join(os.path.dirname(runtime), "complete")):
    config.available_features.add("llvm-runtimes")
if os.path.exists(binaries + "/lld"):
    config.available_features.add("lld")
gpu_rtl = "%s/gpu/%s" % (build, version)
if os.path.exists(gpu_rtl + "/libomptarget.devicertl.a"):
    config.available_features.add("gpu-rtl")
rocm = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
if os.path.exists(rocm):
    config.available_features.add("rocm-device-libs")
if os.path.exists(plugin):
    config.available_features.add("indirect-plugin")
    if os.path.exists(binaries + "/opt"):
        config.available_features.add("opt")

# The documented commands (docs/use/indirect.md), with what stands in for LLVM's device RTL where Debian has none.
programs = os.path.join(config.test_source_root, "..", "..", "e2e")
headers = "-I%s -I%s/include -isystem %s/include" % (include, programs, os.path.dirname(runtime))
base = "%s -O2 -w -fopenmp %s -L%s/omp -Wl,--allow-shlib-undefined " % (clang, headers, os.path.dirname(runtime))
nvptx = {
    "14": "-fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target -march=sm_80 --libomptarget-nvptx-bc-path=%s -L%s" % (
        runtime, runtime),
    "15": "--offload-arch=sm_80 --libomptarget-nvptx-bc-path=%s -L%s" % (runtime, runtime),
    "16": "--offload-arch=sm_80 --libomptarget-nvptx-bc-path=%s -L%s" % (runtime, runtime),
    "17": "--offload-arch=sm_80 --libomptarget-nvptx-bc-path=%s -L%s" % (runtime, runtime),
    "18": "--offload-arch=sm_80 --libomptarget-nvptx-bc-path=%s -L%s" % (runtime, runtime),
    "19": "--offload-arch=sm_80 --libomptarget-nvptx-bc-path=%s -L%s" % (runtime, runtime),
}.get(version, "--offload-arch=sm_80 -nogpulib -L%s -lomptarget.devicertl" % runtime_19)
amdgcn = {
    "14": "-fopenmp-targets=amdgcn-amd-amdhsa -Xopenmp-target=amdgcn-amd-amdhsa -march=gfx90a "
          "--libomptarget-amdgcn-bc-path=%s -L%s --rocm-device-lib-path=%s" % (runtime, runtime, rocm),
    "15": "-fopenmp-targets=amdgcn-amd-amdhsa -Xopenmp-target=amdgcn-amd-amdhsa -march=gfx90a "
          "--libomptarget-amdgpu-bc-path=%s -L%s --rocm-device-lib-path=%s" % (runtime, runtime, rocm),
    "16": "--offload-arch=gfx90a -L%s --rocm-device-lib-path=%s" % (runtime, rocm),
    "19": "--offload-arch=gfx90a -nogpulib -L%s -lomptarget.devicertl" % runtime,
    "17": "--offload-arch=gfx90a -L%s --rocm-device-lib-path=%s" % (runtime, rocm),
    "18": "--offload-arch=gfx90a -mcode-object-version=4 -L%s --rocm-device-lib-path=%s" % (runtime, rocm),
}.get(version, "--offload-arch=gfx90a -nogpulib -L%s -lomptarget.devicertl -Xoffload-linker "
               "--defsym=__oclc_ABI_version=600" % runtime_19)
if "-fopenmp-targets" not in nvptx:
    nvptx = "-fopenmp-targets=nvptx64-nvidia-cuda " + nvptx
if "-fopenmp-targets" not in amdgcn:
    amdgcn = "-fopenmp-targets=amdgcn-amd-amdhsa " + amdgcn

config.substitutions += [
    (r"%nvptx\b", base + nvptx), (r"%amdgcn\b", base + amdgcn), (r"%library\b", library),
    (r"%gpu-rtl\b",
     "-fopenmp-targets=amdgcn-amd-amdhsa -nogpulib -L%s -lomptarget.devicertl -L%s" % (gpu_rtl, runtime)),
    (r"%bitcode\b", "%s/clang%s/libomptarget-indirect" % (build, version)),
    (r"%base\b", base),
    (r"%plugin\b", "-fpass-plugin=" + plugin),
    (r"%opt\b", "%s/opt -load-pass-plugin=%s -S" % (binaries, plugin)),
    (r"%clang-ir\b", "%s -w --target=x86_64-pc-linux-gnu -fpass-plugin=%s -S -emit-llvm -o -" % (clang, plugin)),
    (r"%clang-for\b", "%s -w" % clang), (r"%cuda\b", cuda or "none"),
    (r"%carve\b", "python3 %s/inputs/carve.py" % config.test_source_root),
    (r"%readelf\b", os.path.join(tools, "llvm-readelf")), (r"%objdump\b", os.path.join(tools, "llvm-objdump")),
    (r"%FileCheck\b", os.path.join(tools, "FileCheck")), (r"%check\b", os.path.join(tools, "FileCheck") + " %s"),
    (r"%programs\b", os.path.join(programs, "indirect")), (r"%inputs\b", config.test_source_root + "/inputs"),
]
