! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! target update of sections with strides, and of a part of each column.

! flang 19, 22, 23: wrong: it leaves strides out

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(20), grid(6, 5), i
  a = 1
  grid = 1
  !$omp target enter data map(to: a, grid)
  a = 5
  grid = 5
  !$omp target update from(a(1:20:2))
  call check(all(a(1:20:2) == 1), 'what was brought')
  call check(all(a(2:20:2) == 5), 'what the stride leaves out')
  !$omp target update from(grid(2:4, 2:4))
  call check(all(grid(2:4, 2:4) == 1), 'a part of each column')
  call check(all(grid(1, :) == 5) .and. all(grid(5:6, :) == 5), 'the rest of them')
  !$omp target exit data map(release: a, grid)
  call finish()
contains
  include 'check.inc'
end program
