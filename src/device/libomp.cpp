// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/libomp.h"

extern "C" {
[[gnu::weak]] int __kmpc_get_target_offload(void);
[[gnu::weak]] int32_t __kmpc_global_thread_num(void *location);
[[gnu::weak]] void __kmpc_omp_wait_deps(void *location, int32_t thread, int32_t count, void *dependences,
                                        int32_t count_no_alias, void *no_alias);
[[gnu::weak]] int omp_get_default_device(void);
[[gnu::weak]] void **__kmpc_omp_get_target_async_handle_ptr(int32_t thread);
[[gnu::weak]] bool __kmpc_omp_has_task_team(int32_t thread);
}

namespace omptarget::libomp {

Offload target_offload() {
  if (!__kmpc_get_target_offload)
    return Offload::kDefault;
  const int offload = __kmpc_get_target_offload();
  return offload == 0 ? Offload::kDisabled : offload == 2 ? Offload::kMandatory : Offload::kDefault;
}

int32_t default_device() { return omp_get_default_device ? omp_get_default_device() : 0; }

int32_t global_thread(ident_t *location) { return __kmpc_global_thread_num ? __kmpc_global_thread_num(location) : 0; }

void wait_for_dependences(ident_t *location, int32_t count, void *dependences, int32_t count_no_alias,
                          void *no_alias) {
  if (count + count_no_alias > 0 && __kmpc_omp_wait_deps)
    __kmpc_omp_wait_deps(location, global_thread(location), count, dependences, count_no_alias, no_alias);
}

bool has_target_tasks() { return __kmpc_omp_get_target_async_handle_ptr && __kmpc_omp_has_task_team; }

void **async_handle(int32_t thread) {
  if (!has_target_tasks() || !__kmpc_omp_has_task_team(thread))
    return nullptr;
  return __kmpc_omp_get_target_async_handle_ptr(thread);
}

} // namespace omptarget::libomp
