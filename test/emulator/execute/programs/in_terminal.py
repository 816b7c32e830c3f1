# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""in_terminal.py [--columns=N] [--background] COMMAND...: runs the command in a terminal. Prints each line that was
rewritten, as "drawn: ", and then the lines that the terminal shows in the end, as "shown: "."""

import argparse
import fcntl
import os
import struct
import subprocess
import sys
import termios

ERASE = "\033[K"


def output_of(command, columns):
    """All that the command writes to its terminal, which controls its session."""
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = subprocess.Popen(command, stdin=end, stdout=end, stderr=end, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(end)
    parts = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:
        pass # nobody has the other end any more
    program.wait(60)
    return b"".join(parts).decode()


def tell(text, columns):
    """The lines of the terminal. Only what it has to know: the line's begin, erasing, a new line."""
    lines, line = [], ""
    for row in text.replace("\r\n", "\n").split("\n"):
        for n, part in enumerate(row.split("\r")):
            if n > 0 and not part.startswith(ERASE):
                sys.exit("a line is written over without being erased: %r" % row)
            if n > 0 and line:
                print("drawn: " + line)
                if len(line) >= columns:
                    sys.exit("a line of %d letters in %d columns: %r" % (len(line), columns, line))
            line = part.removeprefix(ERASE)
        lines.append(line)
        line = ""
    for line in lines:
        print("shown: " + line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=120)
    parser.add_argument("--background", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    command = given.command
    if given.background:
        command = ["bash", "-mc", '"$@" & wait', "bash", *command]
    tell(output_of(command, given.columns), given.columns)


main()
