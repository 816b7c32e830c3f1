# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The table of compilers for CMake: OMPTARGET_CLANG_VERSIONS, oldest first, and OMPTARGET_LIBRARY_SUFFIXES, what follows
# "libomptarget.so" in the names that programs ask for beside that one.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/clang.def)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/clang.def rows REGEX "^OMPTARGET_CLANG\\(")
set(OMPTARGET_CLANG_VERSIONS)
set(OMPTARGET_LIBRARY_SUFFIXES)
foreach(row ${rows})
  if(NOT row MATCHES "^OMPTARGET_CLANG\\(([0-9]+), \"([.0-9]*)\",")
    message(FATAL_ERROR "clang.def: this row cannot be read: ${row}")
  endif()
  list(APPEND OMPTARGET_CLANG_VERSIONS ${CMAKE_MATCH_1})
  if(CMAKE_MATCH_2)
    list(APPEND OMPTARGET_LIBRARY_SUFFIXES ${CMAKE_MATCH_2})
  endif()
endforeach()
