! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Arrays by each map type; a section; a region changes what it is given.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: there(10), back(10), both(10), unused(10), i
  there = [(i, i = 1, 10)]
  back = 0
  both = 1
  unused = 5
  !$omp target map(to: there) map(from: back) map(tofrom: both) map(alloc: unused)
  do i = 1, 10
    unused(i) = there(i)
    back(i) = unused(i) + there(i)
    both(i) = both(i) + back(i)
  end do
  there = 0
  !$omp end target
  call check(all(back == [(2 * i, i = 1, 10)]), 'map(from)')
  call check(all(both == [(2 * i + 1, i = 1, 10)]), 'map(tofrom)')
  call check(all(there == [(i, i = 1, 10)]), 'map(to) changes nothing here')
  call check(all(unused == 5), 'map(alloc) changes nothing here')
  call finish()
contains
  include 'check.inc'
end program
