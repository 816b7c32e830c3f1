! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! All kinds of numbers.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer(1) :: a(7)
  integer(2) :: b(7)
  integer(8) :: c(7)
  real(4) :: d(7)
  complex(4) :: e(7)
  logical(1) :: f(7)
  integer :: i
  a = 1; b = 2; c = 2_8**40; d = 0.5; e = (1.0, -1.0); f = .true.
  !$omp target map(tofrom: a, b, c, d, e, f)
  do i = 1, 7
    a(i) = a(i) + int(i, 1)
    b(i) = b(i) * int(i, 2)
    c(i) = c(i) + i
    d(i) = d(i) * i
    e(i) = e(i) * i
    f(i) = mod(i, 2) == 0
  end do
  !$omp end target
  call check(a(7) == 8 .and. b(7) == 14 .and. c(7) == 2_8**40 + 7, 'integers')
  call check(d(7) == 3.5 .and. e(7) == (7.0, -7.0), 'reals and complex numbers')
  call check(.not. f(1) .and. f(2) .and. .not. f(7), 'logicals')
  call finish()
contains
  include 'check.inc'
end program
