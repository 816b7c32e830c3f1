! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The clauses if and device: on the host where the condition is false, else on that device.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: OpenMP Block construct clause
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  logical :: is_host
  integer :: number, d
  is_host = .false.
  !$omp target map(from: is_host) if(.false.)
  is_host = omp_is_initial_device()
  !$omp end target
  call check(is_host, 'if(.false.)')
  do d = 0, omp_get_num_devices() - 1
    is_host = .true.
    number = -7
    !$omp target map(from: is_host, number) device(d)
    is_host = omp_is_initial_device()
    number = omp_get_device_num()
    !$omp end target
    call check(.not. is_host, 'a device is not the initial one')
    call check(number == d, 'the number of the device')
  end do
  call check(omp_is_initial_device(), 'outside of regions')
  call finish()
contains
  include 'check.inc'
end program
