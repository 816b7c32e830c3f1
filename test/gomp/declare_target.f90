! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Variables with declare target: allocatables and pointers of a module, common blocks.
! RUN: mkdir -p %t.mod
! RUN: %gfortran -J %t.mod %s -o %t
! RUN: %run %t | %FileCheck %s
! CHECK: ok
module data
  implicit none
  type t
    integer :: a
    integer, pointer :: v(:)
  end type
  integer :: n = 1, numbers(8)
  integer, allocatable :: al(:)
  integer, pointer :: p(:)
  type(t) :: s
  !$omp declare target(n, numbers, al, p, s)
contains
  integer function second()
    !$omp declare target
    second = al(2)
  end function
end module

program main
  use data
  implicit none
  integer :: first, rest(4)
  common /block/ first, rest
  !$omp declare target(/block/)
  integer, save, target :: buffer(4)
  logical :: right
  right = .true.

  numbers = 0
  !$omp target map(tofrom: numbers(2:3))
  numbers(2) = 2
  !$omp end target
  right = right .and. numbers(2) == 2

  allocate(al(4))
  al = 0
  !$omp target map(tofrom: al)
  al(1) = 1
  !$omp end target
  right = right .and. al(1) == 1
  !$omp target enter data map(to: al)
  al(2) = 2
  !$omp target update to(al)
  !$omp target
  al(3) = second() + 1
  n = al(3) + 1
  !$omp end target
  !$omp target update from(al(3:3), n)
  right = right .and. al(3) == 3 .and. n == 4
  !$omp target exit data map(from: al)
  right = right .and. al(2) == 2 .and. al(3) == 3
  deallocate(al)
  allocate(al(2))
  !$omp target enter data map(alloc: al)
  !$omp target
  al = 7
  !$omp end target
  !$omp target exit data map(delete: al)
  right = right .and. all(al == 7)

  buffer = 0
  p => buffer
  !$omp target map(tofrom: p)
  p(1) = 1
  !$omp end target
  right = right .and. buffer(1) == 1
  s%v => buffer
  s%a = 1
  !$omp target map(tofrom: s%v)
  s%v(2) = s%a + 1
  !$omp end target
  right = right .and. buffer(2) == 2

  first = 1
  rest = 0
  !$omp target update to(first, rest)
  !$omp target map(tofrom: rest)
  rest(1) = first + 1
  !$omp end target
  !$omp target update from(rest)
  right = right .and. rest(1) == 2
  print '(a)', merge('ok   ', 'wrong', right)
end program
