! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! target update of sections of several dimensions and of allocatable arrays.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: grid(6, 5), i, j
  integer, allocatable :: x(:)
  allocate(x(10))
  grid = 1
  x = 1
  !$omp target enter data map(to: grid, x)
  grid = 5
  x = 5
  !$omp target update to(grid(:, 3)) to(x(3:5))
  !$omp target
  do j = 1, 5
    do i = 1, 6
      grid(i, j) = grid(i, j) * 10
    end do
  end do
  do i = 1, 10
    x(i) = x(i) * 10
  end do
  !$omp end target
  call check(all(grid == 5) .and. all(x == 5), 'nothing has come back')
  !$omp target update from(grid(:, 2:4)) from(x(4:8))
  call check(all(grid(:, 2) == 10) .and. all(grid(:, 3) == 50) .and. all(grid(:, 4) == 10), 'columns of a grid')
  call check(all(grid(:, 1) == 5) .and. all(grid(:, 5) == 5), 'columns beside them')
  call check(all(x == [5, 5, 5, 50, 50, 10, 10, 10, 5, 5]), 'an allocatable array')
  !$omp target exit data map(release: grid, x)
  call finish()
contains
  include 'check.inc'
end program
