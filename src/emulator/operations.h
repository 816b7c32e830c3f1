// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operation of a queue that a thread of a driver's stand-in carries out, if races between operations are looked
// for.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "emulator/check_report.h"
#include "emulator/execute/overlaps.h"

namespace emulator {

enum class CopyKind { kToDevice, kToHost, kWithinDevices };

/// A copy of device memory, or to it.
struct MemoryCopy {
  void *to;
  const void *from;
  size_t size;
  CopyKind kind;
  Ranges ranges; ///< of the thread that asks for it
};

/// From here to the end of its life the calling thread carries out this operation, which may be null.
class RunningOperation {
public:
  /// library: "libcuda".
  RunningOperation(executor::SharedOperation operation, const char *library, const CodePlaces &places)
      : operation_(std::move(operation)), library_(library), places_(places) {
    current() = operation_ ? this : nullptr;
  }
  RunningOperation(const RunningOperation &) = delete;
  RunningOperation &operator=(const RunningOperation &) = delete;
  ~RunningOperation() {
    current() = nullptr;
    if (operation_)
      for (const executor::Overlap &overlap : executor::Overlaps::find()->end(operation_, std::move(uses_)))
        say_overlap(library_, overlap, places_);
  }

  /// For the words that a kernel uses; null if they are not noted.
  static std::shared_ptr<executor::GlobalUses> new_words() {
    return current() ? std::make_shared<executor::GlobalUses>() : nullptr;
  }
  static void note(executor::OperationUse use) {
    if (current())
      current()->uses_.push_back(std::move(use));
  }
  /// Only the device's memory: the host orders the uses of its own. A copy that changes nothing is none.
  static void note_copy(const MemoryCopy &copy) {
    if (!current() || copy.size == 0)
      return;
    const std::string name = "a copy of " + std::to_string(copy.size) + " bytes " +
                             (copy.kind == CopyKind::kToHost     ? "to the host"
                              : copy.kind == CopyKind::kToDevice ? "to the device"
                                                                 : "within devices") +
                             copy.ranges.text();
    if (copy.kind != CopyKind::kToDevice)
      note({name, nullptr, reinterpret_cast<uint64_t>(copy.from), copy.size, false});
    if (copy.kind != CopyKind::kToHost && std::memcmp(copy.to, copy.from, copy.size) != 0)
      note({name, nullptr, reinterpret_cast<uint64_t>(copy.to), copy.size, true});
  }

private:
  static RunningOperation *&current() {
    thread_local RunningOperation *running = nullptr;
    return running;
  }

  const executor::SharedOperation operation_;
  const char *const library_;
  const CodePlaces &places_;
  std::vector<executor::OperationUse> uses_;
};

/// Carries out a copy for a driver.
inline void copy_memory(const char *library, const MemoryCopy &copy, const CodePlaces &places) {
  auto *const unwritten = executor::UnwrittenMemory::find();
  const bool is_to_host = copy.kind == CopyKind::kToHost;
  if (const auto part = unwritten && is_to_host ? unwritten->find_in(copy.from, copy.size) : std::nullopt) {
    say_unwritten(library, *part, copy.size, copy.ranges, places);
    unwritten->forget(copy.from, copy.size); // told once
  }
  RunningOperation::note_copy(copy);
  std::memmove(copy.to, copy.from, copy.size);
  if (unwritten && !is_to_host)
    unwritten->copy(copy.to, copy.from, copy.size);
}

} // namespace emulator
