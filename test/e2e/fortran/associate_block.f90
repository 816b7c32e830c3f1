! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Names of associate and variables of block within regions, and regions within them.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(10), i
  type pair
    integer :: x(5)
  end type
  type(pair) :: p
  a = 1
  p%x = 2
  !$omp target map(tofrom: a, p)
  associate (second => a(2), members => p%x)
    second = 20
    members(3) = second + 1
  end associate
  block
    integer :: local(4), k
    do k = 1, 4
      local(k) = k * k
    end do
    a(10) = local(4)
  end block
  !$omp end target
  call check(a(2) == 20 .and. a(10) == 16 .and. p%x(3) == 21, 'within a region')
  associate (whole => a)
    !$omp target map(tofrom: whole)
    do i = 1, 10
      whole(i) = i
    end do
    !$omp end target
  end associate
  call check(all(a == [(i, i = 1, 10)]), 'around a region')
  call finish()
contains
  include 'check.inc'
end program
