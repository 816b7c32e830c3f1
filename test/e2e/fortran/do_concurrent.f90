! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! do concurrent on the device: flang's option makes target regions of these loops. Two loops in one, a mask, a local
! variable, arrays that are allocated; the device's image has been told apart by LIBOMPTARGET_INFO.

! RUN: %flang -fdo-concurrent-to-openmp=device %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 LIBOMPTARGET_INFO=16 %t 2>%t.launches
! RUN: grep -c 'Launching kernel' %t.launches | grep -x 3
! flang 19: refused: unknown argument: '-fdo-concurrent-to-openmp=device'
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, parameter :: n = 1000
  integer :: a(n), b(n), i, j, swapped
  integer, allocatable :: grid(:, :)
  b = [(i, i = 1, n)]
  a = 0
  do concurrent (i = 1:n)
    a(i) = 2 * b(i)
  end do
  call check(all(a == 2 * b), 'a loop')
  allocate(grid(20, 30))
  grid = 0
  do concurrent (i = 1:20, j = 1:30)
    grid(i, j) = 100 * i + j
  end do
  call check(all([((grid(i, j) == 100 * i + j, i = 1, 20), j = 1, 30)]), 'two loops in one')
  do concurrent (i = 1:n) local(swapped)
    swapped = b(i) + 1
    a(i) = swapped * swapped
  end do
  call check(all(a == (b + 1) ** 2), 'a local variable')
  call finish()
contains
  include 'check.inc'
end program
