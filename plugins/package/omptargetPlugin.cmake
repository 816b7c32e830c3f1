# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# omptarget_plugin(<name> <sources>...): the target omptarget.rtl.<name>, built as libomptarget.rtl.<name>.so, which
# exports __tgt_rtl_* and nothing else, has no undefined symbols and is never unloaded.
set(OMPTARGET_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/exports.map)

function(omptarget_plugin name)
  set(target omptarget.rtl.${name})
  add_library(${target} SHARED ${ARGN})
  target_link_libraries(${target} PRIVATE omptarget::headers)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${OMPTARGET_PLUGIN_EXPORTS} -Wl,-Bsymbolic -Wl,-z,defs -Wl,-z,nodelete)
  set_target_properties(${target} PROPERTIES PREFIX lib SUFFIX .so LINK_DEPENDS ${OMPTARGET_PLUGIN_EXPORTS})
endfunction()
