! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Variables of a module on the device: declare target to and link.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
  integer, save :: table(10) = 7
  !$omp declare target to(table)
end module

program main
  use omp_lib
  use things
  implicit none
  integer :: failed_checks = 0
  integer :: i, s
  s = 0
  !$omp target map(tofrom: s)
  do i = 1, 10
    s = s + table(i)
    table(i) = i
  end do
  !$omp end target
  call check(s == 70, 'the first values')
  call check(all(table == 7), 'the host has its own')
  !$omp target update from(table)
  call check(all(table == [(i, i = 1, 10)]), 'after an update')
  call finish()
contains
  include 'check.inc'
end program
