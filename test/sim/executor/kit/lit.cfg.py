# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The programs that only the kit for machines with GPUs has (test/gpu/programs), as its "run" judges them; what else the kit has is in
# test/e2e. Parameters: as in ../e2e.

import os

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "e2e", "lit.cfg.py"))
is_amd = lit_config.params["driver"] == "amdgpu"
processor = lit_config.params["processor"]
programs = os.path.join(here, "..", "..", "..", "gpu", "programs")

LEFT_OUT = {}
if is_amd:
    LEFT_OUT["print.c"] = "printf of device code is the host's work there"
if processor == "gfx1100":
    LEFT_OUT["unified.c"] = "no such processor reaches pageable memory"
if lit_config.params["suite"] == "16":
    LEFT_OUT["eight_threads.c"] = "LLVM 16's reductions across teams share one buffer and one counter in a module, which kernels of several threads use"
RUN = {
    "fault.c": "%expect-abort %t 2>&1 | %FileCheck {source}.check",
    "print.c": "%run %t | %FileCheck {source}.check",
    "unified.c": "%run SIM_HSA_XNACK=1 SIM_CUDA_ATS=1 %t | %FileCheck {source}.check",
}
CHECK = {
    "fault.c": "CHECK: write_nowhere, line {{[0-9]+}}{{.*}} failed on device 0: {{.*}}{{CUDA_ERROR_|memory fault}}\n",
    "print.c": "".join("CHECK-DAG: from the device: %d text\n" % i for i in range(4)) + "CHECK: ok\n",
}
folder = config.test_exec_root + "-kit"
os.makedirs(folder, exist_ok=True)
for name in os.listdir(programs):
    source = os.path.join(folder, name)
    with open(source + ".check", "w") as file:
        file.write(CHECK.get(name, "CHECK: ok\n"))
    with open(source, "w") as file:
        run = RUN.get(name, "%run %t | %FileCheck {source}.check").format(source=source)
        compiler = "%clangxx" if name.endswith(".cpp") else "%clang"
        file.write("// RUN: %s %s -o %%t\n// RUN: %s\n" % (compiler, os.path.abspath(os.path.join(programs, name)), run))
config.name = config.name.replace(".e2e.", ".kit.")
config.test_source_root = folder
config.test_exec_root = folder
config.excludes = list(LEFT_OUT)
