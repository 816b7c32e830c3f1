// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_INFO says what LLVM 19's runtime says, in its words, and each bit switches its own lines on.

// REQUIRES: clang-19, runtime-omptarget
// The same program runs on LLVM's runtime, which leaks.
// UNSUPPORTED: sanitizer
// RUN: %clang -g %inputs/observed.c -o %t
// RUN: %clang %inputs/observed.c -o %t.plain
// RUN: env LIBOMPTARGET_INFO=-1 %python %inputs/compare_with_llvm.py info %prefix/lib:%ompfolder %llvmfolder/lib:%ompfolder %t.tool %t
// RUN: env LIBOMPTARGET_INFO=-1 %python %inputs/compare_with_llvm.py info %prefix/lib:%ompfolder %llvmfolder/lib:%ompfolder %t.tool %t.plain
// RUN: env LIBOMPTARGET_INFO=1 %python %inputs/compare_with_llvm.py info %prefix/lib:%ompfolder %llvmfolder/lib:%ompfolder %t.tool %t
// RUN: %run LIBOMPTARGET_INFO=2 %t 2>&1 | %check --check-prefix=EXISTS --implicit-check-not="{{Entering|Creating|Copying|Launching|TgtPtrBegin=0x0000000000}}"
// RUN: %run LIBOMPTARGET_INFO=8 %t 2>&1 | %check --check-prefix=CHANGED --implicit-check-not="{{Entering|exists|Copying|Launching}}"
// RUN: %run LIBOMPTARGET_INFO=16 %t 2>&1 | %check --check-prefix=KERNEL --implicit-check-not="{{Entering|exists|Copying|Creating}}"
// RUN: %run LIBOMPTARGET_INFO=32 %t 2>&1 | %check --check-prefix=COPY --implicit-check-not="{{Entering|exists|Creating|Launching}}"
// RUN: %run LIBOMPTARGET_INFO=64 %t 2>&1 | %check --check-prefix=EMPTY --implicit-check-not="{{Entering|exists|Creating|Launching}}"
// RUN: %run LIBOMPTARGET_INFO=0 %t 2>&1 | %FileCheck %s --check-prefix=NOTHING --allow-empty
// EXISTS: omptarget device 0 info: Mapping exists (implicit) with HstPtrBegin=
// CHANGED: omptarget device 0 info: Creating new map entry with HstPtrBase=
// CHANGED: omptarget device 0 info: Removing map entry with HstPtrBegin=
// KERNEL: {{^}}omptarget info: version {{[0-9]+\.[0-9]+\.[0-9]+}}
// KERNEL-NOT: version
// KERNEL: "PluginInterface" device 0 info: Launching kernel __omp_offloading_{{.*}}_main_l{{[0-9]+}} with 1 blocks and 1 threads in Generic mode
// KERNEL-NOT: version
// COPY: {{^}}omptarget info: version
// COPY-NOT: version
// COPY: omptarget device 0 info: Copying data from host to device, HstPtr=0x{{[0-9a-f]+}}, TgtPtr=0x{{[0-9a-f]+}}, Size=40, Name=a
// EMPTY: omptarget device 0 info: variable nothing[0:0] does not have a valid device counterpart
// EMPTY: omptarget device 0 info: variable heap does not have a valid device counterpart
// NOTHING-NOT: info:
