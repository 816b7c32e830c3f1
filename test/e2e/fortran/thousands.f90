! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A region that is entered many times.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(10), i, round
  a = 0
  do round = 1, 2000
    !$omp target map(tofrom: a)
    do i = 1, 10
      a(i) = a(i) + i
    end do
    !$omp end target
  end do
  call check(all(a == [(2000 * i, i = 1, 10)]), 'the sum of all')
  call finish()
contains
  include 'check.inc'
end program
