! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! lastprivate: the value of the last iteration.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: i, last, other
  last = -1
  !$omp target map(tofrom: last)
  !$omp parallel do num_threads(4) lastprivate(last)
  do i = 1, 50
    last = 10 * i
  end do
  !$omp end target
  call check(last == 500, 'of a parallel loop')
  other = -1
  !$omp target parallel do num_threads(4) lastprivate(other)
  do i = 1, 33
    other = i
  end do
  call check(other == 33, 'of a combined construct')
  call finish()
contains
  include 'check.inc'
end program
