// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omptarget-info: programs of GCC offload by libgomp, which the tool tells apart from those that do not offload.

// REQUIRES: runtime-omptarget, machine-x86_64, clang-19
// UNSUPPORTED: tsan
// LIBRARY_PATH may lead to LLVM's libgomp.
// DEFINE: %{info} = %prefix/bin/omptarget-info
// RUN: env -u LIBRARY_PATH gcc -fopenmp -foffload=disable %s -o %t && %{info} %t | %check
// RUN: strip -o %t.stripped %t && %{info} %t.stripped | %check
// RUN: env -u LIBRARY_PATH gcc -fopenmp -foffload=disable -shared -fPIC %s -o %t.so && %{info} %t.so | %check
// CHECK: offloads as GCC does it, by libgomp: 2 kernels, 1 variable, no image for a device{{$}}
// CHECK-NEXT: gcc.md says how omptarget runs it on this CPU
// CHECK-NEXT: it asks for libgomp.so.1
// CHECK-NEXT: gets {{.*}}, which is not omptarget
// CHECK-NOT: does not offload
// CHECK: to get omptarget: set LD_LIBRARY_PATH={{.*}}/lib/gomp
// RUN: env LD_LIBRARY_PATH=%prefix/lib/gomp %{info} %t | %FileCheck %s --check-prefix=OURS
// OURS: it asks for libgomp.so.1
// OURS-NEXT: gets {{.*}}/lib/gomp/libgomp.so.1, which is omptarget

// RUN: env -u LIBRARY_PATH gcc -fopenmp -foffload=disable -static %s -o %t.static && %{info} %t.static | %FileCheck %s --check-prefix=STATIC
// STATIC: it asks for no libgomp.so.1: if its own is inside (-static), no other takes its place

// Without an offload compiler GCC makes no images; a program that has some calls this function of libgomp.
// RUN: env -u LIBRARY_PATH gcc -fopenmp -foffload=disable -DIMAGES %s -o %t.images && %{info} %t.images | %FileCheck %s --check-prefix=IMAGES
// IMAGES: 2 kernels, 1 variable, images for devices{{$}}

// RUN: %{info} --json %t %t.images | %python -c "import json,sys; a,b=[m['gccTables'] for m in json.load(sys.stdin)['modules']]; assert a=={'kernels': 2, 'variables': 1, 'hasImages': False}, a; assert b['hasImages'], b"

// RUN: env -u LIBRARY_PATH gcc -fopenmp -foffload=disable -DNONE %s -o %t.none && %{info} %t.none | %FileCheck %s --check-prefix=NONE
// NONE-NOT: GCC
// NONE: does not offload: it has neither entries nor device images

// A module with parts of both compilers, which nobody runs.
// RUN: env -u LIBRARY_PATH gcc -fopenmp -foffload=disable -fPIC -DPART -c %s -o %t.o && %clang %s %t.o -Wl,--unresolved-symbols=ignore-all -o %t.both && %{info} %t.both | %FileCheck %s --check-prefix=BOTH
// BOTH: offloads as GCC does it, {{.*}}: 1 kernel, 0 variables
// BOTH: offloads as clang {{.*}} does it
// BOTH: kernel main, line

#ifdef IMAGES
void GOMP_offload_register_ver(unsigned version, const void *table, int kind, const void *data);
#endif

#ifdef PART
int part(int x) {
#pragma omp target map(tofrom : x)
  x *= 2;
  return x;
}
#else
#ifndef NONE
#pragma omp declare target
int counter = 3;
#pragma omp end declare target
#endif

int main(int argc, char **argv) {
  int x = 0;
#ifdef NONE
#pragma omp parallel
#else
#pragma omp target map(tofrom : x)
  x = counter;
#pragma omp target map(tofrom : x)
#endif
  x += 1;
#ifdef IMAGES
  if (argc > 1)
    GOMP_offload_register_ver(0, argv, 0, argv);
#endif
  return x != 4;
}
#endif
