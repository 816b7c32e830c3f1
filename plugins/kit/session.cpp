// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "session.h"

#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>

#include "plugin/plugin_loader.h"

namespace omptarget::check {

namespace {

struct EntryRow {
  const char *name;
  size_t size;
  int32_t flags;
};
/// Kernels and variables, mixed.
constexpr EntryRow kEntries[] = {
    {"omptarget_check_nothing", 0, 0},
    {"omptarget_check_variable", 8, 0},
    {"omptarget_check_store", 0, 0},
    {"omptarget_check_add", 0, 0},
    {"omptarget_check_function", 8, OMPTARGET_ENTRY_INDIRECT},
    {"omptarget_check_sum", 0, 0},
    {"omptarget_check_exchange", 0, 0},
    {"omptarget_check_implicit", 0, 0},
    {"omptarget_check_call", 0, 0},
    {"__omp_offloading_fptr_map_size", 8, 0},
};
/// A variable that no image has. Plugins of LLVM refuse images over it.
constexpr EntryRow kAbsent = {"omptarget_check_absent_variable", 16, 0};

/// Any host address does, as long as there is one.
__tgt_offload_entry entry_of(const EntryRow &row) {
  char *name = const_cast<char *>(row.name);
  return {name, name, row.size, row.flags, 0};
}

std::string plugin_name(const std::string &path) {
  const size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  constexpr std::string_view kPrefix = "libomptarget.rtl.";
  if (name.compare(0, kPrefix.size(), kPrefix) == 0)
    name.erase(0, kPrefix.size());
  const size_t end = name.rfind(".so");
  return end == std::string::npos ? name : name.substr(0, end);
}

} // namespace

TestImage::TestImage(std::string bytes, bool has_absent) : bytes_(std::move(bytes)) {
  for (const EntryRow &row : kEntries)
    entries_.push_back(entry_of(row));
  if (has_absent)
    entries_.push_back(entry_of(kAbsent));
}

__tgt_device_image TestImage::description() {
  return {bytes_.data(), bytes_.data() + bytes_.size(), entries_.data(), entries_.data() + entries_.size()};
}

size_t TestImage::index_of(const char *name) {
  size_t index = 0;
  while (index < std::size(kEntries) && std::strcmp(kEntries[index].name, name) != 0)
    ++index;
  return index;
}

void *Loaded::operator[](const char *name) const {
  const size_t index = TestImage::index_of(name);
  return table && index < static_cast<size_t>(table->EntriesEnd - table->EntriesBegin) ? table->EntriesBegin[index].addr
                                                                                       : nullptr;
}

bool Session::expect(Status status, const char *doing) {
  if (status.is_ok())
    return true;
  report_.fail("%s: %s", doing, status.to_string().c_str());
  return false;
}

bool Session::open() {
  Result<std::unique_ptr<Plugin>> loaded = load_plugin(plugin_name(options_.plugin), options_.plugin);
  if (!loaded.is_ok() && loaded.status().to_string().rfind(kNoDevices, 0) == 0) {
    report_.leave_out("the plugin %s", loaded.status().to_string().c_str());
    return false;
  }
  if (!loaded.is_ok()) {
    report_.fail("the host library does not use the plugin: %s", loaded.status().to_string().c_str());
    return false;
  }
  plugin_ = std::move(loaded.value());
  handle_ = dlopen(options_.plugin.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (options_.image.empty())
    return true;
  std::ifstream file(options_.image, std::ios::binary);
  if (!file) {
    report_.fail("the test image %s cannot be read", options_.image.c_str());
    return false;
  }
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  image_ = std::make_unique<TestImage>(std::move(bytes), has("abi"));
  return true;
}

void *Session::function(const char *name) const {
  return handle_ ? dlsym(handle_, (std::string("__tgt_rtl_") + name).c_str()) : nullptr;
}

bool Session::open_device(int32_t device) {
  if (!plugin_ && !open())
    return false;
  if (device >= plugin_->number_of_devices()) {
    report_.leave_out("there is no device %d", device);
    return false;
  }
  if (has("init_requires"))
    report_.uses("init_requires", "the mask of a program without requires directives");
  report_.uses("init_device", "each device that is used, once");
  return expect(plugin_->init_device(device, OMPTARGET_REQUIRES_NONE), "initialising the device");
}

bool Session::load_image(int32_t device) {
  if (!open_device(device))
    return false;
  if (!image_) {
    report_.leave_out("no test image for this target was given (--image)");
    return false;
  }
  const __tgt_device_image description = image_->description();
  if (!plugin_->accepts(description, nullptr)) {
    report_.leave_out("the plugin does not accept the test image %s", options_.image.c_str());
    return false;
  }
  __tgt_device_image copy = description;
  report_.uses("load_binary", "the test image, on each device that is used");
  Result<__tgt_target_table *> table = plugin_->load_binary(device, copy);
  if (!expect(table.take_status(), "loading the test image"))
    return false;
  loaded_.table = table.value();
  return true;
}

bool Session::has_kernel(const char *name) {
  if (loaded_[name] && always_gives_implicit() && std::strcmp(name, "omptarget_check_implicit") != 0) {
    report_.leave_out("%s: the plugin gives every kernel an implicit leading parameter", name);
    return false;
  }
  if (loaded_[name])
    return true;
  report_.leave_out("the test image does not have %s", name);
  return false;
}

void Session::tries_launch(const char *what, LaunchKind kind) {
  if (has("launch_kernel"))
    return report_.tries("launch_kernel", what);
  report_.tries(kind == LaunchKind::kPlain ? "run_target_region" : "run_target_team_region", what);
}

bool Session::launch(int32_t device, void *kernel, std::vector<void *> arguments, Queue *queue, LaunchKind kind) {
  constexpr uint32_t kNoTeams = 0xffffffff;
  __tgt_kernel_args args{};
  args.Version = kind == LaunchKind::kImplicit ? 3 : 2;
  args.NumArgs = static_cast<uint32_t>(arguments.size());
  args.NumTeams[0] = kind == LaunchKind::kPlain ? kNoTeams : 1;
  args.ThreadLimit[0] = 1;
  std::vector<int64_t> sizes(arguments.size() + 1, 8);
  args.ArgSizes = sizes.data();
  arguments.insert(arguments.begin(), nullptr);
  return expect(plugin_->launch_kernel(device, kernel, arguments.data() + 1, args, queue), "launching a kernel");
}

Session::Memory::Memory(Session &session, int32_t device, int64_t size, int32_t kind)
    : session_(session), device_(device), kind_(kind) {
  Result<void *> memory = session.plugin().data_alloc(device, size, nullptr, kind);
  if (session.expect(memory.take_status(), "allocating memory"))
    pointer_ = memory.value();
}

Session::Memory::~Memory() {
  if (pointer_)
    session_.expect(session_.plugin().data_delete(device_, pointer_, kind_), "freeing memory");
}

} // namespace omptarget::check
