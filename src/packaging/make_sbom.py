# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make_sbom.py FOLDER NAME VERSION PACKAGES: what is in a release, as SPDX 2.3: its files with their checksums, and what
# is linked into them, with the versions in PACKAGES (lines "package version").

import datetime
import hashlib
import json
import os
import re
import sys

OWN = "Apache-2.0 WITH LLVM-exception"
# Name, licence, package that tells the version, relation.
PARTS = [
    ("LLVM", OWN, "llvm-19-dev", "STATIC_LINK"),
    ("libstdc++ and libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++-N-dev", "STATIC_LINK"),
    ("libffi", "MIT", "libffi-dev", "STATIC_LINK"),
    ("zlib", "Zlib", "zlib1g-dev", "STATIC_LINK"),
    ("glibc", "LGPL-2.1-or-later", "libc6-dev", "DYNAMIC_LINK"),
]


def checksums(path):
    data = open(path, "rb").read()
    return [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, data).hexdigest()}
            for name in ("sha1", "sha256")]


def package(name, licence, version, **more):
    identifier = "SPDXRef-" + "".join(c if c.isalnum() else "-" for c in name)
    return dict(SPDXID=identifier, name=name, versionInfo=version, downloadLocation="NOASSERTION", filesAnalyzed=False,
                licenseConcluded=licence, licenseDeclared=licence, copyrightText="NOASSERTION", **more)


def version_of(source, versions):
    """Returns the version of a package by its name, in which N is a number that differs between releases of Debian."""
    return next(version for name, version in versions.items() if re.sub(r"\d+", "N", name) ==
                re.sub(r"\d+", "N", source))


def main():
    folder, name, version, packages = sys.argv[1:]
    versions = dict(line.split() for line in open(packages))
    files = []
    for path, _, names in os.walk(folder):
        files += [os.path.join(path, each) for each in names if not os.path.islink(os.path.join(path, each))]
    entries = [{"SPDXID": "SPDXRef-File-%d" % i, "fileName": "./" + os.path.relpath(file, folder),
                "checksums": checksums(file), "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}
               for i, file in enumerate(sorted(files))]
    own = package("omptarget", OWN, version)
    parts = [package(part, licence, version_of(source, versions)) for part, licence, source, _ in PARTS]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in entries]
    relations += [(own["SPDXID"], kind, part["SPDXID"]) for part, (_, _, _, kind) in zip(parts, PARTS)]
    digest = hashlib.sha256(json.dumps(entries).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": "https://spdx.org/spdxdocs/%s-%s" % (name, digest),
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: omptarget-make_sbom"]},
        "packages": [own] + parts, "files": entries,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations],
    }, sys.stdout, indent=1)
    print()


main()
