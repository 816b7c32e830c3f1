# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_container.py FOLDER: what src/packaging/build --container asks of a container engine, by an engine that only
# writes down what it is asked. Files must belong to the caller in the end: in a rootless container, root is the caller,
# and in others the caller's number is given. FOLDER is emptied.

import os
import shutil
import subprocess
import sys

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
ENGINE = """#!/bin/sh
printf '%s\\n' "$*" >>"$CALLS"
case $1 in
info) cat "$INFO" ;;
build) exit "${FAILS:-0}" ;;
esac
"""
# Kinds of engines: an excerpt of their `info`, and whether root in their containers is the caller.
ENGINES = {
    "podman with root": ("  security:\n    rootless: false\n    seccompEnabled: true\n", False),
    "podman without root": ("  security:\n    rootless: true\n    seccompEnabled: true\n", True),
    "docker": (" Security Options:\n  seccomp\n   Profile: builtin\n  cgroupns\n Kernel Version: 6.1\n", False),
    "docker without root": (" Security Options:\n  seccomp\n   Profile: builtin\n  rootless\n  cgroupns\n", True),
}


def calls_of(folder, info, **more):
    """The engine's calls, and what the script said."""
    files = {name: os.path.join(folder, name) for name in ("engine", "calls", "info", "release")}
    with open(files["info"], "w") as file:
        file.write(info)
    open(files["calls"], "w").close()
    done = subprocess.run([os.path.join(SOURCE, "src", "packaging", "build"), "--container", files["release"]],
                          env=dict(os.environ, OMPTARGET_CONTAINER_ENGINE=files["engine"], CALLS=files["calls"],
                                   INFO=files["info"], **more), capture_output=True, text=True)
    return done, open(files["calls"]).read().splitlines(), files["release"]


def expect(is_so, what, *facts):
    if not is_so:
        sys.exit("%s:\n%s" % (what, "\n".join(map(str, facts))))


def check_engine(folder, kind, info, is_rootless):
    done, calls, release = calls_of(folder, info, OMPTARGET_MIRROR="http://mirror.example",
                                    OMPTARGET_CONTAINER_BASE="base.example/debian:12")
    expect(done.returncode == 0, "with %s the build fails" % kind, done.stdout, done.stderr)
    built, ran = calls[0], calls[-1]
    expect(built.startswith("build ") and "--build-arg BASE=base.example/debian:12 " in built and
           built.endswith("-f %s/src/packaging/Containerfile %s" % (SOURCE, SOURCE)), "the image of " + kind, built)
    user = "--user %d:%d" % (os.getuid(), os.getgid())
    expect(ran.startswith("run --rm ") and ran.endswith(" %s/src/packaging/build %s x86_64" % (SOURCE, release)),
           "the run of " + kind, ran)
    for option in ("-v %s:%s" % (SOURCE, SOURCE), "-v %s:%s" % (release, release), "-e OMPTARGET_MIRROR",
                   "-e SOURCE_DATE_EPOCH"):
        expect(option + " " in ran, "%s runs without %s" % (kind, option), ran)
    expect((user in ran) != is_rootless, "the user of " + kind, ran)


def main():
    folder = os.path.abspath(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "engine"), "w") as engine:
        engine.write(ENGINE)
    os.chmod(engine.name, 0o755)
    for kind, (info, is_rootless) in ENGINES.items():
        check_engine(folder, kind, info, is_rootless)
    done, calls, _ = calls_of(folder, "", FAILS="1")
    expect(done.returncode != 0 and "could not build the image" in done.stderr and len(calls) == 1,
           "an image that cannot be built", calls, done.stderr)
    shutil.rmtree(folder)
    print("%d kinds of engines are asked for what they need" % len(ENGINES))


main()
