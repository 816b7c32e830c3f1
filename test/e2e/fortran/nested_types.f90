! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A derived type within another.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
  type inner
    integer :: n
    integer :: v(4)
  end type
  type outer
    type(inner) :: a, b
    real(8) :: weight
  end type
end module

program main
  use omp_lib
  use things
  implicit none
  integer :: failed_checks = 0
  type(outer) :: o
  o%a = inner(1, [1, 1, 1, 1])
  o%b = inner(2, [2, 2, 2, 2])
  o%weight = 1
  !$omp target map(tofrom: o)
  o%a%v = o%b%v + o%a%n
  o%b%n = 5
  o%weight = o%weight / 4
  !$omp end target
  call check(all(o%a%v == 3) .and. all(o%b%v == 2) .and. o%b%n == 5 .and. o%weight == 0.25d0, 'nested types')
  call finish()
contains
  include 'check.inc'
end program
