# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Compiles with this machine's clang against the C library, libgcc, libstdc++ and LLVM of an older Debian, unpacked in
# OMPTARGET_SYSROOT: for this machine, whose programs the build runs, or for OMPTARGET_MACHINE.
if(OMPTARGET_MACHINE)
  include(${CMAKE_CURRENT_LIST_DIR}/../../test/cross/toolchain.cmake)
else()
  set(target x86_64-linux-gnu)
  include(${CMAKE_CURRENT_LIST_DIR}/../../test/tools/sysroot.cmake)
  set(CMAKE_SYSTEM_PROCESSOR x86_64)
endif()
# No path of this machine gets into what is built. The build's folder is last, as it may lie in the sources: the last
# option that fits counts.
get_filename_component(source_folder ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(CMAKE_C_FLAGS_INIT "--gcc-install-dir=${gcc_folder} -ffile-prefix-map=${OMPTARGET_SYSROOT}=/")
string(APPEND CMAKE_C_FLAGS_INIT " -ffile-prefix-map=${source_folder}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
# Functions and lines for debuggers, which omptarget-dbgsym takes out.
string(APPEND CMAKE_C_FLAGS_INIT " -g1")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
