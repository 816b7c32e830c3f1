// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host library's functions whose names this library exports, too.
#pragma once

#include <cstddef>

#include "omptarget/host_code.h"

namespace omptarget::gomp {

/// Tells the host library that there is code for this CPU, so that the CPU counts as a device. Any thread, also again.
void register_cpu();

} // namespace omptarget::gomp

/// Declares omptarget_core_NAME, which is the host library's FUNCTION.
#define OMPTARGET_CORE(name, function) __asm__(".symver omptarget_core_" #name "," #function "@VERS1.0")

OMPTARGET_CORE(number_of_devices, omp_get_num_devices);
OMPTARGET_CORE(target_alloc, omp_target_alloc);
OMPTARGET_CORE(target_free, omp_target_free);
OMPTARGET_CORE(is_present, omp_target_is_present);
OMPTARGET_CORE(is_accessible, omp_target_is_accessible);
OMPTARGET_CORE(mapped_ptr, omp_get_mapped_ptr);
OMPTARGET_CORE(associate, omp_target_associate_ptr);
OMPTARGET_CORE(disassociate, omp_target_disassociate_ptr);
OMPTARGET_CORE(memcpy, omp_target_memcpy);
OMPTARGET_CORE(memcpy_rect, omp_target_memcpy_rect);
OMPTARGET_CORE(pause_resource, tgt_pause_resource);

extern "C" {
int omptarget_core_number_of_devices();
void *omptarget_core_target_alloc(size_t, int);
void omptarget_core_target_free(void *, int);
int omptarget_core_is_present(const void *, int);
int omptarget_core_is_accessible(const void *, size_t, int);
void *omptarget_core_mapped_ptr(const void *, int);
int omptarget_core_associate(const void *, const void *, size_t, size_t, int);
int omptarget_core_disassociate(const void *, int);
int omptarget_core_memcpy(void *, const void *, size_t, size_t, size_t, int, int);
int omptarget_core_memcpy_rect(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                               const size_t *, const size_t *, int, int);
int omptarget_core_pause_resource(int, int);
}
