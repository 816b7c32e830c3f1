! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Arrays whose size is known in a procedure only, in regions and in procedures of the device.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module work
  implicit none
contains
  integer function folded(n)
    !$omp declare target
    integer, intent(in) :: n
    integer :: t(n), i
    do i = 1, n
      t(i) = i
    end do
    folded = 0
    do i = 1, n
      folded = folded + t(i) * t(n + 1 - i)
    end do
  end function
  subroutine doubled(n, x)
    integer, intent(in) :: n
    integer, intent(inout) :: x(n)
    integer :: temporary(n), i
    temporary = x
    !$omp target map(to: temporary) map(tofrom: x)
    do i = 1, n
      x(i) = x(i) + temporary(i)
    end do
    !$omp end target
  end subroutine
end module

program main
  use work
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: r, x(7), i
  r = 0
  !$omp target map(from: r)
  r = folded(5)
  !$omp end target
  call check(r == 35, 'in a procedure of the device')
  x = [(i, i = 1, 7)]
  call doubled(7, x)
  call check(all(x == [(2 * i, i = 1, 7)]), 'around a region')
  call finish()
contains
  include 'check.inc'
end program
