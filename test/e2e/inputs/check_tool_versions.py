# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_tool_versions.py PREFIX FILE: each installed tool tells the version of omptarget-info, which FILE has. It has a
# manual page with all its options, and completion for bash. It refuses an option that it does not know.

import os
import subprocess
import sys

prefix, version = sys.argv[1], open(sys.argv[2]).read().split(" ", 1)[1]
tools = sorted(os.listdir(prefix + "/bin"))
assert "omptarget-profile" in tools and "omptarget-replay" in tools and "omptarget-plugin-check" in tools, tools
for tool in tools:
    path = "%s/bin/%s" % (prefix, tool)
    told = subprocess.run([path, "--version"], capture_output=True, text=True)
    assert (told.returncode, told.stdout, told.stderr) == (0, tool + " " + version, ""), told
    told = subprocess.run([path, "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and told.stderr == "", told
    help_text = told.stdout
    told = subprocess.run([path, "--no-such-option"], capture_output=True, text=True, timeout=60)
    assert told.returncode == 2 and told.stdout == "", told
    assert told.stderr.startswith(tool + ": ") and "--no-such-option" in told.stderr.splitlines()[0], told
    page = open("%s/share/man/man1/%s.1" % (prefix, tool)).read()
    options = [word for word in help_text.split() if word.startswith("--")]
    assert "--version" in options, help_text
    for option in options:
        assert option.split("=")[0].strip(".,;:").replace("-", "\\-") in page, (tool, option)
    script = '. "$0"; COMP_CWORD=1; _omptarget_tool "$1" --vers; echo "${COMPREPLY[@]}"'
    completed = subprocess.run(["bash", "-c", script, "%s/share/bash-completion/completions/%s" % (prefix, tool), path],
                               capture_output=True, text=True)
    assert completed.stdout == "--version\n", (tool, completed)
    completed = subprocess.run(["bash", "-c", script.replace("--vers", "--"),
                                "%s/share/bash-completion/completions/%s" % (prefix, tool), path],
                               capture_output=True, text=True).stdout.split()
    assert len(completed) == len(set(completed)) > 1, (tool, completed)

# The library calls omptarget-jit. It is there if the build found an LLVM with a shared library.
jit = prefix + "/lib/omptarget/omptarget-jit"
if os.path.exists(jit):
    told = subprocess.run([jit, "--version"], capture_output=True, text=True)
    assert told.returncode == 0, told
    assert told.stdout.startswith("omptarget-jit of omptarget %s, LLVM " % version.strip()), told
    told = subprocess.run([jit, "--no-such-option"], capture_output=True, text=True)
    assert told.returncode == 2 and "--no-such-option" in told.stderr.splitlines()[0], told
