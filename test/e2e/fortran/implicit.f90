! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What is mapped without any clause: arrays, allocatable arrays, pointers, derived types; scalars are firstprivate.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
  type pair
    integer :: one = 1, two = 2
  end type
end module

program main
  use things
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: s, array(6), grid(2, 2), i
  integer, allocatable :: x(:)
  integer, pointer :: p(:)
  type(pair) :: t
  s = 5
  array = 1
  grid = 1
  allocate(x(6), p(6))
  x = 2
  p = 3
  !$omp target
  s = s + 1
  do i = 1, 6
    array(i) = array(i) + s
    x(i) = x(i) + s
    p(i) = p(i) + s
  end do
  grid(2, 1) = s
  t%two = t%one + s
  !$omp end target
  call check(s == 5, 'a scalar stays')
  call check(all(array == 7) .and. grid(2, 1) == 6 .and. grid(1, 2) == 1, 'arrays')
  call check(all(x == 8) .and. all(p == 9), 'allocatable arrays and pointers')
  call check(t%one == 1 .and. t%two == 7, 'a derived type')
  call finish()
contains
  include 'check.inc'
end program
