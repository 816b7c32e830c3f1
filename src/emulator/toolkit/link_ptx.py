#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# link_ptx.py OUTPUT FILE...: links files of PTX to one, as nvlink links cubins. Names that are not
# .visible, .weak or .common are the file's own: two files with a static variable of one name have two. The first of
# several weak definitions is taken. A file is PTX or an ELF file with PTX, as make-ptx-toolkit's ptxas makes them; the
# output is PTX. It mends what LLVM writes and NVIDIA's ptxas refuses.

import re
import sys

DRIVERS = {"vprintf", "malloc", "free", "__assertfail"}
# A definition or declaration of a module: what is before it, its kind, its name.
HEAD = re.compile(
    r"^(?P<words>(?:\.(?:extern|visible|weak|common)\s+)*)\.(?P<kind>entry|func|global|const|shared)\b"
    r"(?P<more>[^;{=]*)(?P<end>[;{=])", re.M)
NAME = re.compile(r"[\w$]+")
# The name of a variable or function of a module, which may have dots.
DECLARED = re.compile(r"^(?:\.(?:extern|visible|weak|common)\s+)*\.(?:"
                      r"(?:global|const|shared)\b[^;={]*?\.[busf]\d+\s+([\w$.]+)|"
                      r"(?:entry|func)\s+(?:\.noreturn\s+)?(?:\([^)]*\)\s*)?([\w$.]+))", re.M)


def name_in(kind, more):
    """The name in what follows the kind: behind types, alignments and results."""
    if kind in ("entry", "func"):
        text = re.sub(r"^\s*(?:\.noreturn\s+)?(?:\([^)]*\)\s*)?", "", more)
        return NAME.search(text).group()
    text = re.sub(r"\.(?:align|attribute\([^)]*\))\s*\d*|\.[\w:]+", " ", more)
    return NAME.search(text).group()


def mended(text):
    """The text as ptxas takes it. flang's locks of critical sections have dots in their names, which become $ as the
    compiler plugin writes them. A dynamic alloca of LLVM may have alignment 0, which becomes that of the stack."""
    for name in {name for match in re.finditer(DECLARED, text) for name in match.groups() if name and "." in name}:
        text = re.sub(r"(?<![\w$.%%])%s(?![\w$.])" % re.escape(name), lambda _: name.replace(".", "$"), text)
    return re.sub(r"(\balloca\.u\d+\s[^;]*,\s*)0(?=\s*;)", r"\g<1>16", text)


def text_of(path):
    data = open(path, "rb").read()
    begin = data.index(b".version")
    return mended(data[begin:(data + b"\0").index(b"\0", begin)].decode())


class File:
    """The text of a file, in parts that each define or declare something."""

    def __init__(self, path, number):
        self.path = path
        text = text_of(path)
        text = re.sub(r"//[^\n]*", "", text)
        text = re.sub(r"^\s*\.section\s+\S+\s*\{.*?^\s*\}", "", text, flags=re.M | re.S)
        text = re.sub(r"^(\s*\.(?:file|loc)\s+)(\d+)", lambda m: m[1] + str(int(m[2]) + 1000 * number), text,
                      flags=re.M)
        text = re.sub(r"(inlined_at\s+)(\d+)", lambda m: m[1] + str(int(m[2]) + 1000 * number), text)
        self.head, self.parts = self.split(text)
        own = {name for name, words, _, is_defined in self.parts if is_defined and not words &
               {".visible", ".weak", ".common"}}
        if number and own:
            pattern = re.compile(r"(?<![\w$.%])(" + "|".join(map(re.escape, sorted(own))) + r")(?![\w$])")
            rename = lambda text: pattern.sub(lambda m: "%s$file%d" % (m[1], number), text)
            self.parts = [(rename(name), words, rename(text), is_defined)
                          for name, words, text, is_defined in self.parts]

    @staticmethod
    def split(text):
        parts, at, head = [], 0, None
        for match in HEAD.finditer(text):
            if match.start() < at:
                continue
            head = text[:match.start()] if head is None else head
            if match["end"] == "{" and match["kind"] in ("entry", "func"):
                end = text.index("\n}", match.end()) + 2
            else:
                end = text.index(";", match.end() - 1) + 1
            words = set(match["words"].split())
            is_defined = ".extern" not in words and (match["end"] != ";" or match["kind"] not in ("entry", "func"))
            parts.append((name_in(match["kind"], match["more"]), words, text[match.start():end], is_defined))
            at = end
        aliases = re.findall(r"^\.alias\s[^;]*;", text, re.M)
        return head or text, parts + [(alias, {".weak"}, alias, False) for alias in aliases]


def symbols_of(path):
    """(name, whether it is a function, whether it is weak, whether it is defined) of what the file shows and wants."""
    file = File(path, 0)
    used = set(re.findall(r"[\w$]+", "\n".join(text for _, words, text, is_defined in file.parts if is_defined)))
    for name, words, text, is_defined in file.parts:
        is_function = re.match(r"(?:\.\w+\s+)*\.(?:entry|func)\b", text) is not None
        if (is_defined and words) or (".extern" in words and name in used):
            yield name, is_function, ".weak" in words, is_defined


def link(files):
    defined, parts, needed = {}, [], {}
    for file in files:
        for name, words, text, is_defined in file.parts:
            if not is_defined:
                if ".extern" in words and ".shared" not in text:
                    needed.setdefault(name, file)
                parts.append((name, words, text))
                continue
            first = defined.get(name)
            if first and not (words | first[1]) & {".weak", ".common"}:
                sys.exit("nvlink error: Multiple definition of '%s' in '%s', first defined in '%s'" %
                         (name, file.path, first[0]))
            if first:
                continue
            defined[name] = (file.path, words, text)
            parts.append((name, words, text))
    used = set(re.findall(r"[\w$]+", "\n".join(text for _, words, text in parts if ".extern" not in words)))
    for name, file in needed.items():
        if name in used and name not in defined and name not in DRIVERS:
            sys.exit("nvlink error: Undefined reference to '%s' in '%s'" % (name, file.path))
    return list(declare(parts, defined))


def declare(parts, defined):
    """The parts with what one file declares and another defines: a function is declared as it is defined, a variable is
    defined where it would be declared."""
    variables = set()  # that are defined by now
    for name, words, text in parts:
        if name not in defined or re.match(r"(?:\.\w+\s+)*\.(?:entry|func)\b", text):
            yield re.sub(r"^\.extern", " ".join(sorted(defined[name][1])), text) if name in defined else text
        elif name not in variables:
            variables.add(name)
            yield defined[name][2]


def main():
    output, paths = sys.argv[1], sys.argv[2:]
    if len(paths) == 1:
        with open(output, "w") as file:
            file.write(text_of(paths[0]))
        return
    files = [File(path, number) for number, path in enumerate(paths)]
    texts = link(files)
    version = max((file.head for file in files),
                  key=lambda head: [int(n) for n in re.search(r"\.version\s+(\d+)\.(\d+)", head).groups()])
    tables = re.findall(r"^\s*\.file\s[^\n]*", "".join(file.head for file in files) + "\n".join(texts), re.M)
    texts = [re.sub(r"^\s*\.file\s[^\n]*\n?", "", text, flags=re.M) for text in texts]
    with open(output, "w") as file:
        file.write(re.sub(r"^\s*\.file\s[^\n]*\n?", "", version, flags=re.M) + "\n".join(texts + tables) + "\n")


if __name__ == "__main__":
    main()
