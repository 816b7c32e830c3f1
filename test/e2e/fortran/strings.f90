! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Characters.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! REQUIRES: flang

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  character(len=12) :: word
  character(len=1) :: letters(5)
  word = 'host'
  letters = ['a', 'b', 'c', 'd', 'e']
  !$omp target map(tofrom: word, letters)
  word(1:6) = 'device'
  letters(3) = 'x'
  !$omp end target
  call check(word == 'device', 'a string')
  call check(letters(3) == 'x' .and. letters(4) == 'd', 'an array of letters')
  call finish()
contains
  include 'check.inc'
end program
