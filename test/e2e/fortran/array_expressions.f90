! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Array expressions and intrinsics in a region.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  real(8) :: a(20), b(20), s, m
  integer :: i
  a = [(real(i, 8), i = 1, 20)]
  b = 0
  !$omp target map(to: a) map(tofrom: b) map(from: s, m)
  b = 2 * a + 1
  s = sum(b)
  m = maxval(a) - minval(b)
  !$omp end target
  call check(all(b == 2 * a + 1) .and. s == 440.0d0 .and. m == 17.0d0, 'expressions')
  call finish()
contains
  include 'check.inc'
end program
