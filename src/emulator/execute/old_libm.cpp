// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc 2.29 gave these functions of double a second version, without System V's handling of errors. The linker has all
// of an emulator, LLVM among it, call those here (--wrap), which call the first version. It computes the same, and
// older C libraries have it, too.

extern "C" {

#define OMPTARGET_OLD_1(name)                                                                                          \
  __asm__(".symver omptarget_old_" #name ", " #name "@GLIBC_2.2.5");                                                   \
  double omptarget_old_##name(double a);                                                                               \
  double __wrap_##name(double a) { /* NOLINT(bugprone-reserved-identifier): the linker's name */                       \
    return omptarget_old_##name(a);                                                                                    \
  }
OMPTARGET_OLD_1(exp)
OMPTARGET_OLD_1(exp2)
OMPTARGET_OLD_1(log)
OMPTARGET_OLD_1(log2)

__asm__(".symver omptarget_old_pow, pow@GLIBC_2.2.5");
double omptarget_old_pow(double a, double b);
double __wrap_pow(double a, double b) { // NOLINT(bugprone-reserved-identifier): the linker's name
  return omptarget_old_pow(a, b);
}
}
