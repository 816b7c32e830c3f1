// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are exported so that every program finds its symbols, and whose work this library does not do (yet):
// each answers so, by name, and returns what its caller takes for failure.

#include <cstddef>
#include <cstdint>

#include "abi/boundary.h"
#include "device/runtime.h"
#include "observe/info.h"
#include "omptarget/compiler.h"

using namespace omptarget;

#define OMPTARGET_UNSUPPORTED(function, result)                                                                          OMPTARGET_API result function() {                                                                                        report_unsupported(#function);                                                                                         return static_cast<result>(-1);                                                                                      }
#define OMPTARGET_UNSUPPORTED_POINTER(function)                                                                          OMPTARGET_API void *function() {                                                                                         report_unsupported(#function);                                                                                         return nullptr;                                                                                                      }

int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, void *) {
  report_unsupported(__func__);
  return -1;
}
int omp_target_memcpy_rect(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                           const size_t *, const size_t *, int, int) {
  report_unsupported(__func__);
  return -1;
}
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                                 const size_t *, const size_t *, int, int, int, void *) {
  report_unsupported(__func__);
  return -1;
}
void *omp_target_memset(void *, int, size_t, int) {
  report_unsupported(__func__);
  return nullptr;
}
void *omp_target_memset_async(void *, int, size_t, int, int, void *) {
  report_unsupported(__func__);
  return nullptr;
}
int omp_target_is_accessible(const void *, size_t, int) {
  report_unsupported(__func__);
  return 0;
}
int omp_target_associate_ptr(const void *, const void *, size_t, size_t, int) {
  report_unsupported(__func__);
  return -1;
}
int omp_target_disassociate_ptr(const void *, int) {
  report_unsupported(__func__);
  return -1;
}
int omp_get_device_from_uid(const char *) {
  report_unsupported(__func__);
  return -1;
}
const char *omp_get_uid_from_device(int) {
  report_unsupported(__func__);
  return nullptr;
}
void *llvm_omp_target_lock_mem(void *, size_t, int) {
  report_unsupported(__func__);
  return nullptr;
}
void llvm_omp_target_unlock_mem(void *, int) { report_unsupported(__func__); }
void ompx_dump_mapping_tables(void) { report_unsupported(__func__); }
// On the host there is no dynamic shared memory.
void *llvm_omp_target_dynamic_shared_alloc(void) { return nullptr; }
void *llvm_omp_get_dynamic_shared(void) { return nullptr; }

void __tgt_set_info_flag(uint32_t flag) { Runtime::get().set_info(flag); }
int __tgt_print_device_info(int64_t) {
  report_unsupported(__func__);
  return 0;
}

// Their callers pass arguments; none is read.
extern "C" {
OMPTARGET_UNSUPPORTED(__tgt_interop_init, int)
OMPTARGET_UNSUPPORTED(__tgt_interop_use, int)
OMPTARGET_UNSUPPORTED(__tgt_interop_destroy, int)
OMPTARGET_UNSUPPORTED_POINTER(__tgt_interop_get)
OMPTARGET_UNSUPPORTED(__tgt_interop_use60, int)
OMPTARGET_UNSUPPORTED(__tgt_interop_release, int)
OMPTARGET_UNSUPPORTED(omp_get_interop_int, intptr_t)
OMPTARGET_UNSUPPORTED_POINTER(omp_get_interop_ptr)
OMPTARGET_UNSUPPORTED_POINTER(omp_get_interop_str)
OMPTARGET_UNSUPPORTED_POINTER(omp_get_interop_name)
OMPTARGET_UNSUPPORTED_POINTER(omp_get_interop_type_desc)
OMPTARGET_UNSUPPORTED(ompx_interop_add_completion_callback, int)
OMPTARGET_UNSUPPORTED(__tgt_target_sync, int)
OMPTARGET_UNSUPPORTED(__tgt_target_kernel_replay, int)
OMPTARGET_UNSUPPORTED(__tgt_activate_record_replay, int)
OMPTARGET_UNSUPPORTED(__llvmPushCallConfiguration, unsigned)
OMPTARGET_UNSUPPORTED(__llvmPopCallConfiguration, unsigned)
OMPTARGET_UNSUPPORTED(llvmLaunchKernel, unsigned)
OMPTARGET_UNSUPPORTED(ompt_libomptarget_connect, int)
}
