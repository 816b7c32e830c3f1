#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""documented_messages.py SOURCES [--list]: compares the texts of failures and warnings with docs/use/errors.md. What
omptarget-replay finds wrong with a recording is in docs/use/replay.md.

- Each text in the library, its plugins and its tools is on a page. If a text has places to fill in, its longest piece
  between two of them is there. --list prints what is looked for.
- Each text in the first column of errors.md's tables, and of that table of replay.md, is in a source. Its longest
  piece is there, or the pieces of one literal are most of it: a word of the page may stand for a place.
"""

import os
import re
import sys

# Functions that make a message of their literals, or hand one on.
MAKERS = re.compile(
    r"\b(?:Status::(?:error|fatal|message)|print_(?:message|error|warning|line)|warn_about_setting|reject|complain"
                    r"|fail|failure|warn|report_finding)\s*\(")
STRING = r'"(?:\\.|[^"\\\n])*"'
LITERAL = re.compile(r"%s(?:\s*(?:%s|PRI\w+))*" % (STRING, STRING))
PLACE = re.compile(r"%[-+ #0]*[\d.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]")
# Places of the page's texts: "...", N, 0xN, 'X'.
PLACE_OF_PAGE = re.compile(r"\.\.\.|\b[A-Z]\b|\b0x[A-Z]\b|__tgt_rtl_F\b")
# Beginnings of lines and parts of names, which say nothing by themselves.
NO_MESSAGES = {"omptarget device %d info: ", "omptarget info: version %s", "omptarget note: "}
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


def literals(sources):
    """The pieces of each literal of code that prints, of device code and in tables, too."""
    for top in ("src", "plugins", "device-rtl"):
        for folder, _, names in sorted(os.walk(os.path.join(sources, top))):
            for name in sorted(names):
                if name.endswith((".c", ".cpp", ".h", ".def")):
                    with open(os.path.join(folder, name)) as file:
                        text = re.sub(r"PRI\w+", '"d"', without_comments(file.read()))
                    for literal in re.findall(r"%s(?:\s*%s)*" % (STRING, STRING), text):
                        joined = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', literal))
                        joined = joined.replace('\\"', '"').replace("\\n", " ").replace("%%", "\0")
                        yield [re.sub(r"\s+", " ", piece).removesuffix("0x") for piece in PLACE.split(joined)]


def documented_texts(page):
    for line in page.splitlines():
        if line.startswith("| ") and " | " in line:
            yield from re.findall(r"`([^`]+)`", line[2:].split(" | ", 1)[0])


def letters_in(pieces, text):
    """How much of the text the pieces are, one after the other."""
    at = found = 0
    for piece in pieces:
        begin = text.find(piece, at)
        if begin < 0:
            break
        at, found = begin + len(piece), found + len(piece)
    return found


def is_in_source(text, known, everything):
    text = re.sub(r"^(omptarget \w+: )?(LIBOMPTARGET_\w+: )?", "", text).replace("%", "\0")
    pieces = [piece.strip(" :;,.()'[]") for piece in PLACE_OF_PAGE.split(text)]
    longest = max(pieces, key=len)
    return len(longest) < 8 or longest in everything or any(
        letters_in(pieces, text) >= 0.6 * len(PLACE_OF_PAGE.sub("", text)) for pieces in known)


def read_pages(sources):
    """errors.md, and what it refers to."""
    with open(os.path.join(sources, "docs", "use", "errors.md")) as file:
        page = file.read()
    with open(os.path.join(sources, "docs", "use", "replay.md")) as file:
        sections = re.split(r"^## ", file.read(), flags=re.M)
    refused = [each for each in sections if each.startswith("A recording that is refused\n")]
    return page + refused[0] if refused else sys.exit("replay.md has no section on recordings that are refused")


def main():
    sources = sys.argv[1]
    page = read_pages(sources)
    documented = re.sub(r"\s+", " ", page)
    found = sorted(set(messages(sources)))
    if "--list" in sys.argv[2:]:
        for path, text in found:
            print("%s: %s" % (path, text))
        return
    if len(found) < 200:
        sys.exit("only %d messages are found in the sources: they are made in a way that this test does not know" %
                 len(found))
    missing = [(path, text) for path, text in found if re.sub(r"\s+", " ", longest_piece(text)) not in documented]
    for path, text in missing:
        print("%s: not in docs/use/errors.md or replay.md: %s" % (path, text))
    known = list(literals(sources))
    everything = "\n".join("\1".join(pieces) for pieces in known)
    texts = sorted(set(documented_texts(page)))
    unknown = [text for text in texts if not is_in_source(text, known, everything)]
    for text in unknown:
        print("docs/use/errors.md or replay.md: in no source: %s" % text)
    if missing or unknown:
        sys.exit("%d of %d messages are not documented, %d of %d texts are in no source"
                 % (len(missing), len(found), len(unknown), len(texts)))
    print("%d messages are documented, %d texts of the page are in a source" % (len(found), len(texts)))


main()
