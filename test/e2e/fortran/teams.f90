! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Teams: as many as are asked for, each iteration once.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: Composite DISTRIBUTE PARALLEL DO
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(1000), seen(8), number, i
  a = 0; seen = 0; number = 0
  !$omp target teams num_teams(4) map(tofrom: seen, number)
  seen(omp_get_team_num() + 1) = omp_get_num_teams()
  number = omp_get_num_teams()
  !$omp end target teams
  call check(number == 4 .and. all(seen(1:4) == 4) .and. all(seen(5:8) == 0), 'four teams')
  !$omp target teams distribute num_teams(3) map(tofrom: a)
  do i = 1, 1000
    a(i) = a(i) + 1
  end do
  !$omp end target teams distribute
  call check(all(a == 1), 'distribute')
  !$omp target teams distribute parallel do num_teams(3) map(tofrom: a)
  do i = 1, 1000
    a(i) = a(i) + i
  end do
  !$omp end target teams distribute parallel do
  call check(all(a == [(i + 1, i = 1, 1000)]), 'distribute parallel do')
  call finish()
contains
  include 'check.inc'
end program
