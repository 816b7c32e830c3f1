! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Several defaultmap clauses of one construct.

! flang 19, 22, 23: refused: At most one DEFAULTMAP clause can appear on

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: s, array(8)
  s = 1
  array = 3
  !$omp target defaultmap(tofrom: scalar) defaultmap(to: aggregate)
  array = array + 1
  s = s + array(8)
  !$omp end target
  call check(s == 5 .and. all(array == 3), 'each by its own')
  call finish()
contains
  include 'check.inc'
end program
