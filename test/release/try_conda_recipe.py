# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# try_conda_recipe.py FOLDER [INSTALLATION]: does in FOLDER what conda build would do with src/packaging/conda. It reads
# the recipe and runs its build script in a copy of the sources. Its tests run in an activated environment, where that
# was built and once more elsewhere. Compilers, tools and LLVM are this machine's. If an installation is given, the
# build script's cmake copies that and builds nothing. No conda is needed, so this shows the recipe's form and commands,
# not that its packages exist.

import os
import re
import shutil
import subprocess
import sys

import yaml

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
RECIPE = os.path.join(SOURCE, "src", "packaging", "conda")


# Stands for cmake: `cmake --install` copies the installation that COPIED names.
COPYING_CMAKE = """#!/usr/bin/env bash
set -euo pipefail
case $1 in
--install) mkdir -p "$PREFIX/opt" && cp -r "$COPIED" "$PREFIX/opt/omptarget" ;;
--build) ;;
*) case " $* " in *" -DCMAKE_INSTALL_PREFIX=$PREFIX/opt/omptarget "*) ;; *) echo "not installed: $*"; exit 1 ;; esac ;;
esac
"""


def select(line):
    """A line without its selector, `# [not linux]`, or nothing where that does not hold."""
    found = re.search(r"\s+# \[(.+)\]$", line)
    if not found:
        return line
    names = {"linux": True, "unix": True, "win": False, "osx": False}
    return line[:found.start()] if eval(found[1], {"__builtins__": {}}, names) else ""


def load_recipe():
    """meta.yaml with its variables filled in; packages that conda itself chooses keep their names."""
    text = "\n".join(map(select, open(os.path.join(RECIPE, "meta.yaml")).read().splitlines()))
    names = dict(re.findall(r'{%\s*set (\w+) = "(.*?)"\s*%}', text))
    text = re.sub(r"{%.*?%}", "", text)
    text = re.sub(r'{{\s*(?:compiler|stdlib)\("(\w+)"\)\s*}}', r"\1-compiler", text)
    recipe = yaml.safe_load(re.sub(r"{{\s*(\w+)\s*}}", lambda found: names[found[1]], text))
    for part in ("package", "source", "build", "requirements", "test", "about"):
        if part not in recipe:
            sys.exit("meta.yaml has no %s" % part)
    if recipe["build"].get("skip"):
        sys.exit("meta.yaml skips Linux")
    if os.path.realpath(os.path.join(RECIPE, recipe["source"]["path"])) != SOURCE:
        sys.exit("meta.yaml takes the sources from %s" % recipe["source"]["path"])
    if not os.path.exists(os.path.join(SOURCE, recipe["about"]["license_file"])):
        sys.exit("there is no %s" % recipe["about"]["license_file"])
    return recipe, names["llvm"]


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, **options)
    if done.returncode:
        sys.exit("%s\nfailed with %d:\n%s" % (" ".join(command), done.returncode, done.stdout[-4000:]))
    return done.stdout


def check_no_file_names(folder, name):
    """No file of the folder is a link to nothing, or names the other folder. conda would write the environment's over
    the name of the build's wherever it finds it, within binary files, too."""
    for path, _, files in os.walk(folder):
        for file in (os.path.join(path, file) for file in files):
            if not os.path.exists(file):
                sys.exit("%s is a link to nothing" % file)
            with open(file, "rb") as opened:
                if name.encode() in opened.read():
                    sys.exit("%s names the folder %s" % (file, name))


def try_environment(prefix, recipe, environment):
    """The recipe's tests as conda build runs them, then activation and its opposite."""
    environment = dict(environment, PREFIX=prefix, CONDA_PREFIX=prefix, PATH=prefix + "/bin:" + environment["PATH"])
    tests = ["set -eu", ". $PREFIX/etc/conda/activate.d/omptarget.sh"] + recipe["test"]["commands"]
    run(["bash", "-c", "\n".join(tests)], cwd=prefix, env=dict(environment, LD_LIBRARY_PATH="/nowhere"))
    paths = run(["bash", "-c", "set -eu; for event in activate deactivate; do "
                 ". $PREFIX/etc/conda/$event.d/omptarget.sh; echo ${OMPTARGET_ROOT-none} $LD_LIBRARY_PATH; done"],
                env=dict(environment, LD_LIBRARY_PATH="/a:/b")).split()
    root = prefix + "/opt/omptarget"
    if paths != [root, root + "/lib:/a:/b", "none", "/a:/b"]:
        sys.exit("activating and deactivating give %s" % paths)


def main():
    folder = os.path.abspath(sys.argv[1])
    installation = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
    recipe, llvm = load_recipe()
    shutil.rmtree(folder, ignore_errors=True)
    prefix, work = folder + "/prefix", folder + "/work"
    os.makedirs(prefix + "/lib/cmake")
    os.symlink("/usr/lib/llvm-%s/lib/cmake/llvm" % llvm, prefix + "/lib/cmake/llvm")
    environment = dict(os.environ, PREFIX=prefix, CPU_COUNT=str(os.cpu_count()),
                       CMAKE_ARGS="-DCMAKE_INSTALL_PREFIX=%s -DCMAKE_INSTALL_LIBDIR=lib "
                       "-DCMAKE_BUILD_TYPE=Release" % prefix)
    if installation:
        os.makedirs(folder + "/bin")
        with open(folder + "/bin/cmake", "w") as cmake:
            cmake.write(COPYING_CMAKE)
        os.chmod(cmake.name, 0o755)
        work = SOURCE
        environment.update(COPIED=installation, PATH=folder + "/bin:" + environment["PATH"])
    else:
        run(["git", "clone", "-q", SOURCE, work])
        if "CCACHE_BASEDIR" in environment:
            environment["CCACHE_BASEDIR"] = work
    run(["bash", work + "/src/packaging/conda/build.sh"], cwd=work, env=environment)
    check_no_file_names(prefix, prefix)
    check_no_file_names(prefix, work)
    try_environment(prefix, recipe, environment)
    os.rename(prefix, folder + "/elsewhere")
    try_environment(folder + "/elsewhere", recipe, environment)
    if installation:
        shutil.rmtree(folder)
    print("the conda recipe %s omptarget %s with LLVM %s; its tests pass"
          % ("lays out" if installation else "builds", recipe["package"]["version"], llvm))


main()
