! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Types and functions with bind(c).

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module c_things
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(c) :: sample
    integer(c_int8_t) :: small
    real(c_double) :: x
    integer(c_short) :: y(3)
  end type
contains
  integer(c_int) function scaled(v, by) bind(c, name='scaled_value')
    !$omp declare target
    integer(c_int), value :: v, by
    scaled = v * by
  end function
end module

program main
  use c_things
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  type(sample) :: s
  integer(c_int) :: r
  s%small = 1_c_int8_t
  s%x = 0.5d0
  s%y = [1_c_short, 2_c_short, 3_c_short]
  !$omp target map(tofrom: s) map(from: r)
  s%small = s%small + 1
  s%x = s%x * 4
  s%y(3) = 30
  r = scaled(6, 7)
  !$omp end target
  call check(s%small == 2 .and. s%x == 2.0d0 .and. all(s%y == [1_c_short, 2_c_short, 30_c_short]), 'a type of C')
  call check(r == 42, 'a function with a name of C')
  call finish()
contains
  include 'check.inc'
end program
