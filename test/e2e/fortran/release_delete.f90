! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! References: release takes one, delete all; what is present is asked of the API.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(16)
  integer :: device
  device = omp_get_default_device()
  a = 1
  call check(.not. there(), 'nothing at the beginning')
  !$omp target enter data map(to: a)
  !$omp target enter data map(to: a)
  !$omp target exit data map(release: a)
  call check(there(), 'one of two references released')
  a = 5
  !$omp target exit data map(release: a)
  call check(.not. there() .and. a(1) == 5, 'both released')
  !$omp target enter data map(to: a)
  !$omp target enter data map(to: a)
  !$omp target enter data map(alloc: a)
  !$omp target
  a = 9
  !$omp end target
  !$omp target exit data map(delete: a)
  call check(.not. there() .and. all(a == 5), 'deleted')
  !$omp target exit data map(delete: a)
  !$omp target exit data map(from: a)
  call check(all(a == 5), 'what is not there is not copied')
  !$omp target data map(to: a)
  call check(there(), 'within target data')
  !$omp end target data
  call check(.not. there(), 'after it')
  call finish()
contains
  logical function there()
    there = omp_target_is_present(c_loc(a), device) /= 0
  end function
  include 'check.inc'
end program
