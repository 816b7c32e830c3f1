! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Array pointers, to all of an array and to a part.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(30)
  integer, pointer :: p(:), q(:)
  integer :: i
  a = 3
  p => a
  !$omp target map(tofrom: p)
  do i = 1, 30
    p(i) = p(i) + i
  end do
  !$omp end target
  call check(all(a == [(i + 3, i = 1, 30)]), 'a pointer to all')
  q => a(11:20)
  !$omp target map(tofrom: q)
  q(1) = -1
  q(10) = -2
  !$omp end target
  call check(a(11) == -1 .and. a(20) == -2 .and. a(10) == 13 .and. a(21) == 24, 'a pointer to a part')
  call finish()
contains
  include 'check.inc'
end program
