! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Regions without waiting between tasks of the host, in the order that depend says.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: Nowait clause not yet supported
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(32), b(32), i, round
  do round = 1, 20
    a = 1
    b = 0
    !$omp parallel num_threads(2)
    !$omp single
    !$omp task depend(out: a) shared(a)
    a = 2
    !$omp end task
    !$omp target nowait map(tofrom: a) depend(inout: a)
    do i = 1, 32
      a(i) = a(i) + i
    end do
    !$omp end target
    !$omp task depend(inout: a) depend(out: b) shared(a, b)
    b = 2 * a
    a = 7
    !$omp end task
    !$omp target nowait map(tofrom: b) map(to: a) depend(inout: b) depend(in: a)
    do i = 1, 32
      b(i) = b(i) + a(i)
    end do
    !$omp end target
    !$omp taskwait
    !$omp end single
    !$omp end parallel
    call check(all(b == [(2 * (i + 2) + 7, i = 1, 32)]), 'each after the one before')
    call check(all(a == 7), 'what the host wrote')
  end do
  call finish()
contains
  include 'check.inc'
end program
