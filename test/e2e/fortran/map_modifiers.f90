! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The map types with always, present and close.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: Could not parse
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(16), b(16), i
  a = 1
  b = 2
  !$omp target enter data map(to: a) map(close, alloc: b)
  a = 10
  !$omp target map(to: a)
  do i = 1, 16
    a(i) = a(i) + i
  end do
  !$omp end target
  call check(all(a == 10), 'present data are not copied')
  !$omp target map(always, tofrom: a) map(present, alloc: b)
  do i = 1, 16
    b(i) = a(i)
    a(i) = a(i) * 2
  end do
  !$omp end target
  call check(all(a == 20), 'always copies both ways')
  call check(all(b == 2), 'alloc copies nothing')
  a = 7
  !$omp target map(always, to: a)
  a(1) = a(1) + 1
  !$omp end target
  call check(all(a == 7), 'always to copies there only')
  !$omp target map(always, from: a)
  a(2) = a(2) + 3
  !$omp end target
  call check(a(1) == 8 .and. a(2) == 10 .and. all(a(3:) == 7), 'always from')
  !$omp target exit data map(from: b) map(delete: a)
  call check(all(b == 10), 'what the device had')
  !$omp target map(close, tofrom: a)
  a = a + 1
  !$omp end target
  call check(a(1) == 9 .and. a(16) == 8, 'close')
  call finish()
contains
  include 'check.inc'
end program
