// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See execute.h.

#include "execute.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "emulator/check_report.h"
#include "emulator/execute/amdgpu/launch.h"
#include "emulator/nearby_memory.h"

namespace emulator {

namespace {

using executor::FaultKind;
using executor::MemoryRange;
using executor::Report;
using executor::amdgpu::CodeObject;
using executor::amdgpu::Instruction;
using executor::amdgpu::SourceLine;
using executor::amdgpu::SourceVariable;

bool is_hosts(const Allocation &allocation) {
  return allocation.kind == MemoryKind::kLocked || (allocation.pool && !allocation.pool->agent->is_gpu);
}

class AgentMemory final : public executor::DeviceMemory {
public:
  explicit AgentMemory(Agent &agent) : agent_(agent) {}
  std::optional<MemoryRange> find(uint64_t address) override {
    const std::lock_guard lock(state().mutex);
    uintptr_t begin = 0;
    const Allocation *found = find_memory(address, 1, &begin);
    if (found && found->kind != MemoryKind::kGlobal) {
      const bool is_own = found->pool && found->pool->agent == &agent_;
      if (is_own || found->access.count(&agent_) != 0)
        return MemoryRange{begin, begin + found->size, true, is_hosts(*found)};
    }
    for (const auto &one : state().executables)
      if (one->agent == &agent_ && one->device_code && !one->is_destroyed)
        if (auto range = one->device_code->find(address))
          return range;
    if (reaches_host_memory(agent_) && address >= 4096 && address < uint64_t{1} << 47)
      return MemoryRange{4096, uint64_t{1} << 47, true, true};
    return std::nullopt;
  }
  uint64_t generation() override { return state().memory_generation.load(); }
  std::string near(uint64_t address) override {
    const std::lock_guard lock(state().mutex);
    return describe_near(state().memory, address, [](const Allocation &one) { return one.size; });
  }

private:
  Agent &agent_;
};

// Code may call what another image of the device has.
class AgentCode final : public executor::amdgpu::CodeSpace {
public:
  AgentCode(Agent &agent, CodeObject &first) : agent_(agent), recent_(&first) {}
  const Instruction *at(uint64_t address, std::string &reason) override {
    return find_object(address)->at(address, reason);
  }
  executor::amdgpu::CompiledSegment *compiled_at(uint64_t address) override {
    return find_object(address)->compiled_at(address);
  }
  // Returns the source line of the last instruction's code.
  SourceLine line_at(uint64_t address) override { return recent()->line_at(address); }
  std::vector<SourceVariable> variables_at(uint64_t address) override { return recent()->variables_at(address); }

private:
  CodeObject *recent() const { return recent_.load(std::memory_order_relaxed); }
  CodeObject *find_object(uint64_t address) {
    CodeObject *object = recent();
    if (object->has_code(address))
      return object;
    const std::lock_guard lock(state().mutex);
    for (const auto &one : state().executables)
      if (one->agent == &agent_ && one->device_code && !one->is_destroyed && one->device_code->has_code(address))
        object = one->device_code.get();
    recent_.store(object, std::memory_order_relaxed);
    return object;
  }

  Agent &agent_;
  std::atomic<CodeObject *> recent_; // whose code some thread has run last
};

class ObjectPlaces final : public CodePlaces {
public:
  std::string describe(uint64_t code_address) const override {
    const std::lock_guard lock(state().mutex);
    CodeObject *const object = find(code_address);
    return object ? object->describe(code_address) : "unknown code";
  }
  executor::CodePlace place_of(uint64_t code_address) const override {
    const std::lock_guard lock(state().mutex);
    CodeObject *const object = find(code_address);
    const SourceLine line = object ? object->line_at(code_address) : SourceLine{};
    return {line.path, line.line};
  }
  std::string address_text(uint64_t code_address) const override {
    char text[32];
    std::snprintf(text, sizeof(text), " (%#llx)", static_cast<unsigned long long>(code_address));
    return text;
  }

private:
  static CodeObject *find(uint64_t code_address) {
    for (const auto &one : state().executables)
      if (one->device_code && !one->is_destroyed && one->device_code->has_code(code_address))
        return one->device_code.get();
    return nullptr;
  }
};

} // namespace

void copy_memory(const MemoryCopy &copy) { copy_memory("libhsa-runtime64", copy, ObjectPlaces()); }

void run_operation(const executor::SharedOperation &operation, const std::function<void()> &work) {
  const ObjectPlaces places;
  const RunningOperation running(operation, "libhsa-runtime64", places);
  work();
}

bool is_device_code(const omptarget::ElfImage &elf, const CodeObjectMetadata &metadata) {
  for (const omptarget::ElfSection &section : elf.sections())
    if (section.name == "sim_note" || section.name == ".init") // code of this machine
      return false;
  return std::all_of(metadata.begin(), metadata.end(),
                     [&](const auto &kernel) { return elf.find(kernel.first + ".kd") != nullptr; });
}

bool load_device_code(Executable &executable) {
  const auto processor = executor::amdgpu::find_processor(executable.agent->target);
  std::string error = "the executor has no " + executable.agent->target;
  if (processor)
    executable.device_code = CodeObject::load(executable.bytes, *processor, error);
  if (!executable.device_code)
    std::fprintf(stderr, "libhsa-runtime64 stand-in: a code object cannot be loaded: %s\n", error.c_str());
  return executable.device_code != nullptr;
}

void execute(Queue &queue, const KernelCode &kernel, const hsa_kernel_dispatch_packet_t &packet) {
  AgentMemory memory(*queue.agent);
  CodeObject &object = *kernel.executable->device_code;
  AgentCode code(*queue.agent, object);
  executor::amdgpu::Dispatch dispatch;
  dispatch.grid = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  dispatch.threads = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  dispatch.group_size = packet.group_segment_size;
  dispatch.private_size = packet.private_segment_size;
  dispatch.arguments = reinterpret_cast<uint64_t>(packet.kernarg_address);
  dispatch.packet = reinterpret_cast<uint64_t>(&packet);
  dispatch.queue = reinterpret_cast<uint64_t>(&queue.handle);
  dispatch.kernel = kernel.name;
  auto schedule = executor::Schedule::from_environment();
  schedule.kernel = kernel.name;
  schedule.global_uses = RunningOperation::new_words();
  const ObjectPlaces places;
  schedule.goes_on = goes_on_of("libhsa-runtime64", kernel.name, places);
  const auto report = executor::amdgpu::launch(object, code, memory, dispatch, schedule);
  RunningOperation::note({"kernel " + kernel.name, schedule.global_uses});
  if (!report)
    return;
  say_fault("libhsa-runtime64", kernel.name, *report, " and its wave", places);
  if (report->fault.kind == FaultKind::kUnsupported) { // never taken for a failure of the program's
    std::fflush(nullptr);
    _exit(70);
  }
  if (report->fault.kind == FaultKind::kMemory)
    sim_hsa_memory_fault(report->fault.address, HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT);
  else
    sim_hsa_queue_error(HSA_STATUS_ERROR_EXCEPTION);
}

} // namespace emulator

STAND_IN_API int InitializeInjectionNvtx2(const void *(*table)(uint32_t)) { return emulator::Ranges::take(table); }
