! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Allocatable arrays and pointers of a module, declare target, and mapped before they are used in procedures.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module state
  implicit none
  integer, allocatable :: x(:)
  integer :: fixed(4) = [1, 2, 3, 4]
  !$omp declare target(x, fixed)
contains
  integer function total(n)
    !$omp declare target
    integer, intent(in) :: n
    integer :: i
    total = 0
    do i = 1, n
      total = total + x(i) + fixed(1)
    end do
  end function
end module

program main
  use state
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: s, i
  allocate(x(6))
  x = [(i, i = 1, 6)]
  s = 0
  !$omp target enter data map(always, to: x)
  !$omp target map(from: s)
  fixed(1) = 10
  s = total(6)
  x(1) = 50
  !$omp end target
  call check(s == 81, 'a procedure sees them')
  call check(x(1) == 1 .and. fixed(1) == 1, 'the host has its own')
  !$omp target update from(x, fixed)
  call check(x(1) == 50 .and. fixed(1) == 10 .and. fixed(4) == 4, 'an update')
  !$omp target exit data map(delete: x)
  call finish()
contains
  include 'check.inc'
end program
