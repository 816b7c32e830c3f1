# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Compiles with this machine's clang against the C library, libgcc, libstdc++ and LLVM of an older Debian, unpacked in
# OMPTARGET_SYSROOT. Programs that the build runs are this machine's.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OMPTARGET_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_SYSROOT ${OMPTARGET_SYSROOT})
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
file(GLOB gcc_folder ${OMPTARGET_SYSROOT}/usr/lib/gcc/x86_64-linux-gnu/*)
# No path of this machine gets into what is built.
get_filename_component(source_folder ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(CMAKE_C_FLAGS_INIT "--gcc-install-dir=${gcc_folder} -ffile-prefix-map=${OMPTARGET_SYSROOT}=/ -ffile-prefix-map=${source_folder}=.")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
set(LLVM_DIR ${OMPTARGET_SYSROOT}/usr/lib/llvm-19/lib/cmake/llvm CACHE PATH "LLVM of the sysroot")
set(CMAKE_FIND_ROOT_PATH ${OMPTARGET_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
