// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/image.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.h"
#include "cuda/device.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

constexpr uintptr_t kImageAlignment = 8;

// How the entry of a function of the RFC may be called on the device. PTX has no dots in names.
constexpr const char *kEntryPrefixes[] = {".omp_offloading.entry.", ".offloading.entry.",
                                          "_$_omp_offloading_$_entry_$_", "_$_offloading_$_entry_$_"};

} // namespace

Result<std::unique_ptr<Image>> Image::load(Device &device, const __tgt_device_image &source) {
  const char *begin = static_cast<const char *>(source.ImageStart);
  const size_t size = static_cast<size_t>(static_cast<const char *>(source.ImageEnd) - begin);
  OMPTARGET_TRY_ASSIGN(const ImageTarget target, read_image_target(begin, size));
  const int sm = device.properties().sm;
  if (target.rank(sm) == 0)
    return Status::error(
        format("image: built for %s, device %d is sm_%d", target.name().c_str(), device.number(), sm));
  std::unique_ptr<Image> image(new Image(device, target));
  OMPTARGET_TRY_DURING(image->load_module(begin, size), "while loading an image for %s", target.name().c_str());
  Status status = image->resolve_entries(source);
  if (status && uses_unified_shared_memory())
    status = image->set_reference_pointers(source);
  if (status)
    status = image->find_global_calls();
  if (!status) {
    image->unload().consume();
    return status;
  }
  image->elf_.reset();
  image->copy_.clear();
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device.number(), "loaded an image of %zu bytes for %s, %zu entries", size,
                         target.name().c_str(), image->table_.entries.size());
  return image;
}

Status Image::load_module(const void *bytes, size_t size) {
  const std::string_view all(static_cast<const char *>(bytes), size);
  if (target_.form == ImageTarget::Form::kPtx)
    return load_ptx(all);
  OMPTARGET_TRY_ASSIGN(elf_, ElfImage::parse(bytes, size));
  if (target_.form == ImageTarget::Form::kPtxInElf) {
    const std::string_view ptx = ptx_of(*elf_);
    OMPTARGET_TRY(load_ptx(ptx));
    elf_.reset();
    return Status::ok();
  }
  if (reinterpret_cast<uintptr_t>(bytes) % kImageAlignment != 0) {
    copy_ = std::string(all);
    bytes = copy_.data();
  }
  return OMPTARGET_CU(cuModuleLoadDataEx, &module_, bytes, 0, nullptr, nullptr);
}

// The driver's compiler says in a log what it does not like.
Status Image::load_ptx(std::string_view text) {
  copy_ = std::string(text.substr(0, text.find('\0')));
  std::array<char, 4096> log{};
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  Status status = OMPTARGET_CU(cuModuleLoadDataEx, &module_, copy_.c_str(), 2, options, values);
  if (!status && log[0] != '\0')
    return std::move(status).during(format("the driver's compiler says: %s", log.data()));
  return status;
}

Status Image::unload() {
  const CUmodule module = module_;
  module_ = nullptr;
  return module ? OMPTARGET_CU(cuModuleUnload, module) : Status::ok();
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

// The driver tells no addresses of functions; the image's own record of the entry holds it.
Result<void *> Image::resolve_function(const std::string &name) {
  for (const char *prefix : kEntryPrefixes) {
    uint64_t address = 0;
    OMPTARGET_TRY_ASSIGN(const bool found, read_global(prefix + name, &address, sizeof(address)));
    if (found)
      return reinterpret_cast<void *>(address);
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

Result<std::optional<GlobalAddress>> Image::find_global(const std::string &name) const {
  GlobalAddress global{};
  const CUresult result = OMPTARGET_CU_RESULT(cuModuleGetGlobal, &global.address, &global.size, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return std::optional<GlobalAddress>();
  OMPTARGET_TRY_DURING(check_call("cuModuleGetGlobal", result), "while looking for %s", name.c_str());
  return std::optional<GlobalAddress>(global);
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

Result<Kernel *> Image::find_kernel(const std::string &name) {
  for (const auto &kernel : kernels_)
    if (kernel->name() == name)
      return kernel.get();
  CUfunction function = nullptr;
  const CUresult result = OMPTARGET_CU_RESULT(cuModuleGetFunction, &function, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return nullptr;
  OMPTARGET_TRY_DURING(check_call("cuModuleGetFunction", result), "while looking for kernel %s", name.c_str());
  OMPTARGET_TRY_ASSIGN(const KernelTraits traits,
                       read_kernel_traits(name, [this](const std::string &symbol, void *bytes, size_t size) {
                         return read_initial(symbol, bytes, size);
                       }));
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<Kernel> kernel, Kernel::create(name, function, traits));
  kernels_.push_back(std::move(kernel));
  return kernels_.back().get();
}

std::vector<GlobalCallSymbol> Image::global_calls(GlobalCall kind) const {
  std::vector<GlobalCallSymbol> symbols;
  uint32_t priority = 0;
  if (elf_) {
    for (const ElfSymbol &symbol : elf_->symbols())
      if (parse_global_call(symbol.name, kind, priority))
        symbols.push_back({std::string(symbol.name), priority});
  } else {
    // PTX: every word that has the form of such a name.
    constexpr const char *kSeparators = " \t\r\n,;()[]{}=+";
    const std::string_view text = copy_;
    for (size_t begin = text.find_first_not_of(kSeparators); begin != std::string_view::npos;) {
      const size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
      const std::string_view word = text.substr(begin, end - begin);
      if (parse_global_call(word, kind, priority))
        symbols.push_back({std::string(word), priority});
      begin = text.find_first_not_of(kSeparators, end);
    }
  }
  order_global_calls(symbols);
  return symbols;
}

// While the file is at hand: destructors run when its memory may be gone.
Status Image::find_global_calls() {
  OMPTARGET_TRY_ASSIGN(constructor_kernel_, find_kernel("nvptx$device$init"));
  OMPTARGET_TRY_ASSIGN(destructor_kernel_, find_kernel("nvptx$device$fini"));
  constructors_ = global_calls(GlobalCall::kConstructors);
  destructors_ = global_calls(GlobalCall::kDestructors);
  return Status::ok();
}

Status Image::run_global_calls(GlobalCall kind) {
  const bool constructs = kind == GlobalCall::kConstructors;
  Kernel *kernel = constructs ? constructor_kernel_ : destructor_kernel_;
  const std::vector<GlobalCallSymbol> &symbols = constructs ? constructors_ : destructors_;
  if (!kernel || symbols.empty())
    return Status::ok();
  std::vector<uint64_t> functions;
  for (const GlobalCallSymbol &symbol : symbols) {
    uint64_t function = 0;
    OMPTARGET_TRY_ASSIGN(const bool found, read_global(symbol.name, &function, sizeof(function)));
    if (!found)
      return Status::error(format("the driver does not find %s of the image", symbol.name.c_str()));
    functions.push_back(function);
  }
  const size_t size = functions.size() * sizeof(uint64_t);
  OMPTARGET_TRY_ASSIGN(const CUdeviceptr list, device_.memory().allocate_device(size));
  const uint64_t bounds[] = {list, list + size};
  Status status = device_.submit(list, functions.data(), size, nullptr);
  const char *names[] = {constructs ? "__init_array_start" : "__fini_array_start",
                         constructs ? "__init_array_end" : "__fini_array_end"};
  for (int i = 0; i < 2 && status; ++i)
    status = write_global(names[i], &bounds[i], sizeof(bounds[i])).take_status();
  if (status)
    status = device_.run_single(*kernel);
  Status released = device_.memory().release_device(list);
  OMPTARGET_TRY_DURING(status ? std::move(released) : std::move(status), "while running %zu global %s", functions.size(),
                       constructs ? "constructors" : "destructors");
  return Status::ok();
}

} // namespace omptarget::cuda
