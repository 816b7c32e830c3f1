! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! single with copyprivate in a parallel region of target.

! flang 19, 22, 23: wrong: it leaves copyprivate out

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: seen(4), v
  seen = 0
  !$omp target map(tofrom: seen)
  !$omp parallel num_threads(4) private(v)
  v = 0
  !$omp single
  v = 42
  !$omp end single copyprivate(v)
  seen(omp_get_thread_num() + 1) = v
  !$omp end parallel
  !$omp end target
  call check(all(seen == 42), 'each thread has it')
  call finish()
contains
  include 'check.inc'
end program
