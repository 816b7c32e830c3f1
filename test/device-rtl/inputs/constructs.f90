! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A loop, a parallel region in a generic kernel and an atomic update, for looking at what is linked.
program main
  use omp_lib
  implicit none
  integer :: a(64), i, s
  a = 1
  s = 0
  !$omp target parallel do map(tofrom: a)
  do i = 1, 64
    a(i) = a(i) + i
  end do
  !$omp target map(tofrom: s)
  !$omp parallel num_threads(4)
  !$omp atomic
  s = s + 1
  !$omp end parallel
  !$omp end target
  print *, sum(a), s
end program
