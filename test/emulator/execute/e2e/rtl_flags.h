// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that clang 16 passes to its device RTL in each module, unless it has no ROCm to look for libraries in.
#ifdef __AMDGCN__
#pragma omp begin declare target device_type(nohost)
#ifdef __cplusplus
#define FLAG(name) extern "C" __attribute__((used)) const unsigned __omp_rtl_##name = 0;
#else
#define FLAG(name) __attribute__((used)) const unsigned __omp_rtl_##name = 0;
#endif
FLAG(debug_kind)
FLAG(assume_teams_oversubscription)
FLAG(assume_threads_oversubscription)
FLAG(assume_no_thread_state)
FLAG(assume_no_nested_parallelism)
#undef FLAG
#pragma omp end declare target
#endif
