! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Profiles and messages name variables, procedures and lines of Fortran, though flang 22 writes the names of variables
! in another order and no place of a construct.

! REQUIRES: flang, runtime-omptarget, clang-22-or-later
! RUN: %flang -g %s -o %t
! RUN: %run LIBOMPTARGET_PROFILE=- LIBOMPTARGET_INFO=1 %t 2>&1 | %check
! CHECK-NOT: (/{{.*}}fortran_names.f90)
! CHECK: tofrom(u)[400]
! CHECK-LABEL: Constructs
! CHECK-DAG: target {{.*(, line |fortran_names.f90:)}}[[#@LINE+15]]{{[: ]}}
! CHECK-DAG: target {{.*(, line |fortran_names.f90:)}}[[#@LINE+18]]{{[: ]}}
! CHECK-LABEL: Kernels
! CHECK-DAG: heat::step, line [[#@LINE+12]]
! CHECK-DAG: heat::step, line [[#@LINE+15]]
! CHECK-LABEL: Copies by variable
! CHECK: u {{ *}}fortran_names.f90:
! CHECK-NOT: _QM

module heat
contains
  subroutine step(u, n)
    integer, intent(in) :: n
    real, intent(inout) :: u(n)
    integer :: i
    !$omp target teams distribute parallel do map(tofrom: u)
    do i = 1, n
      u(i) = u(i) + 1
    end do
    !$omp target map(tofrom: u)
    u(1) = 0
    !$omp end target
  end subroutine
end module

program main
  use heat
  real :: s(100)
  s = 0
  call step(s, 100)
  if (s(1) /= 0 .or. s(2) /= 1) stop 1
end program
