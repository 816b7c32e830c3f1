// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of the plugin for the CPU. All operations are complete on return.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <pthread.h>

#include "base/log.h"
#include "base/machine.h"
#include "base/no_memory.h"
#include "common/last_error.h"
#include "host/block_teams.h"
#include "host/blocks.h"
#include "host/device.h"
#include "host/device_number.h"
#include "host/device_variables.h"
#include "host/image_check.h"
#include "host/kernel_runs.h"
#include "host/launch.h"
#include "host/launch_info.h"
#include "host/teams.h"
#include "omptarget/plugin.h"

namespace omptarget::host {

namespace {

/// True if the host library announces forks. LLVM's do not.
constinit std::atomic<bool> are_forks_announced{false};

/// All devices; their locks are held during a fork, so that the child finds them free and what they guard whole.
struct Devices {
  Devices() {
    for (int32_t device = 0; device < device_count(); ++device)
      states.emplace_back(device);
    const auto lock = [] {
      if (!are_forks_announced.load(std::memory_order_relaxed))
        lock_for_fork();
    };
    const auto unlock = [] {
      if (!are_forks_announced.load(std::memory_order_relaxed))
        unlock_in_parent_of_fork();
    };
    const auto unlock_in_child = [] {
      KernelRuns::forget_other_threads();
      if (!are_forks_announced.load(std::memory_order_relaxed))
        unlock_in_child_of_fork();
    };
    pthread_atfork(lock, unlock, unlock_in_child);
  }
  static void lock_for_fork() {
    each(&std::mutex::lock);
    lock_block_teams_for_fork();
  }
  static void unlock_in_parent_of_fork() {
    unlock_block_teams_after_fork(false);
    each(&std::mutex::unlock);
  }
  static void each(void (std::mutex::*action)()) {
    for (int32_t device = 0; device < device_count(); ++device) {
      (device_state(device).mutex_for_fork().*action)();
      if (DeviceDomain *domain = domain_of(device)) {
        (domain->memory.mutex_for_fork().*action)();
        if (KeptBlocks *kept = domain->memory.kept())
          (kept->mutex_for_fork().*action)();
        (domain->threads.mutex_for_fork().*action)();
      }
    }
    if (KeptBlocks *kept = kept_blocks())
      (kept->mutex_for_fork().*action)();
    if (AllocationTraces *traces = allocation_traces())
      (traces->mutex_for_fork().*action)();
  }
  /// The other threads are not there.
  static void unlock_in_child_of_fork() {
    unlock_block_teams_after_fork(true);
    each(&std::mutex::unlock);
    for (int32_t device = 0; device < device_count(); ++device)
      if (DeviceDomain *domain = domain_of(device))
        domain->forget_threads();
    if (KeptBlocks *kept = kept_blocks())
      kept->forget_thread();
  }
  std::deque<Guarded<DeviceState>> states; ///< one for each device
};

} // namespace

Guarded<DeviceState> &device_state(int32_t device) {
  // Never destroyed: kernels and exit handlers of the program may come later than ours.
  static Devices *const devices = new Devices;
  return devices->states[static_cast<size_t>(device)];
}

namespace {

using plugin::finish;

/// Set before devices are initialised.
constinit std::atomic<int64_t> requires_mask{0};

bool is_device(int32_t device) { return static_cast<uint32_t>(device) < static_cast<uint32_t>(device_count()); }

// The way of what succeeds has no text in its functions.
[[gnu::cold, gnu::noinline]] Status no_device(int32_t device) {
  return Status::error(format("there is no device %d; expected 0 to %d", device, device_count() - 1));
}
[[gnu::cold, gnu::noinline]] int32_t fail(Status status) { return finish(std::move(status)); }
[[gnu::cold, gnu::noinline]] int32_t fail_without_device(int32_t device) { return finish(no_device(device)); }
[[gnu::cold, gnu::noinline]] int32_t fail_to_copy(int64_t size, const void *from, const void *to) {
  return finish(
      Status::error(format("cannot copy %llu bytes from %p to %p", static_cast<unsigned long long>(size), from, to)));
}
[[gnu::cold, gnu::noinline]] int32_t fail_to_allocate(int32_t device, int64_t size, int32_t kind) {
  return finish(!is_device(device) ? no_device(device)
                                   : Status::error(format("cannot allocate %llu bytes of memory of kind %d",
                                                          static_cast<unsigned long long>(size), kind)));
}
[[gnu::cold, gnu::noinline]] int32_t fail_without_memory(int64_t size) {
  return finish(Status::error(format("no memory for %llu bytes", static_cast<unsigned long long>(size))));
}
[[gnu::cold, gnu::noinline]] int32_t fail_without_kernel() {
  return finish(Status::error("the kernel is null: the image does not have it"));
}

std::string_view bytes_of(const __tgt_device_image *image) {
  if (!image || !image->ImageStart || image->ImageEnd < image->ImageStart)
    return {};
  const char *begin = static_cast<const char *>(image->ImageStart);
  return {begin, static_cast<size_t>(static_cast<const char *>(image->ImageEnd) - begin)};
}

Result<std::unique_ptr<LoadedImage>> load_image(int32_t device, const __tgt_device_image &image) {
  DeviceDomain *const domain = domain_of(device);
  if (!domain)
    return LoadedImage::load(device, image);
  // In a thread of the domain, so that the image's data lie there.
  std::unique_ptr<LoadedImage> loaded;
  OMPTARGET_TRY(domain->threads.run([&]() -> Status {
    OMPTARGET_TRY_ASSIGN(loaded, LoadedImage::load(device, image));
    return Status::ok();
  }));
  return loaded;
}

Result<__tgt_target_table *> load(int32_t device, const __tgt_device_image &image) {
  // The image's constructors may call into the runtime, so the lock is not held while they run.
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<LoadedImage> loaded, load_image(device, image));
  if ((requires_mask.load(std::memory_order_relaxed) & OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY) != 0)
    loaded->refer_to_host(image);
  auto state = device_state(device).lock();
  state->functions.announce(*loaded);
  state->images.push_back(std::move(loaded));
  return state->images.back()->table();
}

Status unload(int32_t device, const __tgt_target_table *table) {
  std::unique_ptr<LoadedImage> unloaded; // destroyed after the lock is released: destructors of the image run
  {
    auto state = device_state(device).lock();
    for (auto at = state->images.begin(); at != state->images.end() && !unloaded; ++at)
      if ((*at)->table() == table) {
        unloaded = std::move(*at);
        state->images.erase(at);
        break;
      }
  }
  return unloaded ? Status::ok() : Status::error(format("device %d has no image with that table", device));
}

Status set_functions(int32_t device, uint64_t count, const __omp_offloading_fptr_map_ty *pairs) {
  auto state = device_state(device).lock();
  OMPTARGET_TRY(state->functions.set(count, pairs));
  for (const auto &image : state->images)
    state->functions.announce(*image);
  state->functions.give_back_unread();
  return Status::ok();
}

int32_t copy(int32_t device, void *to, const void *from, int64_t size) {
  if (!is_device(device)) [[unlikely]]
    return fail_without_device(device);
  if (size < 0 || (size != 0 && (!to || !from))) [[unlikely]]
    return fail_to_copy(size, from, to);
  if (size != 0 && to != from) // the same: data that are mapped in place
    std::memcpy(to, from, static_cast<size_t>(size));
  return 0;
}

/// each_team: the kernel is one that each team calls once.
[[gnu::noinline]] Status call_with_teams(int32_t device, bool each_team, void *kernel, const KernelArguments &arguments,
                                         LaunchBounds bounds) {
  const auto call = [&] {
    std::optional<RegionVariables> variables;
    if (bounds.flags != 0)
      variables.emplace(device, bounds, each_team);
    if (each_team && (bounds.teams > 1 || bounds.threads != 0))
      return call_in_teams(kernel, arguments, std::max(bounds.teams, 1u), bounds.threads);
    return call_kernel(kernel, arguments);
  };
  DeviceDomain *const domain = domain_of(device);
  return domain ? domain->threads.run(call) : call();
}

inline int32_t launch(int32_t device, void *kernel, const KernelArguments &arguments, LaunchBounds bounds) {
  if (!is_device(device)) [[unlikely]]
    return fail_without_device(device);
  if (!kernel) [[unlikely]]
    return fail_without_kernel();
  const bool each_team = runs_once_per_team(kernel);
  Status status = domain_of(device) || each_team || bounds.flags != 0
                      ? call_with_teams(device, each_team, kernel, arguments, bounds)
                      : call_kernel(kernel, arguments);
  return status.is_ok() ? 0 : fail(std::move(status));
}

} // namespace
} // namespace omptarget::host

using namespace omptarget;
using namespace omptarget::host;
using omptarget::plugin::finish;

[[gnu::constructor]] static void prepare() { end_without_memory("the plugin for the CPU"); }

extern "C" {

int32_t __tgt_rtl_number_of_devices(void) {
  set_log_prefix(kMachine.log_prefix);
  return device_count();
}

int32_t __tgt_rtl_init_plugin(void) { return 0; }
int32_t __tgt_rtl_deinit_plugin(void) { return 0; }

int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) { return is_image_for_host(bytes_of(image)) ? 1 : 0; }

int32_t __tgt_rtl_is_valid_binary_info(__tgt_device_image *image, __tgt_image_info *) {
  return __tgt_rtl_is_valid_binary(image);
}

int64_t __tgt_rtl_init_requires(int64_t mask) {
  requires_mask.store(mask, std::memory_order_relaxed);
  return mask;
}

/// Images without entries may still have constructors to run.
int32_t __tgt_rtl_supports_empty_images(void) { return 1; }

/// Device code is the CPU's.
int32_t __tgt_rtl_host_memory_access(int32_t) { return OMPTARGET_HOST_MEMORY_SHARED; }

/// No fork comes between: the host library lets none begin meanwhile.
int32_t __tgt_rtl_init_device(int32_t device) {
  if (!is_device(device))
    return finish(no_device(device));
  if (DeviceDomain *const domain = domain_of(device))
    domain->memory.prepare();
  else
    prepare_blocks();
  prepare_allocation_traces();
  return 0;
}
int32_t __tgt_rtl_deinit_device(int32_t device) { return is_device(device) ? 0 : finish(no_device(device)); }

__tgt_target_table *__tgt_rtl_load_binary(int32_t device, __tgt_device_image *image) {
  Result<__tgt_target_table *> table =
      !is_device(device) ? no_device(device)
                         : (image ? load(device, *image) : Status::error("the image's description is null"));
  if (table.is_ok())
    return table.value();
  finish(table.take_status());
  return nullptr;
}

int32_t __tgt_rtl_unload_binary(int32_t device, __tgt_target_table *table) {
  return finish(is_device(device) ? unload(device, table) : no_device(device));
}

void *__tgt_rtl_data_alloc(int32_t device, int64_t size, void *, int32_t kind) {
  if (!is_device(device) || size < 0 || kind < OMPTARGET_ALLOC_DEVICE || kind > OMPTARGET_ALLOC_DEFAULT) [[unlikely]] {
    fail_to_allocate(device, size, kind);
    return nullptr;
  }
  DeviceDomain *const domain = domain_of(device);
  void *memory = domain ? domain->memory.allocate(static_cast<size_t>(size)) : allocate_block(size);
  if (!memory) [[unlikely]]
    fail_without_memory(size);
  if (AllocationTraces *const traces = allocation_traces()) [[unlikely]]
    traces->allocated(memory, static_cast<uint64_t>(size));
  return memory;
}

/// The kind is not looked at: the host libraries of LLVM 14 and 15 do not pass it.
int32_t __tgt_rtl_data_delete(int32_t device, void *memory, int32_t) {
  if (!is_device(device)) [[unlikely]]
    return fail_without_device(device);
  if (AllocationTraces *const traces = allocation_traces()) [[unlikely]]
    if (Status status = traces->freeing(memory); !status)
      return fail(std::move(status));
  if (domain_of(device)) [[unlikely]]
    DomainMemory::release(memory);
  else
    release_block(memory);
  return 0;
}

int32_t __tgt_rtl_data_submit(int32_t device, void *target, void *host, int64_t size) {
  return copy(device, target, host, size);
}

int32_t __tgt_rtl_data_retrieve(int32_t device, void *host, void *target, int64_t size) {
  return copy(device, host, target, size);
}

int32_t __tgt_rtl_is_data_exchangable(int32_t source, int32_t destination) {
  return is_device(source) && is_device(destination) ? 1 : 0;
}

int32_t __tgt_rtl_data_exchange(int32_t source, void *from, int32_t destination, void *to, int64_t size) {
  return is_device(source) ? copy(destination, to, from, size) : finish(no_device(source));
}

int32_t __tgt_rtl_data_fill(int32_t device, void *target, int32_t value, int64_t size, __tgt_async_info *) {
  if (!is_device(device) || size < 0 || (size != 0 && !target))
    return finish(!is_device(device) ? no_device(device)
                                     : Status::error(format("cannot fill %llu bytes at %p",
                                                            static_cast<unsigned long long>(size), target)));
  if (size != 0)
    std::memset(target, value, static_cast<size_t>(size));
  return 0;
}

int32_t __tgt_rtl_data_lock(int32_t device, void *host, int64_t, void **accessible) {
  if (!is_device(device))
    return finish(no_device(device));
  *accessible = host;
  return 0;
}

int32_t __tgt_rtl_data_unlock(int32_t device, void *) { return is_device(device) ? 0 : finish(no_device(device)); }

int32_t __tgt_rtl_launch_kernel(int32_t device, void *kernel, void **values, ptrdiff_t *offsets,
                                __tgt_kernel_args *args, __tgt_async_info *) {
  constexpr uint32_t kImplicitVersion = 3;
  static constexpr uint32_t kNone[3] = {};
  const auto &teams = args->Version >= 2 ? args->NumTeams : kNone;
  const auto &threads = args->Version >= 2 ? args->ThreadLimit : kNone;
  if (prints_launches() && is_device(device)) [[unlikely]]
    print_launch(device, kernel, teams, threads);
  const uint64_t flags = args->Version >= 2 ? args->Flags & kVariableFlags : 0;
  return launch(device, kernel, {values, offsets, args->NumArgs, args->Version >= kImplicitVersion},
                {teams[0], threads[0], flags});
}

/// The host libraries of LLVM 14 and 15 call this instead.
// NOLINTNEXTLINE(readability-function-size): the interface's parameters
OMPTARGET_PLUGIN_API int32_t __tgt_rtl_run_target_team_region(int32_t device, void *kernel, void **values,
                                                              ptrdiff_t *offsets, int32_t count, int32_t teams,
                                                              int32_t threads, uint64_t) {
  if (count < 0)
    return finish(Status::error(format("a kernel cannot have %d arguments", count)));
  const auto wanted_teams = static_cast<uint32_t>(std::max(teams, 0)),
             wanted_threads = static_cast<uint32_t>(std::max(threads, 0));
  if (prints_launches() && is_device(device)) [[unlikely]]
    print_launch(device, kernel, {wanted_teams}, {wanted_threads});
  return launch(device, kernel, {values, offsets, static_cast<uint32_t>(count), false}, {wanted_teams, wanted_threads});
}

OMPTARGET_PLUGIN_API int32_t __tgt_rtl_run_target_region(int32_t device, void *kernel, void **values,
                                                         ptrdiff_t *offsets, int32_t count) {
  return __tgt_rtl_run_target_team_region(device, kernel, values, offsets, count, 1, 1, 0);
}

int32_t __tgt_rtl_set_function_ptr_map(int32_t device, uint64_t count, __omp_offloading_fptr_map_ty *table) {
  return finish(is_device(device) ? set_functions(device, count, table) : no_device(device));
}

void __tgt_rtl_fork_phase(int32_t phase) {
  switch (phase) {
  case OMPTARGET_FORK_ANNOUNCED: return are_forks_announced.store(true, std::memory_order_relaxed);
  case OMPTARGET_FORK_BEFORE: return Devices::lock_for_fork();
  case OMPTARGET_FORK_PARENT: return Devices::unlock_in_parent_of_fork();
  case OMPTARGET_FORK_CHILD: return Devices::unlock_in_child_of_fork();
  default: return;
  }
}

/// Devices that are no domains keep memory together.
int32_t __tgt_rtl_trim_memory(int32_t device) {
  if (!is_device(device))
    return finish(no_device(device));
  if (DeviceDomain *const domain = domain_of(device))
    domain->memory.trim();
  else if (KeptBlocks *const kept = kept_blocks())
    kept->trim();
  return 0;
}

void __tgt_rtl_set_info_flag(uint32_t flag) { set_info_flag(flag); }

int32_t __tgt_rtl_set_device_offset(int32_t first_device_number) {
  set_first_device_number(first_device_number);
  return 0;
}

int32_t __tgt_rtl_set_device_number(int32_t device, int32_t number) {
  if (!is_device(device))
    return finish(no_device(device));
  set_device_number(device, number);
  return 0;
}

void __tgt_rtl_print_device_info(int32_t device) {
  const DeviceDomain *const domain = is_device(device) ? domain_of(device) : nullptr;
  std::printf("    This is the CPU itself as device %d of %d%s\n", device, device_count(),
              domain ? format(": NUMA domain %d, %zu CPU(s)", domain->domain.number, domain->domain.cpus.size()).c_str()
                     : "");
}

int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) {
  const __tgt_rtl_abi_info own{info->size, OMPTARGET_PLUGIN_ABI_VERSION,
                               OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT |
                                   OMPTARGET_PLUGIN_COPIES_IMAGES | OMPTARGET_PLUGIN_LASTS |
                                   OMPTARGET_PLUGIN_LOADS_SIDE_BY_SIDE};
  if (info->size < sizeof own)
    return finish(Status::error(format("a description of %u bytes is too small", info->size)));
  *info = own;
  return 0;
}

size_t __tgt_rtl_last_error(char *buffer, size_t size) { return omptarget::plugin::copy_last_error(buffer, size); }

size_t __tgt_rtl_device_arch(int32_t device, char *buffer, size_t size) {
  return omptarget::plugin::copy_text(is_device(device) ? kMachine.name : "", buffer, size);
}

int32_t __tgt_rtl_device_numa_domain(int32_t device) {
  const DeviceDomain *const domain = is_device(device) ? domain_of(device) : nullptr;
  return domain ? domain->domain.number : -1;
}

size_t __tgt_rtl_device_uid(int32_t device, char *buffer, size_t size) {
  return omptarget::plugin::copy_text(is_device(device) ? format("%s-host-%d", kMachine.name, device) : std::string(),
                                      buffer, size);
}

} // extern "C"
