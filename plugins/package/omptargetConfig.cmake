# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# find_package(omptarget): the targets omptarget::headers (the C headers of the plugin ABI), omptarget::omptarget (the
# library that programs are linked with) and omptarget::plugin-check (the conformance kit). The functions are
# omptarget_plugin and omptarget_embed_image.
# Packages have a link to this folder.
get_filename_component(OMPTARGET_PREFIX ${CMAKE_CURRENT_LIST_DIR} REALPATH)
get_filename_component(OMPTARGET_PREFIX ${OMPTARGET_PREFIX}/../../.. ABSOLUTE)

if(NOT TARGET omptarget::headers)
  add_library(omptarget::headers INTERFACE IMPORTED)
  set_target_properties(omptarget::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${OMPTARGET_PREFIX}/include)
  # The folder, not the file: clang's own -lomptarget then finds the same file, so that a program does not need LLVM's
  # library as well.
  add_library(omptarget::omptarget INTERFACE IMPORTED)
  set_target_properties(omptarget::omptarget PROPERTIES
    INTERFACE_LINK_DIRECTORIES ${OMPTARGET_PREFIX}/lib
    INTERFACE_LINK_LIBRARIES "omptarget::headers;-lomptarget"
    INTERFACE_LINK_OPTIONS -Wl,-rpath,${OMPTARGET_PREFIX}/lib)
  add_executable(omptarget::plugin-check IMPORTED)
  set_target_properties(omptarget::plugin-check PROPERTIES
    IMPORTED_LOCATION ${OMPTARGET_PREFIX}/bin/omptarget-plugin-check)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/omptargetPlugin.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/omptargetImage.cmake)
