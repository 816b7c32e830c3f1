! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! main.c in Fortran: its kernels call procedures of a file that has no kernel.
program main
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function own_number() bind(c)
      import :: c_int
    end function
    subroutine write_numbers(where) bind(c)
      import :: c_int
      integer(c_int) :: where(32)
    end subroutine
  end interface
  integer(c_int) :: outside(32), within(32), numbers(32), i

  !$omp target map(from: outside)
  call write_numbers(outside)
  !$omp end target
  !$omp target parallel do num_threads(32) map(from: within)
  do i = 1, 32
    within(i) = own_number()
  end do
  do i = 1, 32
    numbers(i) = i - 1
  end do
  print *, sum(abs(outside - numbers)) + sum(abs(within - numbers))
end program
