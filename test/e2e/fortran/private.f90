! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! private and firstprivate of a parallel region in a target region.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: p, f, results(8), threads, i
  p = 1
  f = 2
  results = 0
  threads = 0
  !$omp target map(from: results, threads)
  results = 0
  !$omp parallel num_threads(4) private(p) firstprivate(f)
  p = omp_get_thread_num()
  f = f + p
  results(p + 1) = f
  !$omp single
  threads = omp_get_num_threads()
  !$omp end single
  !$omp end parallel
  !$omp end target
  call check(p == 1 .and. f == 2, 'the host has its own')
  call check(threads >= 1 .and. all(results(1:threads) == [(i + 1, i = 1, threads)]), 'each thread has its own')
  call finish()
contains
  include 'check.inc'
end program
