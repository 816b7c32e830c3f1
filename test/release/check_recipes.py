# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_recipes.py PREFIX [RPMSPEC]: the RPM spec and the conda recipe name the version of this source and CMake's least
# version. The spec's lists name each file of the installation in PREFIX once, and nothing that is not there. rpmspec
# expands it, if given.

import fnmatch
import os
import re
import subprocess
import sys

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PACKAGING = os.path.join(SOURCE, "src", "packaging")
# Where the spec moves folders of the installation. bin gets links besides.
MOVED = {"share/man/": "%{_mandir}/", "share/bash-completion/": "%{_datadir}/bash-completion/",
         "share/doc/omptarget/": "%{_docdir}/omptarget-devel/"}
# Files that the spec makes.
MADE = ["%{_libdir}/cmake/omptarget", "%{_libdir}/pkgconfig/omptarget.pc", "%{_sysconfdir}/profile.d/omptarget.sh"]


def read(*names):
    return open(os.path.join(*names)).read()


def found_in(text, pattern, what):
    match = re.search(pattern, text, re.M)
    return match[1] if match else sys.exit("%s has nothing like %s" % (what, pattern))


def check_versions(spec):
    cmake = read(SOURCE, "CMakeLists.txt")
    version = found_in(cmake, r"^project\(omptarget VERSION ([0-9.]+)", "CMakeLists.txt")
    least = found_in(cmake, r"^cmake_minimum_required\(VERSION ([0-9.]+)\)", "CMakeLists.txt")
    versions = found_in(read(SOURCE, "src", "dependencies.cmake"), r"OMPTARGET_LLVM_VERSIONS ([0-9 ]+)\)",
                        "src/dependencies.cmake").split()
    conda = read(PACKAGING, "conda", "meta.yaml")
    for name, text, pattern, wanted in [
        ("omptarget.spec", spec, r"^Version: (.*)$", version),
        ("omptarget.spec", spec, r"^\* .* - ([0-9.]+)-1$", version),
        ("omptarget.spec", spec, r"^BuildRequires: cmake >= (.*)$", least),
        ("omptarget.spec", spec, r"^BuildRequires: llvm-devel >= (.*)$", min(versions, key=int)),
        ("conda/meta.yaml", conda, r'^{% set version = "(.*)" %}$', version),
        ("conda/meta.yaml", conda, r"^    - cmake >=(.*)$", least)]:
        if found_in(text, pattern, name) != wanted:
            sys.exit("%s has '%s'; CMake says %s" % (name, re.search(pattern, text, re.M)[0], wanted))
    llvm = found_in(conda, r'^{% set llvm = "(.*)" %}$', "conda/meta.yaml")
    if llvm not in versions:
        sys.exit("conda/meta.yaml takes LLVM %s; CMake takes %s" % (llvm, versions))


def file_lists(spec):
    """The patterns of each package, and those that it leaves out."""
    lists = {}
    for name, body in re.findall(r"^%files ?(\S*)\n(.*?)(?=^%files|^%changelog|\Z)", spec, re.M | re.S):
        lines = [line for line in body.splitlines() if "%{" in line and not line.startswith("%dir")]
        left_out = [line.split()[1] for line in lines if line.startswith("%exclude")]
        lists[name or "omptarget"] = ([line.split()[-1] for line in lines if not line.startswith("%exclude")], left_out)
    return lists


def matches(file, pattern):
    return fnmatch.fnmatchcase(file, pattern) or fnmatch.fnmatchcase(file, pattern + "/*")


def installed_files(prefix):
    files = []
    for path, folders, names in os.walk(prefix):
        for name in names:
            file = os.path.relpath(os.path.join(path, name), prefix)
            for old, new in MOVED.items():
                file = file.replace(old, new, 1) if file.startswith(old) else file
            files.append(file if file.startswith("%") else "%{folder}/" + file)
            if file.startswith("bin/"):
                files.append("%{_bindir}/" + name)
    return files + MADE


def check_files(spec, prefix):
    lists, files = file_lists(spec), installed_files(prefix)
    if len(lists) != 9 or len(files) < 50:
        sys.exit("the spec has the packages %s, and %s has %d files" % (list(lists), prefix, len(files)))
    for file in files:
        owners = [name for name, (patterns, left_out) in lists.items()
                  if any(matches(file, each) for each in patterns)
                  and not any(matches(file, each) for each in left_out)]
        if len(owners) != 1:
            sys.exit("%s is in the packages %s of omptarget.spec; expected one" % (file, owners))
    for name, (patterns, left_out) in lists.items():
        for pattern in patterns + left_out:
            if not any(matches(file, pattern) for file in files):
                sys.exit("%s of the package %s in omptarget.spec fits no file" % (pattern, name))
    return len(files)


def main():
    spec = read(PACKAGING, "omptarget.spec")
    check_versions(spec)
    count = check_files(spec, sys.argv[1])
    if len(sys.argv) > 2:
        done = subprocess.run([sys.argv[2], "-P", os.path.join(PACKAGING, "omptarget.spec")], capture_output=True,
                              text=True)
        if done.returncode or re.search(r"^(Name|Requires|Summary):.*%\{", done.stdout, re.M):
            sys.exit("rpmspec cannot expand omptarget.spec: %s%s" % (done.stderr, done.stdout))
    print("%d files, each in one package" % count)


main()
