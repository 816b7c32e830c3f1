! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A parallel region within another on the device.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: counts(4), total
  counts = 0
  total = 0
  !$omp target map(tofrom: counts, total)
  !$omp parallel num_threads(2)
  !$omp parallel num_threads(2)
  !$omp atomic
  total = total + 1
  !$omp end parallel
  !$omp atomic
  counts(1) = counts(1) + 1
  !$omp end parallel
  !$omp end target
  call check(counts(1) >= 1 .and. total >= counts(1) .and. total <= 2 * counts(1), 'threads of both levels')
  call finish()
contains
  include 'check.inc'
end program
