! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The construct loop, bound to teams and to threads.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: Unhandled directive loop
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(128), i, j, g(8, 8)
  a = 0
  g = 0
  !$omp target teams loop map(tofrom: a)
  do i = 1, 128
    a(i) = a(i) + i
  end do
  !$omp end target teams loop
  call check(all(a == [(i, i = 1, 128)]), 'teams loop')
  !$omp target parallel loop num_threads(4) map(tofrom: a)
  do i = 1, 128
    a(i) = a(i) + 1
  end do
  !$omp end target parallel loop
  call check(all(a == [(i + 1, i = 1, 128)]), 'parallel loop')
  !$omp target teams loop collapse(2) map(tofrom: g)
  do j = 1, 8
    do i = 1, 8
      g(i, j) = 10 * i + j
    end do
  end do
  !$omp end target teams loop
  call check(all(g == reshape([((10 * i + j, i = 1, 8), j = 1, 8)], [8, 8])), 'two loops')
  call finish()
contains
  include 'check.inc'
end program
