# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one target region each: nests of constructs, with what happens inside of them, over several types. Each
checks its results; all values are small integers, so that sums of floats are exact in any order. A program has several
of them."""

TYPES = {"int": "int", "long": "long", "float": "float", "double": "double"}
COMPLEX = {"complexf": "float _Complex", "complex": "double _Complex"}

# Name, pragma of the outermost construct behind "target", pragmas inside before the loop. The last part says what it
# has: teams, parallel, a loop that is shared by threads with a schedule.
NESTS = {
    "ttdpf": ("teams distribute parallel for", [], "tps"),
    "ttdpfs": ("teams distribute parallel for simd", [], "tps"),
    "tpf": ("parallel for", [], "ps"),
    "tpfs": ("parallel for simd", [], "ps"),
    "tp_f": ("parallel", ["for"], "pbs"),
    "t_p_f": ("", ["parallel", "for"], "pbs"),
    "t_pf": ("", ["parallel for"], "ps"),
    "tt_dpf": ("teams", ["distribute parallel for"], "tps"),
    "tt_d_pf": ("teams", ["distribute", "parallel for"], "td"),
    "ttd_pf": ("teams distribute", ["parallel for"], "td"),
    "ttd": ("teams distribute", [], "t"),
    "ttds": ("teams distribute simd", [], "t"),
    "ts": ("simd", [], ""),
    "ttl": ("teams loop", [], "tl"),
    "tpl": ("parallel loop", [], "pl"),
    "t_td": ("", ["teams distribute"], "t"),
}
SCHEDULES = ["static", "static, 3", "dynamic", "dynamic, 4", "guided"]


def combinations():
    """(name, nest, feature, type) of all regions, in an order that never changes."""
    result = []
    for nest, (_, inner, has) in NESTS.items():
        for type_name in list(TYPES) + list(COMPLEX):
            features = ["plain"]
            if type_name in TYPES:
                features += ["sum", "atomic"]
                if type_name in ("int", "double"):
                    features += ["most"]
                # One team only: nothing says that teams exclude each other.
                if nest in ("tpf", "tp_f", "t_pf", "t_p_f"):
                    features += ["critical"]
                if type_name == "int":
                    features += ["collapse"] if "d" not in has else []
                    features += ["barrier"] if "b" in has else []
                    features += ["nested"] if has in ("pbs", "ps") and "s" not in nest else []
                    features += ["schedule%d" % i for i in range(len(SCHEDULES))] if "s" in has else []
            result += [("%s-%s-%s" % (nest, feature, type_name), nest, feature, type_name) for feature in features]
    return result


def function(name, nest, feature, type_name):
    outer, inner, has = NESTS[nest]
    type_text = TYPES.get(type_name) or COMPLEX[type_name]
    pragmas = ["target " + outer] + list(inner)
    maps = " map(tofrom : a, b, total, most)"
    last = len(pragmas) - 1
    clause = ""
    body = "a[i] = b[i] + b[i] + (T)1;"
    if feature == "sum":
        clause, body = " reduction(+ : total)", "total += b[i];"
    elif feature == "most":
        clause, body = " reduction(max : most)", "if (b[i] > most) most = b[i];"
    elif feature == "atomic":
        body = "\n_Pragma(\"omp atomic\")\n    total += b[i];"
    elif feature == "critical":
        body = "\n_Pragma(\"omp critical\")\n    total += b[i];"
    elif feature.startswith("schedule"):
        clause = " schedule(%s)" % SCHEDULES[int(feature[8:])]
    elif feature == "collapse":
        clause = " collapse(2)"
    elif feature == "nested":
        body = ("int inner = 0;\n_Pragma(\"omp parallel num_threads(2) reduction(+ : inner)\")\n    inner += 1;\n"
                "    a[i] = b[i] + b[i] + (T)(inner > 0);")
    if feature in ("sum", "most"):
        # Each construct on the way to the loop hands its part on.
        for at in range(len(pragmas)):
            shares = pragmas[at].split()[-1] != "parallel"  # the loop in it reduces
            if shares and any(word in pragmas[at] for word in ("teams", "simd", "for", "distribute", "loop")):
                pragmas[at] += clause
        if "teams" in pragmas[0] and inner and inner[0] == "distribute":
            pragmas[1] = pragmas[1].replace(clause, "")
    else:
        pragmas[last] += clause
    pragmas[0] += maps
    if "d" in has:
        loop = "for (int k = 0; k < 4; k++)\n%s  for (int i = k * (N / 4); i < (k + 1) * (N / 4); i++) { %s }"
        inside = "#pragma omp %s\n" % pragmas[last]
        return wrap(name, type_text, feature, pragmas[:last], loop % (inside, body))
    loop = "for (int i = 0; i < N; i++) { %s }" % body
    if feature == "collapse":
        loop = ("for (int j = 0; j < 12; j++)\n"
                "  for (int k = 0; k < N / 12; k++) { const int i = j * (N / 12) + k; %s }" % body)
    if feature == "barrier":
        loop = ("for (int i = 0; i < N; i++) a[i] = b[i];\n#pragma omp barrier\n#pragma omp for\n"
                "  for (int i = 0; i < N; i++) { a[i] = a[N - 1 - i] * 0 + a[i] + b[i] + (T)1; }")
        loop = loop.replace("a[N - 1 - i] * 0 + ", "")
    return wrap(name, type_text, feature, pragmas, loop)


def wrap(name, type_text, feature, pragmas, loop):
    lines = ["#pragma omp %s\n%s" % (one, "{" if feature == "barrier" and "parallel" in one else "") for one in pragmas]
    is_block = feature == "barrier"
    closing = "}" * sum("{" in line for line in lines)
    sums = "CHECK(total == 3 + (T)wanted);"
    checks = {"sum": sums, "atomic": sums, "critical": sums, "most": "CHECK(most == (T)96);"}.get(
        feature, "for (int i = 0; i < N; i++) CHECK(a[i] == b[i] + b[i] + (T)1);")
    return """
#line 1 "%s.c"
static void %s(void) {
  typedef %s T;
  T a[N], b[N], total = 3;
  T most = 0;
  int wanted = 0;
  for (int i = 0; i < N; i++) {
    a[i] = 0;
    b[i] = (T)((i * 37) %% 97);
    wanted += (i * 37) %% 97;
  }
%s
  %s
%s
  (void)most;
  (void)wanted;
  %s
}
""" % (name, identifier(name), type_text, "\n".join(line.rstrip() for line in lines), loop,
       closing if is_block else "", checks)


def identifier(name):
    return name.replace("-", "_")


def schedule(number):
    """The variables of another order of waves: from turns of single instructions to long ones, of one block to many."""
    return "SIM_EXECUTOR_SEED=%d SIM_EXECUTOR_QUANTUM=%d SIM_EXECUTOR_BLOCKS=%d" % (
        number, (64, 1, 1000, 7)[number % 4], (4, 16, 1)[number % 3])


def program(regions, schedules):
    """Returns a program of regions, as combinations() has them. A failure names its region: as the source file. Runs
    under each of the
    schedules."""
    runs = ["%run %t"] if schedules == 1 else ["%%run %s %%t" % schedule(number) for number in range(1, schedules + 1)]
    return "".join(["""// RUN: %clang %s -o %t
""", "".join("// RUN: %s\n" % run for run in runs), """#include "check.h"
#define N 96
"""] + [function(*region) for region in regions] + ["""
#line 1 "main.c"
int main(void) {
""", "".join("  %s();\n" % identifier(region[0]) for region in regions), """  return finish();
}
"""])
