# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variants of kernels (LIBOMPTARGET_JIT_VARIANTS): same results as without, shared globals, bounds, damaged notes."""
import os
import shutil
import subprocess
import sys

NAME = "LIBOMPTARGET_JIT_VARIANTS"

# Each launch adds to globals of the image, which other kernels and the host read. All sums are of integers, so every
# order of threads gives the same.
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma omp declare target
long total = 0;
static long steps(long by) {
  static long hidden = 1000; // no entry of the image has it
  long before;
#pragma omp atomic capture
  { before = hidden; hidden += by; }
  return before;
}
#pragma omp end declare target
enum { kSize = 2000 };
static long expected_total = 0, expected_hidden = 1000, wrong = 0;
static long a[kSize], b[kSize];

static void check(const char *what, long got, long expected) {
  if (got == expected)
    return;
  wrong++;
  printf("%s: %ld, expected %ld\\n", what, got, expected);
}

// A loop over teams, with two integers, a small one and numbers of both sizes as constants of its launches.
static void loop(int n, unsigned char k, double w, float f, int teams, int threads) {
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) map(to : a) map(tofrom : b)
  for (int i = 0; i < n; i++) {
    long sum = 0;
    for (int j = 0; j < k; j++)
      sum += a[(i + j) % n];
    b[i] += sum * (long)w + (long)f;
#pragma omp atomic
    total += k;
  }
  for (int i = 0; i < n; i++) {
    long sum = 0;
    for (int j = 0; j < k; j++)
      sum += a[(i + j) % n];
    b[i] -= sum * (long)w + (long)f;
    check("b", b[i], 0);
    b[i] = 0;
    expected_total += k;
  }
}

// One main thread that starts parallel regions.
static void region(long by, short times) {
  long before = -1;
#pragma omp target map(from : before)
  {
    before = steps(by);
    for (int t = 0; t < times; t++) {
#pragma omp parallel for num_threads(8)
      for (int i = 0; i < 64; i++) {
#pragma omp atomic
        total += by;
      }
    }
  }
  check("hidden", before, expected_hidden);
  expected_hidden += by;
  expected_total += by * times * 64;
}

static void all(int n, int k, double w, int teams, int threads) {
  loop(n, k, w, (float)k + 0.5f, teams, threads);
  region(n, k);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "same";
  for (int i = 0; i < kSize; i++)
    a[i] = i * 7 % 31;
  if (strcmp(what, "same") == 0) {
    for (int r = 0; r < 4; r++)
      all(300, 5, 2.0, 4, 64);
  } else if (strcmp(what, "other") == 0) { // values and shapes that no variant is for
    for (int r = 0; r < 3; r++)
      all(301 + r, 3, -3.0, 2, 32);
    all(300, 5, 2.0, 3, 64);
    all(300, 5, 2.0, 4, 96);
    all(300, 6, 2.0, 4, 64);
  } else if (strcmp(what, "mixed") == 0) { // with and without the variant in turns
    for (int r = 0; r < 3; r++) {
      all(300, 5, 2.0, 4, 64);
      all(44 + r, 7, 1.0, 4, 64);
    }
  } else if (strcmp(what, "many") == 0) {
    for (int r = 0; r < 40; r++)
      all(20 + r, 5, r, 1 + r % 3, 32);
  } else if (strcmp(what, "threads") == 0) {
#pragma omp parallel for num_threads(8)
    for (int r = 0; r < 64; r++) {
      const int n = 50 + r % 4;
      long sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) map(to : a)
      for (int i = 0; i < n; i++) {
#pragma omp atomic
        sum += a[i];
      }
      for (int i = 0; i < n; i++)
        sum -= a[i];
#pragma omp critical
      check("sum", sum, 0);
    }
  }
  // The general kernel, the variants and the host have the same globals.
  long seen = -1;
#pragma omp target map(from : seen)
  seen = total;
  check("total on the device", seen, expected_total);
#pragma omp target update from(total)
  check("total on the host", total, expected_total);
  printf("%ld wrong\\n", wrong);
  return wrong != 0;
}
"""

# Tables of labels are those of the function itself: a copy would jump there.
LABELS = """
#include <stdio.h>
#pragma omp declare target
__attribute__((noinline)) static long jump(int n, int k) {
  static const void *const to[] = {&&add, &&twice, &&end};
  long x = n;
  int i = 0;
next:
  goto *to[i >= k ? 2 : (i + n) % 2];
add:
  x += k, i++;
  goto next;
twice:
  x *= 2, i++;
  goto next;
end:
  return x;
}
#pragma omp end declare target
int main(void) {
  int wrong = 0;
  for (int n = 3; n < 5; n++) {
    long got = 0;
#pragma omp target map(from : got)
    got = jump(n, 9);
    wrong += got != jump(n, 9);
  }
  printf("%d wrong\\n", wrong);
  return wrong != 0;
}
"""

# The memory lies elsewhere in each process.
POINTERS = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char **argv) {
  void *const place = (void *)(0x500000000000 + atol(argv[1]) * 0x10000000);
  long *const a = mmap(place, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int n = 1000, wrong = (void *)a != place;
#pragma omp target teams distribute parallel for is_device_ptr(a)
  for (int i = 0; i < n; i++)
    a[i] = i * (long)n;
  for (int i = 0; i < n; i++)
    wrong += a[i] != i * 1000l;
  printf("%d wrong\\n", wrong);
  return wrong != 0;
}
"""


def clean(done, what):
    if done.returncode != 0 or "0 wrong" not in done.stdout:
        sys.exit("%s: ended with %d:\n%s%s" % (what, done.returncode, done.stdout, done.stderr[-6000:]))
    return done.stderr


def start(setting, program, cache, mode, target, **variables):
    before = {NAME: "2", "LIBOMPTARGET_DEBUG": "image,kernel"}
    before.update(variables)
    return setting.started(program, cache, target=target, arguments=(mode,), **before)


def used(trace):
    """How many launches took a variant, and how many did not."""
    return trace.count("a variant for the launch"), trace.count("no variant for the launch")


def expect(holds, what, trace):
    if not holds:
        sys.exit("%s:\n%s" % (what, trace[-6000:]))


def check_target(setting, version, target):
    what = "clang %d, %s" % (version, target)
    program = setting.compiled(version, target, SOURCE)
    cache = setting.new_cache()
    trace = clean(start(setting, program, cache, "same", target), what)
    expect(used(trace)[0] == 0 and "notes of launches have changed" in trace, what + ": the first start", trace)
    # The kernel that reads the total has no constants but its shape, which only GPUs have. Two launches with other
    # values and shapes fit the kernel without a loop over teams.
    shaped = 0 if target == "x86_64" else 1
    for mode, taken in (("same", 8), ("other", 2), ("mixed", 6)):
        copy = setting.new_cache()
        shutil.copytree(cache, copy)
        trace = clean(start(setting, program, copy, mode, target), what + ", " + mode)
        expect("compiling LLVM bitcode" in trace and "and %d variants" % (2 + shaped) in trace, what + ": compiled",
               trace)
        expect(used(trace)[0] == taken + shaped, what + ", %s: %d launches take variants" % (mode, taken), trace)
        if mode == "same":
            trace = clean(start(setting, program, copy, mode, target), what + ", again")
            expect("compiling LLVM bitcode" not in trace, what + ": compiled again", trace)
    if target != "x86_64": # the same values in other shapes
        trace = clean(start(setting, program, cache, "same", target, OMP_TEAMS_THREAD_LIMIT="32"), what + ", smaller")
        expect(used(trace) == (0, 9), what + ": variants are taken for other shapes", trace)
    clean(start(setting, program, cache, "same", target, **{NAME: None}), what + ", without variants")
    for level in ("0", "3") if version == 19 else ():
        trace = clean(start(setting, program, cache, "same", target, LIBOMPTARGET_JIT_OPT_LEVEL=level), what + level)
        expect(used(trace)[0] == 8 + shaped, what + ": variants of level " + level, trace)


def bounded(setting, program):
    """Many values: the last case has what all have in common, and the notes come to rest."""
    cache = setting.new_cache()
    for _ in range(3):
        trace = clean(start(setting, program, cache, "many", "x86_64"), "many values")
    expect("compiling" not in trace and "notes of launches have changed" not in trace, "the notes have no rest", trace)
    lines = notes(cache)
    for kernel in {line.split()[0] for line in lines}:
        if sum(line.split()[0] == kernel for line in lines) > 2:
            sys.exit("more than two cases of a kernel: %s" % lines)
    # One number is the same in all launches of each kernel, so that they take the variant for it.
    expect(used(trace)[0] == 80, "the common variant is not taken", trace)
    trace = clean(start(setting, program, cache, "many", "x86_64", **{NAME: "17"}), "too large a bound")
    expect("omptarget warning: LIBOMPTARGET_JIT_VARIANTS: 17" in trace, "no warning of 17", trace)
    # Threads do not wait for one another to note a launch, so a value may be noted in a later start.
    cache = setting.new_cache()
    for _ in range(5):
        trace = clean(start(setting, program, cache, "threads", "x86_64", **{NAME: "4"}), "threads")
        if used(trace)[0] == 64:
            return
    sys.exit("threads take no variants:\n" + trace[-6000:])


def pointers(setting):
    """Addresses are no values: launches take variants wherever their memory lies."""
    cache, program = setting.new_cache(), setting.compiled(19, "x86_64", POINTERS)
    clean(start(setting, program, cache, "1", "x86_64"), "pointers")
    for place in ("2", "3"):
        trace = clean(start(setting, program, cache, place, "x86_64"), "pointers")
        expect(used(trace) == (1, 0), "a pointer keeps a variant from being taken", trace)
    expect("compiling" not in trace and "notes of launches have changed" not in trace, "a pointer is noted", trace)


def notes(cache):
    """The lines of all notes in the folder."""
    lines = []
    for name in os.listdir(cache):
        data = open(os.path.join(cache, name), "rb").read()
        if name.endswith(".image") and b"launches 1\n" in data:
            lines += data[data.index(b"launches 1\n"):].decode().splitlines()[1:]
    return lines


def damaged(setting, program):
    """Damaged notes are made anew; nonsense in whole notes finds no kernel."""
    cache = setting.new_cache()
    clean(start(setting, program, cache, "same", "x86_64"), "first")
    (file,) = [os.path.join(cache, name) for name in os.listdir(cache)
               if name.endswith(".image") and b"launches 1\n" in open(os.path.join(cache, name), "rb").read()]
    whole = open(file, "rb").read()
    for data in (whole[:-3], whole[:200], whole.replace(b"=", b"!"), b"", whole + b"more"):
        with open(file, "wb") as target:
            target.write(data)
        trace = clean(start(setting, program, cache, "same", "x86_64"), "damaged notes")
        expect(used(trace)[0] == 0 and open(file, "rb").read() == whole, "damaged notes were believed", trace)
    # A compiler that cannot make variants.
    failing = setting.script("no-variants", 'case "$*" in *--variant=*) echo no variants today >&2; exit 3;; esac\n'
                             'exec $REAL "$@"')
    trace = clean(start(setting, program, cache, "same", "x86_64", LIBOMPTARGET_JIT_COMPILER=failing), "failing")
    told = "the image gets no variants of its kernels" in trace and "no variants today" in trace
    expect(used(trace)[0] == 0 and told, "no warning of a compiler that fails", trace)
    # Without a folder there is nothing to know.
    for _ in range(2):
        trace = clean(start(setting, program, "off", "same", "x86_64"), "without a folder")
        expect(used(trace)[0] == 0, "variants without notes", trace)
    refuse(setting)


def refuse(setting):
    """omptarget-jit refuses cases that it cannot read."""
    for text in ("", "kernel", "kernel 1", "kernel 1 x", "kernel 1 2 3", "kernel 1 2 0:0=1", "kernel 1 2 0:9=1",
                 "kernel 1 2 0:4=1 0:4=0", "kernel 1 2 0:4=g", "kernel  1 2", "kernel 1 2 ", "kernel 4294967296 1"):
        done = subprocess.run([setting.compiler, "--variant=" + text], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
        if done.returncode != 2 or "is no option" not in done.stderr:
            sys.exit("--variant='%s' ended with %d:\n%s" % (text, done.returncode, done.stderr))


def sixteen(setting, program):
    """16 processes at once: each start compiles once."""
    log = setting.path("variants-log")
    counted = setting.script("counted-variants", "echo run >>%s\nexec $REAL \"$@\"" % log)
    environment = setting.environment(setting.new_cache(), LIBOMPTARGET_JIT_COMPILER=counted, **{NAME: "4"})
    for runs in (1, 2, 2):
        processes = [subprocess.Popen([program, "same"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      env=environment) for _ in range(16)]
        for process in processes:
            out, errors = process.communicate(timeout=120)
            if process.returncode != 0 or "0 wrong" not in out:
                sys.exit("one of 16 ended with %d:\n%s%s" % (process.returncode, out, errors))
        if open(log).read().count("run") != runs:
            sys.exit("the compiler has run %d times, not %d" % (open(log).read().count("run"), runs))


def variants(setting):
    newest = setting.llvm()
    for version in (16, 19, 22):
        for target in ("x86_64", "sm_80", "gfx90a"):
            if setting.clang(version) and version <= newest and not (target == "x86_64" and version >= 22):
                check_target(setting, version, target)
    cache, program = setting.new_cache(), setting.compiled(19, "x86_64", LABELS)
    for _ in range(2):
        clean(start(setting, program, cache, "", "x86_64"), "labels")
    pointers(setting)
    program = setting.compiled(19, "x86_64", SOURCE)
    bounded(setting, program)
    damaged(setting, program)
    sixteen(setting, program)
