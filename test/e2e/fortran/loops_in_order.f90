! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Two loops of one parallel region: the second needs what the first has written.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(512), b(512), i, round
  logical :: right
  right = .true.
  do round = 1, 50
    a = 0
    b = -1
    !$omp target map(tofrom: a, b)
    !$omp parallel num_threads(4)
    !$omp do
    do i = 1, 512
      a(i) = i
    end do
    !$omp end do
    !$omp do
    do i = 1, 512
      b(i) = a(513 - i)
    end do
    !$omp end do
    !$omp end parallel
    !$omp end target
    right = right .and. all(b == [(513 - i, i = 1, 512)])
  end do
  call check(right, 'the second loop')
  call finish()
contains
  include 'check.inc'
end program
