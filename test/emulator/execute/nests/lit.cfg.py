# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Nests of constructs as device code: programs that generate.py writes, all or a sample. Parameters: as in ../e2e;
# nests=N and seed=S run one program in N; schedules=N runs each program under so many orders of waves.

import os
import sys
import zlib

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "e2e", "lit.cfg.py"))
sys.path.insert(0, here)
from generate import combinations, program
from left_out import is_left_out

suite, driver = lit_config.params["suite"], lit_config.params["driver"]
one_in = int(lit_config.params.get("nests", "1"))
seed = lit_config.params.get("seed", "1")
folder = os.path.join(config.test_exec_root + "-nests", "programs")
os.makedirs(folder, exist_ok=True)
for name in os.listdir(folder):
    if name.endswith(".c"):
        os.remove(os.path.join(folder, name))
# A program has several regions, because the device RTL is linked anew for each program; always the same ones.
REGIONS = 16
regions = [one for one in combinations()
           if not is_left_out(one[0], suite, driver, lit_config.params.get("rtl") == "ours")]
# Regions in regions apart: clang takes minutes for a module of several kernels that has some.
apart = [one for one in regions if one[2] == "nested"]
common = [one for one in regions if one[2] != "nested"]
programs = (len(common) + REGIONS - 1) // REGIONS
parts = [common[number::programs] for number in range(programs)] + [[one] for one in apart]
order = sorted(range(len(parts)), key=lambda number: zlib.crc32(("%s %s %d" % (seed, config.name, number)).encode()))
chosen = order[:max(1, len(parts) // one_in)]
for number in chosen:
    with open(os.path.join(folder, "nests%d.c" % number), "w") as file:
        file.write(program(parts[number], int(lit_config.params.get("schedules", "1"))))
lit_config.note("%d nests of %d, seed %s; %d are left out" %
                (sum(len(parts[number]) for number in chosen), len(regions), seed, len(combinations()) - len(regions)))
config.name = config.name.replace(".e2e.", ".nests.")
config.test_source_root = folder
config.test_exec_root += "-nests"
config.excludes = []
