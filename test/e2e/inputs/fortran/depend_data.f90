! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Data constructs without waiting, in the order that depend says.

! flang 19: refused: `nowait` is not supported yet
! flang 22, 23: refused: not yet implemented: Unhandled clause depend in omp.target_enter_data operation

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: a(32), i
  a = 1
  !$omp target enter data map(to: a) nowait depend(out: a)
  !$omp target nowait depend(inout: a)
  do i = 1, 32
    a(i) = a(i) + i
  end do
  !$omp end target
  !$omp target update from(a) nowait depend(inout: a)
  !$omp target exit data map(release: a) nowait depend(inout: a)
  !$omp taskwait
  call check(all(a == [(i + 1, i = 1, 32)]), 'each after the one before')
  call finish()
contains
  include 'check.inc'
end program
