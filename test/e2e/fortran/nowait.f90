! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Regions without waiting, in the order that depend says.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: Nowait clause not yet supported
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(64), b(64), i
  a = 1
  b = 0
  !$omp target nowait map(tofrom: a) depend(out: a)
  do i = 1, 64
    a(i) = a(i) + i
  end do
  !$omp end target
  !$omp target nowait map(to: a) map(from: b) depend(in: a) depend(out: b)
  do i = 1, 64
    b(i) = 2 * a(i)
  end do
  !$omp end target
  !$omp taskwait
  call check(all(a == [(i + 1, i = 1, 64)]) .and. all(b == [(2 * i + 2, i = 1, 64)]), 'both regions')
  !$omp target enter data map(to: a) nowait
  !$omp taskwait
  !$omp target exit data map(from: a) nowait
  !$omp taskwait
  call check(a(64) == 65, 'data constructs')
  call finish()
contains
  include 'check.inc'
end program
