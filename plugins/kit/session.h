// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded plugin under test, as checks use it, and the test image as the host library would describe it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "functions.h"
#include "omptarget/plugin.h"
#include "plugin/plugin.h"
#include "report.h"

namespace omptarget::check {

struct Options {
  std::string plugin;
  std::string image; ///< path, or empty
  int timeout_s = 60;
};

/// The test image with the entries that checks use. Order is part of the contract of load_binary.
class TestImage {
public:
  TestImage(std::string bytes, bool has_absent);
  __tgt_device_image description();
  size_t count() const { return entries_.size(); }
  /// The position of an entry.
  static size_t index_of(const char *name);
  const char *name_of(size_t index) const { return entries_[index].name; }

private:
  std::string bytes_;
  std::vector<__tgt_offload_entry> entries_;
};

/// One image loaded on one device.
struct Loaded {
  __tgt_target_table *table = nullptr;
  /// The address of an entry; null if the image lacks it.
  void *operator[](const char *name) const;
};

enum class LaunchKind {
  kTeams,    ///< as a construct with teams
  kPlain,    ///< as one without
  kImplicit, ///< a kernel with the implicit leading parameter
};

class Session {
public:
  Session(const Options &options, Report &report)
      : options_(options), report_(report), exported_(exported_functions(options.plugin)) {}

  /// Loads the plugin; reports why not.
  bool open();
  /// And makes a device ready.
  bool open_device(int32_t device = 0);
  /// And loads the test image on it; reports why not.
  bool load_image(int32_t device = 0);

  Plugin &plugin() { return *plugin_; }
  Report &report() { return report_; }
  const Loaded &image() const { return loaded_; }
  TestImage *test_image() { return image_.get(); }
  /// Returns whether the plugin exports the function (without __tgt_rtl_); also before it is loaded.
  bool has(const char *name) const { return exported_.contains(name); }
  /// Its address; null before the plugin is loaded.
  void *function(const char *name) const;

  /// Returns whether the image has the kernel and the plugin can launch it; leaves the check out if not.
  bool has_kernel(const char *name);
  /// Returns whether every kernel gets the implicit leading parameter: plugins of LLVM 18 know no others.
  bool always_gives_implicit() const { return has("get_function") && !has("abi"); }
  /// Launches and reports failure.
  bool launch(int32_t device, void *kernel, std::vector<void *> arguments, Queue *queue,
              LaunchKind kind = LaunchKind::kTeams);
  /// Reports that launching is about to be tried, under the name that the plugin has for it.
  void tries_launch(const char *what, LaunchKind kind = LaunchKind::kTeams);
  /// Reports a failed status with what was being done; whether it was a success.
  bool expect(Status status, const char *doing);

  /// Memory of a device that is freed with it.
  class Memory {
  public:
    Memory(Session &session, int32_t device, int64_t size, int32_t kind = OMPTARGET_ALLOC_DEVICE);
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    void *get() const { return pointer_; }
    char *at(int64_t offset) const { return static_cast<char *>(pointer_) + offset; }

  private:
    Session &session_;
    int32_t device_;
    int32_t kind_;
    void *pointer_ = nullptr;
  };

private:
  const Options &options_;
  Report &report_;
  std::set<std::string> exported_;
  std::unique_ptr<Plugin> plugin_;
  std::unique_ptr<TestImage> image_;
  Loaded loaded_;
  void *handle_ = nullptr;
};

/// The 8 bytes of a value, as kernels get literals.
inline void *literal(uint64_t value) { return reinterpret_cast<void *>(static_cast<uintptr_t>(value)); }

} // namespace omptarget::check
