! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! target data keeps what it maps, and constructs within find it.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  real(8) :: x(64), y(64)
  integer :: i
  x = 2
  y = 1
  !$omp target data map(to: x) map(tofrom: y)
  x = 0
  !$omp target
  do i = 1, 64
    y(i) = y(i) + x(i)
  end do
  !$omp end target
  call check(all(y == 1.0d0), 'nothing comes back before the end')
  !$omp target
  do i = 1, 64
    y(i) = y(i) * x(i)
  end do
  !$omp end target
  !$omp end target data
  call check(all(y == 6.0d0), 'the result')
  call finish()
contains
  include 'check.inc'
end program
