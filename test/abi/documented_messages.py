#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""documented_messages.py SOURCES [--list]: each text of a failure or warning in the library, its plugins and its tools must be in
docs/errors.md. Of a text with places to fill in, its longest piece between two of them must be there. --list prints what is looked for."""

import os
import re
import sys

# What makes a message out of its literals, or hands one on.
MAKERS = re.compile(r"\b(?:Status::(?:error|fatal|message)|print_(?:message|error|warning|line)|warn_about_setting|reject|complain"
                    r"|fail|failure|warn)\s*\(")
STRING = r'"(?:\\.|[^"\\\n])*"'
LITERAL = re.compile(r"%s(?:\s*(?:%s|PRI\w+))*" % (STRING, STRING))
PLACE = re.compile(r"%[-+ #0]*[\d.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]")
# Beginnings of lines and parts of names, which say nothing by themselves.
NO_MESSAGES = {"omptarget device %d info: "}
# Messages for authors of plugins, who read the check that prints them; the emulator's are on a page of their own.
LEFT_OUT = (os.path.join("plugins", "kit"), os.path.join("src", "emulator"))


def without_comments(text):
    return re.sub(r"(%s)|//[^\n]*|/\*.*?\*/" % STRING, lambda found: found.group(1) or " ", text, flags=re.S)


def call_at(text, begin):
    """The arguments of a call, from its opening parenthesis."""
    depth = 0
    for token in re.compile(r"%s|'(?:\\.|[^'\\])'|[()]" % STRING).finditer(text, begin):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0:
            return text[begin:token.end()]
    return ""


def texts_of(source):
    for maker in MAKERS.finditer(source):
        for literal in LITERAL.findall(call_at(source, maker.end() - 1)):
            literal = re.sub(r"PRI\w+", '"d"', literal)
            yield "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', literal)).replace('\\"', '"').replace("\\n", " ")


def longest_piece(text):
    return max((piece.strip(" :;,.()'[]") for piece in PLACE.split(text)), key=len)


def messages(sources):
    for top in ("src", "plugins"):
        for folder, _, names in sorted(os.walk(os.path.join(sources, top))):
            if os.path.relpath(folder, sources).startswith(LEFT_OUT):
                continue
            for name in sorted(names):
                if not name.endswith((".cpp", ".h")):
                    continue
                path = os.path.join(folder, name)
                with open(path) as file:
                    for text in texts_of(without_comments(file.read())):
                        if text not in NO_MESSAGES and " " in text.strip() and len(longest_piece(text)) >= 8:
                            yield os.path.relpath(path, sources), text


def main():
    sources = sys.argv[1]
    with open(os.path.join(sources, "docs", "errors.md")) as file:
        documented = re.sub(r"\s+", " ", file.read())
    found = sorted(set(messages(sources)))
    if "--list" in sys.argv[2:]:
        for path, text in found:
            print("%s: %s" % (path, text))
        return
    if len(found) < 200:
        sys.exit("only %d messages are found in the sources: they are made in a way that this test does not know" % len(found))
    missing = [(path, text) for path, text in found if re.sub(r"\s+", " ", longest_piece(text)) not in documented]
    for path, text in missing:
        print("%s: not in docs/errors.md: %s" % (path, text))
    if missing:
        sys.exit("%d of %d messages are not documented" % (len(missing), len(found)))
    print("%d messages are documented" % len(found))


main()
