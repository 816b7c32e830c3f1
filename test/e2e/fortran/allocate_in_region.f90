! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Memory that a region allocates for itself.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: s, i
  s = 0
  !$omp target map(tofrom: s)
  block
    integer, allocatable :: t(:)
    allocate(t(10))
    do i = 1, 10
      t(i) = i * i
    end do
    do i = 1, 10
      s = s + t(i)
    end do
    deallocate(t)
  end block
  !$omp end target
  call check(s == 385, 'a sum of what was there')
  call finish()
contains
  include 'check.inc'
end program
