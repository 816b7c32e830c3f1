// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/image.h"

#include <elf.h>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "amdgpu/kernel.h"

namespace omptarget::amdgpu {

namespace {

using Target = gpu::TargetOf<ImageTarget, Device>;

constexpr const char *kConstructors = "amdgcn.device.init";
constexpr const char *kDestructors = "amdgcn.device.fini";

} // namespace

const Device &Image::amd_device() const { return static_cast<const Device &>(device()); }

hsa_agent_t Image::agent() const { return amd_device().agent(); }

Status Image::load_code(const void *bytes, size_t size) {
  OMPTARGET_TRY_ASSIGN(elf_, ElfImage::parse(bytes, size));
  OMPTARGET_TRY_ASSIGN(metadata_, read_metadata(*elf_));
  return load_executable(aligned(bytes, size), size);
}

Status Image::load_executable(const void *bytes, size_t size) {
  hsa_code_object_reader_t reader{0};
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_code_object_reader_create_from_memory, bytes, size, &reader));
  Status status = OMPTARGET_HSA(hsa_executable_create_alt, HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO, "",
                                &executable_);
  if (status)
    status = OMPTARGET_HSA(hsa_executable_load_agent_code_object, executable_, agent(), reader, "", nullptr);
  if (status)
    status = OMPTARGET_HSA(hsa_executable_freeze, executable_, "");
  status.keep_first(OMPTARGET_HSA(hsa_code_object_reader_destroy, reader));
  return status;
}

Status Image::unload() {
  const hsa_executable_t executable = executable_;
  executable_ = {0};
  return executable.handle ? OMPTARGET_HSA(hsa_executable_destroy, executable) : Status::ok();
}

Result<std::optional<hsa_executable_symbol_t>> Image::find_symbol(const std::string &name, int kind) const {
  hsa_executable_symbol_t symbol{0};
  const hsa_agent_t agent = this->agent();
  const hsa_status_t result =
      OMPTARGET_HSA_RESULT(hsa_executable_get_symbol_by_name, executable_, name.c_str(), &agent, &symbol);
  if (result == HSA_STATUS_ERROR_INVALID_SYMBOL_NAME)
    return std::optional<hsa_executable_symbol_t>();
  OMPTARGET_TRY_DURING(gpu::check_call("hsa_executable_get_symbol_by_name", result, call_failure),
                       "while looking for %s", name.c_str());
  int found = 0;
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_executable_symbol_get_info, symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &found));
  return found == kind ? std::optional(symbol) : std::nullopt;
}

Result<std::optional<gpu::GlobalAddress>> Image::find_global(const std::string &name) const {
  OMPTARGET_TRY_ASSIGN(const auto symbol, find_symbol(name, HSA_SYMBOL_KIND_VARIABLE));
  if (!symbol)
    return std::optional<gpu::GlobalAddress>();
  uint64_t address = 0;
  uint32_t size = 0;
  OMPTARGET_TRY(
      OMPTARGET_HSA(hsa_executable_symbol_get_info, *symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
  OMPTARGET_TRY(
      OMPTARGET_HSA(hsa_executable_symbol_get_info, *symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
  return std::optional(gpu::GlobalAddress{address, size});
}

// A function lies as far from a global that the driver knows as in the file.
Result<uint64_t> Image::find_function(const std::string &name) {
  if (!elf_)
    return uint64_t{0};
  const ElfSymbol *function = elf_->find(name);
  if (!function || function->type != STT_FUNC)
    return uint64_t{0};
  for (const ElfSymbol &symbol : elf_->symbols()) {
    if (symbol.type != STT_OBJECT || symbol.name.ends_with(".kd"))
      continue;
    OMPTARGET_TRY_ASSIGN(const auto global, find_global(std::string(symbol.name)));
    if (global)
      return global->address - symbol.value + function->value;
  }
  return uint64_t{0};
}

Result<std::unique_ptr<gpu::Kernel>> Image::create_kernel(const std::string &name) {
  const auto metadata = metadata_.find(name);
  if (metadata == metadata_.end()) {
    OMPTARGET_TRY_ASSIGN(const auto code, find_code(name));
    if (code)
      return Status::error(format("the image's metadata says nothing about kernel %s", name.c_str()));
    return std::unique_ptr<gpu::Kernel>();
  }
  OMPTARGET_TRY_ASSIGN(KernelTraits traits, traits_of(name));
  // The size of a team that clang 14 to 16 may have fixed for the kernel.
  if (traits.source == KernelTraits::Source::kExecModeByte) {
    int16_t threads = 0;
    OMPTARGET_TRY_ASSIGN(const bool has_size, read_initial(name + "_wg_size", &threads, sizeof(threads)));
    if (has_size && threads > 0)
      traits.min_threads = traits.max_threads = threads;
  }
  return std::unique_ptr<gpu::Kernel>(std::make_unique<Kernel>(name, *this, metadata->second, traits,
                                                               static_cast<const Target &>(target()).value.version));
}

// The file may be gone when they run.
Status Image::prepare_global_calls() {
  for (const char *name : {kConstructors, kDestructors})
    if (metadata_.contains(name))
      OMPTARGET_TRY(find_kernel(name).take_status());
  return Status::ok();
}

Status Image::run_global_calls(GlobalCall kind) {
  const bool constructs = kind == GlobalCall::kConstructors;
  const char *name = constructs ? kConstructors : kDestructors;
  if (!metadata_.contains(name))
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(gpu::Kernel * kernel, find_kernel(name));
  OMPTARGET_TRY_DURING(device().run_single(*kernel), "while running the image's global %s",
                       constructs ? "constructors" : "destructors");
  return Status::ok();
}

} // namespace omptarget::amdgpu
