// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same with the compiler plugin and a plain call: everything is resolved. It has the table's variables for the
// plugin, and the variable through which the plugin finds the function.

// RUN: %amdgcn -DPLAIN %plugin %inputs/program.c -o %t %library
// RUN: %carve %t 224 %t.hsaco
// RUN: %readelf --dyn-syms -W %t.hsaco | %check
// REQUIRES: indirect-plugin, lld, llvm-runtimes
// Clang 14 to 16 need AMD's device library.
// REQUIRES: rocm-device-libs || clang-19 || clang-21 || clang-22 || clang-23

// CHECK-DAG: 8 OBJECT {{(WEAK|GLOBAL)}} PROTECTED {{.*}} __omp_offloading_fptr_map_p
// CHECK-DAG: 8 OBJECT {{(WEAK|GLOBAL)}} PROTECTED {{.*}} __omp_offloading_fptr_map_size
// CHECK-DAG: 8 OBJECT GLOBAL PROTECTED {{.*}} __omptarget_indirect_twice
// CHECK-NOT: {{(GLOBAL|WEAK) +[A-Z]+ +UND}}
