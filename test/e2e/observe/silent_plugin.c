// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host library prints the lines of kernels for a plugin that cannot be told to. Settings that are named after a
// plugin are not called unknown.

// REQUIRES: runtime-omptarget, lasts, clang-16-or-later
// UNSUPPORTED: sanitizer, emulated, plugins-of-llvm-16, plugins-of-llvm-17, plugins-of-llvm-18
// RUN: rm -rf %t.plugins && mkdir %t.plugins
// RUN: %indirect-clang -shared -fPIC -DREAL_PLUGIN='"%prefix/lib/libomptarget.rtl.%machine.so"' %inputs/recorder_plugin.c -o %t.plugins/libomptarget.rtl.recorder.so
// RUN: %clang %s -o %t
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=recorder LIBOMPTARGET_RECORDER_MODE=1 LIBOMPTARGET_RECORDED=1 LIBOMPTARGET_INFO=16 %t 2>&1 | %check
// CHECK-NOT: LIBOMPTARGET_RECORDER_MODE
// CHECK: omptarget warning: LIBOMPTARGET_RECORDED is no setting of this runtime
// CHECK-NOT: LIBOMPTARGET_RECORDER_MODE
// CHECK: omptarget device 0 info: Launching kernel __omp_offloading_{{.*}}_main_l[[#@LINE+3]]

int main(void) {
#pragma omp target
  {
  }
  return 0;
}
