! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Mathematical intrinsics in a region.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  real(8) :: x(8), y(8)
  real :: f(8)
  integer :: i, k(8)
  x = [(0.25d0 * i, i = 1, 8)]
  y = 0
  f = 0
  k = 0
  !$omp target parallel do num_threads(4) map(to: x) map(tofrom: y, f, k)
  do i = 1, 8
    y(i) = sin(x(i)) ** 2 + cos(x(i)) ** 2 + exp(log(x(i))) + sqrt(x(i) * x(i)) + atan2(x(i), x(i))
    f(i) = sqrt(real(x(i))) + abs(-real(i)) + real(i) ** 3
    k(i) = nint(x(i)) + floor(x(i)) + ceiling(x(i)) + mod(i, 3) + modulo(-i, 3)
  end do
  do i = 1, 8
    call check(abs(y(i) - (1 + 2 * x(i) + atan(1.0d0))) < 1d-12, 'double precision')
    call check(abs(f(i) - (sqrt(real(x(i))) + i + real(i) ** 3)) < 1e-3, 'single precision')
    call check(k(i) == nint(x(i)) + floor(x(i)) + ceiling(x(i)) + mod(i, 3) + modulo(-i, 3), 'integers')
  end do
  call finish()
contains
  include 'check.inc'
end program
