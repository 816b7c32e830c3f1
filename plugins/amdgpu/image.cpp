// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/log.h"

namespace omptarget::amdgpu {

namespace {

constexpr uintptr_t kImageAlignment = 8;

constexpr const char *kConstructors = "amdgcn.device.init";
constexpr const char *kDestructors = "amdgcn.device.fini";

// How the image's own record of an entry of the RFC may be called.
constexpr const char *kEntryPrefixes[] = {".omp_offloading.entry.", ".offloading.entry."};

} // namespace

Result<std::unique_ptr<Image>> Image::load(Device &device, const __tgt_device_image &source) {
  const char *begin = static_cast<const char *>(source.ImageStart);
  const size_t size = static_cast<size_t>(static_cast<const char *>(source.ImageEnd) - begin);
  OMPTARGET_TRY_ASSIGN(const ImageTarget target, read_image_target(begin, size));
  if (target.rank(device.properties().target) == 0)
    return Status::error(format("image: built for %s, device %d is %s", target.name().c_str(), device.number(),
                                device.properties().target.name().c_str()));
  std::unique_ptr<Image> image(new Image(device, target));
  Status status = image->load_code(begin, size);
  if (status)
    status = image->resolve_entries(source);
  if (status && uses_unified_shared_memory())
    status = image->set_reference_pointers(source);
  // The file may be gone when they run.
  for (const char *name : {kConstructors, kDestructors})
    if (status)
      status = image->find_kernel(name).take_status();
  image->elf_.reset();
  image->copy_.clear();
  if (!status) {
    image->unload().consume();
    return std::move(status).during(format("while loading an image for %s", target.name().c_str()));
  }
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device.number(), "loaded an image of %zu bytes for %s, %zu entries", size,
                         target.name().c_str(), image->table_.entries.size());
  return image;
}

Status Image::load_code(const void *bytes, size_t size) {
  OMPTARGET_TRY_ASSIGN(elf_, ElfImage::parse(bytes, size));
  OMPTARGET_TRY_ASSIGN(metadata_, read_metadata(*elf_));
  if (reinterpret_cast<uintptr_t>(bytes) % kImageAlignment != 0) {
    copy_ = std::string(static_cast<const char *>(bytes), size);
    bytes = copy_.data();
  }
  return load_executable(bytes, size);
}

Status Image::load_executable(const void *bytes, size_t size) {
  hsa_code_object_reader_t reader{0};
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_code_object_reader_create_from_memory, bytes, size, &reader));
  Status status = OMPTARGET_HSA(hsa_executable_create_alt, HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO, "",
                                &executable_);
  if (status)
    status = OMPTARGET_HSA(hsa_executable_load_agent_code_object, executable_, device_.agent(), reader, "", nullptr);
  if (status)
    status = OMPTARGET_HSA(hsa_executable_freeze, executable_, "");
  Status destroyed = OMPTARGET_HSA(hsa_code_object_reader_destroy, reader);
  return status ? std::move(destroyed) : std::move(status);
}

Status Image::unload() {
  const hsa_executable_t executable = executable_;
  executable_ = {0};
  return executable.handle ? OMPTARGET_HSA(hsa_executable_destroy, executable) : Status::ok();
}

Status Image::resolve_entries(const __tgt_device_image &source) {
  return build_entry_table(
      source,
      [this](EntryKind kind, const std::string &name, size_t size) -> Result<void *> {
        return resolve(kind, name, size);
      },
      table_);
}

Result<void *> Image::resolve(EntryKind kind, const std::string &name, size_t size) {
  if (kind == EntryKind::kKernel) {
    OMPTARGET_TRY_ASSIGN(Kernel * kernel, find_kernel(name));
    if (!kernel)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, device_.number(), "the image has no kernel %s", name.c_str());
    return kernel;
  }
  if (kind == EntryKind::kFunction)
    return resolve_function(name);
  OMPTARGET_TRY_ASSIGN(const auto global, find_global(name));
  if (!global) {
    OMPTARGET_TRACE_DEVICE(Topic::kImage, device_.number(), "the image has no variable %s", name.c_str());
    return nullptr;
  }
  // A pointer may be the first of something larger.
  const bool is_pointer = kind == EntryKind::kPointer;
  const size_t expected = is_pointer ? sizeof(void *) : size;
  if (is_pointer ? global->size < expected : global->size != expected)
    return Status::error(format("variable %s has %zu bytes in the image for %s and %zu bytes on the host", name.c_str(),
                                global->size, target_.name().c_str(), expected));
  return reinterpret_cast<void *>(global->address);
}

// The driver tells no addresses of functions. The image's own record of the entry holds it; without such a record it
// lies as far from a global that the driver knows as in the file.
Result<void *> Image::resolve_function(const std::string &name) {
  for (const char *prefix : kEntryPrefixes) {
    uint64_t address = 0;
    OMPTARGET_TRY_ASSIGN(const bool found, read_global(prefix + name, &address, sizeof(address)));
    if (found)
      return reinterpret_cast<void *>(address);
  }
  const ElfSymbol *function = elf_->find(name);
  if (function && function->type == STT_FUNC)
    for (const ElfSymbol &symbol : elf_->symbols()) {
      if (symbol.type != STT_OBJECT || symbol.name.ends_with(".kd"))
        continue;
      OMPTARGET_TRY_ASSIGN(const auto global, find_global(std::string(symbol.name)));
      if (global)
        return reinterpret_cast<void *>(global->address - symbol.value + function->value);
    }
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device_.number(), "the image does not tell the address of function %s",
                         name.c_str());
  return nullptr;
}

// Under unified shared memory the variable of the host is the only one; the device's pointer to it gets its address.
Status Image::set_reference_pointers(const __tgt_device_image &source) {
  const char *host = reinterpret_cast<const char *>(source.EntriesBegin);
  for (const __tgt_offload_entry &entry : table_.entries) {
    __tgt_offload_entry host_entry;
    std::memcpy(&host_entry, host, sizeof(host_entry));
    host += sizeof(host_entry);
    if (!entry.addr || !is_reference_pointer(host_entry))
      continue;
    OMPTARGET_TRY_DURING(device_.submit(reinterpret_cast<uintptr_t>(entry.addr), host_entry.addr, sizeof(void *), nullptr),
                         "while setting %s", entry.name);
  }
  return Status::ok();
}

Result<std::optional<hsa_executable_symbol_t>> Image::find_symbol(const std::string &name, int kind) const {
  hsa_executable_symbol_t symbol{0};
  const hsa_agent_t agent = device_.agent();
  const hsa_status_t result =
      OMPTARGET_HSA_RESULT(hsa_executable_get_symbol_by_name, executable_, name.c_str(), &agent, &symbol);
  if (result == HSA_STATUS_ERROR_INVALID_SYMBOL_NAME)
    return std::optional<hsa_executable_symbol_t>();
  OMPTARGET_TRY_DURING(check_call("hsa_executable_get_symbol_by_name", result), "while looking for %s", name.c_str());
  int found = 0;
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_executable_symbol_get_info, symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &found));
  return found == kind ? std::optional(symbol) : std::nullopt;
}

Result<std::optional<GlobalAddress>> Image::find_global(const std::string &name) const {
  OMPTARGET_TRY_ASSIGN(const auto symbol, find_symbol(name, HSA_SYMBOL_KIND_VARIABLE));
  if (!symbol)
    return std::optional<GlobalAddress>();
  uint64_t address = 0;
  uint32_t size = 0;
  OMPTARGET_TRY(
      OMPTARGET_HSA(hsa_executable_symbol_get_info, *symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_executable_symbol_get_info, *symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
  return std::optional(GlobalAddress{address, size});
}

Result<bool> Image::write_global(const std::string &name, const void *bytes, size_t size) const {
  OMPTARGET_TRY_ASSIGN(const auto global, find_global(name));
  if (!global)
    return false;
  OMPTARGET_TRY_DURING(device_.submit(global->address, bytes, std::min(size, global->size), nullptr),
                       "while writing %s", name.c_str());
  return true;
}

Result<bool> Image::read_global(const std::string &name, void *bytes, size_t size) const {
  OMPTARGET_TRY_ASSIGN(const auto global, find_global(name));
  if (!global || global->size < size)
    return false;
  OMPTARGET_TRY_DURING(device_.retrieve(bytes, global->address, size, nullptr), "while reading %s", name.c_str());
  return true;
}

// From the file if it has symbols, which saves a copy for each kernel.
Result<bool> Image::read_initial(const std::string &symbol, void *bytes, size_t size) const {
  if (!elf_ || elf_->symbols().empty())
    return read_global(symbol, bytes, size);
  const ElfSymbol *found = elf_->find(symbol);
  if (!found)
    return false;
  return elf_->read(*found, bytes, size) ? Result<bool>(true) : read_global(symbol, bytes, size);
}

// With the size of a team that clang 14 to 16 may have fixed for the kernel.
Result<KernelTraits> Image::traits_of(const std::string &name) const {
  OMPTARGET_TRY_ASSIGN(KernelTraits traits,
                       read_kernel_traits(name, [this](const std::string &symbol, void *bytes, size_t size) {
                         return read_initial(symbol, bytes, size);
                       }));
  if (traits.source == KernelTraits::Source::kExecModeByte) {
    int16_t threads = 0;
    OMPTARGET_TRY_ASSIGN(const bool has_size, read_initial(name + "_wg_size", &threads, sizeof(threads)));
    if (has_size && threads > 0)
      traits.min_threads = traits.max_threads = threads;
  }
  return traits;
}

Result<Kernel *> Image::find_kernel(const std::string &name) {
  for (const auto &kernel : kernels_)
    if (kernel->name() == name)
      return kernel.get();
  OMPTARGET_TRY_ASSIGN(const auto symbol, find_symbol(name + ".kd", HSA_SYMBOL_KIND_KERNEL));
  if (!symbol)
    return nullptr;
  const auto metadata = metadata_.find(name);
  if (metadata == metadata_.end())
    return Status::error(format("the image's metadata says nothing about kernel %s", name.c_str()));
  OMPTARGET_TRY_ASSIGN(const KernelTraits traits, traits_of(name));
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<Kernel> kernel,
                       Kernel::create(name, *symbol, metadata->second, traits, target_.version));
  kernels_.push_back(std::move(kernel));
  return kernels_.back().get();
}

Status Image::run_global_calls(GlobalCall kind) {
  const bool constructs = kind == GlobalCall::kConstructors;
  OMPTARGET_TRY_ASSIGN(Kernel * kernel, find_kernel(constructs ? kConstructors : kDestructors));
  if (!kernel)
    return Status::ok();
  OMPTARGET_TRY_DURING(device_.run_single(*kernel), "while running the image's global %s",
                       constructs ? "constructors" : "destructors");
  return Status::ok();
}

} // namespace omptarget::amdgpu
