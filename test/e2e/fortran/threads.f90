! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Regions of several host threads at once, each with data of its own and with common ones.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: crashes: flang frontend command failed due to signal
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: common(100), own(100, 4), i, t
  common = [(i, i = 1, 100)]
  own = 0
  !$omp parallel do num_threads(4) private(i)
  do t = 1, 4
    !$omp target map(to: common) map(tofrom: own(:, t))
    do i = 1, 100
      own(i, t) = own(i, t) + common(i) * t
    end do
    !$omp end target
  end do
  !$omp end parallel do
  do t = 1, 4
    call check(all(own(:, t) == [(i * t, i = 1, 100)]), 'what a thread computed')
  end do
  call finish()
contains
  include 'check.inc'
end program
