! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A list of objects that point to one another, on the device.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module lists
  implicit none
  type node
    integer :: value = 0
    type(node), pointer :: next => null()
  end type
end module

program main
  use lists
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  type(node), pointer :: first, second, third
  integer :: s
  allocate(first, second, third)
  first%value = 1
  second%value = 20
  third%value = 300
  first%next => second
  second%next => third
  s = 0
  !$omp target map(tofrom: first, first%next, first%next%next, s)
  first%next%value = first%next%value + 1
  s = first%value + first%next%value + first%next%next%value
  !$omp end target
  call check(s == 322, 'a sum over the list')
  call check(second%value == 21 .and. associated(first%next, second) .and. associated(second%next, third), &
    'the host''s list')
  call finish()
contains
  include 'check.inc'
end program
