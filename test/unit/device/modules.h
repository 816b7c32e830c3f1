// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules made at run time, and the plugins that write down what they are asked. The runtime is one per process, so that
// each test of this program runs in a process of its own.
#pragma once

#include <deque>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "device/runtime.h"

namespace omptarget {

/// Addresses that stand for kernels on the host.
inline char kernel_a, kernel_b;

/// A module with one image of the given first letters. Its memory is on the heap, so that its descriptor is trusted.
/// Neither copied nor moved: its address is its identity.
class Module {
public:
  explicit Module(const char *image) : bytes_(image) {}
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module() {
    if (is_registered_)
      unload();
  }

  void add(const void *address, const std::string &name, uint64_t size = 0, int32_t flags = 0) {
    names_.push_back(name);
    entries_.push_back({const_cast<void *>(address), names_.back().data(), size, flags, 0});
  }
  void add_requires(int32_t mask) {
    names_.emplace_back();
    entries_.push_back({nullptr, names_.back().data(), 0, OMPTARGET_ENTRY_REQUIRES, mask});
  }
  void kernel(const void *id, const std::string &name) { add(id, name); }
  template <typename T> void variable(const T &variable, const std::string &name) {
    add(&variable, name, sizeof variable);
  }

  const __tgt_bin_desc *descriptor() {
    image_ = {bytes_.data(), bytes_.data() + bytes_.size(), entries_.data(), entries_.data() + entries_.size()};
    descriptor_ = {1, &image_, entries_.data(), entries_.data() + entries_.size()};
    return &descriptor_;
  }
  Status load() {
    is_registered_ = true;
    return Runtime::get().register_library(descriptor());
  }
  void unload() {
    is_registered_ = false;
    Runtime::get().unregister_library(&descriptor_);
  }

private:
  std::string bytes_;
  std::deque<std::string> names_;
  std::vector<__tgt_offload_entry> entries_;
  __tgt_device_image image_{};
  __tgt_bin_desc descriptor_{};
  bool is_registered_ = false;
};

/// The calls that the plugin ("alpha" takes images with A, "beta" those with B) received since the last call.
inline std::string events(const std::string &plugin) {
  const std::string path = OMPTARGET_RECORDING_PLUGINS "/libomptarget.rtl." + plugin + ".so";
  void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!handle)
    return "not loaded";
  char text[4096];
  reinterpret_cast<void (*)(char *, size_t)>(dlsym(handle, "recording_take"))(text, sizeof text);
  dlclose(handle);
  return text;
}

/// The device, ready for use, or null with a failed test.
inline Device *ready_device(int32_t number) {
  Result<DeviceUse> device = Runtime::get().device(static_cast<DeviceId>(number));
  EXPECT_TRUE(device.is_ok()) << device.status().to_string();
  EXPECT_TRUE(!device.is_ok() || *device) << "no device " << number;
  return device.is_ok() ? device->get() : nullptr;
}

} // namespace omptarget
