! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Copies by the API: of a rectangle, between devices; associated memory.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, target :: a(12), b(12), c(12)
  integer :: i, device, host, status, s
  type(c_ptr) :: memory
  device = omp_get_default_device()
  host = omp_get_initial_device()
  a = [(i, i = 1, 12)]
  b = 0
  c = 0
  memory = omp_target_alloc(48_c_size_t, device)
  call check(c_associated(memory), 'memory')
  status = omp_target_memcpy(memory, c_loc(a), 48_c_size_t, 0_c_size_t, 0_c_size_t, device, host)
  status = status + omp_target_associate_ptr(c_loc(c), memory, 48_c_size_t, 0_c_size_t, device)
  call check(status == 0, 'associated')
  s = 0
  !$omp target map(alloc: c) map(from: s)
  s = 0
  do i = 1, 12
    s = s + c(i)
    c(i) = -c(i)
  end do
  !$omp end target
  call check(s == 78, 'the device''s values')
  status = omp_target_disassociate_ptr(c_loc(c), device)
  status = status + omp_target_memcpy_rect(c_loc(b), memory, 4_c_size_t, 2, [2_c_size_t, 2_c_size_t], &
    [0_c_size_t, 0_c_size_t], [1_c_size_t, 1_c_size_t], [3_c_size_t, 4_c_size_t], [3_c_size_t, 4_c_size_t], &
    host, device)
  call check(status == 0 .and. all(b == [-6, -7, 0, 0, -10, -11, 0, 0, 0, 0, 0, 0]), 'a rectangle')
  call omp_target_free(memory, device)
  call finish()
contains
  include 'check.inc'
end program
