// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images that GCC has embedded for GPUs. libgomp keeps them for OpenACC, whose constructs are its own, and looks for no
// device before one of these.

#include <cstdint>

#include "gomp/core.h"
#include "gomp/declared.h"
#include "gomp/system_libgomp.h"

using namespace omptarget::gomp;

namespace {

/// From GCC 13 on the data of a module's images begin with the bits of its requires directives. Under unified shared
/// memory the device uses the host's.
void note_requires(unsigned version, const void *data) {
  constexpr unsigned kVersionShift = 16, kHasMask = 2;
  constexpr uintptr_t kUnifiedSharedMemory = 0x20;
  if (version >> kVersionShift >= kHasMask && data && (*static_cast<const uintptr_t *>(data) & kUnifiedSharedMemory))
    share_all();
}

} // namespace

extern "C" {

OMPTARGET_API void GOMP_offload_register_ver(unsigned version, const void *table, int kind, const void *data) {
  note_requires(version, data);
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
