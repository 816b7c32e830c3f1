! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Reductions of a team: sum, product, minimum, maximum, logical.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: i, s, low, high
  real(8) :: p, r
  logical :: any_of, all_of
  s = 5; low = 1000; high = -1000
  p = 1; r = 0
  any_of = .false.; all_of = .true.
  !$omp target parallel do reduction(+: s, r) reduction(*: p) reduction(min: low) reduction(max: high) &
  !$omp& reduction(.or.: any_of) reduction(.and.: all_of) map(tofrom: s, r, p, low, high, any_of, all_of)
  do i = 1, 100
    s = s + i
    r = r + 0.5d0
    if (i <= 10) p = p * 2
    low = min(low, i - 50)
    high = max(high, i - 50)
    any_of = any_of .or. i == 77
    all_of = all_of .and. i > 0
  end do
  !$omp end target parallel do
  call check(s == 5055 .and. r == 50.0d0, 'sums')
  call check(p == 1024.0d0, 'a product')
  call check(low == -49 .and. high == 50, 'minimum and maximum')
  call check(any_of .and. all_of, 'logicals')
  call finish()
contains
  include 'check.inc'
end program
