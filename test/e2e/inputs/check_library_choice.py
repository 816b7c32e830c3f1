# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_library_choice.py OMPTARGET-INFO FOLDER PROGRAM [VARIABLE=VALUE]...: runs the program, which prints the files of
# libomptarget that are mapped into it. It asks the tool which files the program will get, with the same variables. Both
# have to be the same, and in FOLDER. Prints what the tool says.

import json
import os
import subprocess
import sys


def output(command, environment):
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300)
    if done.returncode != 0:
        sys.exit("%s: status %d\n%s%s" % (command, done.returncode, done.stdout, done.stderr))
    return done.stdout


def main():
    tool, folder, program = sys.argv[1:4]
    environment = dict(os.environ, KMP_BLOCKTIME="0")
    for name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
        environment.pop(name, None)
    environment.update(each.split("=", 1) for each in sys.argv[4:])
    mapped = {os.path.realpath(line) for line in output([program], environment).splitlines()}
    libraries = json.loads(output([tool, "--json", program], environment))["modules"][0]["libraries"]
    told = {os.path.realpath(each["file"]) for each in libraries}
    if mapped != told:
        sys.exit("the program gets %s\nthe tool says %s\n%s" % (mapped, told, libraries))
    if {os.path.dirname(each) for each in mapped} != {os.path.realpath(folder)}:
        sys.exit("expected one in %s: %s" % (folder, mapped))
    print(output([tool, program], environment))


main()
