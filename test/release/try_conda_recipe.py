# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# try_conda_recipe.py FOLDER: does in FOLDER what conda build would do with src/packaging/conda. It reads the recipe,
# runs its build script in a copy of the sources, and its tests in an activated environment. Compilers, tools and LLVM
# are this machine's. No conda is needed, so this shows the recipe's form and commands, not that its packages exist.

import os
import re
import shutil
import subprocess
import sys

import yaml

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
RECIPE = os.path.join(SOURCE, "src", "packaging", "conda")


def load_recipe():
    """meta.yaml with its variables filled in; packages that conda itself chooses keep their names."""
    text = open(os.path.join(RECIPE, "meta.yaml")).read()
    names = dict(re.findall(r'{%\s*set (\w+) = "(.*?)"\s*%}', text))
    text = re.sub(r"{%.*?%}", "", text)
    text = re.sub(r'{{\s*(?:compiler|stdlib)\("(\w+)"\)\s*}}', r"\1-compiler", text)
    recipe = yaml.safe_load(re.sub(r"{{\s*(\w+)\s*}}", lambda found: names[found[1]], text))
    for part in ("package", "source", "build", "requirements", "test", "about"):
        if part not in recipe:
            sys.exit("meta.yaml has no %s" % part)
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


def main():
    folder = os.path.abspath(sys.argv[1])
    recipe, llvm = load_recipe()
    shutil.rmtree(folder, ignore_errors=True)
    prefix, work = folder + "/prefix", folder + "/work"
    os.makedirs(prefix + "/lib/cmake")
    os.symlink("/usr/lib/llvm-%s/lib/cmake/llvm" % llvm, prefix + "/lib/cmake/llvm")
    run(["git", "clone", "-q", SOURCE, work])
    environment = dict(os.environ, PREFIX=prefix, CPU_COUNT=str(os.cpu_count()), CONDA_PREFIX=prefix,
                       PATH=prefix + "/bin:" + os.environ["PATH"], CMAKE_ARGS="-DCMAKE_INSTALL_PREFIX=%s "
                       "-DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release" % prefix)
    if "CCACHE_BASEDIR" in environment:
        environment["CCACHE_BASEDIR"] = work
    run(["bash", work + "/src/packaging/conda/build.sh"], cwd=work, env=environment)
    tests = ["set -eu", ". $PREFIX/etc/conda/activate.d/omptarget.sh"] + recipe["test"]["commands"]
    run(["bash", "-c", "\n".join(tests)], cwd=folder, env=dict(environment, LD_LIBRARY_PATH="/nowhere"))
    paths = run(["bash", "-c", "set -eu; for event in activate deactivate; do "
                 ". $PREFIX/etc/conda/$event.d/omptarget.sh; echo ${OMPTARGET_ROOT-none} $LD_LIBRARY_PATH; done"],
                env=dict(environment, LD_LIBRARY_PATH="/a:/b")).split()
    root = prefix + "/opt/omptarget"
    if paths != [root, root + "/lib:/a:/b", "none", "/a:/b"]:
        sys.exit("activating and deactivating give %s" % paths)
    print("the conda recipe builds omptarget %s with LLVM %s; its tests pass" % (recipe["package"]["version"], llvm))


main()
