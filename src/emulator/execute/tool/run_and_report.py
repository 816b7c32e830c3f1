#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_and_report.py [--json=FILE] [--sarif=FILE] [--error-exit-code=N] [--suppressions=FILE]... PROGRAM [ARGUMENT...]:
runs the program for omptarget-run and reports what checks have found in it (docs/use/executor.md)."""

import argparse
import collections
import fnmatch
import json
import os
import signal
import subprocess
import sys
import tempfile

DESCRIPTIONS = {
    "memory": "Device code accesses memory that it does not reach, or that it may not change.",
    "execution": "A kernel ends by a trap, does not end, or waits for what does not come.",
    "race": "Two accesses to the same memory, one of which changes it, have no order.",
    "unwritten": "A branch, an address or a result depends on memory that nobody wrote.",
    "failure": "The runtime cannot carry out a construct.",
    "crash": "The program ends by a signal.",
    "mapping-absent": "A construct copies or releases data that are not mapped.",
    "mapping-beyond": "Mapped data go beyond the block of the host's memory in which they begin.",
    "mapping-dropped": "Results of the device are removed before they are copied back.",
    "mapping-older": "A region uses an older copy of data than the host's.",
    "mapping-never-released": "Data are still mapped when the program ends.",
}


def fail(text):
    sys.exit("omptarget-run: " + text)


class Suppression:
    """RULE [PLACE [TEXT]]  # REASON; patterns as of shells."""

    def __init__(self, path, number, line):
        self.place_of_itself = "%s:%d" % (path, number)
        self.words, _, self.reason = line.partition("#")
        self.reason = self.reason.strip()
        parts = self.words.split(None, 2)
        if not parts or not self.reason:
            fail("%s: a suppression is RULE [FILE:LINE [TEXT]] and, behind a #, its reason" % self.place_of_itself)
        if not fnmatch.filter(DESCRIPTIONS, parts[0]):
            fail("%s: there is no rule %s; there are %s" % (self.place_of_itself, parts[0], ", ".join(DESCRIPTIONS)))
        self.rule, self.place, self.text = parts + ["*"] * (3 - len(parts))
        self.uses = 0

    def matches(self, finding):
        name = os.path.basename(finding.get("file", ""))
        places = [where % {"file": file, "line": finding.get("line", 0)}
                  for file in (finding.get("file", ""), name) for where in ("%(file)s:%(line)d", "%(file)s")]
        does = (fnmatch.fnmatch(finding["rule"], self.rule) and any(fnmatch.fnmatch(one, self.place) for one in places)
                and fnmatch.fnmatch(finding["message"], self.text.strip()))
        self.uses += does
        return does


def read_suppressions(paths):
    found = []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip() and not line.lstrip().startswith("#"):
                        found.append(Suppression(path, number, line.rstrip("\n")))
        except (OSError, UnicodeDecodeError) as error:
            fail("--suppressions=%s: %s" % (path, error))
    return found


def run(command, path):
    """The exit status of the program, as a shell gives it."""
    environment = dict(os.environ, LIBOMPTARGET_CHECK_FILE=path)
    try:
        program = subprocess.Popen(command, env=environment)
    except OSError as error:
        fail("%s: %s" % (command[0], error.strerror))
    # A terminal sends these to both; others send them to this process alone.
    for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(one, lambda number, _: program.send_signal(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    status = program.wait()
    if status < 0 and sys.stderr.isatty():
        sys.stderr.write("\r\033[K")  # the line about its progress, which it could not erase
    if status < 0: # as a shell tells it
        sys.stderr.write("omptarget-run: the program ended by signal %d (%s)\n" % (-status, signal_name(-status)))
    return status if status >= 0 else 128 - status


def read_findings(path):
    """Each finding once, with the number of times."""
    counted = collections.OrderedDict()
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                finding = json.loads(line)
                finding["rule"], finding["message"], finding["level"]
            except (ValueError, KeyError, TypeError):
                fail("a finding cannot be read: %s" % line.strip()[:200])
            key = json.dumps(finding, sort_keys=True)
            counted.setdefault(key, finding)["count"] = counted.get(key, finding).get("count", 0) + 1
    return list(counted.values())


def write(path, content):
    text = json.dumps(content, indent=1) + "\n" if content else ""
    try:
        if path == "-":
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        fail("%s: %s" % (path, error.strerror))


def as_sarif(findings, version):
    """SARIF 2.1.0, which GitHub and GitLab show at the lines of the source."""
    results = []
    for finding in findings:
        result = {"ruleId": finding["rule"], "level": finding["level"], "message": {"text": finding["message"]},
                  "occurrenceCount": finding["count"]}
        if "file" in finding:
            region = {"startLine": finding["line"]}
            if "column" in finding:
                region["startColumn"] = finding["column"]
            path = os.path.relpath(finding["file"]) if os.path.isabs(finding["file"]) else finding["file"]
            result["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": path.replace(os.sep, "/")},
                                                         "region": region}}]
        if "suppressed" in finding:
            result["suppressions"] = [{"kind": "external", "justification": finding["suppressed"]}]
        results.append(result)
    rules = [{"id": rule, "shortDescription": {"text": text}} for rule, text in DESCRIPTIONS.items()]
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [{"tool": {"driver": {"name": "omptarget-run", "version": version, "rules": rules}},
                      "results": results}]}


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def summary_of(findings):
    kept = [finding for finding in findings if "suppressed" not in finding]
    rules = collections.Counter(finding["rule"] for finding in kept)
    text = "%d finding%s" % (len(kept), "" if len(kept) == 1 else "s")
    if rules:
        text += ": " + ", ".join("%d %s" % (count, rule) for rule, count in sorted(rules.items()))
    if len(kept) < len(findings):
        text += "; %d suppressed" % (len(findings) - len(kept))
    return text, len(kept), rules


def main():
    parser = argparse.ArgumentParser(prog="omptarget-run", add_help=False, allow_abbrev=False)
    parser.add_argument("--json")
    parser.add_argument("--sarif")
    parser.add_argument("--error-exit-code", type=int, default=0)
    parser.add_argument("--suppressions", action="append", default=[])
    parser.add_argument("--version-text", default="")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    command = given.command[1:] # after --
    for path in (given.json, given.sarif):
        if path:
            write(path, None) # fails before the program runs
    suppressions = read_suppressions(given.suppressions)
    kept_for_user = os.environ.get("LIBOMPTARGET_CHECK_FILE")
    with tempfile.NamedTemporaryFile(prefix="omptarget-findings-") as file:
        status = run(command, file.name)
        findings = read_findings(file.name)
        if kept_for_user:
            file.seek(0)
            try:
                with open(kept_for_user, "ab") as copy:
                    copy.write(file.read())
            except OSError as error:
                fail("LIBOMPTARGET_CHECK_FILE: '%s' cannot be written: %s" % (kept_for_user, error.strerror))
    if any(finding["rule"] in ("memory", "execution", "race", "unwritten") for finding in findings):
        findings = [finding for finding in findings if finding["rule"] != "failure"] # it follows from those
    if status > 128 and not findings:
        findings = [{"level": "error", "rule": "crash", "count": 1,
                     "message": "the program ended by signal %d (%s)" % (status - 128, signal_name(status - 128))}]
    for finding in findings:
        for suppression in suppressions:
            if suppression.matches(finding):
                finding["suppressed"] = suppression.reason
                break
    text, count, rules = summary_of(findings)
    if given.json:
        write(given.json, {"program": command, "status": status, "version": given.version_text,
                           "summary": {"findings": count, "rules": rules}, "findings": findings})
    if given.sarif:
        write(given.sarif, as_sarif(findings, given.version_text))
    for suppression in suppressions:
        if suppression.uses == 0:
            sys.stderr.write("omptarget-run: %s: nothing is suppressed by it\n" % suppression.place_of_itself)
    red, plain = ("\033[1;31m", "\033[0m") if sys.stderr.isatty() and count else ("", "")
    sys.stderr.write("omptarget-run: %s%s%s\n" % (red, text, plain))
    sys.exit(given.error_exit_code if count and given.error_exit_code else status)


if __name__ == "__main__":
    main()
