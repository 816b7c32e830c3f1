// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a lookup in a kernel on NVIDIA: few registers, no stack, loads through the read-only cache.

// RUN: %clang-for --target=nvptx64-nvidia-cuda --cuda-path=%cuda -march=sm_80 -O2 -S -x ir %bitcode-nvptx.bc -o %t.ptx
// RUN: %cuda/bin/ptxas -v -arch=sm_80 -c %t.ptx -o %t.cubin 2>&1 | %check
// RUN: %FileCheck --check-prefix=PTX %s < %t.ptx
// REQUIRES: cuda

// CHECK: Function properties for __kmpc_target_translate_fptr
// CHECK-NEXT: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

// PTX: __kmpc_target_translate_fptr
// PTX-COUNT-6: ld.global.nc.{{[ub]}}64
// PTX: ld.global{{(.nc)?}}.v2.{{[ub]}}64
// If the function is not found, the lookup searches those of other images.
// PTX-COUNT-2: ld.global.{{[ub]}}64 {{.*}}[__omptarget_other_functions
// PTX-COUNT-6: ld.global.nc.{{[ub]}}64
// PTX: ld.global{{(.nc)?}}.v2.{{[ub]}}64
// PTX: ld.global.{{[ub]}}64 {{.*}}[__omptarget_other_functions+16]
// PTX-NOT: ld.global
// PTX: __llvm_omp_indirect_call_lookup
