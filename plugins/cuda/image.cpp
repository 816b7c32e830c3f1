// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/image.h"

#include <algorithm>
#include <array>
#include <elf.h>

#include "cuda/device.h"
#include "cuda/device_rtls.h"
#include "cuda/driver.h"
#include "cuda/kernel.h"

namespace omptarget::cuda {

namespace {
using Target = gpu::TargetOf<ImageTarget, Device>;
} // namespace

Device &Image::cuda_device() const { return static_cast<Device &>(device()); }

Status Image::load_code(const void *bytes, size_t size) {
  const ImageTarget::Form form = static_cast<const Target &>(target()).value.form;
  if (form == ImageTarget::Form::kPtx)
    return load_ptx({static_cast<const char *>(bytes), size});
  OMPTARGET_TRY_ASSIGN(elf_, ElfImage::parse(bytes, size));
  if (form == ImageTarget::Form::kCubin) {
    OMPTARGET_TRY(check_device_rtls(*elf_));
    stacks_ = StackNeeds::of_cubin(*elf_);
    return OMPTARGET_CU(cuModuleLoadDataEx, &module_, aligned(bytes, size), 0, nullptr, nullptr);
  }
  const std::string_view ptx = ptx_of(*elf_);
  OMPTARGET_TRY(load_ptx(ptx));
  elf_.reset();
  return Status::ok();
}

// The driver says in a log what it does not like.
Status Image::load_ptx(std::string_view text) {
  copy_ = std::string(text.substr(0, text.find('\0')));
  stacks_ = StackNeeds::of_ptx(copy_);
  std::array<char, 4096> log{};
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  Status status = OMPTARGET_CU(cuModuleLoadDataEx, &module_, copy_.c_str(), 2, options, values);
  if (!status && log[0] != '\0')
    return std::move(status).during(format("the driver says: %s", log.data()));
  return status;
}

Status Image::unload() {
  const CUmodule module = module_;
  module_ = nullptr;
  return module ? OMPTARGET_CU(cuModuleUnload, module) : Status::ok();
}

Result<std::optional<gpu::GlobalAddress>> Image::find_global(const std::string &name) const {
  CUdeviceptr address = 0;
  size_t size = 0;
  const CUresult result = OMPTARGET_CU_RESULT(cuModuleGetGlobal, &address, &size, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return std::optional<gpu::GlobalAddress>();
  OMPTARGET_TRY_DURING(gpu::check_call("cuModuleGetGlobal", result, call_failure), "while looking for %s",
                       name.c_str());
  return std::optional(gpu::GlobalAddress{address, size});
}

Result<CUfunction> Image::find_code(const std::string &name) const {
  CUfunction function = nullptr;
  const CUresult result = OMPTARGET_CU_RESULT(cuModuleGetFunction, &function, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return CUfunction{nullptr};
  OMPTARGET_TRY_DURING(gpu::check_call("cuModuleGetFunction", result, call_failure), "while looking for kernel %s",
                       name.c_str());
  return function;
}

// Kernels are what follows .entry.
bool Image::ptx_has_kernel(const std::string &name) {
  constexpr std::string_view kMark = ".entry";
  const std::string_view text = copy_;
  if (ptx_kernels_.empty())
    for (size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at)) {
      at = std::min(text.find_first_not_of(" \t\r\n", at + kMark.size()), text.size());
      const size_t end = std::min(text.find_first_of(" \t\r\n(,;", at), text.size());
      ptx_kernels_.insert(text.substr(at, end - at));
      at = end;
    }
  return ptx_kernels_.contains(name);
}

// The driver loads the code of a kernel when it is asked for it, so it is asked only where the file does not tell.
Result<std::unique_ptr<gpu::Kernel>> Image::create_kernel(const std::string &name) {
  const ElfSymbol *symbol = elf_ ? elf_->find(name) : nullptr;
  if (symbol && symbol->type == STT_FUNC) {
    OMPTARGET_TRY_ASSIGN(const KernelTraits traits, traits_of(name));
    return std::unique_ptr<gpu::Kernel>(std::make_unique<Kernel>(name, *this, traits, stacks_.of(name)));
  }
  if (!ptx_has_kernel(name)) {
    OMPTARGET_TRY_ASSIGN(CUfunction const function, find_code(name));
    if (!function)
      return std::unique_ptr<gpu::Kernel>();
  }
  return std::unique_ptr<gpu::Kernel>(std::make_unique<Kernel>(name, *this, std::nullopt, stacks_.of(name)));
}

// PTX has no dots in names, so that the records of entries are called otherwise.
Result<uint64_t> Image::find_function(const std::string &name) {
  OMPTARGET_TRY_ASSIGN(const uint64_t address, read_address("_$_omp_offloading_$_entry_$_" + name));
  return address != 0 ? address : read_address("_$_offloading_$_entry_$_" + name);
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

// Destructors run when the file may be gone.
Status Image::prepare_global_calls() {
  constructors_ = global_calls(GlobalCall::kConstructors);
  destructors_ = global_calls(GlobalCall::kDestructors);
  if (!constructors_.empty()) {
    OMPTARGET_TRY_ASSIGN(constructor_kernel_, find_kernel("nvptx$device$init"));
  }
  if (!destructors_.empty()) {
    OMPTARGET_TRY_ASSIGN(destructor_kernel_, find_kernel("nvptx$device$fini"));
  }
  ptx_kernels_.clear();
  stacks_ = StackNeeds();
  return Status::ok();
}

Status Image::run_global_calls(GlobalCall kind) {
  const bool constructs = kind == GlobalCall::kConstructors;
  gpu::Kernel *kernel = constructs ? constructor_kernel_ : destructor_kernel_;
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
  OMPTARGET_TRY_ASSIGN(const uint64_t list, device().memory().allocate_device(size));
  const uint64_t bounds[] = {list, list + size};
  Status status = device().submit(list, functions.data(), size, nullptr);
  const char *names[] = {constructs ? "__init_array_start" : "__fini_array_start",
                         constructs ? "__init_array_end" : "__fini_array_end"};
  for (int i = 0; i < 2 && status; ++i)
    status = write_global(names[i], &bounds[i], sizeof(bounds[i])).take_status();
  if (status)
    status = device().run_single(*kernel);
  status.keep_first(device().memory().release_device(list));
  OMPTARGET_TRY_DURING(std::move(status), "while running %zu global %s", functions.size(),
                       constructs ? "constructors" : "destructors");
  return Status::ok();
}

} // namespace omptarget::cuda
