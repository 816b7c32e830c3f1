! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Derived types in derived types, with allocatable components within.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: not run: the sizes that it hands on are those of other components
! REQUIRES: flang, clang-22-or-later

module things
  implicit none
  type inner
    integer :: scale = 1
    real, allocatable :: x(:)
  end type
  type outer
    integer :: number = 0
    type(inner) :: first, second
    integer, allocatable :: map(:, :)
  end type
end module

program main
  use things
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  type(outer) :: o
  integer :: i
  allocate(o%first%x(8), o%second%x(4), o%map(2, 3))
  o%first%scale = 2
  o%first%x = 1
  o%second%x = 5
  o%map = 1
  !$omp target map(to: o%first%scale) map(tofrom: o%first%x, o%second%x, o%map)
  do i = 1, 8
    o%first%x(i) = o%first%x(i) * o%first%scale * i
  end do
  o%second%x(4) = o%first%x(8)
  o%map(2, 3) = 9
  !$omp end target
  call check(all(o%first%x == [(2.0 * i, i = 1, 8)]), 'a component of a component')
  call check(o%second%x(4) == 16 .and. all(o%second%x(1:3) == 5), 'a second one')
  call check(o%map(2, 3) == 9 .and. sum(o%map) == 14, 'beside them')
  call finish()
contains
  include 'check.inc'
end program
