! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Schedules and chunks: each iteration once.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(101), b(101), c(101), d(101), i
  a = 0; b = 0; c = 0; d = 0
  !$omp target map(tofrom: a, b, c, d)
  !$omp parallel num_threads(3)
  !$omp do schedule(static, 7)
  do i = 1, 101
    a(i) = a(i) + 1
  end do
  !$omp end do
  !$omp do schedule(dynamic, 5)
  do i = 1, 101
    b(i) = b(i) + 1
  end do
  !$omp end do
  !$omp do schedule(guided)
  do i = 1, 101
    c(i) = c(i) + 1
  end do
  !$omp end do
  !$omp do schedule(static, 1)
  do i = 101, 1, -1
    d(i) = d(i) + 1
  end do
  !$omp end do
  !$omp end parallel
  !$omp end target
  call check(all(a == 1) .and. all(b == 1) .and. all(c == 1) .and. all(d == 1), 'each iteration once')
  call finish()
contains
  include 'check.inc'
end program
