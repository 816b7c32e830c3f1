// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading the fake plugins.
#pragma once

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "fake_plugin.h"
#include "plugin/plugin_loader.h"

namespace omptarget {

inline std::string fake_path(const std::string &name) {
  return std::string(OMPTARGET_FAKES) + "/" + name + "/libomptarget.rtl." + name + ".so";
}

/// A fake plugin that must load. Plugins stay loaded, so that what it remembers is cleared first.
struct Fake {
  explicit Fake(const std::string &name) {
    Result<std::unique_ptr<Plugin>> loaded = load_plugin(name, fake_path(name));
    if (!loaded.is_ok()) {
      ADD_FAILURE() << name << ": " << loaded.status().to_string();
      return;
    }
    plugin = std::move(loaded.value());
    void *handle = dlopen(fake_path(name).c_str(), RTLD_NOW | RTLD_NOLOAD);
    record = static_cast<FakeRecord *>(dlsym(handle, "fake_record"));
    *record = {};
  }
  Plugin *operator->() const { return plugin.get(); }
  std::unique_ptr<Plugin> plugin;
  FakeRecord *record = nullptr;
};

/// An image that fake plugins take, with four entries.
struct FakeImage {
  char bytes[8] = "FAKE";
  char kernel[8] = "kernel";
  char variable[12] = "variable";
  char missing[12] = "missing";
  char requires_name[12] = ".requires";
  __tgt_offload_entry entries[4] = {{missing, missing, 8, 1, 0},
                                    {kernel, kernel, 0, 0, 0},
                                    {variable, variable, 4, 0, 0},
                                    {nullptr, requires_name, 0, 0x10, 1}};
  __tgt_device_image description{bytes, bytes + sizeof bytes, entries, entries + 4};
};

} // namespace omptarget
