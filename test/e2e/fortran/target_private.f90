! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! private and firstprivate of target: scalars, arrays, a derived type, an allocatable array.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: Unhandled clause FIRSTPRIVATE in TARGET construct
! flang 22: refused: not yet implemented: Unhandled clause PRIVATE in TARGET construct
! REQUIRES: flang, clang-23-or-later

module things
  implicit none
  type pair
    integer :: one = 1, two = 2
  end type
end module

program main
  use things
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: x, f, part(4), first(4), i
  integer, allocatable :: dynamic(:)
  type(pair) :: p, q
  integer :: results(8)
  x = 100
  f = 7
  part = 100
  first = [1, 2, 3, 4]
  allocate(dynamic(3))
  dynamic = [5, 6, 7]
  p = pair(3, 4)
  q = pair(5, 6)
  results = 0
  !$omp target private(x, part, q) firstprivate(f, first, p) map(tofrom: results)
  x = 1
  part = 2
  q%one = 50
  q%two = 60
  f = f + x
  first(2) = first(2) + part(3)
  p%two = p%two + q%one
  results(1) = f
  results(2) = first(2)
  results(3) = p%one
  results(4) = p%two
  results(5) = q%two
  !$omp end target
  call check(all(results(1:5) == [8, 4, 3, 54, 60]), 'in the region')
  call check(x == 100 .and. f == 7 .and. all(part == 100) .and. all(first == [1, 2, 3, 4]), 'scalars and arrays stay')
  call check(p%two == 4 .and. q%one == 5, 'derived types stay')
  !$omp target firstprivate(dynamic) map(tofrom: results)
  dynamic(2) = dynamic(2) * 10
  do i = 1, 3
    results(i) = dynamic(i)
  end do
  !$omp end target
  call check(all(results(1:3) == [5, 60, 7]), 'an allocatable array in the region')
  call check(all(dynamic == [5, 6, 7]), 'an allocatable array stays')
  call finish()
contains
  include 'check.inc'
end program
