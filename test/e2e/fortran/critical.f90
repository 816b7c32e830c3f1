! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Critical sections, one without a name and two with names, in parallel regions of target.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a, b, c, i, counts(3)
  a = 0
  b = 0
  c = 0
  counts = 0
  !$omp target parallel do num_threads(8) map(tofrom: a, b, c, counts)
  do i = 1, 96
    !$omp critical
    a = a + 1
    counts(1) = a
    !$omp end critical
    !$omp critical (one)
    b = b + 2
    counts(2) = b
    !$omp end critical (one)
    !$omp critical (two)
    c = c + 3
    counts(3) = c
    !$omp end critical (two)
  end do
  call check(a == 96 .and. b == 192 .and. c == 288, 'each at its time')
  call check(all(counts == [96, 192, 288]), 'the last of each')
  call finish()
contains
  include 'check.inc'
end program
