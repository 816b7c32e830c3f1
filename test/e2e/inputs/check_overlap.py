#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_overlap.py profile FILE: two kernels of the profile overlap in time, and no two events of one row do.
# check_overlap.py trace FILE: the same kernels in what ompt_tool.c wrote there of a device trace, of two regions.
# check_overlap.py calls FOLDER FOLDER [--any-order]: a stand-in got the same calls in both, as it recorded them there,
# but for those that take the time. With --any-order, where several threads call: the same number of each, and waiting
# does not count. With --times also those that take the time.

import collections
import json
import os
import re
import sys

HOW_TO_WAIT = ("active wait", "blocked wait")
TIMES = ("cuEvent", "cuCtxGetCurrent", "cuCtxPushCurrent", "cuCtxPopCurrent", "hsa_amd_profiling_",
         "hsa_system_get_info",
         *HOW_TO_WAIT)
WAITS = ("cuStreamQuery", "cuStreamSynchronize")


def spans(events):
    return [(event["ts"], event["ts"] + event["dur"]) for event in events]


def check_kernels(kernels, least):
    kernels = sorted(kernels)
    if len(kernels) != 2 or kernels[1][0] >= kernels[0][1]:
        sys.exit("two kernels that overlap were expected, they ran at %s" % kernels)
    if min(end - begin for begin, end in kernels) < least:
        sys.exit("a kernel of at least 20 ms ran at %s" % kernels)


def check_trace(file):
    with open(file) as text:
        lines = text.read()
    if "WRONG" in lines or "ompt: end, 0 problems" not in lines:
        sys.exit(lines)
    kernels = re.findall(r"record kernel .*region=(\d+) .* from=(\d+) to=(\d+)", lines)
    if len({region for region, _, _ in kernels}) != len(kernels):
        sys.exit("a region has two kernels: %s" % kernels)
    check_kernels([(int(begin), int(end)) for _, begin, end in kernels], 20000000)


def check_profile(file):
    with open(file) as text:
        events = [event for event in json.load(text)["traceEvents"] if event["ph"] == "X"]
    check_kernels(spans(event for event in events if event["cat"] == "kernel"), 20000)
    rows = collections.defaultdict(list)
    for event in events:
        if event["pid"] >= 100:
            rows[event["pid"], event["tid"]].append(event)
    for row, inside in rows.items():
        ordered = sorted(spans(inside))
        for one, next_one in zip(ordered, ordered[1:]):
            if next_one[0] < one[1] - 0.001:
                sys.exit("in row %s an event at %s overlaps one at %s" % (row, one, next_one))


def calls_in(folder, left_out):
    files = os.listdir(folder)
    if len(files) != 1:
        sys.exit("%s has the calls of %d processes" % (folder, len(files)))
    with open(os.path.join(folder, files[0])) as text:
        return [line.strip() for line in text if not line.startswith(left_out)]


def check_calls(plain, profiled, any_order, with_times):
    left_out = TIMES + WAITS if any_order else HOW_TO_WAIT if with_times else TIMES
    before, after = calls_in(plain, left_out), calls_in(profiled, left_out)
    if len(before) < 10:
        sys.exit("only %d calls were recorded" % len(before))
    if any_order:
        difference = collections.Counter(after)
        difference.subtract(collections.Counter(before))
        different = {name: count for name, count in difference.items() if count != 0}
        if different:
            sys.exit("more calls when observed: %s" % different)
        return
    for number, (one, other) in enumerate(zip(before + ["the end"], after + ["the end"])):
        if one != other:
            sys.exit("call %d is %s, and %s when observed" % (number, one, other))


if sys.argv[1] == "profile":
    check_profile(sys.argv[2])
elif sys.argv[1] == "trace":
    check_trace(sys.argv[2])
else:
    check_calls(sys.argv[2], sys.argv[3], "--any-order" in sys.argv, "--times" in sys.argv)
