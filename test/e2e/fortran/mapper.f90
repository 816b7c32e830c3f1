! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! declare mapper: one for all, one by its name.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: Could not parse
! REQUIRES: flang, clang-22-or-later

module vectors
  implicit none
  type vector
    integer :: length = 0, other = 0
    integer, allocatable :: x(:)
  end type
  !$omp declare mapper(vector :: v) map(v%length, v%x)
  type block_of
    integer :: values(8)
  end type
  !$omp declare mapper(half: block_of :: b) map(b%values(1:4))
end module

program main
  use vectors
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  type(vector) :: v
  type(block_of) :: b
  integer :: i
  allocate(v%x(10))
  v%length = 10
  v%x = 2
  !$omp target map(tofrom: v)
  do i = 1, v%length
    v%x(i) = v%x(i) * i
  end do
  !$omp end target
  call check(all(v%x == [(2 * i, i = 1, 10)]), 'the default mapper')
  b%values = 1
  !$omp target map(mapper(half), tofrom: b)
  do i = 1, 4
    b%values(i) = b%values(i) + i
  end do
  !$omp end target
  call check(all(b%values == [2, 3, 4, 5, 1, 1, 1, 1]), 'a mapper by its name')
  call finish()
contains
  include 'check.inc'
end program
