! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Characters of deferred length, and arrays of characters.

! flang 19, 22, 23: wrong: it maps one byte of the variable

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  character(len=:), allocatable :: word
  character(len=4) :: list(3)
  integer :: i, n
  word = 'abcdef'
  list = ['aaaa', 'bbbb', 'cccc']
  n = 0
  !$omp target map(tofrom: word, list) map(from: n)
  n = len(word)
  do i = 1, 6
    word(i:i) = achar(iachar(word(i:i)) + 1)
  end do
  list(2)(3:3) = 'x'
  !$omp end target
  call check(n == 6 .and. word == 'bcdefg', 'a deferred length')
  call check(list(1) == 'aaaa' .and. list(2) == 'bbxb', 'an array of characters')
  call finish()
contains
  include 'check.inc'
end program
