! Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! No kernel: procedures that the kernels of the other file call.
integer(c_int) function own_number() bind(c)
  use iso_c_binding, only: c_int
  implicit none
  !$omp declare target
  interface
    integer(c_int) function omp_get_thread_num() bind(c)
      import :: c_int
    end function
  end interface
  own_number = omp_get_thread_num()
end function

subroutine write_numbers(where) bind(c)
  use iso_c_binding, only: c_int
  implicit none
  !$omp declare target
  integer(c_int) :: where(32), i
  !$omp parallel do num_threads(32)
  do i = 1, 32
    where(i) = i - 1
  end do
end subroutine
