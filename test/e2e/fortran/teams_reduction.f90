! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A reduction over teams and their threads, many times: no team loses another one's result.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: Unhandled clause REDUCTION in TEAMS construct
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  real(8) :: x(300), s
  integer :: i, n, round
  x = 0.5d0
  s = 1
  n = 0
  do round = 1, 1000
    !$omp target teams distribute parallel do num_teams(4) reduction(+: s, n) map(to: x) map(tofrom: s, n)
    do i = 1, 300
      s = s + x(i)
      n = n + 1
    end do
    !$omp end target teams distribute parallel do
  end do
  call check(s == 150001.0d0, 'a sum of reals')
  call check(n == 300000, 'a sum of integers')
  call finish()
contains
  include 'check.inc'
end program
