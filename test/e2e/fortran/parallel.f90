! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A parallel region in a target region: threads, critical sections, atomics, barriers, single.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: seen(8), sum, counter, once, threads
  seen = 0; sum = 0; counter = 0; once = 0; threads = 0
  !$omp target map(tofrom: seen, sum, counter, once, threads)
  !$omp parallel num_threads(4)
  seen(omp_get_thread_num() + 1) = 1
  !$omp critical
  sum = sum + omp_get_thread_num() + 1
  !$omp end critical
  !$omp atomic
  counter = counter + 1
  !$omp barrier
  !$omp single
  once = once + counter
  threads = omp_get_num_threads()
  !$omp end single
  !$omp end parallel
  !$omp end target
  call check(threads >= 1 .and. threads <= 4 .and. counter == threads, 'the number of threads')
  call check(count(seen == 1) == threads .and. sum == threads * (threads + 1) / 2, 'each thread once')
  call check(once == threads, 'single, after the barrier')
  call finish()
contains
  include 'check.inc'
end program
