! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Procedure pointers that the host sets run the device's procedures: alone, as components, in arrays, as arguments. The
! procedures use a variable that has another value on the device. A procedure that the device does not have stays the
! host's affair.

! RUN: %flang %indirect-plugin %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t 2>%t.messages
! RUN: not grep omptarget %t.messages
! RUN: %flang -O2 %indirect-plugin %s -o %t.2
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t.2
! flang 19: crashes: flang frontend command failed due to signal
! REQUIRES: flang, indirect-plugin, clang-22-or-later

module steps
  implicit none
  integer, save :: place = 1
  !$omp declare target to(place)
  interface
    integer function step(x)
      integer, intent(in) :: x
    end function
  end interface
  type action
    procedure(step), pointer, nopass :: run => null()
    integer :: argument = 0
  end type
contains
  integer function twice(x)
    !$omp declare target
    integer, intent(in) :: x
    twice = 2 * x + 1000 * place
  end function
  integer function squared(x)
    !$omp declare target
    integer, intent(in) :: x
    squared = x * x + 1000 * place
  end function
  integer function on_host_only(x)
    integer, intent(in) :: x
    on_host_only = -x
  end function
  integer function applied(f, x)
    !$omp declare target
    procedure(step) :: f
    integer, intent(in) :: x
    applied = f(x)
  end function
end module

program main
  use omp_lib
  use steps
  implicit none
  integer :: failed_checks = 0
  procedure(step), pointer :: p, unused
  type(action) :: one, many(6)
  integer :: results(6), i, r
  unused => on_host_only
  !$omp target
  place = 5
  !$omp end target
  p => twice
  r = 0
  !$omp target map(tofrom: r) map(to: p)
  r = p(3)
  !$omp end target
  call check(r == 5006, 'a pointer')
  call check(p(3) == 1006, 'the same on the host')
  p => squared
  r = 0
  !$omp target map(tofrom: r) map(to: p)
  r = applied(p, 4)
  !$omp end target
  call check(r == 5016, 'a pointer as an argument on the device')
  one = action(twice, 7)
  r = 0
  !$omp target map(tofrom: r) map(to: one)
  r = one%run(one%argument)
  !$omp end target
  call check(r == 5014, 'a component')
  do i = 1, 6
    if (mod(i, 2) == 0) then
      many(i) = action(twice, i)
    else
      many(i) = action(squared, i)
    end if
  end do
  results = 0
  !$omp target parallel do map(tofrom: results) map(to: many)
  do i = 1, 6
    results(i) = many(i)%run(many(i)%argument)
  end do
  call check(all(results == [5001, 5004, 5009, 5008, 5025, 5012]), 'components in an array')
  call check(unused(2) == -2, 'what only the host has')
  call check(many(3)%run(9) == 1081, 'a component on the host')
  call finish()
contains
  include 'check.inc'
end program
