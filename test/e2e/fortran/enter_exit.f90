! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! target enter data and target exit data.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, allocatable :: a(:)
  integer :: i
  allocate(a(40))
  a = 1
  !$omp target enter data map(to: a)
  a = 100
  !$omp target
  do i = 1, 40
    a(i) = a(i) + i
  end do
  !$omp end target
  call check(all(a == 100), 'before the end')
  !$omp target exit data map(from: a)
  call check(all(a == [(i + 1, i = 1, 40)]), 'after it')
  !$omp target enter data map(alloc: a)
  !$omp target exit data map(delete: a)
  call check(a(40) == 41, 'delete copies nothing')
  call finish()
contains
  include 'check.inc'
end program
