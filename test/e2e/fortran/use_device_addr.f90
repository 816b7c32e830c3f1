! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! use_device_addr: the device's address in a data region.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: use_device clause operand unsupported type
! REQUIRES: flang, clang-22-or-later

program main
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(16)
  type(c_ptr) :: here, there
  a = 4
  here = c_loc(a)
  !$omp target data map(tofrom: a) use_device_addr(a)
  there = c_loc(a)
  !$omp end target data
  call check(.not. c_associated(here, there), 'the device has another address')
  call check(all(a == 4), 'the values')
  call finish()
contains
  include 'check.inc'
end program
