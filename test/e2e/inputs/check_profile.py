# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_profile.py FILE: checks that a profile keeps to Chrome's trace-event format, and has regions, kernels and copies
# that belong together.

import json
import re
import sys


def want(condition, *what):
    if not condition:
        sys.exit("%s: %s" % (sys.argv[1], " ".join(map(str, what))))


trace = json.load(open(sys.argv[1]))
events = trace["traceEvents"]
want(events, "no events")
named, flows = set(), {"s": {}, "f": {}}
for event in events:
    phase = event.get("ph")
    want(phase in ("X", "M", "s", "f", "i"), "unknown phase", event)
    want(isinstance(event.get("pid"), int) and isinstance(event.get("tid"), int), "no process or thread", event)
    want(isinstance(event.get("name"), str) and event["name"], "no name", event)
    if phase == "M":
        named.add((event["name"], event["pid"], event["tid"]))
        continue
    want(isinstance(event.get("ts"), (int, float)) and event["ts"] >= 0, "no time", event)
    if phase == "X":
        want(isinstance(event.get("dur"), (int, float)) and event["dur"] >= 0, "no duration", event)
    if phase in flows:
        want(event["id"] not in flows[phase], "a flow twice", event)
        flows[phase][event["id"]] = event
spans = [event for event in events if event["ph"] == "X"]
for event in spans:
    want(("thread_name", event["pid"], event["tid"]) in named, "a lane without a name", event)
want(flows["s"].keys() == flows["f"].keys(), "flows that begin or end only")
kinds = {}
for event in spans:
    kinds.setdefault(event["cat"], []).append(event)
for kind in ("target", "kernel", "copy to device", "copy from device"):
    want(kinds.get(kind), "no event of kind", kind)
regions = {event["args"]["region"]: event for kind in kinds if kind.startswith("target") for event in kinds[kind]}
for event in kinds["kernel"] + kinds["copy to device"]:
    region = regions.get(event["args"]["region"])
    want(region, "belongs to no region", event)
    slack = 0.002  # rounding
    want(region["ts"] - slack <= event["ts"] and
         event["ts"] + event["dur"] <= region["ts"] + region["dur"] + slack, "outside of its region", event, region)
    want(re.fullmatch(r"\w+\.c:\d+:\d+", event["args"]["source"]), "no source location", event)
for event in kinds["copy to device"]:
    want(event["args"]["bytes"] > 0 and "GB/s" in event["args"], "no bytes", event)
print("%d events, %d flows" % (len(spans), len(flows["s"])))
