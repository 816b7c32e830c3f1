// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libomp, the host's OpenMP runtime, that the device RTL for CPUs calls. libomp runs the threads of
// kernels.
#pragma once

#include <cstddef>
#include <cstdint>

struct ident_t; ///< where in the source; made by the compiler, read by libomp

extern "C" {
using kmpc_micro = void (*)(int32_t *global_thread, int32_t *bound_thread, ...);
void __kmpc_fork_call(ident_t *place, int32_t count, kmpc_micro body, ...);
void __kmpc_serialized_parallel(ident_t *place, int32_t thread);
void __kmpc_end_serialized_parallel(ident_t *place, int32_t thread);
void __kmpc_push_num_threads(ident_t *place, int32_t thread, int32_t threads);
void __kmpc_push_proc_bind(ident_t *place, int32_t thread, int32_t binding);
using kmp_critical_name = int32_t[8];
void __kmpc_critical(ident_t *place, int32_t thread, kmp_critical_name *lock);
void __kmpc_end_critical(ident_t *place, int32_t thread, kmp_critical_name *lock);
void __kmpc_barrier(ident_t *place, int32_t thread);
int32_t __kmpc_global_thread_num(ident_t *place);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_team_num(void);
int omp_get_num_teams(void);
}

/// A function that device code calls. Hidden: it belongs to the image alone.
#define DEVICE_RTL extern "C" __attribute__((visibility("hidden")))
