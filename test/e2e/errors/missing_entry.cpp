// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An image that lacks a variable, a linked one or a constructor of its program is refused, and the entry is named. One
// that lacks a kernel ends the construct that launches it.

// RUN: %clangxx %s -o %t
// RUN: %run %t
// RUN: %python %inputs/patch_image.py symbol=some_variable %t %t.variable
// RUN: %python %inputs/patch_image.py symbol=some_link_decl_tgt_ref_ptr %t %t.link
// RUN: %python %inputs/patch_image.py 'symbol=__omp_offloading_\w*only_kernel\w*' %t %t.kernel
// RUN: chmod +x %t.variable %t.link %t.kernel
// RUN: %expect-abort %t.variable 2>&1 | %check --check-prefix=VARIABLE
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t.variable 2>&1 | %check --check-prefix=VARIABLE
// RUN: %expect-abort %t.link 2>&1 | %check --check-prefix=LINK
// RUN: %expect-abort %t.kernel 2>&1 | %check --check-prefix=KERNEL
// RUN: %prefix/bin/omptarget-info %t.variable | %check --check-prefix=TOLD
// RUN: %prefix/bin/omptarget-info --json %t.kernel | %check --check-prefix=JSON
// RUN: %prefix/bin/omptarget-info %t | %check --check-prefix=WHOLE
// Clang 14 does not tell its static variables from what an image lacks.
// REQUIRES: clang-15-or-later
// UNSUPPORTED: runtime-llvm, tsan, emulator-cuda, emulator-amdgpu
// Other plugins look at an image in their own way.
// UNSUPPORTED: plugins-of-llvm-14, plugins-of-llvm-15, plugins-of-llvm-16, plugins-of-llvm-16-legacy, plugins-of-first-abi

// The dynamic linker sees it first where its table of hashes leads nowhere.
// VARIABLE: omptarget error: {{the image lacks the global 'some_variable', which its program has|.*undefined symbol: some_variabld}}
// VARIABLE-NOT: result
// LINK: omptarget error: {{the image lacks the global .link. 'some_link_decl_tgt_ref_ptr', which its program has|.*undefined symbol: some_link_decl_tgt_ref_ptr?s?}}
// LINK-NOT: result
// KERNEL: omptarget error: kernel {{.*}}only_kernel{{.*}} is in no image that fits device 0
// TOLD: lacks the global some_variable, which the program has
// JSON: "missing": [
// JSON-NEXT: "__omp_offloading_{{.*}}only_kernel{{.*}}"
// JSON-NEXT: ]
// WHOLE-NOT: lacks

#include <stdio.h>

#pragma omp declare target
extern "C" int some_variable;
int some_variable = 5;
#pragma omp end declare target
extern "C" int some_link;
int some_link = 2;
#pragma omp declare target link(some_link)

int only_kernel() {
  int result = 0;
#pragma omp target map(from : result) map(to : some_link)
  result = some_variable + some_link;
  return result;
}

int main() {
  int result = only_kernel();
  printf("result %d\n", result);
  return result != 7;
}
