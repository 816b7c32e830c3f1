// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects: what compilers make for AMD GPUs goes to the executor. Where the code is this machine's, the image is
// taken for what it says it is, then opened as a shared object. The dynamic loader is never asked while the state is
// locked: a thread that closes a library holds the loader's lock when it comes here.

#include <cstring>
#include <dlfcn.h>
#include <elf.h>

#include "amdgpu/image.h"
#include "execute.h"

namespace emulator {

namespace {

Executable *find_executable(const char *call, hsa_executable_t handle) {
  Executable *executable = reinterpret_cast<Executable *>(handle.handle);
  if (!executable || executable->is_destroyed) {
    violation("%s: executable %p %s", call, static_cast<void *>(executable), executable ? "is destroyed" : "is none");
    return nullptr;
  }
  return executable;
}

void *address_in(const Executable &executable, const std::string &symbol) {
  if (executable.device_code)
    return reinterpret_cast<void *>(executable.device_code->address_of(symbol));
  return dlsym(executable.code.handle, symbol.c_str());
}

std::unique_ptr<KernelCode> make_kernel(Executable &executable, const std::string &name,
                                        const KernelMetadata &metadata) {
  void *code = address_in(executable, name);
  if (!code)
    return nullptr;
  if (executable.device_code)
    return std::make_unique<KernelCode>(KernelCode{&executable, name, code, false, metadata});
  const bool runs_each_item = dlsym(executable.code.handle, (name + "_sim_grid").c_str()) != nullptr;
  return std::make_unique<KernelCode>(KernelCode{&executable, name, code, runs_each_item, metadata});
}

/// The memory that hosts may copy: variables, and as a whole the sections of which the linker tells code the ends.
std::map<uintptr_t, Allocation> globals_of(Executable &executable) {
  std::map<uintptr_t, Allocation> globals;
  uintptr_t base = 0;
  for (const omptarget::ElfSymbol &symbol : executable.elf.symbols()) {
    if (symbol.type != STT_OBJECT || symbol.size == 0)
      continue;
    if (void *address = address_in(executable, std::string(symbol.name))) {
      base = reinterpret_cast<uintptr_t>(address) - symbol.value;
      globals[reinterpret_cast<uintptr_t>(address)] =
          Allocation{symbol.size, MemoryKind::kGlobal, nullptr, {}, 0, &executable};
    }
  }
  if (base != 0)
    for (const omptarget::ElfSection &section : executable.elf.sections())
      if (section.name.starts_with("__llvm_prf_") && section.address != 0)
        globals[base + section.address] =
            Allocation{section.contents.size(), MemoryKind::kGlobal, nullptr, {}, 0, &executable};
  return globals;
}

hsa_status_t load(Executable &executable) {
  auto elf = omptarget::ElfImage::parse(executable.bytes.data(), executable.bytes.size());
  if (!elf)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  executable.elf = std::move(*elf);
  auto metadata = read_metadata(executable.elf);
  if (!metadata)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  const bool is_loaded = is_device_code(executable.elf, *metadata)
                             ? load_device_code(executable)
                             : executable.code.open(executable.bytes.data(), executable.bytes.size());
  if (!is_loaded)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  for (const auto &[name, kernel] : *metadata)
    if (auto code = make_kernel(executable, name, kernel))
      executable.kernels[name] = std::move(code);
  const std::map<uintptr_t, Allocation> globals = globals_of(executable);
  const std::lock_guard lock(state().mutex);
  for (const auto &[name, kernel] : executable.kernels)
    state().kernel_objects.insert(reinterpret_cast<uintptr_t>(kernel.get()));
  for (const auto &[address, global] : globals)
    state().memory[address] = global;
  ++state().memory_generation;
  return HSA_STATUS_SUCCESS;
}

} // namespace

void destroy_executable(Executable &executable) {
  {
    const std::lock_guard lock(state().mutex);
    auto &memory = state().memory;
    for (auto one = memory.begin(); one != memory.end();)
      one = one->second.owner == &executable ? memory.erase(one) : std::next(one);
    for (const auto &[name, kernel] : executable.kernels)
      state().kernel_objects.erase(reinterpret_cast<uintptr_t>(kernel.get()));
    executable.is_destroyed = true;
    ++state().memory_generation;
  }
  executable.code.close();
}

} // namespace emulator

using namespace emulator;

STAND_IN_API hsa_status_t hsa_code_object_reader_create_from_memory(const void *bytes, size_t size,
                                                                    hsa_code_object_reader_t *handle) {
  STAND_IN_ENTER(hsa_code_object_reader_create_from_memory);
  const std::lock_guard lock(state().mutex);
  state().readers.push_back(std::make_unique<Reader>(Reader{bytes, size}));
  handle->handle = reinterpret_cast<uintptr_t>(state().readers.back().get());
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t handle) {
  STAND_IN_ENTER(hsa_code_object_reader_destroy);
  Reader *reader = reinterpret_cast<Reader *>(handle.handle);
  if (!reader || reader->is_destroyed) {
    violation("hsa_code_object_reader_destroy: no reader");
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  }
  reader->is_destroyed = true;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_executable_create_alt(int, int, const char *, hsa_executable_t *handle) {
  STAND_IN_ENTER(hsa_executable_create_alt);
  const std::lock_guard lock(state().mutex);
  state().executables.push_back(std::make_unique<Executable>());
  handle->handle = reinterpret_cast<uintptr_t>(state().executables.back().get());
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_executable_destroy(hsa_executable_t handle) {
  STAND_IN_ENTER(hsa_executable_destroy);
  Executable *executable = find_executable("hsa_executable_destroy", handle);
  if (!executable)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  destroy_executable(*executable);
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t handle, hsa_agent_t agent_handle,
                                                                hsa_code_object_reader_t reader_handle, const char *,
                                                                void *) {
  STAND_IN_ENTER(hsa_executable_load_agent_code_object);
  Executable *executable = find_executable("hsa_executable_load_agent_code_object", handle);
  Agent *agent = find_agent("hsa_executable_load_agent_code_object", agent_handle);
  const Reader *reader = reinterpret_cast<const Reader *>(reader_handle.handle);
  if (!executable || !agent || !reader || reader->is_destroyed)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto target = read_image_target(reader->bytes, reader->size);
  auto device = TargetId::parse(agent->target);
  if (!target || !device || target->rank(*device) == 0)
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  executable->agent = agent;
  executable->bytes.assign(static_cast<const char *>(reader->bytes), reader->size);
  return load(*executable);
}

STAND_IN_API hsa_status_t hsa_executable_freeze(hsa_executable_t handle, const char *) {
  STAND_IN_ENTER(hsa_executable_freeze);
  Executable *executable = find_executable("hsa_executable_freeze", handle);
  if (!executable)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (executable->is_frozen)
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  executable->is_frozen = true;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t handle, const char *name,
                                                            const hsa_agent_t *agent, hsa_executable_symbol_t *result) {
  STAND_IN_ENTER(hsa_executable_get_symbol_by_name);
  Executable *executable = find_executable("hsa_executable_get_symbol_by_name", handle);
  if (!executable || !executable->is_frozen || !agent ||
      agent->handle != reinterpret_cast<uintptr_t>(executable->agent)) {
    violation("hsa_executable_get_symbol_by_name: not frozen or for another agent");
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  }
  const std::string text = name;
  const omptarget::ElfSymbol *found = executable->elf.find(text);
  void *address = found && found->type == STT_OBJECT ? address_in(*executable, text) : nullptr;
  const std::lock_guard lock(state().mutex);
  auto &slot = executable->symbols[text];
  if (!slot) {
    auto symbol = std::make_unique<ExecutableSymbol>();
    if (text.ends_with(".kd")) {
      const auto kernel = executable->kernels.find(text.substr(0, text.size() - 3));
      if (kernel == executable->kernels.end())
        return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
      symbol->kernel = kernel->second.get();
    } else {
      if (!address)
        return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
      symbol->address = reinterpret_cast<uintptr_t>(address);
      symbol->size = static_cast<uint32_t>(found->size);
    }
    slot = std::move(symbol);
  }
  result->handle = reinterpret_cast<uintptr_t>(slot.get());
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t handle, int attribute, void *value) {
  STAND_IN_ENTER(hsa_executable_symbol_get_info);
  const ExecutableSymbol &symbol = *reinterpret_cast<const ExecutableSymbol *>(handle.handle);
  const auto put = [value](auto what) {
    std::memcpy(value, &what, sizeof(what));
    return HSA_STATUS_SUCCESS;
  };
  if (attribute == HSA_EXECUTABLE_SYMBOL_INFO_TYPE)
    return put(int{symbol.kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE});
  if (!symbol.kernel) {
    if (attribute == HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS)
      return put(symbol.address);
    return attribute == HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE ? put(symbol.size) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const KernelMetadata &metadata = symbol.kernel->metadata;
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT: return put(reinterpret_cast<uint64_t>(symbol.kernel));
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE: return put(metadata.kernarg_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE: return put(metadata.group_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE: return put(metadata.private_size);
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
