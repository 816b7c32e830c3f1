# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_page_links.py FOLDER: links between the pages below the folder lead to files there.

import os
import re
import sys

pages = [os.path.join(folder, name) for folder, _, names in os.walk(sys.argv[1])
         for name in names if name.endswith(".md")]
assert len(pages) > 20, pages
dead = []
for page in pages:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", open(page, encoding="utf-8").read(), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target and not os.path.exists(os.path.join(os.path.dirname(page), target)):
            dead.append((page, target))
assert not dead, dead
