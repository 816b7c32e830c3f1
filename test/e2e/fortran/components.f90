! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Single components of a derived type.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
  type state
    integer :: before
    integer :: values(16)
    integer :: after
  end type
end module

program main
  use omp_lib
  use things
  implicit none
  integer :: failed_checks = 0
  type(state) :: s
  integer :: i
  s%before = 1
  s%values = 2
  s%after = 3
  !$omp target map(tofrom: s%values)
  do i = 1, 16
    s%values(i) = s%values(i) * i
  end do
  !$omp end target
  call check(all(s%values == [(2 * i, i = 1, 16)]), 'the component')
  call check(s%before == 1 .and. s%after == 3, 'its neighbours')
  call finish()
contains
  include 'check.inc'
end program
