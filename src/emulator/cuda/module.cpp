// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules and launches. A "cubin" is a shared object of the host whose ELF header says CUDA (relabel.cpp makes them).
// Its header is put right again, and the dynamic loader opens it. PTX that names such a file, // emulator-code: PATH,
// stands for it; other PTX is run by the executor.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>

#include "call.h"
#include "emulator/call_code.h"
#include "execute.h"

using namespace omptarget::cuda;
using namespace emulator;

namespace {

constexpr uint16_t kMachineCuda = 190;

thread_local StandInGrid current_grid;

struct Symbol {
  void *address = nullptr;
  size_t size = 0;
  bool is_function = false;
};

// The tables by which the dynamic linker finds symbols in one image.
struct DynamicSymbols {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const uint32_t *hash = nullptr; ///< DT_GNU_HASH

  explicit DynamicSymbols(const link_map &map) {
    for (const ElfW(Dyn) *entry = map.l_ld; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_SYMTAB)
        symbols = reinterpret_cast<const ElfW(Sym) *>(entry->d_un.d_ptr);
      else if (entry->d_tag == DT_STRTAB)
        names = reinterpret_cast<const char *>(entry->d_un.d_ptr);
      else if (entry->d_tag == DT_GNU_HASH)
        hash = reinterpret_cast<const uint32_t *>(entry->d_un.d_ptr);
  }

  const ElfW(Sym) * find(const char *name) const {
    if (!symbols || !names || !hash || hash[0] == 0)
      return nullptr;
    uint32_t wanted = 5381;
    for (const char *letter = name; *letter; ++letter)
      wanted = wanted * 33 + static_cast<unsigned char>(*letter);
    const uint32_t first = hash[1];
    const uint32_t *const buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *const chain = buckets + hash[0];
    for (uint32_t i = buckets[wanted % hash[0]]; i >= first; ++i) {
      const uint32_t there = chain[i - first];
      if ((there | 1) == (wanted | 1) && std::strcmp(names + symbols[i].st_name, name) == 0)
        return symbols[i].st_shndx != SHN_UNDEF ? symbols + i : nullptr;
      if (there & 1)
        break;
    }
    return nullptr;
  }
};

// A symbol of this very image, not of what it needs. As a driver, this never waits for the dynamic loader, whose lock a
// thread may hold that waits for a kernel; dlsym does.
bool find_symbol(void *handle, const char *name, Symbol &symbol) {
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&map)) != 0)
    return false;
  const ElfW(Sym) *const found = DynamicSymbols(*map).find(name);
  if (!found)
    return false;
  symbol.address = reinterpret_cast<void *>(map->l_addr + found->st_value);
  symbol.size = found->st_size;
  symbol.is_function = ELF64_ST_TYPE(found->st_info) == STT_FUNC;
  return true;
}

uint32_t number_of(void *handle, const std::string &name, uint32_t otherwise) {
  Symbol symbol;
  if (!find_symbol(handle, name.c_str(), symbol) || symbol.size != sizeof(uint32_t))
    return otherwise;
  uint32_t value;
  std::memcpy(&value, symbol.address, sizeof(value));
  return value;
}

size_t elf_size(const Elf64_Ehdr &header) {
  return header.e_shoff + static_cast<size_t>(header.e_shnum) * header.e_shentsize;
}

int architecture_of(const Elf64_Ehdr &header) {
  if (header.e_ident[EI_ABIVERSION] == 7)
    return static_cast<int>(header.e_flags & 0xff);
  return header.e_ident[EI_ABIVERSION] == 8 ? static_cast<int>(header.e_flags >> 8 & 0xff) : 0;
}

/// Returns whether NVIDIA's tools have made the file: shared objects of this machine are loaded dynamically.
bool is_cubin(const char *bytes, const Elf64_Ehdr &header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_DYNAMIC)
      return false;
  }
  return true;
}

void log_error(unsigned count, const int *options, void **values, const std::string &text) {
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size = reinterpret_cast<uintptr_t>(values[i]);
  }
  if (buffer && size != 0)
    std::snprintf(buffer, size, "%s", text.c_str());
}

// The file that a text names instead of code; null if it does not.
const char *named_file(const char *text) {
  constexpr const char *kMark = "// emulator-code: ";
  const char *const mark = std::strstr(text, kMark);
  return mark ? mark + std::strlen(kMark) : nullptr;
}

// Reads the bytes of the file.
CUresult read_file(const char *path, std::string &code) {
  std::ifstream file(std::string(path, std::strcspn(path, "\n")), std::ios::binary);
  if (!file)
    return CUDA_ERROR_INVALID_PTX;
  code.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return CUDA_SUCCESS;
}

// The loader knows an open file by its path, and so do debuggers, for which "self" would be another process.

Module *check_module(const char *call, Context *context, CUmodule handle) {
  Module *module = reinterpret_cast<Module *>(handle);
  if (!module || module->is_destroyed) {
    violation("%s: a module that does not exist", call);
    return nullptr;
  }
  if (module->context != context) {
    violation("%s: a module of another context", call);
    return nullptr;
  }
  return module;
}

CUresult load_ptx(CUmodule *out, Context &context, const char *text,
                  const std::function<void(const std::string &)> &log) {
  std::string error;
  auto module = std::make_unique<Module>();
  module->context = &context;
  bool is_limit = false;
  module->device_code = compile_ptx(text, state().devices[static_cast<size_t>(context.device)].sm, error, is_limit);
  if (!module->device_code) {
    log(error);
    return is_limit ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_PTX;
  }
  const std::lock_guard lock(state().mutex);
  *out = reinterpret_cast<CUmodule>(module.get());
  state().modules.push_back(std::move(module));
  ++state().memory_generation;
  return CUDA_SUCCESS;
}

CUresult find_ptx_function(CUfunction *out, Module &module, const char *name) {
  const executor::ptx::Function *const kernel = module.device_code->find_function(name);
  if (!kernel || !kernel->is_entry)
    return CUDA_ERROR_NOT_FOUND;
  const uint32_t threads = kernel->max_threads[0] * kernel->max_threads[1] * kernel->max_threads[2];
  const std::lock_guard lock(state().mutex);
  std::unique_ptr<Function> &function = module.functions[name];
  if (!function)
    function = std::make_unique<Function>(
        Function{&module, name, nullptr, ~0u, threads == 0 ? 1024 : threads, false, 0, kernel,
                 Function::kPlainSharedMemory - static_cast<int>(kernel->dynamic_at)});
  *out = reinterpret_cast<CUfunction>(function.get());
  return CUDA_SUCCESS;
}

CUresult find_ptx_global(CUdeviceptr *address, size_t *size, Module &module, const char *name) {
  const executor::ptx::Variable *const variable = module.device_code->find_variable(name);
  if (!variable)
    return CUDA_ERROR_NOT_FOUND;
  const std::lock_guard lock(state().mutex);
  state().memory[variable->address] = {variable->size, MemoryKind::kGlobal, module.context, &module};
  *address = variable->address;
  *size = variable->size;
  return CUDA_SUCCESS;
}

struct Launch {
  void *code;
  std::vector<uint64_t> arguments;
  StandInGrid grid;
  bool each_thread;
};

void call(void *code, const std::vector<uint64_t> &values) { call_code(code, values.data(), values.size()); }

void run(const Launch &launch) {
  std::vector<char> shared(launch.grid.shared_memory);
  current_grid = launch.grid;
  current_grid.shared = shared.data();
  if (!launch.each_thread) {
    call(launch.code, launch.arguments);
    return;
  }
  uint32_t *b = current_grid.block;
  uint32_t *t = current_grid.thread;
  for (b[2] = 0; b[2] < launch.grid.blocks[2]; ++b[2])
    for (b[1] = 0; b[1] < launch.grid.blocks[1]; ++b[1])
      for (b[0] = 0; b[0] < launch.grid.blocks[0]; ++b[0])
        for (t[2] = 0; t[2] < launch.grid.threads[2]; ++t[2])
          for (t[1] = 0; t[1] < launch.grid.threads[1]; ++t[1])
            for (t[0] = 0; t[0] < launch.grid.threads[0]; ++t[0])
              call(launch.code, launch.arguments);
}

// The arguments of either form; only the packed one tells how many there are.
CUresult read_arguments(const Function &function, void **parameters, void **extra, std::vector<uint64_t> &arguments) {
  const uint32_t expected = function.parameters;
  if (parameters) {
    if (extra || expected == ~0u)
      return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < expected; ++i)
      arguments.push_back(*static_cast<uint64_t *>(parameters[i]));
    return CUDA_SUCCESS;
  }
  const void *buffer = nullptr;
  size_t size = 0;
  for (void **next = extra; next && reinterpret_cast<uintptr_t>(*next) != kLaunchParamEnd; next += 2) {
    const uintptr_t key = reinterpret_cast<uintptr_t>(*next);
    if (key == kLaunchParamBufferPointer)
      buffer = next[1];
    else if (key == kLaunchParamBufferSize)
      size = *static_cast<size_t *>(next[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (size % sizeof(uint64_t) != 0 || (size != 0 && !buffer))
    return CUDA_ERROR_INVALID_VALUE;
  arguments.resize(size / sizeof(uint64_t));
  if (size != 0)
    std::memcpy(arguments.data(), buffer, size);
  if (expected != ~0u && arguments.size() != expected) {
    violation("cuLaunchKernel: %s takes %u parameters and gets %zu", function.name.c_str(), expected, arguments.size());
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

} // namespace

STAND_IN_API const StandInGrid *sim_cuda_grid(void) { return &current_grid; }

STAND_IN_API void sim_cuda_fault(int result) {
  Stream *stream = static_cast<Stream *>(current_grid.stream);
  CUresult none = 0;
  stream->context().error.compare_exchange_strong(none, result);
}

STAND_IN_API CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, int *options,
                                         void **values) {
  STAND_IN_ENTER_CONTEXT(cuModuleLoadDataEx);
  std::string compiled;
  const char *bytes = static_cast<const char *>(image);
  Elf64_Ehdr header;
  if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0) {
    const char *const path = named_file(bytes);
    if (!path)
      return load_ptx(out, *context, bytes,
                      [&](const std::string &error) { log_error(count, options, values, error); });
    if (const CUresult result = read_file(path, compiled)) {
      log_error(count, options, values, "stand-in: the file of the // emulator-code: line cannot be read");
      return result;
    }
    bytes = compiled.data();
  } else if (reinterpret_cast<uintptr_t>(image) % 8 != 0) {
    violation("cuModuleLoadDataEx: an image that is not aligned");
  }
  std::memcpy(&header, bytes, sizeof(header));
  if (header.e_machine != kMachineCuda)
    return CUDA_ERROR_INVALID_IMAGE;
  const int image_sm = architecture_of(header);
  const int device_sm = state().devices[static_cast<size_t>(context->device)].sm;
  if (image_sm / 10 != device_sm / 10 || image_sm > device_sm)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (is_cubin(bytes, header)) {
    std::fprintf(
        stderr,
        "libcuda stand-in: the image for sm_%d is a cubin, machine code of NVIDIA's, which cannot be run here. "
        "Compile it to PTX: clang-N --config=PREFIX/lib/omptarget/device/N/emulator.cfg --offload-arch=sm_%d\n",
        image_sm, image_sm);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  auto module = std::make_unique<Module>();
  module->context = context;
  if (!module->code.open(bytes, elf_size(header)))
    return CUDA_ERROR_INVALID_IMAGE;
  const std::lock_guard lock(state().mutex);
  *out = reinterpret_cast<CUmodule>(module.get());
  state().modules.push_back(std::move(module));
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuModuleUnload(CUmodule handle) {
  STAND_IN_ENTER_RELEASE(cuModuleUnload);
  Module *module = check_module("cuModuleUnload", context, handle);
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  wait_for_context(context);
  {
    const std::lock_guard lock(state().mutex);
    auto &memory = state().memory;
    for (auto one = memory.begin(); one != memory.end();)
      one = one->second.kind == MemoryKind::kGlobal && one->second.owner == module ? memory.erase(one) : std::next(one);
    module->is_destroyed = true;
    ++state().memory_generation;
  }
  module->code.close();
  module->device_code.reset();
  return injected;
}

STAND_IN_API CUresult cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name) {
  STAND_IN_ENTER_CONTEXT(cuModuleGetFunction);
  Module *module = check_module("cuModuleGetFunction", context, handle);
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  if (module->device_code)
    return find_ptx_function(out, *module, name);
  Symbol symbol;
  if (!find_symbol(module->code.handle, name, symbol) || !symbol.is_function)
    return CUDA_ERROR_NOT_FOUND;
  void *const code = module->code.handle;
  const std::string own = name;
  Symbol unused;
  const Function found{module,
                       own,
                       symbol.address,
                       number_of(code, own + "_sim_parameters", ~0u),
                       number_of(code, own + "_sim_max_threads", 1024),
                       find_symbol(code, (own + "_sim_grid").c_str(), unused),
                       number_of(code, own + "_sim_stack", 0)};
  const std::lock_guard lock(state().mutex);
  std::unique_ptr<Function> &function = module->functions[name];
  if (!function)
    function = std::make_unique<Function>(found);
  *out = reinterpret_cast<CUfunction>(function.get());
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule handle, const char *name) {
  STAND_IN_ENTER_CONTEXT(cuModuleGetGlobal);
  Module *module = check_module("cuModuleGetGlobal", context, handle);
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  if (module->device_code)
    return find_ptx_global(address, size, *module, name);
  Symbol symbol;
  if (!find_symbol(module->code.handle, name, symbol) || symbol.is_function)
    return CUDA_ERROR_NOT_FOUND;
  const std::lock_guard lock(state().mutex);
  state().memory[reinterpret_cast<uintptr_t>(symbol.address)] = {symbol.size, MemoryKind::kGlobal, context, module};
  *address = reinterpret_cast<uintptr_t>(symbol.address);
  *size = symbol.size;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction handle) {
  STAND_IN_ENTER_CONTEXT(cuFuncGetAttribute);
  const Function *function = reinterpret_cast<Function *>(handle);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(function->max_threads); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = function->kernel ? static_cast<int>(function->kernel->dynamic_at) : 1024;
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

// Computed for a multiprocessor with 2,048 threads and room for 32 blocks.
STAND_IN_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int threads,
                                                                  size_t shared) {
  STAND_IN_ENTER_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  if (!handle || threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = std::min(32, 2048 / threads);
  if (shared != 0)
    *blocks = std::min(*blocks, static_cast<int>(size_t{160} * 1024 / (shared + 1024)));
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuFuncSetAttribute(CUfunction handle, int attribute, int value) {
  STAND_IN_ENTER_CONTEXT(cuFuncSetAttribute);
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > 159 * 1024)
    return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(state().mutex);
  reinterpret_cast<Function *>(handle)->dynamic_shared_memory = value;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuLaunchKernel(CUfunction handle, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty,
                                     unsigned tz, unsigned shared, CUstream stream_handle, void **parameters,
                                     void **extra) {
  STAND_IN_ENTER_CONTEXT(cuLaunchKernel);
  Function *function = reinterpret_cast<Function *>(handle);
  Stream *stream = reinterpret_cast<Stream *>(stream_handle);
  if (!function || function->module->is_destroyed || function->module->context != context) {
    violation("cuLaunchKernel: a function of no module of this context");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (!stream || stream->is_destroyed || &stream->context() != context) {
    violation("cuLaunchKernel: no stream of this context");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const uint64_t threads = uint64_t{tx} * ty * tz;
  if (bx == 0 || by == 0 || bz == 0 || threads == 0 || threads > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  if (threads > function->max_threads)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (shared > static_cast<unsigned>(function->dynamic_shared_memory))
    return CUDA_ERROR_INVALID_VALUE;
  Launch launch{};
  launch.code = function->code;
  if (const CUresult result = read_arguments(*function, parameters, extra, launch.arguments))
    return result;
  if (function->kernel) {
    PtxLaunch ptx{function, stream, {bx, by, bz}, {tx, ty, tz}, shared, {}};
    const auto *const bytes = reinterpret_cast<const uint8_t *>(launch.arguments.data());
    ptx.arguments.assign(bytes, bytes + launch.arguments.size() * sizeof(uint64_t));
    if (ptx.arguments.size() != function->kernel->parameter_bytes) {
      violation("cuLaunchKernel: %s takes %u bytes of parameters and gets %zu", function->name.c_str(),
                function->kernel->parameter_bytes, ptx.arguments.size());
      return CUDA_ERROR_INVALID_VALUE;
    }
    stream->enqueue([ptx = std::move(ptx)] { execute(ptx); });
    return CUDA_SUCCESS;
  }
  launch.grid = {{0, 0, 0}, {0, 0, 0}, {bx, by, bz}, {tx, ty, tz}, shared, nullptr, stream};
  launch.each_thread = function->runs_each_thread;
  bool has_stack = true;
  {
    const std::lock_guard lock(state().mutex);
    has_stack = function->stack <= context->limit(CU_LIMIT_STACK_SIZE);
  }
  stream->enqueue([launch, has_stack, context] {
    CUresult none = 0;
    if (has_stack)
      run(launch);
    else
      context->error.compare_exchange_strong(none, CUDA_ERROR_ILLEGAL_ADDRESS);
  });
  return CUDA_SUCCESS;
}
