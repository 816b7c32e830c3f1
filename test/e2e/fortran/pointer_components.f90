! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Components that are pointers: mapped with what they point to.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: not run: the sizes that it hands on are those of other components
! REQUIRES: flang, clang-22-or-later

module things
  implicit none
  type view
    integer :: factor = 1
    real, pointer :: values(:) => null()
    integer, pointer :: one => null()
  end type
end module

program main
  use things
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  type(view) :: v
  real, target :: x(12), y(12)
  integer, target :: n
  integer :: i
  x = 1
  y = 100
  n = 4
  v%factor = 3
  v%values => x
  v%one => n
  !$omp target map(tofrom: v%values, v%one) map(to: v%factor)
  do i = 1, 12
    v%values(i) = v%values(i) * v%factor + i
  end do
  v%one = v%one + 1
  !$omp end target
  call check(all(x == [(real(3 + i), i = 1, 12)]) .and. n == 5, 'what they point to')
  call check(associated(v%values, x) .and. associated(v%one, n), 'the pointers are the host''s')
  v%values => y
  !$omp target map(to: v) map(tofrom: v%values(4:6))
  v%values(5) = 7
  !$omp end target
  call check(y(5) == 7 .and. y(4) == 100 .and. x(1) == 4, 'another target, a section of it')
  call finish()
contains
  include 'check.inc'
end program
