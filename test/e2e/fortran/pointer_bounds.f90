! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Pointers with other bounds, with a stride, to a part of a grid.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(20), grid(4, 5)
  integer, pointer :: p(:), q(:), r(:, :)
  integer :: i, j, low, high
  a = 1
  grid = 1
  p(0:9) => a(1:10)
  !$omp target map(tofrom: p) map(from: low, high)
  low = lbound(p, 1)
  high = ubound(p, 1)
  do i = 0, 9
    p(i) = p(i) + i
  end do
  !$omp end target
  call check(low == 0 .and. high == 9, 'bounds')
  call check(all(a(1:10) == [(1 + i, i = 0, 9)]) .and. all(a(11:) == 1), 'values')
  a = 1
  q => a(1:19:2)
  !$omp target map(tofrom: a, q)
  do i = 1, 10
    q(i) = 10 * i
  end do
  !$omp end target
  call check(all(a(1:19:2) == [(10 * i, i = 1, 10)]) .and. all(a(2:20:2) == 1), 'a stride')
  r => grid(2:3, 2:4)
  !$omp target map(tofrom: grid, r)
  do j = 1, 3
    do i = 1, 2
      r(i, j) = 10 * i + j
    end do
  end do
  !$omp end target
  call check(grid(3, 4) == 23 .and. grid(2, 2) == 11 .and. grid(1, 1) == 1 .and. grid(4, 4) == 1, 'a part of a grid')
  call finish()
contains
  include 'check.inc'
end program
