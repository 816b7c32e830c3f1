# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs that are for the executor: what only code of a GPU does, and what must be found wrong. Parameters: as in
# ../e2e.

import os

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "e2e", "lit.cfg.py"))
config.test_source_root = here
config.test_exec_root = config.test_exec_root + "-programs"
config.excludes = []
