# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Compiles with this machine's clang and lld for the machine OMPTARGET_MACHINE (aarch64, powerpc64le) against the
# packages of its Debian, unpacked in OMPTARGET_SYSROOT. Tests run through qemu.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OMPTARGET_MACHINE)
set(target ${OMPTARGET_MACHINE}-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/../tools/sysroot.cmake)
set(CMAKE_SYSTEM_PROCESSOR ${OMPTARGET_MACHINE})
set(CMAKE_C_COMPILER_TARGET ${target})
set(CMAKE_CXX_COMPILER_TARGET ${target})
set(CMAKE_C_FLAGS_INIT "--gcc-install-dir=${gcc_folder}")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld-19")
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/emulate ${OMPTARGET_MACHINE} ${OMPTARGET_SYSROOT})
set(CMAKE_STRIP /usr/lib/llvm-19/bin/llvm-strip CACHE FILEPATH "strip that knows every machine")
set(CMAKE_OBJCOPY /usr/lib/llvm-19/bin/llvm-objcopy CACHE FILEPATH "objcopy that knows every machine")
