! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A loop with ordered in a parallel region of target.

! flang 19, 22, 23: not run: it hands the loop on as one without ordered

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: order(16), at, i
  order = 0
  at = 0
  !$omp target map(tofrom: order, at)
  !$omp parallel num_threads(4)
  !$omp do ordered
  do i = 1, 16
    !$omp ordered
    at = at + 1
    order(at) = i
    !$omp end ordered
  end do
  !$omp end parallel
  !$omp end target
  call check(at == 16 .and. all(order == [(i, i = 1, 16)]), 'in order')
  call finish()
contains
  include 'check.inc'
end program
