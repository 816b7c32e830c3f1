! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! What gfortran passes: descriptors of allocatables and pointers, components, absent arguments, characters.
! RUN: mkdir -p %t.mod
! RUN: %gfortran -J %t.mod %s -o %t
! RUN: %run %t | %FileCheck %s
! CHECK: ok
module checks
  use omp_lib
  use iso_c_binding
  implicit none
  integer :: failed = 0
  type t
    integer :: a
    integer, pointer :: v(:)
    real :: b(4)
  end type
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print '(2a)', 'failed: ', what
      failed = failed + 1
    end if
  end subroutine

  subroutine scalars
    integer :: i, a(10)
    complex :: z
    logical :: l, here
    character(5) :: text
    i = 3; a = 0; z = (1, 2); l = .true.; text = 'abc'; here = .true.
    !$omp target map(from: here)
    here = omp_is_initial_device()
    a(1) = i
    if (l .and. aimag(z) == 2) a(2) = 2
    text(1:1) = 'x'
    !$omp end target
    call check(.not. here, 'on the device')
    call check(a(1) == 3 .and. a(2) == 2, 'array')
    call check(text == 'xbc', 'characters')
  end subroutine

  subroutine allocatables
    integer, allocatable :: al(:), none(:), one
    integer, pointer :: p(:), ps
    character(:), allocatable :: text
    logical :: is_there
    allocate(al(10), p(5), one, ps)
    al = 0; p = 0; one = 1; ps = 2; text = 'defg'; is_there = .true.
    !$omp target map(tofrom: al)
    al(10) = size(al)
    !$omp end target
    call check(al(10) == 10, 'allocatable')
    !$omp target
    al(1) = 1
    !$omp end target
    call check(al(1) == 1, 'implicit allocatable')
    !$omp target map(tofrom: one, ps, none) map(from: is_there)
    one = one + 1; ps = ps + 1; is_there = allocated(none)
    !$omp end target
    call check(one == 2 .and. ps == 3 .and. .not. is_there, 'scalars and what is not allocated')
    !$omp target map(tofrom: p) map(to: al(2:5))
    p(1) = al(2) + 5
    !$omp end target
    call check(p(1) == 5, 'pointer and section')
    !$omp target map(tofrom: text)
    text(2:2) = 'y'
    !$omp end target
    call check(text == 'dyfg', 'deferred length')
  end subroutine

  subroutine data_constructs
    integer, allocatable :: al(:), one
    type(t) :: s
    integer :: k
    allocate(al(4), s%v(3), one)
    al = [1, 2, 3, 4]; s%v = 0; s%a = 1; one = 1
    !$omp target enter data map(to: al, one)
    !$omp target
    al(1) = 10; one = 2
    !$omp end target
    call check(al(1) == 1, 'on the device only')
    !$omp target update from(al(1:1))
    call check(al(1) == 10, 'update from')
    al(2) = 20
    !$omp target update to(al)
    k = 0
    !$omp target map(from: k)
    k = al(2)
    !$omp end target
    call check(k == 20, 'update to')
    !$omp target exit data map(from: al, one)
    call check(one == 2, 'scalar at exit')
    call check(.not. c_associated(omp_mapped(al)), 'left')
    !$omp target map(tofrom: s%v, s%a)
    s%v(3) = s%a; s%a = 7
    !$omp end target
    call check(s%v(3) == 1 .and. s%a == 7, 'components')
    !$omp target map(tofrom: s%v(2:3))
    s%v(2) = 2
    !$omp end target
    call check(s%v(2) == 2, 'section of a component')
    !$omp target enter data map(to: al, s%v)
    !$omp target
    al(3) = 30
    !$omp end target
    !$omp target exit data map(from: al) map(delete: s%v)
    call check(al(3) == 30, 'again')
    call other_array
    deallocate(al); allocate(al(100)); al = 0
    !$omp target map(always, tofrom: al)
    al(100) = 100
    !$omp end target
    call check(al(100) == 100, 'always')
  end subroutine

  subroutine other_array
    integer, target :: first(3), second(5)
    integer, pointer :: p(:)
    integer :: n
    first = 0; second = 0; n = 0
    p => first
    !$omp target enter data map(to: p)
    p => second
    !$omp target map(tofrom: p) map(from: n)
    n = size(p)
    p(5) = 5
    !$omp end target
    call check(n == 5 .and. second(5) == 5, 'pointer to another array')
    p => first
    !$omp target exit data map(delete: p)
  end subroutine

  function omp_mapped(array) result(address)
    integer, target :: array(:)
    type(c_ptr) :: address
    address = c_null_ptr
    if (omp_target_is_present(c_loc(array(1)), 0) /= 0) address = c_loc(array(1))
  end function

  subroutine arguments(x, y, n, o)
    integer :: x(:), n, y(n)
    integer, optional :: o
    logical :: is_there
    is_there = .false.
    !$omp target map(tofrom: x, y)
    x(1) = y(n) + size(x)
    !$omp end target
    !$omp target map(tofrom: o) map(from: is_there)
    is_there = present(o)
    if (present(o)) o = 1
    !$omp end target
    call check(is_there .eqv. present(o), 'optional')
  end subroutine

  subroutine absent(b)
    integer, optional, allocatable :: b(:)
    integer :: r
    r = 0
    !$omp target map(tofrom: b, r)
    if (present(b)) then
      b(2) = b(1) + 5; r = 2
    end if
    !$omp end target
    call check((r == 2) .eqv. present(b), 'optional and allocatable')
  end subroutine

  subroutine nowait
    integer, allocatable :: al(:)
    integer :: k
    allocate(al(3)); al = 0; k = 0
    !$omp parallel num_threads(2)
    !$omp single
    !$omp target map(tofrom: al) nowait depend(inout: al)
    al(1) = 1
    !$omp end target
    !$omp target map(tofrom: al, k) nowait depend(inout: al)
    k = al(1) + 1
    !$omp end target
    !$omp end single
    !$omp end parallel
    call check(k == 2, 'nowait')
  end subroutine
end module

program fortran
  use checks
  integer :: a(10), o
  integer, allocatable :: al(:)
  a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]; o = 0
  call scalars
  call allocatables
  call data_constructs
  call arguments(a(1:9:2), a(6:10), 5)
  call check(a(1) == 15, 'section as argument')
  call arguments(a, a, 10, o)
  call check(o == 1, 'present argument')
  allocate(al(2)); al = 1
  call absent(al)
  call check(al(2) == 6, 'optional and allocatable')
  call absent
  call nowait
  call check(omp_get_num_devices() > 0, 'devices')
  call check(omp_get_initial_device() == omp_get_num_devices(), 'initial device')
  call check(omp_get_device_num() == omp_get_num_devices(), 'this device')
  if (failed == 0) print '(a)', 'ok'
end program
