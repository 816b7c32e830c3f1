! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! if with a name of a construct, and if of data constructs.

! RUN: %flang %s -o %t
! RUN: %run KMP_TEAMS_THREAD_LIMIT=64 %t
! flang 19: refused: If clause not yet supported
! REQUIRES: flang, clang-22-or-later

program main
  use omp_lib
  implicit none
  integer :: failed_checks = 0
  integer :: i, a(8), levels
  logical :: is_host, yes
  yes = .true.
  a = 1
  levels = -1
  is_host = .true.
  !$omp target parallel if(target: yes) if(parallel: .not. yes) map(from: levels, is_host)
  levels = omp_get_num_threads()
  is_host = omp_is_initial_device()
  !$omp end target parallel
  call check(levels == 1 .and. .not. is_host, 'one thread on the device')
  !$omp target parallel if(target: .not. yes) num_threads(2) map(from: is_host)
  is_host = omp_is_initial_device()
  !$omp end target parallel
  call check(is_host, 'on the host')
  !$omp target enter data map(to: a) if(yes)
  a = 5
  !$omp target update to(a) if(.not. yes)
  !$omp target
  do i = 1, 8
    a(i) = a(i) + 1
  end do
  !$omp end target
  !$omp target exit data map(from: a) if(.not. yes)
  call check(all(a == 5), 'no update, no copy')
  !$omp target update from(a) if(yes)
  call check(all(a == 2), 'an update')
  !$omp target exit data map(delete: a) if(yes)
  !$omp target data map(tofrom: a) if(.not. yes)
  !$omp target
  do i = 1, 8
    a(i) = a(i) * 10
  end do
  !$omp end target
  call check(all(a == 20), 'without the data region')
  !$omp end target data
  call finish()
contains
  include 'check.inc'
end program
