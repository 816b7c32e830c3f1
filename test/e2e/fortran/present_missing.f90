! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! map(present) of what is not there ends the program.

! RUN: %flang %s -o %t
! RUN: %expect-abort %t >%t.messages
! RUN: grep "required by 'present' map type modifier does not exist" %t.messages
! flang 19: refused: Could not parse
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: a(16)
  a = 1
  !$omp target map(present, tofrom: a)
  a(1) = 2
  !$omp end target
  print '(a)', 'not reached'
end program
