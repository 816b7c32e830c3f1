# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_merged_profile.py MERGED PROFILE...: checks that a merged profile has everything that the profiles of the
# ranks have.

import json
import sys

merged, parts = json.load(open(sys.argv[1])), [json.load(open(name)) for name in sys.argv[2:]]
parts.sort(key=lambda part: part["otherData"]["rank"])
start = min(part["otherData"]["startNs"] for part in parts)
tracks, flows, wanted = set(), set(), []
for part in parts:
    wanted += part["traceEvents"]
assert len(merged["traceEvents"]) == len(wanted)
events = iter(merged["traceEvents"])
for index, part in enumerate(parts):
    label, shift = "rank %d (" % part["otherData"]["rank"], (part["otherData"]["startNs"] - start) / 1000
    own_tracks, own_flows = set(), set()
    for old in part["traceEvents"]:
        new = next(events)
        assert new["name"] == old["name"] and new["ph"] == old["ph"] and new.get("dur") == old.get("dur"), (new, old)
        own_tracks.add(new["pid"])
        if old["ph"] == "M":
            if old["name"] == "process_name":
                name = new["args"]["name"]
                assert name.startswith(label) and name.endswith(", " + old["args"]["name"]), new
            continue
        assert abs(new["ts"] - old["ts"] - shift) < 0.01, (new, old, shift)
        if "id" in old:
            own_flows.add(new["id"])
    assert not tracks & own_tracks and not flows & own_flows, "tracks or arrows of two ranks are one"
    tracks |= own_tracks
    flows |= own_flows
tables, ranks = merged["otherData"]["summary"], merged["otherData"]["summary"]["ranks"]
for name in ("regions", "kernels", "transfers", "variables", "repeated", "fallbacks"):
    for key in ("count", "ns", "bytes", "unchangedBytes"):
        total = sum(row[key] for part in parts for row in part["otherData"]["summary"][name])
        assert sum(row[key] for row in tables[name]) == total, (name, key, total)
kernels = tables["kernels"]
assert len(kernels) == 1 and kernels[0]["count"] == 10 * len(parts), kernels
assert [row["span"] for row in ranks] == sorted((row["span"] for row in ranks), reverse=True), ranks
assert sorted(row["rank"] for row in ranks) == [part["otherData"]["rank"] for part in parts], ranks
for row in ranks:
    part = next(part for part in parts if part["otherData"]["rank"] == row["rank"])
    assert row["kernels"] == sum(kernel["ns"] for kernel in part["otherData"]["summary"]["kernels"]), row
print("%d events of %d ranks" % (len(wanted), len(parts)))
