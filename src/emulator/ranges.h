// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges that the library and programs name for tools of NVIDIA's (NVTX, version 3): "target a.c:7:1", "copy from
// device x". Findings about copies name them. A stand-in takes them if NVTX_INJECTION64_PATH names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_object.h"
#include "emulator/execute/grid.h"

namespace emulator {

/// Ranges that a thread is in. Empty if nobody names ranges.
class Ranges {
public:
  /// Returns those that the calling thread is in now.
  static Ranges of_thread() { return current(); }

  /// Returns " (x in target a.c:7:1)", from the innermost range to the outermost; empty if there is none.
  std::string text() const {
    std::string all;
    for (auto name = names_.rbegin(); name != names_.rend(); ++name)
      all += (all.empty() ? " (" : " in ") + without(*name, {"copy from device ", "copy to device "});
    return all.empty() ? all : all + ")";
  }

  /// Returns the place of the innermost construct, if it is known.
  executor::CodePlace place() const {
    for (auto name = names_.rbegin(); name != names_.rend(); ++name) {
      const std::string where =
          without(*name, {"target enter data ", "target exit data ", "target update ", "target "});
      const size_t column = where.rfind(':');
      const size_t line = column == 0 || column == std::string::npos ? column : where.rfind(':', column - 1);
      if (where.size() < name->size() && line != 0 && line != std::string::npos)
        return {where.substr(0, line), static_cast<uint32_t>(std::strtoul(&where[line + 1], nullptr, 10))};
    }
    return {};
  }

  /// Takes the ranges of a process whose NVTX calls this when it starts its tool. table: returns the tables that it has.
  /// Returns whether it takes them.
  static int take(const void *(*table)(uint32_t)) {
    struct Tables { // NvtxExportTableCallbacks
      size_t size;
      int (*functions)(int module, void ***slots, unsigned *count);
    };
    constexpr uint32_t kCallbacks = 1;       // NVTX_ETID_CALLBACKS
    constexpr int kCore = 1;                 // NVTX_CB_MODULE_CORE
    constexpr unsigned kPush = 9, kPop = 11; // NVTX_CBID_CORE_RangePushA, RangePop
    const auto *const tables = static_cast<const Tables *>(table(kCallbacks));
    void **slots = nullptr;
    unsigned count = 0;
    if (!tables || tables->functions(kCore, &slots, &count) == 0 || count <= kPop)
      return 0;
    *static_cast<int (**)(const char *)>(slots[kPush]) = push;
    *static_cast<int (**)()>(slots[kPop]) = pop;
    return 1;
  }

private:
  static Ranges &current() { return omptarget::ThreadObject<Ranges, Ranges>::get(); }
  static int push(const char *name) {
    current().names_.emplace_back(name ? name : "");
    return static_cast<int>(current().names_.size()) - 1;
  }
  static int pop() {
    auto &names = current().names_;
    if (names.empty())
      return -1;
    names.pop_back();
    return static_cast<int>(names.size());
  }
  static std::string without(std::string_view name, std::initializer_list<std::string_view> beginnings) {
    for (const std::string_view one : beginnings)
      if (name.starts_with(one))
        return std::string(name.substr(one.size()));
    return std::string(name);
  }

  std::vector<std::string> names_;
};

} // namespace emulator
