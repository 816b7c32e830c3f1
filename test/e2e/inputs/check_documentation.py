# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_documentation.py PAGE FOLDER PREFIX LIBRARY-PATH COMPILER...: checks that the outputs in a page are those of its
# commands. The page has programs ("```c FILE") and runs of them ("```", "$ command", then its output, in which "..."
# stands for any lines). Programs are compiled with COMPILER -g. Addresses, times, numbers of files and threads and the
# like are masked, and the order of lines is free. With --show as first argument the real outputs are printed.

import collections
import os
import re
import subprocess
import sys

MASKS = [
    (r"0x[0-9a-f]+", "ADDRESS"),
    (r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_", "__omp_offloading_NUMBERS_"),
    (r"\b\d+(\.\d+)? (ns|us|ms|s|GB/s)(?!\w)", "MEASURED"),
    (r"thread \d+", "thread N"),
    (r"ELF, \d+ bytes", "ELF, N bytes"),
    (r"/\S*/(libomptarget\.rtl)", r"\1"),
    (r"/\S*/(libomptarget\.so)", r"\1"),
    (r"(LD_LIBRARY_PATH names ).*", r"\1"),
    (r"compiler: .*", "compiler"),
    (r"(info: version \d).*", r"\1"),
    (r"(needed: image \d+ of )\S+/", r"\1"),
    (r"(reports no devices).*", r"\1"),
    (r"\s+", " "),
]


def masked(line):
    for pattern, text in MASKS:
        line = re.sub(pattern, text, line)
    return line.strip()


def blocks(page):
    for kind, body in re.findall(r"^```([^\n]*)\n(.*?)^```$", page, re.M | re.S):
        if kind.startswith("c "):
            yield "program", kind.split()[1], body
        elif kind == "" and body.startswith("$ "):
            command, _, output = body[2:].partition("\n")
            yield "run", command, output.splitlines()


def run(command, folder, prefix, library_path):
    environment = dict(os.environ, LD_LIBRARY_PATH=library_path, PATH=prefix + "/bin:" + os.environ["PATH"])
    for name in list(environment):
        if name.startswith("LIBOMPTARGET_") or name.startswith("OMP_"):
            del environment[name]
    done = subprocess.run(["bash", "-c", "ulimit -c 0; exec env " + command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return done.stdout.decode(errors="replace").splitlines()


def differences(expected, real):
    wanted = collections.Counter(masked(line) for line in expected if line.strip() != "...")
    there = collections.Counter(masked(line) for line in real)
    is_complete = not any(line.strip() == "..." for line in expected)
    yield from ("  only in the page:   " + line for line in (wanted - there).elements())
    if is_complete:
        yield from ("  only in the output: " + line for line in (there - wanted).elements())


def main():
    words = sys.argv[1:]
    shows = words[0] == "--show"
    page, folder, prefix, library_path, *compiler = words[1:] if shows else words
    os.makedirs(folder, exist_ok=True)
    found = list(blocks(open(page, encoding="utf-8").read()))
    for kind, name, body in found:
        if kind == "program":
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(body)
            subprocess.run(compiler + ["-g", name, "-o", name.removesuffix(".c")], cwd=folder, check=True)
    failed, count = False, 0
    for kind, command, expected in found:
        if kind != "run":
            continue
        count += 1
        real = run(command, folder, prefix, library_path)
        if shows:
            print("$ %s\n%s\n" % (command, "\n".join(real)))
        for line in differences(expected, real):
            failed = True
            print("%s\n%s" % (command, line))
    if count < 5:
        sys.exit("%s has only %d commands" % (page, count))
    print("%d commands" % count)
    sys.exit(failed)


main()
