! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Loops with simd: alone, of a team's threads, with a reduction.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: i, a(100), s
  a = 1
  s = 0
  !$omp target simd map(tofrom: a)
  do i = 1, 100
    a(i) = a(i) + i
  end do
  !$omp end target simd
  call check(all(a == [(i + 1, i = 1, 100)]), 'simd')
  !$omp target parallel do simd num_threads(4) map(tofrom: a) simdlen(4)
  do i = 1, 100
    a(i) = 2 * a(i)
  end do
  !$omp end target parallel do simd
  call check(all(a == [(2 * i + 2, i = 1, 100)]), 'parallel do simd')
  !$omp target map(tofrom: s) map(to: a)
  !$omp simd reduction(+: s)
  do i = 1, 100
    s = s + a(i)
  end do
  !$omp end target
  call check(s == 10300, 'a sum')
  call finish()
contains
  include 'check.inc'
end program
