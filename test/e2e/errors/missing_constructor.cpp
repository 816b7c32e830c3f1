// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang 14 to 16 have entries for constructors and destructors of global objects: an image that lacks one is refused.

// RUN: %clangxx %s -o %t
// RUN: %run %t
// RUN: %python %inputs/patch_image.py 'symbol=__omp_offloading_\w*_ctor' %t %t.constructor
// RUN: %python %inputs/patch_image.py 'symbol=__omp_offloading_\w*_dtor' %t %t.destructor
// RUN: chmod +x %t.constructor %t.destructor
// RUN: %expect-abort %t.constructor 2>&1 | %check --check-prefix=CONSTRUCTOR
// RUN: %expect-abort %t.destructor 2>&1 | %check --check-prefix=DESTRUCTOR
// RUN: %prefix/bin/omptarget-info %t.constructor | %check --check-prefix=TOLD
// Stand-ins for GPUs find kernels by themselves.
// UNSUPPORTED: runtime-llvm, tsan, clang-17-or-later, emulator-cuda, emulator-amdgpu
// Other plugins look at an image in their own way.
// UNSUPPORTED: plugins-of-llvm-14, plugins-of-llvm-15, plugins-of-llvm-16, plugins-of-llvm-16-legacy, plugins-of-first-abi

// CONSTRUCTOR: omptarget error: the image lacks the constructor '__omp_offloading_{{.*}}_ctor', which its program has
// DESTRUCTOR: omptarget error: the image lacks the destructor '__omp_offloading_{{.*}}_dtor', which its program has
// TOLD: lacks the constructor {{.*}}, which the program has

struct Object {
  int x;
  Object() : x(7) {}
  ~Object() { x = 0; }
};
#pragma omp declare target
Object object;
#pragma omp end declare target

int main() {
  int result = 0;
#pragma omp target map(from : result)
  result = object.x;
  return result != 7;
}
