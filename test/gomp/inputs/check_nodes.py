#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_nodes.py OWN SYSTEM: our libgomp.so.1 has all version nodes of the system's, and its symbols are in the nodes
that they have there. No routine on devices is left to the system's."""
import re
import subprocess
import sys

DEVICES = re.compile(r"(omp_(target_|get_(num_devices|initial_device|device_num|mapped_ptr|default_device)|"
                     r"is_initial_device|set_default_device|pause_resource)|GOMP_(target|offload))")


def read(library):
    told = subprocess.run(["readelf", "-W", "--dyn-syms", "--version-info", library], check=True, capture_output=True,
                          text=True).stdout
    definitions = told.split("Version definition section")[1].split("Version needs section")[0]
    nodes = set(re.findall(r"Name: (\w+(?:\.\d+)+)$", definitions, re.MULTILINE)) - {"libgomp.so.1"}
    symbols = {}
    for line in told.splitlines():
        found = re.match(r" *\d+: \S+ +\d+ (?:FUNC|OBJECT) +GLOBAL +DEFAULT +(\S+) (\w+)@@(\S+)", line)
        if found and found[1] not in ("UND", "ABS"):
            symbols[found[2]] = found[3]
    return nodes, symbols


def main():
    (nodes, own), (system_nodes, system) = map(read, sys.argv[1:])
    assert own and system and system_nodes, (own, system, system_nodes)
    wrong = [f"the node {node} is missing" for node in sorted(system_nodes - nodes)]
    wrong += [f"{name} is in {own[name]}; the system has it in {system[name]}" for name in sorted(own.keys() & system)
              if own[name] != system[name]]
    wrong += [f"{name} is the system's" for name in sorted(system.keys() - own)
              if DEVICES.match(name)]
    print("\n".join(wrong) or f"{len(nodes)} nodes, {len(own)} symbols")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
