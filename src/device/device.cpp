// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "device/runtime.h"
#include "image/image_facts.h"
#include "indirect/caller_registry.h"
#include "observe/info.h"


namespace omptarget {

namespace {

/// How well an image that the device takes fits it: exact architecture, then machine code for the newest one, then code
/// that is still to be compiled.
int64_t fitness(const DeviceImage &image, const std::string &device_arch) {
  const ImageFacts facts = image_facts({image.begin, image.end});
  if (facts.kind != ImageKind::kElf)
    return 1;
  if (!device_arch.empty() && (facts.architecture == device_arch || image.arch == device_arch))
    return INT64_MAX;
  const int64_t number = facts.architecture.starts_with("sm_") ? std::atoi(facts.architecture.c_str() + 3) : 0;
  return 2 + number;
}

__tgt_kernel_args plain_launch() {
  __tgt_kernel_args args{};
  args.Version = 2;
  args.NumTeams[0] = 1;
  args.ThreadLimit[0] = 1;
  return args;
}

bool is_unified_memory_pointer(const Entry &entry) {
  constexpr const char kSuffix[] = "_decl_tgt_ref_ptr";
  const size_t length = std::strlen(entry.name);
  return entry.size == sizeof(void *) && length >= sizeof kSuffix - 1 &&
         std::strcmp(entry.name + length - (sizeof kSuffix - 1), kSuffix) == 0;
}

} // namespace

Status Device::catch_up() {
  std::lock_guard load(load_mutex_);
  Runtime &runtime = Runtime::get();
  const uint32_t generation = runtime.generation();
  if (prepared_generation_.load(std::memory_order_relaxed) == generation)
    return Status::ok();
  OMPTARGET_TRY(initialise());
  for (const auto &library : runtime.libraries())
    if (!knows(*library))
      this->load(*library);
  publish_functions();
  run_constructors();
  prepared_generation_.store(generation, std::memory_order_release);
  return Status::ok();
}

Status Device::initialise() {
  if (is_initialised())
    return Status::ok();
  if (!initialisation_failure_.empty()) // plugins are asked once
    return Status::error(initialisation_failure_);
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, id_, "initialising device %d of plugin %s", local_id_, plugin_.name().c_str());
  if (Status status = plugin_.init_device(local_id_, static_cast<int64_t>(Runtime::get().requires_mask())); !status) {
    initialisation_failure_ = status.to_string();
    return std::move(status).during(format("device %d cannot be initialised", raw(id_)));
  }
  Runtime::register_exit_handler();
  is_initialised_.store(true, std::memory_order_release);
  return Status::ok();
}

bool Device::knows(const OffloadLibrary &library) const {
  const auto is_it = [&](const auto &known) { return known.library == &library; };
  return std::any_of(loaded_.begin(), loaded_.end(), [&](const auto &known) { return is_it(*known); }) ||
         std::any_of(failed_.begin(), failed_.end(), is_it);
}

void Device::load(OffloadLibrary &library) {
  DeviceImage *best = nullptr;
  int64_t best_fitness = 0;
  const std::string arch = plugin_.device_arch(local_id_);
  for (DeviceImage &image : library.images) {
    if (!image.defect.empty() || (image.entries.empty() && !plugin_.supports_empty_images()) ||
        !plugin_.accepts_on_device(local_id_, image.plugin_image(), image.arch.c_str()))
      continue;
    const int64_t fits = fitness(image, arch);
    if (fits > best_fitness) {
      best = &image;
      best_fitness = fits;
    }
  }
  if (!best) {
    OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "no image of %s fits", library.path.c_str());
    return;
  }
  if (Status status = load_image(library, *best); !status) {
    failed_.push_back({&library, status.to_string()});
    OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "loading an image of %s failed: %s", library.path.c_str(),
                           failed_.back().reason.c_str());
  }
}

Status Device::load_image(const OffloadLibrary &library, DeviceImage &image) {
  OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "loading image %td of %s (%zu bytes)", &image - library.images.data(),
                         library.path.c_str(), image.size());
  __tgt_device_image record = image.plugin_image();
  OMPTARGET_TRY_ASSIGN(__tgt_target_table *const table, plugin_.load_binary(local_id_, record));
  auto loaded = std::make_unique<Loaded>();
  loaded->library = &library;
  loaded->image = &image;
  loaded->table = table;
  Status status;
  for (size_t i = 0; i < image.entries.size() && status.is_ok(); ++i)
    status = resolve(*loaded, image.entries[i], table->EntriesBegin[i]);
  if (status.is_ok())
    status = collect_functions(*loaded);
  if (!status) {
    destroy(*loaded);
    return status;
  }
  register_code(*loaded);
  loaded_.push_back(std::move(loaded));
  return Status::ok();
}

Status Device::resolve(Loaded &loaded, const Entry &entry, const __tgt_offload_entry &target) {
  if (!target.addr) {
    OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "the image has no %s", entry.name);
    return Status::ok();
  }
  switch (entry.kind) {
  case EntryKind::kKernel:
    loaded.kernels.emplace_back(entry.address, std::make_unique<Kernel>(Kernel{target.addr, entry.name}));
    kernels_.insert(static_cast<uintptr_t>(entry.address), loaded.kernels.back().second.get());
    break;
  case EntryKind::kConstructor:
    loaded.constructors.push_back({target.addr, entry.name});
    break;
  case EntryKind::kDestructor:
    loaded.destructors.push_back({target.addr, entry.name});
    break;
  case EntryKind::kVariable:
  case EntryKind::kLinkVariable:
    return add_variable(loaded, entry, device_ptr(target.addr));
  case EntryKind::kIndirect:
  case EntryKind::kFunctionPointer:
  case EntryKind::kVtable:
    break;
  }
  return Status::ok();
}

Status Device::add_variable(Loaded &loaded, const Entry &entry, DevicePtr target) {
  // Under unified shared memory the device has a pointer instead of the variable: it must point to the host's.
  if (entry.kind == EntryKind::kVariable && is_unified_memory_pointer(entry) &&
      Runtime::get().uses_unified_shared_memory())
    OMPTARGET_TRY_DURING(plugin_.data_submit(local_id_, raw(target), raw(entry.address), sizeof(void *), nullptr),
                         "while pointing %s to the host's variable", entry.name);
  const NewRange range{entry.address, entry.address + static_cast<int64_t>(entry.size), entry.address, entry.name,
                       nullptr, Counter::kDynamic};
  // The same variable may be in several images of one program: the first one stays.
  if (!map_.insert_infinite(range, target)) {
    OMPTARGET_TRACE_DEVICE(Topic::kMapping, id_, "%s at %p is present already", entry.name, raw(entry.address));
    return Status::ok();
  }
  loaded.variables.push_back(entry.address);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, id_, "global %s: host %p, device %p, %llu bytes", entry.name,
                         raw(entry.address), raw(target), static_cast<unsigned long long>(entry.size));
  return Status::ok();
}

Status Device::run(const Kernel &kernel) {
  void *slots[1] = {nullptr};
  __tgt_kernel_args args = plain_launch();
  Queue queue;
  OMPTARGET_TRY(plugin_.launch_kernel(local_id_, kernel.handle, slots + 1, args, &queue));
  return plugin_.synchronize(local_id_, queue);
}

void Device::run_constructors() {
  for (const auto &loaded : loaded_)
    for (const Kernel &constructor : std::exchange(loaded->constructors, {}))
      if (Status status = run(constructor); !status) {
        failed_.push_back({loaded->library, format("constructor %s failed: %s", constructor.name,
                                                   status.to_string().c_str())});
        print_message(format("device %d: %s", raw(id_), failed_.back().reason.c_str()));
      }
}

void Device::destroy(Loaded &loaded) {
  if (functions_.remove(loaded.library)) {
    functions_changed_ = true;
    publish_functions();
  }
  if (loaded.code)
    forget_cpu_image(raw(id_), loaded.code);
  for (const auto &[address, kernel] : loaded.kernels)
    if (kernels_.find(static_cast<uintptr_t>(address)) == kernel.get())
      kernels_.erase(static_cast<uintptr_t>(address));
  for (const HostPtr variable : loaded.variables)
    (void)map_.remove_infinite(variable);
  if (loaded.library->range.end != 0)
    map_.forget_names(loaded.library->range.begin, loaded.library->range.end);
  plugin_.unload_binary(local_id_, loaded.table);
}

void Device::unload(const OffloadLibrary &library) {
  std::lock_guard load(load_mutex_);
  std::erase_if(failed_, [&](const Failed &failed) { return failed.library == &library; });
  const auto place =
      std::find_if(loaded_.begin(), loaded_.end(), [&](const auto &loaded) { return loaded->library == &library; });
  if (place == loaded_.end())
    return;
  Loaded &loaded = **place;
  OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "unloading the image of %s", library.path.c_str());
  for (const Kernel &destructor : loaded.destructors)
    if (Status status = run(destructor); !status)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "destructor %s failed: %s", destructor.name,
                             status.to_string().c_str());
  destroy(loaded);
  loaded_.erase(place);
}

void Device::run_destructors() {
  std::lock_guard load(load_mutex_);
  for (const auto &loaded : loaded_)
    for (const Kernel &destructor : loaded->destructors)
      if (Status status = run(destructor); !status)
        OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "destructor %s failed: %s", destructor.name,
                               status.to_string().c_str());
}

std::string Device::load_failure(const OffloadLibrary &library) {
  std::lock_guard load(load_mutex_);
  for (const Failed &failed : failed_)
    if (failed.library == &library)
      return failed.reason;
  return {};
}

} // namespace omptarget
