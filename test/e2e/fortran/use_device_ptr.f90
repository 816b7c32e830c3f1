! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! use_device_ptr of an array, whose address is then the device's.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: use_device clause operand unsupported type
! REQUIRES: flang, clang-22-or-later

module on_device
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine add(memory)
    type(c_ptr), value :: memory
    type(c_ptr) :: m
    m = memory
    !$omp target is_device_ptr(m)
    block
      integer, pointer :: p(:)
      integer :: i
      call c_f_pointer(m, p, [16])
      do i = 1, 16
        p(i) = p(i) + 100
      end do
    end block
    !$omp end target
  end subroutine
end module

program main
  use on_device
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(16)
  integer :: i
  a = [(i, i = 1, 16)]
  !$omp target data map(tofrom: a)
  !$omp target data use_device_ptr(a)
  call add(c_loc(a))
  !$omp end target data
  call check(a(1) == 1, 'before the end')
  !$omp end target data
  call check(all(a == [(100 + i, i = 1, 16)]), 'after it')
  call finish()
contains
  include 'check.inc'
end program
