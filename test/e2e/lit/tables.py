# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of the suites of programs: compilers, programs that are not compared or not run on stand-ins for GPUs, options
of sanitizers, starters of MPI programs."""

# Versions of clang: each is a suite of its own.
VERSIONS = ["14", "15", "16", "17", "18", "19", "21", "22", "23"]

# Programs that are not compared by running them on both runtimes, and why.
NOT_COMPARED = {
    "observe": "makes such comparisons itself",
    "cluster": "is about settings that LLVM's runtime does not have",
    "dlopen_threads.c": "LLVM 19 hangs in it at times: a module that is opened while another thread loads an image",
    "threads_of_all_kinds.c": "LLVM 19 hangs in it at times, too: two locks in two orders",
    "threads.c": "which construct allocates and frees depends on which thread is first",
    "threads_dependences.c": "the same",
    "deleted_meanwhile.c": "the same",
    "left_meanwhile.c": "the same",
    "base_pointers.c": "LLVM 19 takes away what is mapped when a pointee is released again, and leaves pointers behind",
    "mapper.c": "LLVM 19 copies members that are present, and leaves some behind",
    "library.c": "LLVM 19 maps indirect functions as data and copies their addresses from the device",
    "lambdas.cpp": "omptarget has one allocation and copy for all private variables of a construct, and a capture is "
                   "not looked up as an argument",
    "recorded.c": "brings a plugin of its own, which LLVM 19 does not load",
    "symbols_only.c": "as recorded.c",
    "region_while_opening.cpp": "as recorded.c",
    "late_failure.c": "as recorded.c",
    "first_library.c": "brings a host library of its own",
    "own_device.cpp": "its thread has as many regions as there is time for",
    "held_copies.c": "LLVM 19 crashes in it; and which construct copies back depends on who waits",
    "fork_during_copy.c": "LLVM 19's child waits for a thread that it does not have",
    "held_structs.c": "LLVM 19 shows the address of the device for a moment",
    "held_always_to.c": "LLVM 19 writes the host's address into the device's pointer for a moment",
    "held_attaching.c": "which construct maps the data depends on which thread is first",
    "held_entering.c": "which construct frees the data depends on which thread is first",
    "held_pointee.c": "LLVM 22 loses results in it; and which construct maps the data depends on which thread is first",
    "held_leaving.c": "as held_pointee.c",
    "image_not_loaded.c": "LLVM 19 goes on in silence where an image could not be loaded",
    "left_behind.c": "its processes end while threads are in regions",
    "first_use_early.c": "LLVM 19 ends the program: a module that was finalised has no kernels there",
    "first_use_late.c": "as first_use_early.c",
    "unfinished_tasks.c": "its processes end while regions are unfinished, where LLVM 19 crashes",
    "while_main_returns.c": "as unfinished_tasks.c",
}
NOT_COMPARED_OMPT = {
    "examples.test": "LLVM 19 gives back base pointers that were not counted",
    "moments.cpp": "its processes end while threads are in regions: what has been told by then differs from run to run",
    "private.c": "omptarget has one allocation for all private variables of a construct",
    "thread_ends.c": "libomp has forgotten its threads, which have no task any more",
    "no_environment.c": "LLVM 19 reads the environment, which names the tool, before main clears it",
}
NOT_COMPARED_INFO = {
    "classes.cpp": "LLVM 19 only looks up the struct whose member is deleted; omptarget takes its references",
    "delete_members.c": "as classes.cpp",
    "examples.test": "LLVM 19 gives back base pointers that were not counted",
    "missing_entry.cpp": "the two print another number of lines for variables that are declared on the device",
    "moments.cpp": "at the end of one of its processes LLVM 19 prints the empty tables of all devices, omptarget none",
    "nowait.c": "lines of several threads do not tell which thread they are from",
    "selection.c": "as nowait.c",
    "fork_while_starting.c": "parent and child print at the same time",
    "link.c": "LLVM 19 does not tell that a pointer is left together with its data",
    "nested_pointers.c": "LLVM 19 counts a pointer when its data are mapped, and not when they are left",
    "four_devices.c": "omptarget loads images when a device is first used, LLVM 19 when it needs them",
    "python.test": "LLVM 19 prints the tables at the end when a module is closed, too",
    "damaged_image.c": "LLVM 19 prints the tables at the end although offloading is disabled",
    "device_out_of_range.c": "as damaged_image.c",
    "debug_trace.c": "about lines of the trace",
    "thousands.c": "both print a table of thousands of lines after each of thousands of regions, which takes minutes",
}

# Left out on every stand-in for a GPU's driver: what is about something else than the plugin for it, or cannot be
# there.
NOT_ABOUT_GPUS = {
    "fork.c": "the driver does not work in the child of a process that used it; the plugin says so",
    "fork_library.c": "as fork.c",
    "debug_trace.c": "about the plugin for the CPU",
    "own_number.c": "about the plugin for the CPU: on GPUs the device RTL answers",
    "plugin_selection.c": "about the plugin for the CPU",
    "recorded.c": "brings a plugin of its own for the CPU",
    "symbols_only.c": "as recorded.c",
    "region_while_opening.cpp": "as recorded.c",
    "late_failure.c": "as recorded.c",
    "info.c": "compares with LLVM's plugin for the CPU, which launches one block of one thread",
    "no_environment.c": "clears what chooses the stand-in",
    "profile_page.c": "expects what the plugin for the CPU tells of device memory: nothing",
    "replay_moved.c": "about memory that code for the CPU finds where it lay",
    "replay_program_address.c": "reads the program's memory in place, as code for the CPU can",
    "settings.c": "looks for the name of the plugin for the CPU",
}

# Indexed by the parameter watch. events only looks at those of our own runtime.
NOT_WATCHED = {
    "info": {**NOT_COMPARED, **NOT_COMPARED_INFO},
    "ompt": {**NOT_COMPARED, **NOT_COMPARED_OMPT,
             "cancelled_thread.c": "the cancelled thread's construct has no end"},
    "events": {**{name: {**NOT_COMPARED, **NOT_COMPARED_OMPT}[name] for name in ("observe", "moments.cpp")},
               "first_use_late.c": "libomp does not know its thread, which has no task",
               "thread_ends.c": NOT_COMPARED_OMPT["thread_ends.c"],
               "cancelled_thread.c": "the cancelled thread's construct has no end",
               "region_while_opening.cpp": "starting a tool, libomp holds its lock and asks for the devices, which the "
                                           "thread in the constructor waits for"},
}

# Flags of the library's sanitizer, by its name. {here}: this folder's parent; {runtimes}: LLVM's runtimes.
SANITIZER_OPTIONS = {
    "address": "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 "
               "LSAN_OPTIONS=print_suppressions=0:suppressions={here}/inputs/leaks.supp",
    # libomp is built without: archer tells the sanitizer what it orders.
    "thread": "TSAN_OPTIONS=ignore_noninstrumented_modules=1:allocator_may_return_null=1:suppressions="
              "{here}/inputs/threads.supp OMP_TOOL_LIBRARIES={runtimes}/19/lib/libarcher.so",
}

# How programs of an MPI are started, and what its compiler wrapper tells its flags for.
MPI = {
    "openmpi": ("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe "
                "--mca plm isolated --mca btl self,vader --mca btl_vader_single_copy_mechanism none", "--showme"),
    "mpich": ("mpirun.mpich", "-show"),
}
