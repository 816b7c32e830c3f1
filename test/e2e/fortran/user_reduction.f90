! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A reduction that the program declares.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: Could not parse
! REQUIRES: flang, clang-22-or-later

module things
  implicit none
  type extent
    integer :: low = 0, high = 0
  end type
contains
  subroutine widen(a, b)
    !$omp declare target
    type(extent), intent(inout) :: a
    type(extent), intent(in) :: b
    a%low = min(a%low, b%low)
    a%high = max(a%high, b%high)
  end subroutine
end module

program main
  use things
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  type(extent) :: e
  integer :: i, x(50)
  !$omp declare reduction(wider: extent: widen(omp_out, omp_in)) initializer(omp_priv = extent(1000, -1000))
  do i = 1, 50
    x(i) = mod(i * 37, 101) - 40
  end do
  !$omp target parallel do num_threads(4) reduction(wider: e) map(to: x)
  do i = 1, 50
    e%low = min(e%low, x(i))
    e%high = max(e%high, x(i))
  end do
  call check(e%low == minval(x) .and. e%high == maxval(x), 'the least and the greatest')
  call finish()
contains
  include 'check.inc'
end program
