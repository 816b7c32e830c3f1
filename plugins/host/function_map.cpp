// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/function_map.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <time.h>

#include "base/log.h"
#include "host/device.h"
#include "host/kernel_runs.h"

namespace omptarget::host {

namespace {

/// The device environment of LLVM 16 to 22's device runtime. Images of older ones have a shorter one.
struct DeviceEnvironment {
  uint32_t debug_kind;
  uint32_t number_of_devices;
  uint32_t device_number;
  uint32_t dynamic_memory_size;
  uint64_t clock_frequency;
  const void *indirect_table;
  uint64_t indirect_count;
  uint64_t hardware_parallelism;
};
static_assert(sizeof(DeviceEnvironment) == 48);

/// Tables take at least that many bytes of addresses (memory only where there are pairs). Pointer and count are two
/// variables that a running kernel reads one after the other; with room behind each table, a pointer that goes with
/// another table's count leads to no address without memory, only to a function that is not found.
constexpr uint64_t kMinimumBytes = 1 << 20;

size_t mapped_bytes(uint64_t count) {
  return std::max(kMinimumBytes, 2 * count * sizeof(__omp_offloading_fptr_map_ty));
}

/// Written while kernels may read it.
template <typename T> void publish(void *place, T value) {
  std::atomic_ref<T>(*static_cast<T *>(place)).store(value, std::memory_order_release);
}

bool is_aligned(const void *place) { return reinterpret_cast<uintptr_t>(place) % sizeof(uint64_t) == 0; }

} // namespace

Status FunctionMap::set(uint64_t count, const __omp_offloading_fptr_map_ty *pairs) {
  if (count != 0 && !pairs)
    return Status::error("the table of indirect functions is null");
  if (count > (uint64_t{1} << 32))
    return Status::error(
        format("a table of %llu indirect functions is too large", static_cast<unsigned long long>(count)));
  for (uint64_t i = 1; i < count; ++i)
    if (pairs[i - 1].host_ptr >= pairs[i].host_ptr)
      return Status::error(
          format("the table of indirect functions is not sorted at pair %llu", static_cast<unsigned long long>(i)));
  __omp_offloading_fptr_map_ty *table = nullptr;
  if (count != 0) {
    OMPTARGET_TRY_ASSIGN(table, table_with(count, pairs));
  }
  current_ = table;
  count_ = count;
  return Status::ok();
}

/// An earlier table with the same pairs, or a new one.
Result<__omp_offloading_fptr_map_ty *> FunctionMap::table_with(uint64_t count,
                                                               const __omp_offloading_fptr_map_ty *pairs) {
  const uint64_t bytes = count * sizeof *pairs;
  for (const Table &table : tables_)
    if (table.count == count && std::memcmp(table.pairs, pairs, bytes) == 0)
      return table.pairs; // if it was retired, it is not any more
  void *memory =
      mmap(nullptr, mapped_bytes(count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return Status::error(format("no memory for %llu indirect functions: %s", static_cast<unsigned long long>(count),
                                std::strerror(errno)));
  std::memcpy(memory, pairs, bytes);
  tables_.push_back({static_cast<__omp_offloading_fptr_map_ty *>(memory), count, 0});
  return tables_.back().pairs;
}

void FunctionMap::give_back_unread() {
  bool has_retired = false;
  for (Table &table : tables_) {
    if (table.pairs == current_)
      table.retired = 0;
    else if (table.retired == 0)
      table.retired = KernelRuns::next_moment();
    has_retired = has_retired || table.retired != 0;
  }
  if (!has_retired)
    return;
  const uint64_t oldest = KernelRuns::oldest_moment();
  std::erase_if(tables_, [&](const Table &table) {
    const bool is_unread = table.retired != 0 && table.retired < oldest;
    if (is_unread)
      munmap(table.pairs, mapped_bytes(table.count));
    return is_unread;
  });
}

void FunctionMap::announce(const LoadedImage &image) const {
  const auto [pointer, size, environment, environment_size] = image.device_variables();
  if (pointer && size && is_aligned(pointer) && is_aligned(size)) {
    // A kernel that sees no pairs looks at no pointer.
    publish<uint64_t>(size, 0);
    publish<void *>(pointer, current_);
    publish<uint64_t>(size, count_);
    OMPTARGET_TRACE_DEVICE(Topic::kIndirect, device_, "an image has %llu indirect functions at %p now",
                           static_cast<unsigned long long>(count_), static_cast<void *>(current_));
  }
  if (!environment)
    return;
  constexpr uint64_t kNanosecondsPerSecond = 1000000000;
  const DeviceEnvironment value{0,
                                static_cast<uint32_t>(device_count()),
                                static_cast<uint32_t>(device_),
                                0,
                                kNanosecondsPerSecond,
                                current_,
                                count_,
                                1};
  std::memcpy(environment, &value, std::min<uint64_t>(environment_size, sizeof value));
}

} // namespace omptarget::host
