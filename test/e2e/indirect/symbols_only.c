// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin that finds no address for an indirect function, since compilers hide it: the image's own entry has it, in
// both protocols.

// RUN: rm -rf %t.plugins && mkdir %t.plugins
// RUN: %indirect-clang -shared -fPIC -DREAL_PLUGIN='"%prefix/lib/libomptarget.rtl.%machine.so"' %inputs/symbols_plugin.c -o %t.plugins/libomptarget.rtl.symbols.so
// RUN: %indirect-clang %S/fptr_entries.c -o %t.entries
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=symbols %t.entries 2>&1 | %check --implicit-check-not=omptarget
// RUN: %indirect-clang %S/pointers.c -o %t.pointers
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=symbols %t.pointers 2>&1 | %check --implicit-check-not=omptarget
// REQUIRES: runtime-omptarget

// CHECK: {{^}}ok
