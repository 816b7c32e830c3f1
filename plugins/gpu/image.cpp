// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/image.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "gpu/device.h"
#include "gpu/devices.h"

namespace omptarget::gpu {

namespace {

constexpr uintptr_t kImageAlignment = 8;

// Images that use LLVM's libc for GPUs, by clang 17 to 19, have this variable, and wait in vain if no host serves its
// calls. (Those of clang 20 and later have one of another name whether they use it or not.)
constexpr const char *kHostServices = "__llvm_libc_rpc_client";
constexpr const char *kNewerHostServices = "__llvm_rpc_client";

// How the image's own record of an entry of the RFC may be called.
constexpr const char *kEntryPrefixes[] = {".omp_offloading.entry.", ".offloading.entry."};

} // namespace

Result<std::unique_ptr<Image>> Image::load(Device &device, const __tgt_device_image &source) {
  const char *begin = static_cast<const char *>(source.ImageStart);
  const size_t size = static_cast<size_t>(static_cast<const char *>(source.ImageEnd) - begin);
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<ImageTarget> target, kVendor.read_image_target(begin, size));
  const std::string name = target->name();
  if (target->rank(device) == 0)
    return Status::error(
        format("image: built for %s, device %d is %s", name.c_str(), device.number(), device.architecture().c_str()));
  std::unique_ptr<Image> image = device.make_image(std::move(target));
  Status status = image->load_from(source);
  image->elf_.reset();
  image->copy_.clear();
  if (!status) {
    image->unload().consume();
    return std::move(status).during(format("while loading an image for %s", name.c_str()));
  }
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device.number(), "loaded an image of %zu bytes for %s, %zu entries", size,
                         name.c_str(), image->table_.entries.size());
  return image;
}

Status Image::load_from(const __tgt_device_image &source) {
  const char *begin = static_cast<const char *>(source.ImageStart);
  const size_t size = static_cast<size_t>(static_cast<const char *>(source.ImageEnd) - begin);
  if (shares_reduction_buffer({begin, size}))
    turns_ = std::make_unique<LaunchTurns>();
  OMPTARGET_TRY(load_code(begin, size));
  OMPTARGET_TRY_ASSIGN(const auto services, find_global(kHostServices));
  if (services)
    return Status::error(
        format("it needs services of the host that are not here (%s): printf, malloc and other functions of "
               "LLVM's libc for GPUs",
               kHostServices));
  if (traces(Topic::kImage)) {
    OMPTARGET_TRY_ASSIGN(const auto newer, find_global(kNewerHostServices));
    if (newer)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, device_.number(),
                             "the image has %s: requests by LLVM's libc for GPUs are not answered", kNewerHostServices);
  }
  if (elf_)
    profile_ = find_profile(*elf_);
  const auto resolve_entry = [this](EntryKind kind, const std::string &name, size_t size) -> Result<void *> {
    return resolve(kind, name, size);
  };
  OMPTARGET_TRY(build_entry_table(source, resolve_entry, table_));
  if (uses_unified_shared_memory())
    OMPTARGET_TRY(set_reference_pointers(source));
  return prepare_global_calls();
}

const void *Image::aligned(const void *bytes, size_t size) {
  if (reinterpret_cast<uintptr_t>(bytes) % kImageAlignment == 0)
    return bytes;
  copy_ = std::string(static_cast<const char *>(bytes), size);
  return copy_.data();
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
                                global->size, target_->name().c_str(), expected));
  return reinterpret_cast<void *>(global->address);
}

// Drivers tell no addresses of functions; the image's own record of the entry holds it.
Result<void *> Image::resolve_function(const std::string &name) {
  uint64_t address = 0;
  for (const char *prefix : kEntryPrefixes)
    if (address == 0) {
      OMPTARGET_TRY_ASSIGN(address, read_address(prefix + name));
    }
  if (address == 0) {
    OMPTARGET_TRY_ASSIGN(address, find_function(name));
  }
  if (address == 0)
    OMPTARGET_TRACE_DEVICE(Topic::kImage, device_.number(), "the image does not tell the address of function %s",
                           name.c_str());
  return reinterpret_cast<void *>(address);
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
    OMPTARGET_TRY_DURING(
        device_.submit(reinterpret_cast<uintptr_t>(entry.addr), host_entry.addr, sizeof(void *), nullptr),
        "while setting %s", entry.name);
  }
  return Status::ok();
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

Result<uint64_t> Image::read_address(const std::string &name) const {
  uint64_t address = 0;
  OMPTARGET_TRY_ASSIGN(const bool found, read_global(name, &address, sizeof(address)));
  return found ? address : 0;
}

// From the file if it has symbols, which saves a copy for each kernel.
Result<bool> Image::read_initial(const std::string &symbol, void *bytes, size_t size) const {
  if (!elf_ || elf_->symbols().empty())
    return read_global(symbol, bytes, size);
  const ElfSymbol *found = elf_->find(symbol);
  if (!found || found->size < size)
    return false;
  return elf_->read(*found, bytes, size) ? Result<bool>(true) : read_global(symbol, bytes, size);
}

Result<KernelTraits> Image::traits_of(const std::string &kernel) const {
  return read_kernel_traits(kernel, [this](const std::string &symbol, void *bytes, size_t size) {
    return read_initial(symbol, bytes, size);
  });
}

Result<Kernel *> Image::find_kernel(const std::string &name) {
  if (const auto found = kernels_.find(name); found != kernels_.end())
    return found->second.get();
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<Kernel> kernel, create_kernel(name));
  if (!kernel)
    return nullptr;
  if (needs_services_)
    kernel->note_services();
  kernel->note_turns(turns_.get());
  return kernels_.emplace(name, std::move(kernel)).first->second.get();
}

void Image::release_turns() {
  if (turns_)
    turns_->release(device_.queues());
}

void Image::note_services() {
  needs_services_ = true;
  for (const auto &[name, kernel] : kernels_)
    kernel->note_services();
}

} // namespace omptarget::gpu
