! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! has_device_addr: an array that is the device's already.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: use_device clause operand unsupported type
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(16)
  integer :: i
  a = 4
  !$omp target data map(tofrom: a) use_device_addr(a)
  !$omp target has_device_addr(a)
  do i = 1, 16
    a(i) = a(i) + i
  end do
  !$omp end target
  !$omp end target data
  call check(all(a == [(i + 4, i = 1, 16)]), 'what the region wrote')
  call finish()
contains
  include 'check.inc'
end program
