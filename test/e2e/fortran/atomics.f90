! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! atomic: update, read, write, capture, and the intrinsics.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: n, top, low, bits, seen(64), i, old, value
  real(8) :: s
  n = 0
  top = 0
  low = 1000
  bits = 0
  s = 0
  seen = 0
  value = 0
  !$omp target parallel do num_threads(4) private(old) map(tofrom: n, top, low, bits, s, seen, value)
  do i = 1, 64
    !$omp atomic capture
    old = n
    n = n + 1
    !$omp end atomic
    !$omp atomic update
    seen(old + 1) = seen(old + 1) + 1
    !$omp atomic
    top = max(top, i)
    !$omp atomic
    low = min(low, i)
    !$omp atomic
    bits = ior(bits, ishft(1, mod(i, 8)))
    !$omp atomic
    s = s + 0.5d0
    !$omp atomic write
    value = 17
    !$omp atomic read
    old = value
    if (old /= 17) then
      !$omp atomic
      n = n + 1000
    end if
  end do
  call check(n == 64 .and. all(seen == 1), 'capture')
  call check(top == 64 .and. low == 1, 'max and min')
  call check(bits == 255, 'ior')
  call check(s == 32.0d0, 'a real')
  call check(value == 17, 'read and write')
  call finish()
contains
  include 'check.inc'
end program
