// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin for GPUs as a test on its driver's stand-in sees it: loaded at run time, called through the C ABI. The test
// is compiled with PLUGIN_FILE, the plugin, and IMAGE_FOLDER, where its images lie.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "omptarget/plugin.h"

namespace emulator_test {

inline void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    std::fprintf(stderr, "missing: %s\n", name);
    std::abort();
  }
  return found;
}

inline void *open_library(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return library;
}

/// The functions of the plugin under their names without the prefix.
struct Plugin {
  void *library = open_library(PLUGIN_FILE);
#define PLUGIN_REQUIRED(name, check) PLUGIN_FUNCTION(name)
// Optional functions that are for other kinds of devices are null.
#define PLUGIN_OPTIONAL(name, check, without)                                                                          \
  decltype(&__tgt_rtl_##name) name = reinterpret_cast<decltype(&__tgt_rtl_##name)>(dlsym(library, "__tgt_rtl_" #name));
#define PLUGIN_FUNCTION(name)                                                                                          \
  decltype(&__tgt_rtl_##name) name = reinterpret_cast<decltype(&__tgt_rtl_##name)>(symbol(library, "__tgt_rtl_" #name));
#include "plugin/plugin_functions.def"
#undef PLUGIN_FUNCTION

  std::string error() const {
    std::string text(last_error(nullptr, 0), '\0');
    last_error(text.data(), text.size() + 1);
    return text;
  }
  std::string architecture(int32_t device) const {
    char text[64] = "";
    device_arch(device, text, sizeof(text));
    return text;
  }
};

/// A file's bytes and the entries that the host has for it.
class Image {
public:
  explicit Image(const std::string &file) {
    std::ifstream in(file[0] == '/' ? file : IMAGE_FOLDER + file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (bytes_.empty()) {
      std::fprintf(stderr, "cannot read %s\n", file.c_str());
      std::abort();
    }
  }
  static Image of_text(const std::string &text) { return Image(text, 0); }

  Image &kernel(const char *name) { return entry(name, &bytes_, 0, 0); }
  Image &variable(const char *name, void *host, size_t size) { return entry(name, host, size, 0); }
  Image &entry(const char *name, void *host, size_t size, int32_t flags) {
    entries_.push_back({host, const_cast<char *>(name), size, flags, 0});
    return *this;
  }
  __tgt_device_image *get() {
    record_ = {bytes_.data(), bytes_.data() + bytes_.size(), entries_.data(), entries_.data() + entries_.size()};
    return &record_;
  }
  std::vector<char> &bytes() { return bytes_; }

private:
  Image(const std::string &text, int) : bytes_(text.begin(), text.end()) {}
  std::vector<char> bytes_;
  std::vector<__tgt_offload_entry> entries_;
  __tgt_device_image record_{};
};

/// The arguments of a launch.
struct Launch {
  std::vector<void *> arguments;
  std::vector<ptrdiff_t> offsets;
  __tgt_kernel_args shape{};

  template <typename... Values> explicit Launch(Values... values) {
    (add(values), ...);
    shape.Version = 3;
  }
  void add(void *value) {
    arguments.push_back(value);
    offsets.push_back(0);
  }
  void add(uint64_t value) { add(reinterpret_cast<void *>(value)); }
  void add(int value) { add(static_cast<uint64_t>(value)); }
  Launch &version(uint32_t value) { return shape.Version = value, *this; }
  Launch &teams(uint32_t value) { return shape.NumTeams[0] = value, *this; }
  Launch &threads(uint32_t value) { return shape.ThreadLimit[0] = value, *this; }
  Launch &trips(uint64_t value) { return shape.Tripcount = value, *this; }
  Launch &shared(uint32_t value) { return shape.DynCGroupMem = value, *this; }

  int32_t run(const Plugin &plugin, int32_t device, void *kernel, __tgt_async_info *async = nullptr) {
    shape.NumArgs = static_cast<uint32_t>(arguments.size());
    return plugin.launch_kernel(device, kernel, arguments.data(), offsets.data(), &shape, async);
  }
};

} // namespace emulator_test
