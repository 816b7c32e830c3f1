! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Functions of OpenMP that are called in regions.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: Thread limit clause not yet supported
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: teams, numbers(0:3), threads, levels, in_parallel, i, t
  logical :: inside
  numbers = -1
  !$omp target teams num_teams(4) thread_limit(8) map(tofrom: numbers, teams)
  numbers(omp_get_team_num()) = omp_get_team_num()
  if (omp_get_team_num() == 0) teams = omp_get_num_teams()
  !$omp end target teams
  call check(teams >= 1 .and. teams <= 4, 'teams')
  call check(all(numbers(0:teams - 1) == [(i, i = 0, teams - 1)]), 'numbers of teams')
  threads = 0
  levels = 0
  inside = .false.
  in_parallel = 0
  !$omp target map(tofrom: threads, levels, inside, in_parallel)
  if (omp_in_parallel()) in_parallel = in_parallel + 100
  !$omp parallel num_threads(4) private(t)
  t = omp_get_thread_num()
  !$omp atomic
  threads = threads + 1
  !$omp atomic
  in_parallel = in_parallel + merge(1, 0, omp_in_parallel())
  if (t == 0) then
    levels = omp_get_level()
    inside = omp_get_num_threads() >= 1 .and. .not. omp_is_initial_device()
  end if
  !$omp end parallel
  !$omp end target
  call check(threads == 4 .and. in_parallel == 4, 'threads')
  call check(levels == 1 .and. inside, 'levels')
  call finish()
contains
  include 'check.inc'
end program
