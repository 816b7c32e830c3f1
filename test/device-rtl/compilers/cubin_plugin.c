// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same with the compiler plugin and a plain call: everything is resolved. It has the table's variables for the
// plugin, and the variable through which the plugin finds the function.

// RUN: %nvptx -DPLAIN %plugin %inputs/program.c -o %t %library
// RUN: %carve %t 190 %t.cubin
// RUN: %readelf -sW %t.cubin | %check
// REQUIRES: indirect-plugin, cuda, llvm-runtimes

// CHECK-DAG: FUNC {{.*}} __kmpc_target_translate_fptr
// CHECK-DAG: 8 OBJECT {{(WEAK|GLOBAL)}} {{.*}} __omp_offloading_fptr_map_p
// CHECK-DAG: 8 OBJECT {{(WEAK|GLOBAL)}} {{.*}} __omp_offloading_fptr_map_size
// CHECK-DAG: 8 OBJECT GLOBAL {{.*}} __omptarget_indirect_twice
// CHECK-NOT: {{(GLOBAL|WEAK) +[A-Z]+ +UND}}
