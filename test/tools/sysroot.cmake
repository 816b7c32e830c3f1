# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# For toolchain files: this machine's clang 19, and packages of a Debian for the machine `target`, unpacked in
# OMPTARGET_SYSROOT. Leaves in gcc_folder where the sysroot has its libgcc and libstdc++.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OMPTARGET_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSROOT ${OMPTARGET_SYSROOT})
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_LIBRARY_ARCHITECTURE ${target})
file(GLOB gcc_folder ${OMPTARGET_SYSROOT}/usr/lib/gcc/${target}/*)
set(LLVM_DIR ${OMPTARGET_SYSROOT}/usr/lib/llvm-19/lib/cmake/llvm CACHE PATH "LLVM of the sysroot")
set(CMAKE_FIND_ROOT_PATH ${OMPTARGET_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
