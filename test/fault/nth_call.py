#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nth_call.py host|cuda|amdgpu|memory --clang=N --prefix=... --runtimes=... --output=... [--scenario=NAME]
            [--one-in=N --seed=N] [--of=PLUGIN] [--relabel=... --stand-in=... --note=...]

Runs a program (inputs/NAME.c, scenario.c by default) once for each call that the host plugin or a stand-in driver
receives, and lets this call fail. Each run must end on its own: with right results, or by SIGABRT with a message that
names a construct and a failure and with host data as the specification leaves them. All that was allocated is freed.
memory: the n-th allocation of the host library itself fails, or of the plugin --of. one-in: each N-th call only,
beginning where the seed says."""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 300  # until a run counts as hanging
# The version of code objects and the target that each clang makes, as in test/emulator/e2e.
AMD = {"16": (4, "gfx90a", "gfx90a:sramecc+:xnack-"), "19": (5, "gfx1100", "gfx1100"),
       "22": (6, "gfx9-4-generic", "gfx942:sramecc+:xnack-")}
FAILURES = {"host": [""], "memory": [""], "cuda": ["2", "999"],
            "amdgpu": ["4104", "4096"]}  # out of memory or resources, any


class Run:
    def __init__(self, options):
        self.options = options
        self.program = os.path.join(options.output, "scenario")
        folder = os.path.join(options.runtimes, options.clang)
        self.path = "%s/lib:%s/omp" % (options.prefix, folder)
        # Our library has what translates pointers in device code.
        libraries = ["-L" + path for path in (options.prefix + "/lib", folder + "/omp", folder + "/lib")]
        command = ["clang-" + options.clang, "-O1", "-fopenmp", "-fopenmp-version=51",
                   "-fopenmp-targets=x86_64-pc-linux-gnu", "-isystem",
                   folder + "/include", "-I%s/include" % options.prefix,
                   os.path.join(HERE, "inputs", options.scenario + ".c"),
                   "-o", self.program, *libraries[options.scenario == "scenario":]]
        if options.note:
            command += ["-Xoffload-linker", options.note]
        subprocess.run(command, check=True)
        self.environment = dict(os.environ, LD_LIBRARY_PATH=self.path)
        {"host": self.prepare_host, "cuda": self.prepare_cuda, "amdgpu": self.prepare_amdgpu,
         "memory": self.prepare_memory}[options.kind]()

    def prepare_host(self):
        folder = os.path.join(self.options.output, "plugins")
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["clang-" + self.options.clang, "-shared", "-fPIC", "-I%s/include" % self.options.prefix,
                        '-DREAL_PLUGIN="%s/lib/libomptarget.rtl.x86_64.so"' % self.options.prefix,
                        os.path.join(HERE, "inputs", "failing_plugin.c"), "-o", folder + "/libomptarget.rtl.failing.so",
                        "-ldl"],
                       check=True)
        self.environment.update(LIBOMPTARGET_PLUGIN_PATH=folder, LIBOMPTARGET_PLUGINS="failing")

    def prepare_memory(self):
        library = os.path.join(self.options.output, "failing_memory.so")
        subprocess.run(["clang-" + self.options.clang, "-O1", "-shared", "-fPIC",
                        os.path.join(HERE, "inputs", "failing_memory.c"),
                        "-o", library], check=True)
        self.environment.update(LD_PRELOAD=library)
        if self.options.of:
            self.environment.update(FAIL_IN="/libomptarget.rtl.%s.so" % self.options.of)
        if self.options.of in ("cuda", "amdgpu"):
            {"cuda": self.prepare_cuda, "amdgpu": self.prepare_amdgpu}[self.options.of]()

    def prepare_cuda(self):
        self.on_stand_in("cuda", ["8", "80"], SIM_CUDA_DEVICES="80")

    def prepare_amdgpu(self):
        version, target, device = AMD[self.options.clang]
        self.on_stand_in("amdgpu", [str(version), target], SIM_HSA_DEVICES=device)

    def on_stand_in(self, name, images, **variables):
        subprocess.run([self.options.relabel, "--embedded", self.program, *images], check=True,
                       stdout=subprocess.DEVNULL)
        self.environment.update(LIBOMPTARGET_PLUGINS=name, LD_LIBRARY_PATH="%s:%s" % (self.options.stand_in, self.path),
                                **variables)

    def run(self, policy, **variables):
        environment = dict(self.environment, OMP_TARGET_OFFLOAD=policy, **variables)
        try:
            done = subprocess.run([self.program], env=environment, capture_output=True, text=True, errors="replace",
                                  timeout=SECONDS)
            return done.returncode, done.stderr
        except subprocess.TimeoutExpired as late:
            return "no end", str(late.stderr)

    def count(self):
        """How many calls there are when none fails."""
        if self.options.kind in ("host", "memory"):
            status, text = self.run("MANDATORY")
            found = re.search(r"plugin calls (\d+), failed none, not freed 0|host allocations (\d+)", text)
            calls = int(found.group(1) or found.group(2)) if found else 0
        else:
            variable = "SIM_CUDA_RECORD" if self.options.kind == "cuda" else "SIM_HSA_RECORD"
            with tempfile.TemporaryDirectory() as folder:
                status, text = self.run("MANDATORY", **{variable: folder})
                calls = sum(len(open(os.path.join(folder, name)).readlines()) for name in os.listdir(folder))
        if status != 0 or calls == 0:
            sys.exit("the program fails although no call does: status %s\n%s" % (status, text))
        return calls

    def fail(self, number, failure, policy):
        if self.options.kind == "host":
            return self.run(policy, FAIL_CALL=str(number))
        if self.options.kind == "memory":
            return self.run(policy, FAIL_ALLOCATION=str(number))
        variable = "SIM_CUDA_FAIL" if self.options.kind == "cuda" else "SIM_HSA_FAIL"
        return self.run(policy, **{variable: "*:%d:%s" % (number, failure)})


def complaint(kind, status, text):
    """The defect of a run, or None."""
    if kind == "memory" and status == -signal.SIGABRT:
        # Modules are being registered; the program has not looked at its data yet.
        status = 3
    if status not in (0, 3):
        return "ended with %s" % status
    if status == 3 and not re.search(r"omptarget fatal error \d+: .", text):
        return "was ended without a message"
    if status == 3 and kind == "host" and "on purpose" not in text and "failed number_of" not in text:
        if not re.search("No device is available|is in no image that fits device", text):
            return "the message does not say what failed"
    leaked = re.search(r"failed (\w+), not freed (-?\d+)", text)
    if status == 0 and leaked and leaked.group(2) != "0":
        return "not freed: %s allocations" % leaked.group(2)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["host", "cuda", "amdgpu", "memory"])
    for name in ("clang", "prefix", "runtimes", "output"):
        parser.add_argument("--" + name, required=True)
    for name in ("relabel", "stand-in", "note", "of"):
        parser.add_argument("--" + name)
    parser.add_argument("--scenario", default="scenario")
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    shutil.rmtree(options.output, ignore_errors=True)
    os.makedirs(options.output)
    run = Run(options)
    calls, wrong, went_on, ended = run.count(), 0, 0, 0
    for policy in ("MANDATORY", "DEFAULT"):
        for failure in FAILURES[options.kind]:
            for number in range(1 + options.seed % options.one_in, calls + 1, options.one_in):
                status, text = run.fail(number, failure, policy)
                bad = complaint(options.kind, status, text)
                went_on += status == 0
                ended += status in (3, -signal.SIGABRT)
                if bad:
                    wrong += 1
                    print("%s, call %d fails with %s: %s\n%s" % (policy, number, failure or "1", bad, text))
    print("%s, clang %s: %d calls; %d runs went on, %d ended with a message, %d wrong" %
          (options.kind, options.clang, calls, went_on, ended, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
