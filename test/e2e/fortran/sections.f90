! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A section of an array; what lies beside it stays.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(20), i
  a = 1
  !$omp target map(tofrom: a(5:12))
  do i = 5, 12
    a(i) = a(i) + i
  end do
  !$omp end target
  call check(all(a(5:12) == [(i + 1, i = 5, 12)]), 'the section')
  call check(all(a(1:4) == 1) .and. all(a(13:20) == 1), 'what lies beside')
  call finish()
contains
  include 'check.inc'
end program
