! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Teams without a number, with data that are present.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: Composite DISTRIBUTE PARALLEL DO
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  real(8), allocatable :: x(:), y(:)
  integer :: i
  allocate(x(5000), y(5000))
  x = 1.5d0
  y = 1
  !$omp target data map(to: x) map(tofrom: y)
  !$omp target teams distribute parallel do
  do i = 1, 5000
    y(i) = y(i) + 2 * x(i)
  end do
  !$omp end target teams distribute parallel do
  !$omp target teams distribute parallel do simd
  do i = 1, 5000
    y(i) = y(i) * 2
  end do
  !$omp end target teams distribute parallel do simd
  !$omp end target data
  call check(all(y == 8.0d0), 'both loops')
  call finish()
contains
  include 'check.inc'
end program
