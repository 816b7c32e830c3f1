# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# omptarget_manual(<tool> <component> <program>): makes a manual page of what a target or a script prints for --help,
# and installs completion for bash. A build for another processor has no manual pages, unless CMake knows how to run
# its programs.
set(OMPTARGET_TOOLS_FOLDER ${CMAKE_CURRENT_LIST_DIR})
find_program(OMPTARGET_AWK NAMES awk mawk gawk)

function(omptarget_manual tool component)
  install(FILES ${OMPTARGET_TOOLS_FOLDER}/omptarget-completion.bash RENAME ${tool}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
  if(NOT OMPTARGET_AWK OR (NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR
                           AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
    return()
  endif()
  set(page ${CMAKE_CURRENT_BINARY_DIR}/${tool}.1)
  set(program ${ARGN})
  if(TARGET ${program})
    set(program ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  endif()
  add_custom_command(OUTPUT ${page} VERBATIM
    COMMAND sh -c "page=$1; shift; \"$@\" --help >\"$page.help\"" help ${page} ${program}
    COMMAND sh -c "${OMPTARGET_AWK} -v tool=${tool} -v version=${PROJECT_VERSION} -f \"$1\" \"$2.help\" >\"$2\""
            page ${OMPTARGET_TOOLS_FOLDER}/man_page.awk ${page}
    DEPENDS ${ARGN} ${OMPTARGET_TOOLS_FOLDER}/man_page.awk)
  add_custom_target(omptarget_manual_${tool} ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()
