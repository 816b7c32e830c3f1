! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Derived types: whole, and arrays of them.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
  type point
    integer :: tag
    real(8) :: x(3)
  end type
end module

program main
  use omp_lib
  use things
  implicit none
  integer :: failed_checks = 0
  type(point) :: p, cloud(8)
  integer :: i
  p%tag = 1
  p%x = [1.0d0, 2.0d0, 3.0d0]
  do i = 1, 8
    cloud(i) = p
  end do
  !$omp target map(tofrom: p, cloud)
  p%tag = p%tag + 1
  p%x(2) = 20.0d0
  do i = 1, 8
    cloud(i)%tag = i
    cloud(i)%x = cloud(i)%x * i
  end do
  !$omp end target
  call check(p%tag == 2 .and. all(p%x == [1.0d0, 20.0d0, 3.0d0]), 'a derived type')
  call check(all(cloud%tag == [(i, i = 1, 8)]) .and. cloud(8)%x(3) == 24.0d0, 'an array of them')
  call finish()
contains
  include 'check.inc'
end program
