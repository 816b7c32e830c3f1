# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# OpenMP programs through real compilers. Parameters: suite (14 to 19, 21 to 23: the clang; or mixed: programs of
# several), prefix (omptarget's installation), llvm_runtimes (LLVM's own), output, llvm_tools; and runtime=llvm runs the
# programs on LLVM's own runtime instead of ours, which checks the tests themselves. plugin_folder=FOLDER uses the plugins
# there (LLVM's under our library, or ours under LLVM's), of them plugins=NAMES; plugins_of=NAME makes the feature
# plugins-of-NAME. sysroot=FOLDER runs programs with the dynamic linker and the libraries there, for plugins that need newer
# ones than this machine has. sanitizer=address or thread: the installation was built with it, and so are the programs, host
# and device code, where the compiler can; sanitizer_library is its runtime. watch=ompt or watch=info compares, beside, what
# each program tells with what it tells on LLVM's runtime; watch=events looks at OMPT's events on ours only. versions=14,15,...:
# the compilers of mixed; sample=N and seed=S run one program in N. docs/testing.md says more.

import os
import shutil
import subprocess
import zlib

import lit.formats
import lit.util

VERSIONS = ["14", "15", "16", "17", "18", "19", "21", "22", "23"]

# What is not compared by running it on both runtimes, and why.
NOT_WATCHED = {
    "observe": "makes such comparisons itself",
    "cluster": "is about settings that LLVM's runtime does not have",
    "threads.c": "which construct allocates and frees depends on which thread is first",
    "mapper.c": "LLVM 19 copies members that are present, and leaves some behind",
    "library.c": "LLVM 19 maps indirect functions as data and copies their addresses from the device",
    "lambdas.cpp": "omptarget has one allocation and copy for all private variables of a construct, and a capture is "
                   "not looked up as an argument",
    "recorded.c": "brings a plugin of its own, which LLVM 19 does not load",
}
NOT_WATCHED_OMPT = {
    "moments.cpp": "its processes end while threads are in regions: what has been told by then differs from run to run",
    "private.c": "omptarget has one allocation for all private variables of a construct",
}
NOT_WATCHED_INFO = {
    "classes.cpp": "LLVM 19 only looks up the struct whose member is deleted; omptarget takes its references",
    "delete_members.c": "as classes.cpp",
    "moments.cpp": "at the end of one of its processes LLVM 19 prints the empty tables of all devices, omptarget none",
    "nowait.c": "lines of several threads do not tell which thread they are from",
    "selection.c": "as nowait.c",
    "link.c": "LLVM 19 does not tell that a pointer is left together with its data",
    "nested_pointers.c": "LLVM 19 counts a pointer when its data are mapped, and not when they are left",
    "four_devices.c": "omptarget loads images when a device is first used, LLVM 19 when it needs them",
    "python.test": "LLVM 19 prints the tables at the end when a module is closed, too",
    "damaged_image.c": "LLVM 19 prints the tables at the end although offloading is disabled",
    "device_out_of_range.c": "as damaged_image.c",
    "debug_trace.c": "about lines of the trace",
}


def param(name, default=None):
    value = lit_config.params.get(name, default)
    if value is None:
        lit_config.fatal("parameter %s is missing: lit --param %s=..." % (name, name))
    return value


def find_clang(version, language="c"):
    """Of Debian 12, or one that test/tools/unpack-compilers has brought."""
    name = {"c": "clang", "c++": "clang++"}[language] + "-" + version
    return shutil.which(name) or shutil.which(name, path=other_compilers) or lit_config.fatal(
        "%s is not installed, nor unpacked by test/tools/unpack-compilers" % name)


def foreign_libraries(version):
    """The folder of the dynamic linker and libraries that programs run with, unless they are this machine's."""
    if sysroot:
        return sysroot
    own = os.path.join(runtimes, version, "sysroot")
    return own if on_llvm and os.path.exists(own) else ""


def compiler(version, language, first=""):
    """Command of a clang that offloads to the host device, linked against LLVM's own libraries of that version, or
    against those in the folder first."""
    path = find_clang(version, language)
    folder = os.path.join(runtimes, version)
    if not os.path.exists(os.path.join(folder, "complete")):
        lit_config.fatal("no OpenMP runtime of LLVM %s in %s: run test/tools/unpack-llvm-runtimes" % (version, folder))
    libraries = foreign_libraries(version)
    if libraries:
        first += " -Wl,--dynamic-linker=%s/ld-linux-x86-64.so.2" % libraries
    if os.path.exists(os.path.join(folder, "sysroot")):
        # What LLVM's library needs itself is of another release.
        first += " -Wl,--allow-shlib-undefined"
    return "%s -O1 %s -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -isystem %s/include -I%s/include %s -L%s/omp -L%s/lib" % (
        path, sanitizer_flags(version), folder, config.test_source_root, first, folder, folder)


def sanitizer_flags(version):
    """Of programs: the runtime is that of the library, whatever the compiler would link. Clang 15 and 16 insist on their own,
    so their programs are as ever; the library and the plugin see allocations and copies anyhow."""
    if not sanitizer or version in ("15", "16"):
        return ""
    folder, name = os.path.split(sanitizer_library)
    # ThreadSanitizer's own atexit forgets the module, whose handlers would run after its end: have libc's linked first.
    return "-fsanitize=%s -fno-sanitize-link-runtime %s -L%s -Wl,-rpath,%s -l%s" % (
        sanitizer, "-Wl,-u,atexit -l:libc_nonshared.a" if sanitizer == "thread" else "", folder, folder, name[3:-3])


def indirect_compiler(version, language):
    """The same for programs with indirect functions: our header, and our lookups for device code."""
    return compiler(version, language, "-I%s/include -L%s/lib" % (prefix, prefix))


def library_path(version):
    if on_llvm:
        path = "%s/%s/omp:%s/%s/lib" % (runtimes, version, runtimes, version)
        if foreign_libraries(version):
            path = "%s/%s/lib:%s" % (runtimes, version, foreign_libraries(version))
        return plugin_folder + ":" + path if plugin_folder else path
    path = "%s/lib:%s/%s/omp" % (prefix, runtimes, version)
    return path + ":" + sysroot if sysroot else path


def add_mpi(name, flags):
    """mpirun of one MPI with the flags that compile for it; without it, or where it cannot run, its tests are left out."""
    start = {"openmpi": ("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe "
                         "--mca plm isolated --mca btl self,vader --mca btl_vader_single_copy_mechanism none"),
             "mpich": "mpirun.mpich"}[name]
    if not shutil.which("mpirun." + name) or not shutil.which("mpicc." + name):
        return
    if subprocess.run(start.split() + ["-np", "1", "true"], capture_output=True, stdin=subprocess.DEVNULL).returncode:
        lit_config.note("mpirun.%s starts nothing here: its tests are left out" % name)
        return
    told = subprocess.run(["mpicc." + name] + flags, check=True, capture_output=True, text=True).stdout.split()
    config.available_features.add(name)
    config.substitutions += [(r"%%%s-flags\b" % name, " ".join(word for word in told if word[:2] in ("-I", "-L", "-l"))),
                             (r"%%mpirun-%s\b" % name, start)]


def watched():
    """What %run begins with to compare what programs tell."""
    tool = os.path.join(config.test_exec_root, "ompt_tool.so")
    os.makedirs(config.test_exec_root, exist_ok=True)
    subprocess.run([find_clang(libomp), "-isystem", "%s/%s/include" % (runtimes, libomp), "-shared", "-fPIC",
                    os.path.join(config.test_source_root, "inputs", "ompt_tool.c"), "-o", tool], check=True)
    llvm = "%s/%s/lib:%s/%s/omp" % (runtimes, libomp, runtimes, libomp)
    script = os.path.join(config.test_source_root, "inputs", "compare_with_llvm.py")
    return "python3 %s watch-%s unused %s %s " % (script, param("watch"), llvm, tool)


def run(version):
    """Variables may follow: %run OMP_TARGET_OFFLOAD=DISABLED program."""
    command = watched() if param("watch", "") else ""
    command += "timeout 300 env LD_LIBRARY_PATH=%s OMP_TARGET_OFFLOAD=MANDATORY KMP_BLOCKTIME=0" % library_path(version)
    if sanitizer:
        command += " LD_PRELOAD=%s %s" % (sanitizer_library, SANITIZER_OPTIONS[sanitizer])
    if plugin_folder:
        # LLVM 16 would take its own newer plugin first.
        command += " LIBOMPTARGET_NEXTGEN_PLUGINS=false" if on_llvm else " LIBOMPTARGET_PLUGIN_PATH=" + plugin_folder
    if param("plugins", ""):
        command += " LIBOMPTARGET_PLUGINS=" + param("plugins")
    return command


suite = param("suite")
prefix = os.path.abspath(param("prefix"))
runtimes = os.path.abspath(param("llvm_runtimes"))
tools = param("llvm_tools")
on_llvm = param("runtime", "omptarget") == "llvm"
plugin_folder = param("plugin_folder", "")
sanitizer = param("sanitizer", "")
sanitizer_library = param("sanitizer_library") if sanitizer else ""
here = os.path.dirname(os.path.abspath(__file__))
SANITIZER_OPTIONS = {
    "address": "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1",
    # libomp is built without: archer tells the sanitizer what it orders.
    "thread": "TSAN_OPTIONS=ignore_noninstrumented_modules=1:allocator_may_return_null=1:suppressions="
              "%s/inputs/threads.supp OMP_TOOL_LIBRARIES=%s/19/lib/libarcher.so" % (here, runtimes),
}
sysroot = param("sysroot", "")
other_compilers = os.path.join(os.path.dirname(runtimes), "compilers", "bin")
available = [version for version in VERSIONS if os.path.exists(os.path.join(runtimes, version, "complete")) and (
    shutil.which("clang-" + version) or shutil.which("clang-" + version, path=other_compilers))]
if param("versions", ""):
    available = [version for version in VERSIONS if version in param("versions").split(",")]
own = available if suite == "mixed" else [suite]
# Two different libomp in one process end it; LLVM 19's serves the modules of every compiler.
libomp = "19" if suite == "mixed" else suite

config.name = ".".join(filter(None, ["e2e", sanitizer and sanitizer[0] + "san", suite]))
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".test"]
config.excludes = ["include", "inputs"]
config.test_source_root = here
config.test_exec_root = os.path.abspath(param("output"))
if suite not in VERSIONS + ["mixed"]:
    lit_config.fatal("suite %s: expected one of %s, mixed" % (suite, ", ".join(VERSIONS)))
config.excludes += ["mixed"] if suite != "mixed" else [
    name for name in os.listdir(config.test_source_root) if name not in ("mixed", "inputs")]
if int(param("sample", 1)) > 1:
    # One program in so many, chosen by the seed.
    lit_config.note("1 of %s programs, chosen by seed %s" % (param("sample"), param("seed", "1")))
    config.excludes += [name for _, _, names in os.walk(here) for name in names
                        if zlib.crc32((param("seed", "1") + name).encode()) % int(param("sample"))]
if param("watch", ""):
    config.excludes += {"info": {**NOT_WATCHED, **NOT_WATCHED_INFO}, "ompt": {**NOT_WATCHED, **NOT_WATCHED_OMPT},
                        "events": ["observe", "moments.cpp"]}[param("watch")]
if not on_llvm and not os.path.exists(os.path.join(prefix, "lib", "libomptarget.so")):
    lit_config.fatal("no libomptarget.so in %s/lib: install first" % prefix)

if suite == "mixed" or not os.path.exists(os.path.join(runtimes, suite, "sysroot")):
    config.available_features.add("llvm-loads-here")
if sanitizer:
    config.available_features |= {"sanitizer", sanitizer[0] + "san"}
if param("plugins_of", ""):
    config.available_features.add("plugins-of-" + param("plugins_of"))
config.available_features.add("runtime-llvm-" + suite if on_llvm else "runtime-omptarget")
if shutil.which("chromium"):
    config.available_features.add("chromium")
if on_llvm:
    config.available_features.add("runtime-llvm")
if suite == "mixed":
    config.available_features |= {"clang-" + version for version in own}
else:
    config.available_features.add("clang-" + suite)
    for version in VERSIONS:
        if int(version) <= int(suite):
            config.available_features.add("clang-%s-or-later" % version)
    # The compiler plugin and the device library are built for the compilers that are there at build time.
    plugin = os.path.join(prefix, "lib", "omptarget", "omptarget-indirect-%s.so" % suite)
    if os.path.exists(plugin):
        config.available_features.add("indirect-plugin")
        config.substitutions.append((r"%indirect-plugin\b", "-fpass-plugin=" + plugin))
    config.substitutions.append((r"%indirect-library\b", "-L%s/lib/omptarget/clang%s -lomptarget-indirect" % (
        prefix, suite)))

if suite in ("19", "23") and not (on_llvm or sanitizer or plugin_folder):
    add_mpi("openmpi", ["--showme"])
    add_mpi("mpich", ["-show"])

for version in own:
    at = "" if suite != "mixed" else "-" + version
    config.substitutions += [("%indirect-clang" + at + r"\b", indirect_compiler(version, "c")),
                             ("%indirect-clangxx" + at + r"\b", indirect_compiler(version, "c++"))]
    config.substitutions += [("%clang" + at + r"\b", compiler(version, "c")),
                             (r"%clangxx" + at + r"\b", compiler(version, "c++"))]
config.substitutions += [
    (r"%expect-abort\b", os.path.join(config.test_source_root, "inputs", "expect-abort") + " " + run(libomp)),
    (r"%run\b", run(libomp)),
    # A compiler without OpenMP that finds its headers: for libraries that tests load.
    (r"%plainclang\b", "%s -isystem %s/include" % (find_clang(libomp), os.path.join(runtimes, libomp))),
    (r"%FileCheck\b", os.path.join(tools, "FileCheck")),
    (r"%check\b", os.path.join(tools, "FileCheck") + " %s"),
    (r"%python\b", "python3"),
    (r"%examples\b", os.path.join(config.test_source_root, "..", "..", "docs", "examples")),
    (r"%inputs\b", os.path.join(config.test_source_root, "inputs")),
    (r"%ompfolder\b", os.path.join(runtimes, libomp, "omp")),
    (r"%llvmfolder\b", os.path.join(runtimes, libomp)),
    (r"%prefix\b", prefix),
    (r"%plugin-name\b", param("driver", "x86_64")),
    # Whether devices serve until the process is gone, or end before the driver's exit handlers (docs/architecture.md).
    (r"%lifetime\b", "DRIVER" if param("driver", "") or param("plugins_of", "").startswith("llvm") else "LASTS"),
    (r"%llvm-libomptarget\b", os.path.join(runtimes, libomp, "lib", "libomptarget.so")),
]
