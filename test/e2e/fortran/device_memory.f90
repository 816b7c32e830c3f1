! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Memory of the device by the API, and is_device_ptr.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: not run: it maps the pointer that is_device_ptr names, without its value
! REQUIRES: flang, clang-22-or-later

program main
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(16), b(16)
  type(c_ptr) :: memory
  integer :: i, device, host, status
  device = omp_get_default_device()
  host = omp_get_initial_device()
  a = [(i, i = 1, 16)]
  b = 0
  memory = omp_target_alloc(int(16 * 4, c_size_t), device)
  call check(c_associated(memory), 'memory of the device')
  status = omp_target_memcpy(memory, c_loc(a), int(16 * 4, c_size_t), 0_c_size_t, 0_c_size_t, device, host)
  call check(status == 0, 'a copy there')
  !$omp target is_device_ptr(memory)
  block
    integer, pointer :: p(:)
    call c_f_pointer(memory, p, [16])
    p(1:16) = p(1:16) * 3
  end block
  !$omp end target
  status = omp_target_memcpy(c_loc(b), memory, int(16 * 4, c_size_t), 0_c_size_t, 0_c_size_t, host, device)
  call check(status == 0 .and. all(b == 3 * a), 'a copy back')
  call omp_target_free(memory, device)
  call finish()
contains
  include 'check.inc'
end program
