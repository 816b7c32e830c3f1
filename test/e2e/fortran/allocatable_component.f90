! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A derived type with allocatable components, mapped with the components.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
  type field
    integer :: size
    real(8), allocatable :: old(:), new(:)
  end type
end module

program main
  use omp_lib
  use things
  implicit none
  integer :: failed_checks = 0
  type(field) :: f
  integer :: i
  f%size = 50
  allocate(f%old(50), f%new(50))
  f%old = [(real(i, 8), i = 1, 50)]
  f%new = 0
  !$omp target map(to: f, f%old) map(tofrom: f%new)
  do i = 1, f%size
    f%new(i) = 2 * f%old(i)
  end do
  !$omp end target
  call check(all(f%new == [(2.0d0 * i, i = 1, 50)]), 'a component that is written')
  call check(all(f%old == [(real(i, 8), i = 1, 50)]), 'a component that is read')
  call finish()
contains
  include 'check.inc'
end program
