# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs that are for the executor: what only code of a GPU does, and what must be found wrong. Parameters: as in
# ../e2e.
# With sample=N and seed=S one in N of those that are for GPUs of both vendors. Suites of other GPUs, whose seeds
# differ, have the others.

import os
import re
import zlib

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "e2e", "lit.cfg.py"))
config.test_source_root = here
config.test_exec_root = config.test_exec_root + "-programs"
config.excludes = []
sample, seed = int(lit_config.params.get("sample", 1)), int(lit_config.params.get("seed", 1))
for name in os.listdir(here) if sample > 1 else []:
    with open(os.path.join(here, name)) as file:
        is_for_one_vendor = re.search(r"// REQUIRES: .*(emulator-|sm_)", file.read())
    if not is_for_one_vendor and (zlib.crc32(name.encode()) + seed) % sample:
        config.excludes.append(name)
