# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# In the installed pages: links to files of the sources, which are not installed, become the names of these files.
file(GLOB_RECURSE pages "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/omptarget/*.md")
foreach(page IN LISTS pages)
  file(READ "${page}" text)
  # CMake's lists take these for their own.
  string(REPLACE ";" "@SEMICOLON@" text "${text}")
  string(REGEX REPLACE "]\\(\\.\\./\\.\\./([^)]*)\\)" "] (\\1)" text "${text}")
  string(REPLACE "@SEMICOLON@" ";" text "${text}")
  file(WRITE "${page}" "${text}")
endforeach()
