! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Variables of common blocks, of a module with save, and equivalent ones.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: i
  integer :: c1, c2(8)
  common /shared_block/ c1, c2
  integer :: e1(4), e2(2, 2)
  equivalence (e1, e2)
  c1 = 3
  c2 = 2
  !$omp target map(tofrom: c1, c2)
  do i = 1, 8
    c2(i) = c2(i) * c1 + i
  end do
  c1 = 4
  !$omp end target
  call check(c1 == 4 .and. all(c2 == [(6 + i, i = 1, 8)]), 'members of a common block')
  e1 = [1, 2, 3, 4]
  !$omp target map(tofrom: e2)
  e2(2, 1) = 20
  !$omp end target
  call check(all(e1 == [1, 20, 3, 4]), 'equivalent arrays')
  call finish()
contains
  include 'check.inc'
end program
