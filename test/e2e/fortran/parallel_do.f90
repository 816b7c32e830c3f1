! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! target parallel do: each iteration once, by threads of a team.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(1000), i
  integer(8) :: wide
  a = 0
  !$omp target parallel do num_threads(3) map(tofrom: a)
  do i = 1, 1000
    a(i) = a(i) + i
  end do
  !$omp end target parallel do
  call check(all(a == [(i, i = 1, 1000)]), 'each iteration once')
  !$omp target parallel do map(tofrom: a)
  do i = 1000, 1, -3
    a(i) = -1
  end do
  !$omp end target parallel do
  call check(count(a == -1) == 334 .and. a(1000) == -1 .and. a(1) == -1 .and. a(2) == 2, 'a loop downwards')
  !$omp target parallel do map(tofrom: a)
  do wide = 2_8**40, 2_8**40 + 999
    a(wide - 2_8**40 + 1) = int(mod(wide, 1000_8))
  end do
  !$omp end target parallel do
  call check(all(a == [(int(mod(2_8**40 + i, 1000_8)), i = 0, 999)]), 'a counter of 64 bits')
  a = 0
  !$omp target parallel do map(tofrom: a)
  do i = 5, 4
    a(i) = 1
  end do
  !$omp end target parallel do
  call check(all(a == 0), 'a loop without iterations')
  call finish()
contains
  include 'check.inc'
end program
