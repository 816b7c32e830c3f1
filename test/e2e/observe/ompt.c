// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An OMPT tool hears of constructs, data operations, kernels and devices what LLVM 19's runtime tells; and beyond that
// map events, unloading and device traces.

// REQUIRES: clang-19, runtime-omptarget
// The same program runs on LLVM's runtime, which leaks.
// UNSUPPORTED: sanitizer
// RUN: %clang -g %inputs/observed.c -o %t
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: %python %inputs/compare_with_llvm.py ompt %prefix/lib:%ompfolder %llvmfolder/lib:%ompfolder %t.tool %t
// RUN: env TOOL_MODE=plain %python %inputs/compare_with_llvm.py ompt %prefix/lib:%ompfolder %llvmfolder/lib:%ompfolder %t.tool %t
// RUN: %run OMP_TOOL_LIBRARIES=%t.tool TOOL_MAPS=1 %t 2>&1 | %check --implicit-check-not=WRONG
// RUN: %run OMP_TOOL_LIBRARIES=%t.tool TOOL_MODE=trace %t 2>&1 | %check --check-prefix=TRACE --implicit-check-not=WRONG

// CHECK: ompt: device_initialize device=0
// CHECK-NEXT: ompt: device_load device=0 module=0
// CHECK-NEXT: ompt: target kind=2 endpoint=1 device=0 task=set region=1
// CHECK-NEXT: ompt: data_op type=1 endpoint=1 source=set:4 destination=null:0 bytes=40 region=1
// CHECK-NEXT: ompt: data_op type=1 endpoint=2 source=set:4 destination=set:0 bytes=40 region=1
// CHECK-NEXT: ompt: data_op type=2 endpoint=1
// CHECK-NEXT: ompt: data_op type=2 endpoint=2
// CHECK-NEXT: ompt: map item=0 bytes=40 flags=0x3
// CHECK-NEXT: ompt: target kind=2 endpoint=2 device=0 task=set region=1
// CHECK: ompt: submit endpoint=1 teams=1 region=2
// CHECK-NEXT: ompt: submit endpoint=2 teams=1 region=2
// CHECK: ompt: device_initialize device=1
// CHECK: ompt: data_op type=4 endpoint=2 source=set:0 destination=null:-1 bytes=0 region=-1
// CHECK: ompt: device_unload device=0 module=0
// CHECK-NEXT: ompt: device_finalize device=0
// CHECK-NEXT: ompt: device_unload device=1 module=0
// CHECK-NEXT: ompt: device_finalize device=1
// CHECK: ompt: end, 0 problems

// TRACE: ompt: record target kind=2 endpoint=1 region=1
// TRACE: ompt: record data_op type=1 bytes=40 region=1 op=1001
// TRACE: ompt: record data_op type=2 bytes=40 region=1 op=1002
// TRACE: ompt: record target kind=2 endpoint=2 region=1
// TRACE: ompt: record kernel teams=1 region=2 op=5000002
// TRACE: ompt: end, 0 problems
