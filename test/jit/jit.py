#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jit.py PART PREFIX LLVM_RUNTIMES COMPILERS FOLDER: programs whose images are LLVM bitcode (-fopenmp-target-jit).

programs    by each clang that makes such images, for the CPU and, on the executor, for GPUs: the first start compiles,
            the second does not
cache       what is kept: damaged, read-only, full, writable by others, too large
processes   16 at once compile once; one that dies while it compiles keeps nobody waiting
failures    omptarget-jit is missing, fails, crashes, hangs, writes nonsense; bitcode is damaged; the program has no
            standard files, ignores SIGCHLD, may not write files
variants    kernels that are compiled for values and shapes that earlier runs had (LIBOMPTARGET_JIT_VARIANTS)
"""
import os
import random
import resource
import signal
import subprocess
import sys
import time

from setting import CONSTRUCTED, CPU, NO_KERNEL, THROWN, Setting, computes, fails
from variants import variants

MIB = 1 << 20


def programs(setting):
    newest = setting.llvm()
    tried = 0
    for version in (16, 19, 22, 23):
        if not setting.clang(version) or version > newest:
            continue
        for target in ("x86_64", "sm_80", "gfx90a"):
            if target == "x86_64" and version >= 22: # clang cannot link such an image
                continue
            check_program(setting, version, target, CPU)
            tried += 1
    for target in ("x86_64", "sm_80"):
        check_program(setting, 19, target, CONSTRUCTED)
    check_program(setting, 19, "x86_64", THROWN)
    if tried < 8:
        sys.exit("only %d programs were tried" % tried)
    info = subprocess.run([os.path.join(setting.prefix, "bin", "omptarget-info"), setting.path("x86_64.19"),
                           setting.path("gfx90a.19")], capture_output=True, text=True).stdout
    for text in ("image 0: x86_64, LLVM bitcode", "of plugin x86_64, compiled at its first use",
                 "image 0: gfx90a, LLVM bitcode"):
        if text not in info:
            sys.exit("omptarget-info lacks '%s':\n%s" % (text, info))
    for target in ("x86_64", "sm_80", "gfx90a"): # bitcode that may name no processor
        check_program(setting, 19, target, NO_KERNEL)


def check_program(setting, version, target, source):
    cache = setting.new_cache()
    program = setting.compiled(version, target, source)
    computes(setting.started(program, cache, target=target), compiles=True)
    computes(setting.started(program, cache, target=target), compiles=False)
    # Another level is another image.
    computes(setting.started(program, cache, target=target, LIBOMPTARGET_JIT_OPT_LEVEL="0"), compiles=True)


def kept(cache):
    names = [name for name in os.listdir(cache) if name.endswith(".image")]
    return [os.path.join(cache, name) for name in sorted(names)]


def change(path, place, byte):
    with open(path, "r+b") as file:
        file.seek(place, os.SEEK_END if place < 0 else os.SEEK_SET)
        file.write(byte)


def cache(setting):
    program = setting.compiled(19, "x86_64")
    damaged_files(setting, program)
    default_folder(setting, program)
    unusable_folders(setting, program)
    trimmed_folder(setting, program)


def damaged_files(setting, program):
    folder = setting.new_cache()
    computes(setting.started(program, folder), compiles=True)
    if os.stat(folder).st_mode & 0o777 != 0o700:
        sys.exit("others can read the folder")
    (file,) = kept(folder)
    whole = open(file, "rb").read()

    def damage(bytes_or_change):
        if callable(bytes_or_change):
            bytes_or_change()
        else:
            with open(file, "wb") as target:
                target.write(bytes_or_change)
        computes(setting.started(program, folder), compiles=True)
        if open(file, "rb").read() != whole:
            sys.exit("the damaged file was not replaced")

    for place in (0, 20, 50, 70, 100, -10): # magic, key, hash, size, image
        damage(lambda place=place: change(file, place, b"\x5a\xa5"))
    damage(whole[:-1])
    damage(whole + b"x")
    damage(whole[:10])
    damage(b"")
    damage(lambda: os.chmod(file, 0o666))
    os.rename(file, file + ".elsewhere")
    damage(lambda: os.symlink(file + ".elsewhere", file))


def default_folder(setting, program):
    """Without the setting the folder is that of XDG, or of HOME; none without both."""
    on = {"XDG_CACHE_HOME": setting.path("on"), "LIBOMPTARGET_JIT_CACHE": "on"}
    for variables, place in (({"XDG_CACHE_HOME": setting.path("xdg")}, "xdg/omptarget/jit"), (on, "on/omptarget/jit"),
                             ({"HOME": setting.path("home")}, "home/.cache/omptarget/jit")):
        os.makedirs(setting.path("home"), exist_ok=True)
        computes(setting.started(program, None, **variables), compiles=True)
        computes(setting.started(program, None, **variables), compiles=False)
        if len(kept(setting.path(place))) != 1:
            sys.exit("nothing is in " + place)
    for variables in ({"HOME": None}, {"LIBOMPTARGET_JIT_CACHE": "off", "HOME": setting.path("home")}):
        for _ in range(2):
            computes(setting.started(program, None, **variables), compiles=True)


def unusable_folders(setting, program):
    """A folder that cannot be used is no error: each run compiles."""
    folder = setting.new_cache()
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    for _ in range(2):
        done = setting.started(program, folder)
        computes(done, compiles=True)
        if "it is another user's, or others can write it" not in done.stderr:
            sys.exit("no warning of a folder that others can write:\n" + done.stderr)
    blocked = setting.path("file") + "/below"
    open(setting.path("file"), "w").close()
    computes(setting.started(program, blocked), compiles=True)
    read_only_folder(setting, program)
    full_folder(setting, program)


def read_only_folder(setting, program):
    """A user who cannot write the folder uses what the administrator has put there, and else compiles."""
    if os.geteuid() != 0:
        print("left out: a read-only folder, which takes root")
        return
    filled, empty = setting.new_cache(), setting.new_cache()
    computes(setting.started(program, filled), compiles=True)
    os.mkdir(empty)
    for folder in (filled, empty):
        os.chmod(folder, 0o755)
    for file in kept(filled):
        os.chmod(file, 0o644)
    before = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    if subprocess.run([*before, program, "--help"], capture_output=True).returncode != 0 and subprocess.run(
            [*before, "test", "-x", program]).returncode != 0:
        print("left out: a read-only folder, as other users cannot reach this one")
        return
    computes(setting.started(program, filled, before), compiles=False)
    for _ in range(2):
        computes(setting.started(program, empty, before), compiles=True)


def full_folder(setting, program):
    """A file system without room for the image."""
    folder = setting.new_cache()
    os.mkdir(folder)
    words = "mount -t tmpfs -o size=4k,mode=0700 none %s && exec " % folder
    for before in (("unshare", "-m"), ("unshare", "-rm")):
        if subprocess.run([*before, "sh", "-c", words + "true"], capture_output=True).returncode == 0:
            done = setting.started(program, folder, (*before, "sh", "-c", words + '"$0"'))
            computes(done, compiles=True)
            if "could not be kept: No space left on device" not in done.stderr:
                sys.exit("the folder was not full:\n" + done.stderr)
            return
    print("left out: a full folder, as nothing can be mounted here")


def trimmed_folder(setting, program):
    """What was not used for the longest time goes first; what processes left unfinished goes, too."""
    folder = setting.new_cache()
    computes(setting.started(program, folder), compiles=True)
    (used,) = kept(folder)
    now = time.time()
    old, older, dead, new = "%064x.image" % 1, "%064x.image" % 2, "tmp-%064x-1-1" % 1, "tmp-%064x-2-1" % 1
    foreign = ["disk.image", "x" * 64 + ".image", "tmp-notes"] # the user's own, which must stay
    for name, age in ((old, 300), (older, 400), (dead, 4000), (new, 10), *((name, 5000) for name in foreign)):
        with open(os.path.join(folder, name), "wb") as file:
            file.truncate(MIB // 2)
        os.utime(file.name, (now - age, now - age))
    os.utime(used, (now - 350, now - 350))
    computes(setting.started(program, folder), compiles=False) # is used now
    computes(setting.started(program, folder, LIBOMPTARGET_JIT_OPT_LEVEL="1", LIBOMPTARGET_JIT_CACHE_SIZE="1"),
             compiles=True)
    left = sorted(name for name in os.listdir(folder) if not name.startswith("lock-"))
    if not {old, new, os.path.basename(used), *foreign} <= set(left) or len(left) != 4 + len(foreign):
        sys.exit("left in the folder: %s" % left)
    for _ in range(2): # nothing fits
        computes(setting.started(program, folder, LIBOMPTARGET_JIT_OPT_LEVEL="0", LIBOMPTARGET_JIT_CACHE_SIZE="0"),
                 compiles=True)


def processes(setting):
    program = setting.compiled(19, "x86_64")
    log = setting.path("log")
    counted = setting.script("counted", "echo run >>%s\nsleep 0.5\nexec $REAL \"$@\"" % log)
    folder = setting.new_cache()
    environment = setting.environment(folder, LIBOMPTARGET_JIT_COMPILER=counted)
    all_of_them = [subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    env=environment) for _ in range(16)]
    for process in all_of_them:
        out, errors = process.communicate(timeout=120)
        if process.returncode != 0 or "0 wrong" not in out:
            sys.exit("one of 16 ended with %d:\n%s%s" % (process.returncode, out, errors))
    runs = open(log).read().count("run")
    if runs != 1:
        sys.exit("16 processes ran the compiler %d times" % runs)
    killed_holder(setting, program)
    killed_program(setting, program)


def killed_program(setting, program):
    """A program that is killed while omptarget-jit works leaves none behind."""
    pipe, number = setting.path("pipe"), setting.path("number")
    os.mkfifo(pipe)
    waiting = setting.script("waits", "echo $$ >%s.new; mv %s.new %s\nexec $REAL \"$@\" <>%s" %
                             (number, number, number, pipe))
    holder = subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=setting.environment(setting.new_cache(), LIBOMPTARGET_JIT_COMPILER=waiting))
    wait_for(lambda: os.path.exists(number))
    compiler = "/proc/" + open(number).read().strip()
    wait_for(lambda: str(2 << 30) in open(compiler + "/limits").read()) # has begun
    holder.kill()
    holder.wait()
    wait_for(lambda: not os.path.exists(compiler) or " Z " in open(compiler + "/stat").read())


def killed_holder(setting, program):
    """A process is killed while it compiles; another one does it then, without waiting for a timeout."""
    flag = setting.path("slow")
    slow = setting.script("slow-once", "if mkdir %s 2>/dev/null; then sleep 60; fi\nexec $REAL \"$@\"" % flag)
    folder = setting.new_cache()
    holder = subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=setting.environment(folder, LIBOMPTARGET_JIT_COMPILER=slow))
    wait_for(lambda: os.path.exists(flag))
    waiter = subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=setting.environment(folder, LIBOMPTARGET_JIT_COMPILER=slow))
    time.sleep(0.5)
    if waiter.poll() is not None:
        sys.exit("the second process did not wait for the first:\n" + waiter.communicate()[1])
    holder.kill()
    holder.wait()
    out, errors = waiter.communicate(timeout=30)
    if waiter.returncode != 0 or "0 wrong" not in out or "compiling" not in errors:
        sys.exit("after the first one's death the second ended with %d:\n%s%s" % (waiter.returncode, out, errors))


def wait_for(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    sys.exit("waited in vain")


def failures(setting):
    program = setting.compiled(19, "x86_64")
    without_compiler(setting, program)
    failing_compilers(setting, program)
    odd_processes(setting, program)
    damaged_bitcode(setting, program)


def without_compiler(setting, program):
    needed = "needed: image 0 of %s: LLVM bitcode for x86_64, made by -fopenmp-target-jit: leave that option out, or " \
             "install omptarget-jit" % program
    fails(setting.started(program, setting.new_cache(), LIBOMPTARGET_JIT_COMPILER="off"), needed)
    fails(setting.started(program, setting.new_cache(), LIBOMPTARGET_JIT_COMPILER="/no/such/file"), needed,
          "omptarget warning: LIBOMPTARGET_JIT_COMPILER: /no/such/file cannot be run; no other is used")
    done = setting.started(program, setting.new_cache(), LIBOMPTARGET_JIT_COMPILER="off", OMP_TARGET_OFFLOAD="DEFAULT")
    computes(done, compiles=False) # by the host
    info = subprocess.run([os.path.join(setting.prefix, "bin", "omptarget-info"), program], capture_output=True,
                          text=True, env=dict(os.environ, LIBOMPTARGET_JIT_COMPILER="off")).stdout
    if "leave that option out, or install omptarget-jit" not in info:
        sys.exit("omptarget-info does not tell what to do:\n" + info)


def failing_compilers(setting, program):
    cases = {
        "fails": ("echo words of its own >&2; exit 3", ("ended with 3: words of its own",)),
        "crashes": ("echo bad >&2; kill -SEGV $$", ("was ended by signal 11", "bad")),
        "killed": ("kill -KILL $$", ("was ended by signal 9",)),
        "nonsense": ("head -c 5000 /dev/zero", ("has not written a whole image",)),
        "nothing": ("exit 0", ("has not written a whole image",)),
        "cut": ("$REAL \"$@\" | head -c 3000", ("has not written a whole image",)),
        "too-large": ("printf 'OMPTJIT1\\0\\0\\0\\0\\0\\001\\0\\0'; truncate -s 1099511627792 /dev/stdout",
                      ("has not written a whole image",)),
        "no-image": ("printf 'OMPTJIT1\\004\\0\\0\\0\\0\\0\\0\\0abcd'", ("could not be loaded on device",)),
    }
    for name, (text, words) in cases.items():
        folder = setting.new_cache()
        done = setting.started(program, folder, LIBOMPTARGET_JIT_COMPILER=setting.script(name, text))
        fails(done, *words, "the image of %s could not be loaded on device 0" % program)
        if name != "no-image" and kept(folder):
            sys.exit("what a failing compiler left was kept")
    hanging = setting.script("hangs", "echo still here >&2; sleep 1000 & wait")
    begin = time.time()
    done = setting.started(program, setting.new_cache(), LIBOMPTARGET_JIT_COMPILER=hanging,
                           LIBOMPTARGET_JIT_TIMEOUT="1")
    fails(done, "was stopped after 1 s (LIBOMPTARGET_JIT_TIMEOUT): still here")
    if time.time() - begin > 20:
        sys.exit("a hanging compiler was not stopped in time")


def odd_processes(setting, program):
    def ignore_children():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    def forbid_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)) # below the image's size

    computes(setting.started(program, setting.new_cache(), options={"preexec_fn": ignore_children}), compiles=True)
    computes(setting.started(program, setting.new_cache(), LD_SHOW_AUXV="1"), compiles=True)
    failing = setting.script("ignored", "exit 4")
    fails(setting.started(program, setting.new_cache(), options={"preexec_fn": ignore_children},
                          LIBOMPTARGET_JIT_COMPILER=failing), "has not written a whole image")
    fails(setting.started(program, setting.new_cache(), options={"preexec_fn": forbid_files}),
          "the process may not write files of")
    done = setting.started(program, setting.new_cache(), ("sh", "-c", '"$0" <&- >&-'))
    if done.returncode != 0 or "compiling" not in done.stderr:
        sys.exit("without standard files it ended with %d:\n%s" % (done.returncode, done.stderr))


def damaged_bitcode(setting, program):
    """Bitcode with changed bytes: the program computes, or ends by the library's abort with a message."""
    whole = open(program, "rb").read()
    begin = whole.index(b"BC\xc0\xde")
    chance = random.Random(1)
    changed = setting.path("changed")
    refused = 0
    for _ in range(12):
        bytes_now = bytearray(whole)
        for _ in range(3):
            bytes_now[begin + chance.randrange(4, 2500)] ^= 1 << chance.randrange(8)
        with open(changed, "wb") as file:
            file.write(bytes_now)
        os.chmod(changed, 0o700)
        done = setting.started(changed, setting.new_cache(), LIBOMPTARGET_JIT_TIMEOUT="20")
        if done.returncode == -6 and "omptarget error: " in done.stderr:
            refused += 1
        elif done.returncode not in (0, 1):
            print("with damaged bitcode it ended with %d:\n%s%s" % (done.returncode, done.stdout, done.stderr))
    if refused < 6:
        sys.exit("only %d of 12 damaged images were refused" % refused)


if __name__ == "__main__":
    PARTS = {"programs": programs, "cache": cache, "processes": processes, "failures": failures,
             "variants": variants}
    PARTS[sys.argv[1]](Setting(*sys.argv[2:6]))
    print("as expected")
