# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Files for Environment Modules and Lmod: module use PREFIX/share/modulefiles. Both find the installation from where
# they lie in it.
set(module_files ${PROJECT_BINARY_DIR}/modulefiles/omptarget)
configure_file(${CMAKE_CURRENT_LIST_DIR}/modulefiles/omptarget.tcl.in ${module_files}/${PROJECT_VERSION} @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/modulefiles/omptarget.lua.in ${module_files}/${PROJECT_VERSION}.lua @ONLY)
install(FILES ${module_files}/${PROJECT_VERSION} ${module_files}/${PROJECT_VERSION}.lua
        DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/omptarget COMPONENT library)
