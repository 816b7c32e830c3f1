# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Nests of constructs as device code: programs that generate.py writes, all or a sample. Parameters: as in ../e2e; nests=N and
# seed=S run one in N.

import os
import sys
import zlib

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "e2e", "lit.cfg.py"))
sys.path.insert(0, here)
from generate import combinations, program
from left_out import is_left_out

one_in = int(lit_config.params.get("nests", "1"))
seed = lit_config.params.get("seed", "1")
folder = os.path.join(config.test_exec_root + "-nests", "programs")
os.makedirs(folder, exist_ok=True)
for name in os.listdir(folder):
    if name.endswith(".c"):
        os.remove(os.path.join(folder, name))
written = 0
for name, nest, feature, type_name in combinations():
    if zlib.crc32((seed + name).encode()) % one_in or is_left_out(name):
        continue
    written += 1
    with open(os.path.join(folder, name + ".c"), "w") as file:
        file.write(program(nest, feature, type_name))
lit_config.note("%d nests of %d, seed %s" % (written, len(combinations()), seed))
config.name = config.name.replace(".e2e.", ".nests.")
config.test_source_root = folder
config.test_exec_root += "-nests"
config.excludes = []
