! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Procedures on the device: a function, a subroutine with arrays, a recursive one.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module things
  implicit none
contains
  integer function square(x)
    !$omp declare target
    integer, intent(in) :: x
    square = x * x
  end function
  subroutine scale(v, factor)
    !$omp declare target
    integer, intent(inout) :: v(:)
    integer, intent(in) :: factor
    integer :: i
    do i = 1, size(v)
      v(i) = v(i) * factor
    end do
  end subroutine
  recursive integer function factorial(n) result(f)
    !$omp declare target
    integer, intent(in) :: n
    f = 1
    if (n > 1) f = n * factorial(n - 1)
  end function
end module

program main
  use omp_lib
  use things
  implicit none
  integer :: failed_checks = 0
  integer :: a(6), b, c
  a = 3
  !$omp target map(tofrom: a) map(from: b, c)
  b = square(12)
  call scale(a, 4)
  c = factorial(6)
  !$omp end target
  call check(b == 144 .and. c == 720, 'functions')
  call check(all(a == 12), 'a subroutine')
  call finish()
contains
  include 'check.inc'
end program
