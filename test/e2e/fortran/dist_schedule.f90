! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Chunks of teams and of threads.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: Composite DISTRIBUTE PARALLEL DO
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(997), i
  a = 0
  !$omp target teams distribute parallel do num_teams(2) dist_schedule(static, 50) schedule(static, 3) map(tofrom: a)
  do i = 1, 997
    a(i) = a(i) + i
  end do
  !$omp end target teams distribute parallel do
  call check(all(a == [(i, i = 1, 997)]), 'each iteration once')
  call finish()
contains
  include 'check.inc'
end program
