# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Dependencies of the library, the plugins and the tools. CMake prints those that it finds, and all that are missing at
# once, with the names of Debian's packages. Dependencies that only tests need are looked for where they are added.
option(OMPTARGET_SHARED_LLVM "link with the shared libLLVM instead of LLVM's archives" OFF)
set(missing "")
set(packages "")

# LLVM's Object and Support. Asked for by LLVM_DIR, LLVM_ROOT or CMAKE_PREFIX_PATH, or else the best of Debian's.
set(OMPTARGET_LLVM_VERSIONS 19 22 21 20 18 17 16 23)
if(NOT LLVM_DIR AND NOT LLVM_ROOT AND NOT CMAKE_PREFIX_PATH AND NOT DEFINED ENV{LLVM_ROOT}
  AND NOT DEFINED ENV{CMAKE_PREFIX_PATH})
  foreach(version ${OMPTARGET_LLVM_VERSIONS})
    if(EXISTS /usr/lib/llvm-${version}/lib/cmake/llvm/LLVMConfig.cmake)
      set(LLVM_DIR /usr/lib/llvm-${version}/lib/cmake/llvm)
      break()
    endif()
  endforeach()
endif()
# zlib compresses profiles; LLVM's archives name it, too. The static one is taken into the library, if it can be, so
# that programs load nothing more.
find_path(OMPTARGET_ZLIB_INCLUDE zlib.h)
find_library(OMPTARGET_ZLIB NAMES libz.a z)
find_library(OMPTARGET_ZSTD zstd)
find_package(LLVM QUIET CONFIG)
if(NOT LLVM_FOUND)
  list(APPEND missing "LLVM (16 to 23; set LLVM_DIR to the folder of LLVMConfig.cmake if it is elsewhere)")
  list(APPEND packages llvm-19-dev)
elseif(NOT LLVM_VERSION_MAJOR IN_LIST OMPTARGET_LLVM_VERSIONS)
  list(APPEND missing "LLVM 16 to 23 (the one in ${LLVM_INSTALL_PREFIX} is ${LLVM_PACKAGE_VERSION})")
  list(APPEND packages llvm-19-dev)
endif()
if(NOT OMPTARGET_ZLIB OR NOT OMPTARGET_ZLIB_INCLUDE)
  list(APPEND missing "zlib")
  list(APPEND packages zlib1g-dev)
endif()
if(NOT OMPTARGET_ZSTD)
  list(APPEND missing "zstd")
  list(APPEND packages libzstd-dev)
endif()

# libffi carries kernels with more arguments than are called directly. Its static archive is usable only if it is
# position independent, which the name says.
find_library(OMPTARGET_FFI NAMES libffi_pic.a ffi)
find_path(OMPTARGET_FFI_INCLUDE ffi.h)
if(NOT OMPTARGET_FFI OR NOT OMPTARGET_FFI_INCLUDE)
  list(APPEND missing "libffi")
  list(APPEND packages libffi-dev)
endif()

if(missing)
  list(JOIN missing ", " missing)
  list(JOIN packages " " packages)
  message(FATAL_ERROR "omptarget cannot be built, there is no ${missing}.\n"
                      "On Debian and Ubuntu: apt-get install ${packages}")
endif()
find_package(Threads REQUIRED)

# omptarget_llvm_libraries(<variable> <component>...): what to link with.
function(omptarget_llvm_libraries variable)
  if(OMPTARGET_SHARED_LLVM)
    set(libraries LLVM)
  else()
    llvm_map_components_to_libnames(libraries ${ARGN})
  endif()
  set(${variable} ${libraries} PARENT_SCOPE)
endfunction()

set(form static)
if(OMPTARGET_SHARED_LLVM)
  set(form shared)
endif()
message(STATUS "omptarget ${PROJECT_VERSION}: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, "
               "LLVM ${LLVM_PACKAGE_VERSION} (${form}) in ${LLVM_INSTALL_PREFIX}, libffi ${OMPTARGET_FFI}, "
               "${CMAKE_BUILD_TYPE}")
