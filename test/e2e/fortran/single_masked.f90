! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! single, masked and sections in a parallel region of target.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: once, masked, parts(3)
  once = 0
  masked = 0
  parts = 0
  !$omp target map(tofrom: once, masked, parts)
  !$omp parallel num_threads(4)
  !$omp single
  once = once + 1
  !$omp end single
  !$omp masked
  masked = masked + once
  !$omp end masked
  !$omp barrier
  !$omp sections
  !$omp section
  parts(1) = parts(1) + masked
  !$omp section
  parts(2) = parts(2) + masked
  !$omp section
  parts(3) = parts(3) + masked
  !$omp end sections
  !$omp end parallel
  !$omp end target
  call check(once == 1 .and. masked == 1, 'single and masked')
  call check(all(parts == 1), 'sections')
  call finish()
contains
  include 'check.inc'
end program
