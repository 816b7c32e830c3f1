// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See execute.h.

#include "execute.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "call.h"
#include "emulator/check_report.h"
#include "emulator/execute/ptx/builtins.h"
#include "emulator/execute/ptx/launch.h"
#include "emulator/execute/unwritten.h"
#include "emulator/fill_pattern.h"
#include "emulator/nearby_memory.h"

namespace emulator {

using namespace omptarget::cuda;

namespace {

using executor::FaultKind;
using executor::MemoryRange;
using executor::Report;

// Memory that kernels asked for with malloc.
struct Heap {
  std::mutex mutex;
  std::map<const Context *, std::map<uint64_t, uint64_t>> sizes;
  std::atomic<uint64_t> changes{0};
};
Heap &heap() {
  static Heap &all = *new Heap;
  return all;
}

bool is_hosts(MemoryKind kind) {
  return kind == MemoryKind::kManaged || kind == MemoryKind::kHost || kind == MemoryKind::kRegistered;
}

class ContextMemory final : public executor::DeviceMemory, public executor::ptx::DeviceHeap {
public:
  explicit ContextMemory(Context *context) : context_(context) {}

  std::optional<MemoryRange> find(uint64_t address) override {
    if (auto range = find_in_heap(address))
      return range;
    const std::lock_guard lock(state().mutex);
    const auto &memory = state().memory;
    if (auto next = memory.upper_bound(address); next != memory.begin()) {
      const auto &[begin, allocation] = *--next;
      if (address - begin < allocation.size && allocation.kind != MemoryKind::kGlobal && is_reached(allocation))
        return MemoryRange{begin, begin + allocation.size, true, is_hosts(allocation.kind)};
    }
    for (const auto &module : state().modules)
      if (module->context == context_ && !module->is_destroyed && module->device_code)
        if (auto range = module->device_code->find_memory(address))
          return range;
    if (host_memory() != HostMemory::kUnreached && address >= 4096 && address < uint64_t{1} << 47)
      return MemoryRange{4096, uint64_t{1} << 47, true, true};
    return std::nullopt;
  }
  uint64_t generation() override { return state().memory_generation.load() + heap().changes.load(); }
  std::string near(uint64_t address) override {
    const std::lock_guard lock(state().mutex);
    return describe_near(state().memory, address, [](const Allocation &one) { return one.size; });
  }

  uint64_t allocate(uint64_t size) override {
    constexpr uint64_t kMost = uint64_t{8} << 20; // CU_LIMIT_MALLOC_HEAP_SIZE of a new context
    const std::lock_guard lock(heap().mutex);
    auto &sizes = heap().sizes[context_];
    uint64_t used = 0;
    for (const auto &[address, one] : sizes)
      used += one;
    if (size == 0 || size > kMost || used + size > kMost)
      return 0;
    void *const memory = std::aligned_alloc(16, (size + 15) / 16 * 16);
    if (!memory)
      return 0;
    emulator::fill_with_garbage(memory, size);
    sizes[reinterpret_cast<uint64_t>(memory)] = size;
    executor::UnwrittenMemory::note_fresh(memory, size);
    ++heap().changes;
    return reinterpret_cast<uint64_t>(memory);
  }
  bool release(uint64_t address) override {
    const std::lock_guard lock(heap().mutex);
    auto &sizes = heap().sizes[context_];
    const auto found = sizes.find(address);
    if (found == sizes.end())
      return false;
    executor::UnwrittenMemory::note_forgotten(reinterpret_cast<void *>(address), found->second);
    sizes.erase(found);
    std::free(reinterpret_cast<void *>(address));
    ++heap().changes;
    return true;
  }

private:
  std::optional<MemoryRange> find_in_heap(uint64_t address) const {
    const std::lock_guard lock(heap().mutex);
    const auto &sizes = heap().sizes[context_];
    if (auto next = sizes.upper_bound(address); next != sizes.begin())
      if (const auto &[begin, size] = *--next; address - begin < size)
        return MemoryRange{begin, begin + size, true};
    return std::nullopt;
  }

  // Its own memory, that of peers it was given, managed and pinned memory.
  bool is_reached(const Allocation &allocation) const {
    return allocation.context == context_ || allocation.kind != MemoryKind::kDevice ||
           std::find(context_->peers.begin(), context_->peers.end(), allocation.context) != context_->peers.end();
  }

  Context *context_;
};

class ModulePlaces final : public CodePlaces {
public:
  std::string describe(uint64_t code_address) const override {
    const std::lock_guard lock(state().mutex);
    const auto *const module = find(code_address);
    return module ? module->describe(code_address) : "unknown code";
  }
  executor::CodePlace place_of(uint64_t code_address) const override {
    const std::lock_guard lock(state().mutex);
    const auto *const module = find(code_address);
    return module ? module->place_of(code_address) : executor::CodePlace{};
  }

private:
  static const executor::ptx::Module *find(uint64_t code_address) {
    for (const auto &module : state().modules)
      if (module->device_code && !module->is_destroyed && module->device_code->has_code(code_address))
        return module->device_code.get();
    return nullptr;
  }
};

CUresult result_of(const executor::Fault &fault) {
  if (fault.kind == FaultKind::kMemory)
    return fault.text.find("misaligned") != std::string::npos ? CUDA_ERROR_MISALIGNED_ADDRESS
                                                              : CUDA_ERROR_ILLEGAL_ADDRESS;
  return CUDA_ERROR_LAUNCH_FAILED;
}

} // namespace

std::unique_ptr<executor::ptx::Module> compile_ptx(const char *text, int device_sm, std::string &error,
                                                   bool &is_limit) {
  is_limit = false;
  auto module = executor::ptx::Module::load(text, error, &is_limit);
  if (is_limit)
    error += "; this is a limit of the emulator, and a GPU may take the image";
  if (module && (module->target() == 0 || module->target() > device_sm)) {
    error = "PTX for sm_" + std::to_string(module->target()) + ", the device is sm_" + std::to_string(device_sm);
    return nullptr;
  }
  return module;
}

void execute(const PtxLaunch &launch) {
  Context &context = launch.stream->context();
  ContextMemory memory(&context);
  executor::ptx::Dispatch dispatch;
  std::copy_n(launch.blocks, 3, dispatch.blocks.begin());
  std::copy_n(launch.threads, 3, dispatch.threads.begin());
  dispatch.dynamic_shared = launch.dynamic_shared;
  dispatch.arguments = launch.arguments;
  {
    const std::lock_guard lock(state().mutex);
    dispatch.stack_limit = static_cast<uint32_t>(context.limit(CU_LIMIT_STACK_SIZE));
  }
  const Function &function = *launch.function;
  auto schedule = executor::Schedule::from_environment();
  schedule.kernel = function.name;
  schedule.global_uses = RunningOperation::new_words();
  const ModulePlaces places;
  schedule.goes_on = goes_on_of("libcuda", function.name, places);
  const auto report =
      executor::ptx::launch(*function.module->device_code, *function.kernel, memory, memory, dispatch, schedule);
  std::fflush(stdout);
  RunningOperation::note({"kernel " + function.name, schedule.global_uses});
  if (!report)
    return;
  say_fault("libcuda", function.name, *report, " and its warp", places);
  if (report->fault.kind == FaultKind::kUnsupported) { // never taken for a failure of the program's
    executor::ptx::write_prints();
    std::fflush(nullptr);
    _exit(70);
  }
  CUresult none = 0;
  context.error.compare_exchange_strong(none, result_of(report->fault));
}

void copy_memory(const MemoryCopy &copy) { copy_memory("libcuda", copy, ModulePlaces()); }

void run_operation(const executor::SharedOperation &operation, const std::function<void()> &work) {
  const ModulePlaces places;
  const RunningOperation running(operation, "libcuda", places);
  work();
}

void release_heap(const Context *context) {
  const std::lock_guard lock(heap().mutex);
  for (const auto &[address, size] : heap().sizes[context])
    std::free(reinterpret_cast<void *>(address));
  heap().sizes.erase(context);
  ++heap().changes;
}

} // namespace emulator

STAND_IN_API int InitializeInjectionNvtx2(const void *(*table)(uint32_t)) { return emulator::Ranges::take(table); }
