! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Dummy arguments: of assumed shape, of explicit shape, optional.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
contains
  subroutine add(v, w, n, extra)
    integer, intent(inout) :: v(:), w(n)
    integer, intent(in) :: n
    integer, intent(in), optional :: extra
    integer :: i, more
    more = 0
    if (present(extra)) more = extra
    !$omp target map(tofrom: v, w)
    do i = 1, n
      v(i) = v(i) + i + more
      w(i) = w(i) + 2 * i
    end do
    !$omp end target
  end subroutine
end module

program main
  use omp_lib
  use things
  implicit none
  integer :: failed_checks = 0
  integer :: a(25), b(25), i
  a = 0
  b = 0
  call add(a, b, 25)
  call add(a(1:10), b, 10, 100)
  call check(all(a(11:25) == [(i, i = 11, 25)]) .and. all(a(1:10) == [(2 * i + 100, i = 1, 10)]), 'assumed shape')
  call check(all(b(1:10) == [(4 * i, i = 1, 10)]) .and. all(b(11:25) == [(2 * i, i = 11, 25)]), 'explicit shape')
  call finish()
contains
  include 'check.inc'
end program
