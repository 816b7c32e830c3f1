! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Reductions of complex numbers, bits, equivalences, and of arrays.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  complex :: z
  integer :: bits, ones, odd, i, histogram(4)
  logical :: same, differ
  z = (1.0, 0.0)
  bits = 0
  ones = -1
  odd = 0
  same = .true.
  !$omp target parallel do num_threads(4) reduction(+: z) reduction(ior: bits) reduction(iand: ones) &
  !$omp& reduction(ieor: odd) reduction(.eqv.: same) map(tofrom: z, bits, ones, odd, same)
  do i = 1, 40
    z = z + cmplx(1.0, i)
    bits = ior(bits, ishft(1, mod(i, 5)))
    ones = iand(ones, not(ishft(1, mod(i, 3))))
    odd = ieor(odd, i)
    same = same .eqv. (mod(i, 2) == 0)
  end do
  call check(z == (41.0, 820.0), 'complex')
  call check(bits == 31 .and. ones == -8 .and. odd == 40, 'bits')
  call check(same, 'equivalence')
  histogram = 0
  !$omp target parallel do num_threads(4) reduction(+: histogram) map(tofrom: histogram)
  do i = 1, 40
    histogram(mod(i, 4) + 1) = histogram(mod(i, 4) + 1) + 1
  end do
  call check(all(histogram == 10), 'an array')
  call finish()
contains
  include 'check.inc'
end program
