! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Scalars are firstprivate unless they are mapped.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: own, mapped
  real(8) :: number
  logical :: answer
  complex(8) :: z
  own = 3
  mapped = 4
  number = 0.5d0
  answer = .false.
  z = (1.0d0, 2.0d0)
  !$omp target map(tofrom: mapped, number, answer, z)
  mapped = mapped + own
  own = 77
  number = number * 4
  answer = mapped == 7
  z = z * z
  !$omp end target
  call check(own == 3, 'a firstprivate scalar')
  call check(mapped == 7, 'an integer')
  call check(number == 2.0d0, 'a real')
  call check(answer, 'a logical')
  call check(z == (-3.0d0, 4.0d0), 'a complex number')
  call finish()
contains
  include 'check.inc'
end program
