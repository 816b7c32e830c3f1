! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Procedures that are bound to a type, called in a region.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

module shapes
  implicit none
  type rectangle
    integer :: width = 0, height = 0
  contains
    procedure :: area
    procedure :: grow
  end type
contains
  integer function area(this)
    !$omp declare target
    class(rectangle), intent(in) :: this
    area = this%width * this%height
  end function
  subroutine grow(this, by)
    !$omp declare target
    class(rectangle), intent(inout) :: this
    integer, intent(in) :: by
    this%width = this%width + by
    this%height = this%height + by
  end subroutine
end module

program main
  use shapes
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  type(rectangle) :: r
  integer :: before, after
  r = rectangle(2, 3)
  !$omp target map(tofrom: r) map(from: before, after)
  before = r%area()
  call r%grow(2)
  after = r%area()
  !$omp end target
  call check(before == 6 .and. after == 20, 'results')
  call check(r%width == 4 .and. r%height == 5, 'the object')
  call finish()
contains
  include 'check.inc'
end program
