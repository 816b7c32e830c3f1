! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! use_device_ptr of a variable of type(c_ptr).

! flang 19, 22, 23: wrong: it asks for the address of the variable, not for its value

program main
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(16)
  type(c_ptr) :: p, there
  a = 1
  p = c_loc(a)
  !$omp target data map(tofrom: a)
  there = omp_get_mapped_ptr(c_loc(a), omp_get_default_device())
  !$omp target data use_device_ptr(p)
  call check(c_associated(p, there), 'the device''s address')
  !$omp end target data
  call check(c_associated(p, c_loc(a)), 'the host''s address again')
  !$omp end target data
  call finish()
contains
  include 'check.inc'
end program
