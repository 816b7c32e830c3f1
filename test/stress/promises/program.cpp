// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <string>

#include "device/runtime.h"
#include "omptarget/compiler.h"

namespace {

/// The slot of the target task that the thread runs.
thread_local void *unfinished = nullptr;
thread_local bool is_in_target_task = false;

} // namespace

// The libomp of a program.
extern "C" {
int __kmpc_get_target_offload(void) { return 2; } // mandatory
int32_t __kmpc_global_thread_num(void *) { return 0; }
bool __kmpc_omp_has_task_team(int32_t) { return is_in_target_task; }
void **__kmpc_omp_get_target_async_handle_ptr(int32_t) { return &unfinished; }
}

namespace omptarget::test {

namespace {

constexpr SplitKind kKinds[] = {SplitKind::kAtOnce, SplitKind::kQueueing, SplitKind::kQueueingWithEvents};

/// The first parameter is the body.
SplitKernel the_kernel = {[](void **arguments) { (*static_cast<const Body *>(arguments[0]))(arguments + 1); }};

struct Plugin {
  int64_t device = -1;
  SetSplitHooks set_hooks = nullptr;
  CountSplitBlocks count_blocks = nullptr;
  IsSplitMemory is_memory = nullptr;
};
std::map<SplitKind, Plugin> &plugins() {
  static auto *const all = new std::map<SplitKind, Plugin>; // lives as long as the runtime
  return *all;
}

[[noreturn]] void give_up(const std::string &what) {
  std::fprintf(stderr, "the program cannot start: %s\n", what.c_str());
  std::_Exit(2);
}

template <typename Function> void find_function(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    give_up(std::string("no ") + name);
}

const char *name_of(SplitKind kind) {
  return kind == SplitKind::kAtOnce     ? "split_at_once"
         : kind == SplitKind::kQueueing ? "split_queueing"
                                        : "split_events";
}

/// The arguments as a compiler passes them.
class Lists {
public:
  explicit Lists(const Arguments &arguments) {
    for (const Argument &one : arguments)
      add(one);
  }
  /// The arrays of a construct with nowait are gone before the construct is complete.
  ~Lists() {
    std::fill(begins.begin(), begins.end(), nullptr);
    std::fill(sizes.begin(), sizes.end(), -1);
    std::fill(types.begin(), types.end(), 0);
  }
  Lists(const Lists &) = delete;
  Lists &operator=(const Lists &) = delete;
  void add(const Argument &one) {
    bases.push_back(one.base);
    begins.push_back(one.begin);
    sizes.push_back(one.size);
    types.push_back(static_cast<int64_t>(one.type));
  }
  int32_t count() const { return static_cast<int32_t>(bases.size()); }

  std::vector<void *> bases, begins;
  std::vector<int64_t> sizes, types;
};

/// Behind the arguments, so that their numbers stay: members name their parents by them. Bodies want it first, which
/// launching arranges.
struct KernelCallOfProgram {
  KernelCallOfProgram(const Arguments &arguments, const Body &body) : lists({}) {
    void *const address = const_cast<Body *>(&body);
    lists.add({address, address, 0, map_type::kLiteral | map_type::kTargetParam});
    for (Argument one : arguments) {
      if (const uint64_t parent = one.type >> map_type::kMemberOfShift) // one argument comes before all others
        one.type += (uint64_t{1} << map_type::kMemberOfShift) * (parent == 0 ? 0 : 1);
      lists.add(one);
    }
    args.Version = 1; // kernels without an implicit parameter
    args.NumArgs = static_cast<uint32_t>(lists.count());
    args.ArgBasePtrs = lists.bases.data();
    args.ArgPtrs = lists.begins.data();
    args.ArgSizes = lists.sizes.data();
    args.ArgTypes = lists.types.data();
  }
  Lists lists;
  __tgt_kernel_args args{};
};

/// Returns the work that the call leaves unfinished.
template <typename Function> void *in_target_task(Function call) {
  unfinished = nullptr;
  is_in_target_task = true;
  call();
  is_in_target_task = false;
  return std::exchange(unfinished, nullptr);
}

} // namespace

void Constructs::region(const Arguments &arguments, const Body &body) const {
  KernelCallOfProgram call(arguments, body);
  (void)__tgt_target_kernel(nullptr, device_, -1, 0, &the_kernel, &call.args);
}
void Constructs::enter(const Arguments &arguments) const {
  Lists all(arguments);
  __tgt_target_data_begin_mapper(nullptr, device_, all.count(), all.bases.data(), all.begins.data(), all.sizes.data(),
                                 all.types.data(), nullptr, nullptr);
}
void Constructs::exit(const Arguments &arguments) const {
  Lists all(arguments);
  __tgt_target_data_end_mapper(nullptr, device_, all.count(), all.bases.data(), all.begins.data(), all.sizes.data(),
                               all.types.data(), nullptr, nullptr);
}
void Constructs::update(const Arguments &arguments) const {
  Lists all(arguments);
  __tgt_target_data_update_mapper(nullptr, device_, all.count(), all.bases.data(), all.begins.data(), all.sizes.data(),
                                  all.types.data(), nullptr, nullptr);
}

bool Constructs::is_present(const void *host) const {
  return omp_target_is_present(host, static_cast<int>(device_)) != 0;
}

void *Constructs::region_nowait(const Arguments &arguments, const Body &body) const {
  KernelCallOfProgram call(arguments, body);
  return in_target_task([&] {
    (void)__tgt_target_kernel_nowait(nullptr, device_, -1, 0, &the_kernel, &call.args, 0, nullptr, 0, nullptr);
  });
}
void *Constructs::enter_nowait(const Arguments &arguments) const {
  Lists all(arguments);
  return in_target_task([&] {
    __tgt_target_data_begin_nowait_mapper(nullptr, device_, all.count(), all.bases.data(), all.begins.data(),
                                          all.sizes.data(), all.types.data(), nullptr, nullptr, 0, nullptr, 0, nullptr);
  });
}
void *Constructs::exit_nowait(const Arguments &arguments) const {
  Lists all(arguments);
  return in_target_task([&] {
    __tgt_target_data_end_nowait_mapper(nullptr, device_, all.count(), all.bases.data(), all.begins.data(),
                                        all.sizes.data(), all.types.data(), nullptr, nullptr, 0, nullptr, 0, nullptr);
  });
}

bool ask(void *&handle) {
  if (handle)
    __tgt_target_nowait_query(&handle);
  return !handle;
}

/// A module with an image for each kind of device.
const __tgt_bin_desc &descriptor() {
  static char name[] = "kernel";
  static __tgt_offload_entry entries[] = {{&the_kernel, name, 0, 0, 0}};
  static char images[] = {static_cast<char>(kKinds[0]), static_cast<char>(kKinds[1]), static_cast<char>(kKinds[2])};
  static __tgt_device_image device_images[] = {{&images[0], &images[1], entries, entries + 1},
                                               {&images[1], &images[2], entries, entries + 1},
                                               {&images[2], &images[2] + 1, entries, entries + 1}};
  static const __tgt_bin_desc all = {3, device_images, entries, entries + 1};
  return all;
}

void start_program(const SplitHooks &hooks) {
  setenv("LIBOMPTARGET_PLUGIN_PATH", OMPTARGET_SPLIT_PLUGINS, 1);
  setenv("LIBOMPTARGET_PLUGINS", "split_at_once,split_queueing,split_events", 1);
  __tgt_register_lib(const_cast<__tgt_bin_desc *>(&descriptor()));
  const int64_t count = omp_get_num_devices();
  for (const SplitKind kind : kKinds) {
    Plugin &plugin = plugins()[kind];
    const std::string path = std::string(OMPTARGET_SPLIT_PLUGINS "/libomptarget.rtl.") + name_of(kind) + ".so";
    void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (!library)
      give_up(path + " is not loaded");
    find_function(library, "split_set_hooks", plugin.set_hooks);
    find_function(library, "split_count_blocks", plugin.count_blocks);
    find_function(library, "split_is_memory", plugin.is_memory);
    plugin.set_hooks(&hooks);
  }
  for (int64_t number = 0; number < count; ++number) {
    void *const block = omp_target_alloc(64, static_cast<int>(number));
    for (auto &[kind, plugin] : plugins())
      if (plugin.device < 0 && plugin.is_memory(block, 64))
        plugin.device = number;
    omp_target_free(block, static_cast<int>(number));
  }
  for (auto &[kind, plugin] : plugins())
    if (plugin.device < 0)
      give_up(std::string("no device of ") + name_of(kind));
}

int64_t device_of(SplitKind kind) { return plugins()[kind].device; }
Device &runtime_device(SplitKind kind) { return const_cast<Device &>(*Runtime::get().known_device(device_of(kind))); }
int64_t count_blocks(SplitKind kind) { return plugins()[kind].count_blocks(); }
bool is_device_memory(SplitKind kind, const void *address, int64_t size) {
  return plugins()[kind].is_memory(address, size);
}
void free_dormant_data(SplitKind kind) { runtime_device(kind).free_dormant(); }

/// A bit of LIBOMPTARGET_INFO that has no meaning yet.
void observe(bool is_on) { __tgt_set_info_flag(is_on ? 0x80 : 0); }

} // namespace omptarget::test
