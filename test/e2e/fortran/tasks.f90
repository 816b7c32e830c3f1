! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Tasks within a region.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: not run: firstprivate variables of a task are shared
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(8), i, s
  a = 0
  s = 0
  !$omp target map(tofrom: a, s)
  !$omp parallel num_threads(4)
  !$omp single
  do i = 1, 8
    !$omp task firstprivate(i) shared(a)
    a(i) = 10 * i
    !$omp end task
  end do
  !$omp taskwait
  s = sum(a)
  !$omp end single
  !$omp end parallel
  !$omp end target
  call check(all(a == [(10 * i, i = 1, 8)]), 'each task')
  call check(s == 360, 'after taskwait')
  call finish()
contains
  include 'check.inc'
end program
