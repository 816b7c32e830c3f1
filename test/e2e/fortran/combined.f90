! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! target teams distribute parallel do simd with collapse, by two and three loops.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: not yet implemented: Composite DISTRIBUTE PARALLEL DO SIMD
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer, parameter :: n = 12, m = 10, l = 6
  integer :: a(n, m), b(n, m, l), i, j, k
  a = 0
  b = 0
  !$omp target teams distribute parallel do simd collapse(2) num_teams(3) map(tofrom: a)
  do j = 1, m
    do i = 1, n
      a(i, j) = a(i, j) + 100 * i + j
    end do
  end do
  !$omp end target teams distribute parallel do simd
  call check(all(a == reshape([((100 * i + j, i = 1, n), j = 1, m)], [n, m])), 'two loops')
  !$omp target teams distribute parallel do collapse(3) map(tofrom: b) thread_limit(32)
  do k = 1, l
    do j = 1, m
      do i = 1, n
        b(i, j, k) = b(i, j, k) + 10000 * i + 100 * j + k
      end do
    end do
  end do
  !$omp end target teams distribute parallel do
  call check(all(b == reshape([(((10000 * i + 100 * j + k, i = 1, n), j = 1, m), k = 1, l)], [n, m, l])), 'three loops')
  !$omp target teams distribute collapse(2) map(tofrom: a)
  do j = 2, m, 2
    do i = n, 1, -1
      a(i, j) = -1
    end do
  end do
  !$omp end target teams distribute
  call check(all(a(:, 2:m:2) == -1) .and. all(a(:, 1:m:2) > 0), 'steps, and one backwards')
  call finish()
contains
  include 'check.inc'
end program
