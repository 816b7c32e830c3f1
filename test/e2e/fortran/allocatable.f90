! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Allocatable arrays, also not allocated ones.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  real(8), allocatable :: x(:), grid(:, :), none(:)
  logical :: there
  integer :: i, j
  allocate(x(100), grid(0:4, 3))
  x = 1
  grid = 2
  there = .true.
  !$omp target map(tofrom: x, grid, none, there)
  do i = 1, 100
    x(i) = x(i) + i
  end do
  do j = 1, 3
    do i = 0, 4
      grid(i, j) = grid(i, j) * i * j
    end do
  end do
  there = allocated(none)
  !$omp end target
  call check(sum(x) == 5150.0d0, 'an allocatable vector')
  call check(grid(4, 3) == 24.0d0 .and. all(grid(0, :) == 0.0d0), 'an allocatable matrix')
  call check(.not. there .and. .not. allocated(none), 'an array that is not allocated')
  call finish()
contains
  include 'check.inc'
end program
