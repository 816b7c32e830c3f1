! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! declare target: enter, link, a procedure of any device, procedures that are called by others.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: A variable that appears in a DECLARE TARGET directive must be declared in the scope of a module
! REQUIRES: flang, clang-22-or-later

module tables
  implicit none
  integer :: entered(4) = [1, 2, 3, 4]
  integer :: linked(4) = [10, 20, 30, 40]
  !$omp declare target enter(entered)
  !$omp declare target link(linked)
contains
  integer function helper(i)
    integer, intent(in) :: i
    helper = entered(i) * 2
  end function
  integer function outer(i)
    !$omp declare target enter(outer) device_type(any)
    integer, intent(in) :: i
    outer = helper(i) + 1
  end function
end module

program main
  use tables
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: r(4), i
  r = 0
  !$omp target map(tofrom: r) map(tofrom: linked)
  do i = 1, 4
    r(i) = outer(i) + linked(i)
    linked(i) = linked(i) + 1
    entered(i) = 100
  end do
  !$omp end target
  call check(all(r == [13, 25, 37, 49]), 'in the region')
  call check(all(linked == [11, 21, 31, 41]), 'a linked variable comes back')
  call check(all(entered == [1, 2, 3, 4]), 'the host has its own')
  call finish()
contains
  include 'check.inc'
end program
