# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compare_with_llvm.py KIND OUR-LIBRARY-PATH LLVM-LIBRARY-PATH TOOL COMMAND...: runs a program on both runtimes and
# compares what they tell. KIND info: LIBOMPTARGET_INFO=-1 on stderr, or as that variable says. KIND ompt: the events
# that TOOL (ompt_tool.c) records. Addresses are masked; the order inside of a construct is free, and so is that of
# constructs. The deliberate differences that are taken out first are those of docs/use/llvm-output.md.
#
# KIND watch-info or watch-ompt: COMMAND is run as it is, for its own sake, its status passed on. If it succeeds, the
# same is compared, as far as LLVM's runtime can run the program. watch-events: the same without LLVM's: only what TOOL
# itself finds wrong, as events that do not pair up.

import collections
import os
import re
import subprocess
import sys
import tempfile


def run(command, library_path, variables, **options):
    """LD_LIBRARY_PATH is replaced in the environment and where the command sets it; None leaves it as it is."""
    environment = dict(os.environ, **variables)
    if library_path:
        environment["LD_LIBRARY_PATH"] = library_path
        command = [re.sub("^LD_LIBRARY_PATH=.*", "LD_LIBRARY_PATH=" + library_path, word) for word in command]
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=600, **options)


def run_observed(kind, command, library_path, tool, passes_output=False):
    """Status and lines of one run."""
    output = None if passes_output else subprocess.PIPE
    if kind == "info":
        variables = {"LIBOMPTARGET_INFO": os.environ.get("LIBOMPTARGET_INFO", "-1")}
        done = run(command, library_path, variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return done.returncode, done.stderr.decode(errors="replace").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        log = folder + "/log"
        variables = {"OMP_TOOL_LIBRARIES": tool, "TOOL_LOG": log}
        done = run(command, library_path, variables, stdout=output, stderr=output)
        lines = open(log, errors="replace").read().splitlines() if os.path.exists(log) else []
        return done.returncode, lines


def info_groups(lines):
    """The lines of each construct, and how often there was one with these. Named copies count once more by
    themselves."""
    groups, group = [], []
    for line in lines:
        if not re.match('(omptarget|"PluginInterface") device \\d+ info: ', line):
            continue
        line = re.sub(r"0x[0-9a-f]{16}", "ADDRESS", line)
        if re.search(r"info: (Entering|Exiting|Updating) ", line):
            groups.append(group)
            group = []
        # omptarget names the whole of what is removed, LLVM the part that the construct names.
        line = re.sub(r"(Removing map entry .*)Size=\d+", r"\1Size=...", line)
        # LLVM names copies without a mapping after whatever lies next to them.
        group.append(re.sub(r"(Copying data .*, Name=).*", r"\1...", line))
    return collections.Counter(tuple(sorted(group)) for group in groups + [group] if group)


def named_copies(lines):
    return collections.Counter(re.sub(r"0x[0-9a-f]{16}", "ADDRESS", line) for line in lines
                               if " info: Copying data " in line and not line.endswith("Name=unknown"))


def as_llvm_does(lines):
    """LLVM copies between devices through the host, fills by copying, and tells nothing of regions that the host
    runs."""
    host = next((found[1] for line in lines if (found := re.search(r"type=1 .*source=\w+:(\d+)", line))), None)
    kinds = collections.defaultdict(set)
    for line in lines:
        if found := re.search(r"^ompt: (\w+) .*region=(\d+)", line):
            kinds[found[2]].add(found[1])
    for line in lines:
        found = re.search(r"^ompt: target kind=(1|9) .*region=(\d+)", line)
        if found and kinds[found[2]] == {"target"}:
            continue
        found = re.search(r"type=3 (.*)source=set:(\d+) destination=set:(\d+)", line)
        if found and found[3] != host:
            yield line.replace("destination=set:" + found[3], "destination=set:%s" % host)
            yield line.replace("type=3", "type=2").replace("source=set:" + found[2], "source=set:%s" % host)
            continue
        yield re.sub(r"(type=2 .*)source=null", r"\1source=set", line)


def ompt_groups(lines):
    groups = collections.defaultdict(list)
    for line in as_llvm_does(lines):
        if not line.startswith("ompt: "):
            continue
        # LLVM initialises all devices at program start, omptarget those that are used; LLVM reports no unloading.
        if re.search(r"device_(initialize|finalize|unload)|WRONG|ompt: (end|map)", line):
            continue
        # The plain form: omptarget reports an allocation when it is done, so that its address is known.
        if "endpoint" not in line:
            line = re.sub(r"(data_op type=1 .*destination=)(null|set)", r"\1ADDRESS", line)
        # Private variables of a construct share one allocation that belongs to no host memory.
        line = re.sub(r"(data_op type=1 .*source=)(null|set)", r"\1ADDRESS", line)
        # LLVM tells of constructs with nowait as if they had none.
        line = re.sub(r"(target kind=)(9|1[0-2]) ", lambda found: found[1] + str(int(found[2]) - 8) + " ", line)
        # Outside of constructs LLVM passes a word that belongs to no region, omptarget none.
        region = re.search(r"region=(-?\d+)", line)
        line = re.sub(r" region=-?\d+", "", line)
        line = re.sub(r"module=\d+", "module", line)
        groups[max(0, int(region[1])) if region else 0].append(line)
    result = collections.Counter(tuple(sorted(group)) for number, group in groups.items() if number != 0)
    # Lines that belong to no construct count one by one.
    result.update((line,) for line in groups[0])
    return result


def print_differences(ours, theirs):
    """Each construct beside the one of LLVM's that is most like it."""
    def distance(left, right):
        left, right = collections.Counter(left), collections.Counter(right)
        return sum((left - right).values()) + sum((right - left).values())
    for group in ours:
        like = min(theirs, key=lambda other: distance(group, other), default=())
        if like:
            theirs.remove(like)
        left, right = collections.Counter(group), collections.Counter(like)
        heads = [line for line in group if re.search("with \\d+ arguments:|target kind=.*endpoint=1", line)]
        sys.stderr.write("in %s\n" % (heads[0] if heads else "no construct"))
        for mark, lines in (("+", left - right), ("-", right - left)):
            sys.stderr.writelines("  %s %s\n" % (mark, line) for line in lines.elements())
    for group in theirs:
        sys.stderr.write("only on LLVM's runtime:\n  - %s\n" % "\n  - ".join(group))


def compare(kind, ours, theirs):
    groups = {"info": info_groups, "ompt": ompt_groups}[kind]
    mine, other = groups(ours), groups(theirs)
    # omptarget loads images when a device is first used, LLVM when it needs them.
    for group in [group for group in mine - other if "device_load" in group[0]]:
        del mine[group], other[group]
    print_differences(list((mine - other).elements()), list((other - mine).elements()))
    misnamed = named_copies(ours) - named_copies(theirs)
    for line in misnamed:
        sys.stderr.write("only omptarget:\n  %s\n" % line)
    return mine == other and not misnamed, sum(other.values())


def watch(kind, llvm_path, tool, command):
    if kind in ("ompt", "events"):
        status, ours = run_observed("ompt", command, None, tool, passes_output=True)
        wrong = [line for line in ours if "WRONG" in line]
        if wrong:
            sys.exit("\n".join(wrong[:20]))
    else:
        status = run(command, None, {}).returncode
        if status == 0:
            ours = run_observed(kind, command, None, tool)[1]
    if status != 0 or kind == "events":
        sys.exit(status if status >= 0 else 128 - status)
    # LLVM's runtime hangs at times, and is not waited for as long.
    soon = ["60" if before == "timeout" else word for before, word in zip([""] + command, command)]
    their_status, theirs = run_observed(kind, soon, llvm_path, tool)
    if their_status in (0, 97):  # 97: the tool found something wrong
        sys.exit(0 if compare(kind, ours, theirs)[0] else 1)


def main():
    kind, ours, theirs, tool, *command = sys.argv[1:]
    if kind.startswith("watch-"):
        return watch(kind[len("watch-"):], theirs, tool, command)
    results = [run_observed(kind, command, path, tool) for path in (ours, theirs)]
    for (status, lines), accepted in zip(results, ((0,), (0, 97))):
        if status not in accepted:
            sys.exit("status %d\n%s" % (status, "\n".join(lines)))
    is_same, count = compare(kind, results[0][1], results[1][1])
    if count < 5:
        sys.exit("LLVM's runtime told of %d constructs only: nothing to compare with" % count)
    print("%d constructs" % count)
    print("the same" if is_same else "different")
    sys.exit(not is_same)


main()
