! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Nested loops as one.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(9, 11), i, j
  a = 0
  !$omp target parallel do collapse(2) map(tofrom: a)
  do j = 1, 11
    do i = 1, 9
      a(i, j) = a(i, j) + 10 * i + j
    end do
  end do
  !$omp end target parallel do
  do j = 1, 11
    do i = 1, 9
      call check(a(i, j) == 10 * i + j, 'an element')
    end do
  end do
  call finish()
contains
  include 'check.inc'
end program
