# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs that LLVM's device RTL does wrong and ours right: each is compiled twice, by %llvm-clang and %our-clang, and
# both results are looked at. Parameters: as in ../e2e; sample=N and seed=S run one in N.

import os
import re

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "e2e", "lit.cfg.py"))
config.test_source_root = here
config.test_exec_root = config.test_exec_root + "-defects"
params = lit_config.params
config.excludes = [name for at, name in enumerate(sorted(os.listdir(here)))
                   if (int(params.get("seed", "0")) + at) % int(params.get("sample", "1"))]
rtl = os.path.join(os.path.abspath(params["prefix"]), "lib", "omptarget", "device", params["suite"])
text = dict(config.substitutions)[r"%clang\b"]
ours = re.sub(r" -include \S*/rtl_flags\.h", "", text.replace(" --offload-arch=", " -L%s --offload-arch=" % rtl))
config.substitutions += [(r"%llvm-clang\b", text),
                         (r"%our-clang\b", "env LIBRARY_PATH=%s %s" % (rtl, ours))]
