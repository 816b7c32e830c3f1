// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images that GCC has embedded for GPUs. libgomp keeps them for OpenACC, whose constructs are its own, and looks for no
// device before one of these.

#include "gomp/core.h"
#include "gomp/system_libgomp.h"

using namespace omptarget::gomp;

extern "C" {

OMPTARGET_API void GOMP_offload_register_ver(unsigned version, const void *table, int kind, const void *data) {
  system::register_images(version, table, kind, data);
}
OMPTARGET_API void GOMP_offload_unregister_ver(unsigned version, const void *table, int kind, const void *data) {
  system::unregister_images(version, table, kind, data);
}
OMPTARGET_API void GOMP_offload_register(const void *table, int kind, const void *data) {
  system::old_register_images(table, kind, data);
}
OMPTARGET_API void GOMP_offload_unregister(const void *table, int kind, const void *data) {
  system::old_unregister_images(table, kind, data);
}

} // extern "C"
