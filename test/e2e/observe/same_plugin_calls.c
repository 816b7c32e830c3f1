// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As same_calls.c: the plugin of the CPU device gets the same calls.

// REQUIRES: runtime-omptarget
// UNSUPPORTED: emulator-cuda || emulator-amdgpu
// RUN: %clang -g -no-pie %s -o %t
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: rm -rf %t.plugins %t.none %t.other && mkdir %t.plugins %t.none %t.other
// RUN: %indirect-clang -shared -fPIC -DREAL_PLUGIN='"%prefix/lib/libomptarget.rtl.%machine.so"' %inputs/calls_plugin.c -o %t.plugins/libomptarget.rtl.calls.so
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=calls CALLS=%t.none/calls %t
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=calls CALLS=%t.other/calls LIBOMPTARGET_INFO=-1 %t 2>%t.text
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --times
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=calls CALLS=%t.other/calls LIBOMPTARGET_DEBUG=all LIBOMPTARGET_DEBUG_FILE=%t.text %t
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --times
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=calls CALLS=%t.other/calls LIBOMPTARGET_PROFILE=%t.json %t
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --times
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=calls CALLS=%t.other/calls OMP_TOOL_LIBRARIES=%t.tool TOOL_LOG=%t.text %t
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --times

#include "same_calls.c"
