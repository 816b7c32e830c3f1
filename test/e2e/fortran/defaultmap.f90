! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! defaultmap: scalars, arrays, allocatable arrays, pointers.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: The argument TOFROM:SCALAR must be specified on the DEFAULTMAP clause
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: s, t, array(8), i
  integer, allocatable :: dynamic(:)
  integer, pointer :: p(:)
  s = 1
  t = 2
  array = 3
  allocate(dynamic(8), p(8))
  dynamic = 4
  p = 5
  !$omp target defaultmap(tofrom: scalar)
  s = s + 10
  t = t + s
  array = array + t
  !$omp end target
  call check(s == 11 .and. t == 13 .and. all(array == 16), 'scalars that come back')
  !$omp target defaultmap(to: aggregate) map(from: t)
  array = array + s
  t = array(8)
  !$omp end target
  call check(all(array == 16) .and. t == 27, 'arrays that do not come back')
  !$omp target defaultmap(to: allocatable) map(from: t)
  do i = 1, 8
    dynamic(i) = dynamic(i) + i
  end do
  t = dynamic(8)
  !$omp end target
  call check(all(dynamic == 4) .and. t == 12, 'allocatable arrays that do not come back')
  !$omp target defaultmap(tofrom: pointer)
  do i = 1, 8
    p(i) = p(i) * i
  end do
  !$omp end target
  call check(all(p == [(5 * i, i = 1, 8)]), 'pointers')
  !$omp target defaultmap(none) map(tofrom: array) map(to: s)
  array(1) = s
  !$omp end target
  call check(array(1) == 11, 'none')
  call finish()
contains
  include 'check.inc'
end program
