// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API routines that read and set the caller's data environment in a region (OpenMP 5.2, chapter 18).

#include "environment.h"
#include "loops.h"

namespace omptarget::device_rtl::gpu {

/// Changes the caller's variables: those of the kernel where a generic one's main thread is outside of regions, else
/// its own.
template <typename Change> INLINE void change_variables(Change change) {
  atomics::store(&any_variables, 1u);
  if (!is_spmd() && level() == 0 && !has_environment())
    return change(generic_team.variables);
  change(own_environment().variables);
}

INLINE uint64_t ticks_per_second() {
#if OMPTARGET_RTL_GENERATION >= 19
  const uint64_t told = __omp_rtl_device_environment.ticks_per_second;
  return told != 0 ? told : target::default_ticks_per_second();
#else
  return target::default_ticks_per_second();
#endif
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL int32_t omp_get_thread_num() { return static_cast<int32_t>(thread_number()); }
RTL int32_t omp_get_num_threads() { return static_cast<int32_t>(team_size()); }
RTL int32_t omp_get_team_num() { return static_cast<int32_t>(target::block_id()); }
RTL int32_t omp_get_num_teams() { return static_cast<int32_t>(target::block_count()); }
RTL int32_t omp_get_level() { return static_cast<int32_t>(level()); }
RTL int32_t omp_in_parallel() { return is_active() && active_size() > 1; }
RTL int32_t omp_get_active_level() { return omp_in_parallel(); }

RTL int32_t omp_get_max_threads() {
  if (level() != 0)
    return 1;
  const uint32_t most = usable_threads(is_spmd()), set = variables().threads;
  return static_cast<int32_t>(set != 0 ? smaller(set, most) : most);
}
RTL int32_t omp_get_thread_limit() { return static_cast<int32_t>(usable_threads(is_spmd())); }
RTL int32_t omp_get_num_procs() { return static_cast<int32_t>(usable_threads(is_spmd())); }

RTL int32_t omp_get_ancestor_thread_num(int32_t of_level) {
  const auto now = static_cast<int32_t>(level());
  if (of_level < 0 || of_level > now)
    return -1;
  return of_level == 1 && is_active() ? static_cast<int32_t>(target::thread_id()) : 0;
}
RTL int32_t omp_get_team_size(int32_t of_level) {
  const auto now = static_cast<int32_t>(level());
  if (of_level < 0 || of_level > now)
    return -1;
  return of_level == 1 && is_active() ? static_cast<int32_t>(active_size()) : 1;
}

RTL void omp_set_num_threads(int32_t threads) {
  change_variables([&](auto &own) { own.threads = threads > 0 ? static_cast<uint32_t>(threads) : 1; });
}
RTL void omp_set_schedule(int32_t kind, int32_t chunk) {
  change_variables([&](auto &own) {
    own.schedule = static_cast<uint32_t>(kind);
    own.chunk = chunk > 0 ? static_cast<uint32_t>(chunk) : 0;
  });
}
RTL void omp_get_schedule(int32_t *kind, int32_t *chunk) {
  const DeviceSchedule own = run_schedule();
  *kind = static_cast<int32_t>(own.kind);
  *chunk = static_cast<int32_t>(own.chunk);
}
RTL void omp_set_max_active_levels(int32_t levels) {
  if (levels >= 0)
    change_variables([&](auto &own) { own.max_active_levels = levels > 0 ? 1 : 0; });
}
RTL int32_t omp_get_max_active_levels() { return static_cast<int32_t>(variables().max_active_levels); }
RTL int32_t omp_get_supported_active_levels() { return 1; }

// Regions have the threads that there are; regions in regions have one.
RTL void omp_set_dynamic(int32_t) {}
RTL int32_t omp_get_dynamic() { return 0; }
RTL void omp_set_nested(int32_t) {}
RTL int32_t omp_get_nested() { return 0; }
RTL int32_t omp_get_cancellation() { return 0; }

RTL int32_t omp_get_proc_bind() { return 0; }
RTL int32_t omp_get_num_places() { return 0; }
RTL int32_t omp_get_place_num_procs(int32_t) { return 0; }
RTL void omp_get_place_proc_ids(int32_t, int32_t *) {}
RTL int32_t omp_get_place_num() { return 0; }
RTL int32_t omp_get_partition_num_places() { return 0; }
RTL void omp_get_partition_place_nums(int32_t *) {}

// The device has one copy of these for all of its teams and kernels. No teams region begins on a device, so that they
// are only told.
static uint32_t teams_variable = 0, teams_thread_limit_variable = 0;
RTL void omp_set_num_teams(int32_t teams) { atomics::store(&teams_variable, static_cast<uint32_t>(larger(teams, 0))); }
RTL int32_t omp_get_max_teams() { return static_cast<int32_t>(atomics::load(&teams_variable)); }
RTL void omp_set_teams_thread_limit(int32_t threads) {
  atomics::store(&teams_thread_limit_variable, static_cast<uint32_t>(larger(threads, 0)));
}
RTL int32_t omp_get_teams_thread_limit() { return static_cast<int32_t>(atomics::load(&teams_thread_limit_variable)); }

RTL void omp_set_default_device(int32_t) {}
RTL int32_t omp_get_default_device() { return -1; }
RTL int32_t omp_get_num_devices() { return static_cast<int32_t>(__omp_rtl_device_environment.device_count); }
RTL int32_t omp_get_device_num() { return static_cast<int32_t>(__omp_rtl_device_environment.device_number); }
RTL int32_t omp_get_initial_device() { return -1; }
RTL int32_t omp_is_initial_device() { return 0; }

/// Names of devices are the host's.
RTL const char *omp_get_uid_from_device(int32_t) { return nullptr; }
RTL int32_t omp_get_device_from_uid(const char *) {
  constexpr int32_t kInvalidDevice = -2;
  return kInvalidDevice;
}

RTL double omp_get_wtick() { return 1.0 / static_cast<double>(ticks_per_second()); }
RTL double omp_get_wtime() { return static_cast<double>(target::ticks()) * omp_get_wtick(); }

#if defined(__AMDGCN__)
// In tables of virtual functions. For NVIDIA's GPUs clang puts null there.
RTL_WEAK void __cxa_pure_virtual() { fail("a pure virtual function was called"); }
RTL_WEAK void __cxa_deleted_virtual() { fail("a deleted virtual function was called"); }
#endif

#if OMPTARGET_RTL_GENERATION >= 19
// The functions of ompx.h: places in the grid, as kernel languages have them.
RTL int32_t ompx_thread_id(int32_t dimension) { return static_cast<int32_t>(target::thread_id(dimension)); }
RTL int32_t ompx_block_id(int32_t dimension) { return static_cast<int32_t>(target::block_id(dimension)); }
RTL int32_t ompx_block_dim(int32_t dimension) { return static_cast<int32_t>(target::block_size(dimension)); }
RTL int32_t ompx_grid_dim(int32_t dimension) { return static_cast<int32_t>(target::block_count(dimension)); }
RTL void ompx_sync_block(int32_t) { target::barrier_aligned(); }
RTL void ompx_sync_block_acq_rel() { target::barrier_aligned(); }
RTL void ompx_sync_block_divergent(int32_t) { target::barrier_any(); }
#endif
