! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! target update, both ways and of a part.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(32), i
  a = 1
  !$omp target enter data map(to: a)
  a(1:16) = 5
  !$omp target update to(a(1:8))
  !$omp target
  do i = 1, 32
    a(i) = a(i) * 10
  end do
  !$omp end target
  !$omp target update from(a(5:12))
  call check(all(a(1:4) == 5) .and. all(a(5:8) == 50) .and. all(a(9:12) == 10), 'what was updated')
  call check(all(a(13:16) == 5) .and. all(a(17:32) == 1), 'what was not')
  !$omp target exit data map(from: a)
  call check(all(a(1:8) == 50) .and. all(a(9:32) == 10), 'what comes back at the end')
  call finish()
contains
  include 'check.inc'
end program
