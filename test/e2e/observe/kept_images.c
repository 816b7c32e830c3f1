// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_KEEP_IMAGES=FOLDER: images for the CPU are files that stay, from which gdb names the kernel of a core
// file. Nothing stays without it.

// REQUIRES: runtime-omptarget, lasts, gdb, clang-16-or-later
// UNSUPPORTED: sanitizer, emulated, plugins-of-llvm-16, plugins-of-llvm-17, plugins-of-llvm-18
// RUN: rm -rf %t.folder && mkdir -p %t.folder/images %t.folder/work %t.folder/extracted
// RUN: %clang -g -O0 %s -o %t
// RUN: cd %t.folder/work && %run TMPDIR=%t.folder/work %t && cd .. && rmdir %t.folder/work
// RUN: %run LIBOMPTARGET_KEEP_IMAGES=%t.folder/images %t
// RUN: ls %t.folder/images | %check --check-prefix=FILES
// RUN: %run LIBOMPTARGET_KEEP_IMAGES=%t.folder/nowhere %t 2>&1 | %check --check-prefix=NOWHERE
// RUN: %run LIBOMPTARGET_KEEP_IMAGES=%t.folder/images gdb -batch -ex run -ex "generate-core-file %t.folder/core" --args %t crash
// RUN: gdb -batch -ex backtrace %t %t.folder/core 2>&1 | %check --check-prefix=CORE
// FILES: omptarget-kept_images.c.tmp-{{[0-9]+}}-0.so
// NOWHERE: omptarget warning: LIBOMPTARGET_KEEP_IMAGES: cannot make {{.*}}/nowhere/{{.*}}: No such file or directory
// CORE: #0 {{.*}}__omp_offloading_{{.*}}main_l{{.*}} at {{.*}}kept_images.c:[[#@LINE+15]]

// RUN: %prefix/bin/omptarget-info --extract %t.folder/extracted %t | %check --check-prefix=EXTRACTED
// RUN: not %prefix/bin/omptarget-info --extract %t.folder/extracted /bin/true 2>&1 | %check --check-prefix=NOTHING
// RUN: gdb -batch -ex "info functions __omp_offloading" %t.folder/extracted/kept_images.c.tmp.image-0.x86_64 | %check --check-prefix=FUNCTIONS
// EXTRACTED: {{^}}{{.*}}/kept_images.c.tmp.image-0.x86_64{{$}}
// NOTHING: omptarget-info: /bin/true: it has no device images
// FUNCTIONS: __omp_offloading_{{.*}}main_l

#include <stddef.h>

int main(int count, char **words) {
  int value = 0, *place = count > 1 ? NULL : &value;
  (void)words;
#pragma omp target is_device_ptr(place)
  *place = 3;
  return place && value != 3;
}
