// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of checks of device code: on stderr, and in LIBOMPTARGET_CHECK_FILE.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/finding.h"
#include "emulator/execute/grid.h"
#include "emulator/execute/overlaps.h"
#include "emulator/execute/progress.h"
#include "emulator/execute/unwritten.h"
#include "emulator/ranges.h"
#include "emulator/suppressions.h"

namespace emulator {

/// The code that a fault or a copy is about, as a driver's stand-in knows it.
class CodePlaces {
public:
  virtual ~CodePlaces() = default;
  /// "f.c:3 in kernel".
  virtual std::string describe(uint64_t code_address) const = 0;
  virtual executor::CodePlace place_of(uint64_t code_address) const = 0;
  /// The address itself, if it is one of machine code: " (0x1234)".
  virtual std::string address_text(uint64_t) const { return {}; }
};

inline void say_finding(const char *rule, const std::string &message, const std::string &text,
                        const executor::CodePlace &place) {
  const executor::ProgressPause pause;
  std::fputs(text.c_str(), stderr);
  omptarget::append_finding({"error", rule, message, -1, place.path, place.line, 0});
}
inline void say_finding(const char *rule, const std::string &message, const std::string &text, uint64_t code_address,
                        const CodePlaces &places) {
  say_finding(rule, message, text, code_address ? places.place_of(code_address) : executor::CodePlace{});
}

/// library: "libcuda".
inline void say_fault(const char *library, const std::string &kernel, const executor::Report &report, const char *lanes,
                      const CodePlaces &places) {
  const std::string message = "kernel " + kernel + ": " + report.fault.text;
  std::string text = std::string(library) + " stand-in: " + message + "\n";
  const auto extent = [](const executor::Extent &one) {
    return std::to_string(one[0]) + "," + std::to_string(one[1]) + "," + std::to_string(one[2]);
  };
  if (report.code_address != 0)
    text += "  at " + places.describe(report.code_address) + places.address_text(report.code_address) + ", block " +
            extent(report.block) + ", thread " + extent(report.thread) + (report.fault.lane < 0 ? lanes : "") + "\n";
  if (report.fault.other_code != 0)
    text += std::string("  ") + report.fault.other_text + ": at " + places.describe(report.fault.other_code) + "\n";
  const bool has_line = report.code_address != 0 && places.place_of(report.code_address).line != 0;
  say_finding(report.fault.rule_name(), message, text, has_line ? report.code_address : report.fault.other_code,
              places);
}

/// True the first time that it is asked for the text.
inline bool is_news(const std::string &text) {
  static std::mutex mutex;
  static std::set<std::string> &told = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return told.insert(text).second;
}

/// Returns what a launch does behind a finding of a check: it goes on if the finding is suppressed, which is reported once.
inline executor::GoesOn goes_on_of(const char *library, const std::string &kernel, const CodePlaces &places) {
  if (Suppressions::all().is_empty())
    return {};
  // Who has missed one barrier misses the following ones, too, which may be the device RTL's.
  const auto has_missed = std::make_shared<std::atomic<bool>>(false);
  return [library, kernel, &places, has_missed](const executor::Fault &fault, uint64_t code) {
    const bool is_barrier = fault.text.starts_with("a barrier that not all threads reach");
    if (is_barrier && *has_missed)
      return true;
    const std::string message = "kernel " + kernel + ": " + fault.text;
    const uint64_t told = places.place_of(code).line != 0 ? code : fault.other_code;
    const executor::CodePlace place = told ? places.place_of(told) : executor::CodePlace{};
    if (!Suppressions::all().has(fault.rule_name(), place.path, place.line, message))
      return false;
    const std::string text =
        std::string(library) + " stand-in: (suppressed) " + message + "\n  at " + places.describe(code) + "\n";
    if (is_news(std::string(fault.rule_name()) + places.describe(code)))
      say_finding(fault.rule_name(), message, text, told, places);
    *has_missed = *has_missed || is_barrier;
    return true;
  };
}

/// A copy of so many bytes to the host, of which a part is unwritten. The same text is reported once.
inline void say_unwritten(const char *library, const executor::UnwrittenMemory::Part &part, size_t size,
                          const Ranges &ranges, const CodePlaces &places) {
  using executor::UnwrittenMemory;
  const std::string range = part.first == part.last
                                ? "byte " + std::to_string(part.first)
                                : "bytes " + std::to_string(part.first) + " to " + std::to_string(part.last);
  const std::string which = part.pieces == 1 ? range
                                             : std::to_string(part.bytes) + " bytes in " + std::to_string(part.pieces) +
                                                   " places, the first " + range + ",";
  const bool is_of_lane = (part.origin & UnwrittenMemory::kOfLane) != 0;
  const uint64_t code = part.origin & ~UnwrittenMemory::kOfLane;
  const std::string message = "a copy of " + std::to_string(size) + " bytes to the host" + ranges.text() + ": " +
                              which + (code ? " depend on " : " are from ") + executor::describe_origin(part.origin);
  std::string text = std::string(library) + " stand-in: " + message + "\n";
  if (code != 0)
    text += (is_of_lane ? "  the shuffle: at " : "  that memory is read: at ") + places.describe(code) + "\n";
  const executor::CodePlace place = code ? places.place_of(code) : executor::CodePlace{};
  if (is_news(text))
    say_finding(is_of_lane ? "execution" : "unwritten", message, text, place.line != 0 ? place : ranges.place());
}

/// Two operations that use the same memory. The same two places are reported once.
inline void say_overlap(const char *library, const executor::Overlap &overlap, const CodePlaces &places) {
  std::string text;
  const auto tell_place = [&](const std::string &name, const executor::EarlierUse &use) {
    if (use.code != 0)
      text += "  " + name + (use.writes ? " writes: at " : " reads: at ") + places.describe(use.code) + "\n";
  };
  const auto &[address, one, other] = overlap.conflict;
  tell_place(overlap.name, one);
  tell_place(overlap.other_name, other);
  if (!is_news(overlap.name + overlap.other_name + text))
    return;
  char at[24];
  std::snprintf(at, sizeof(at), "%#llx", static_cast<unsigned long long>(address));
  const std::string message = overlap.name + " and " + overlap.other_name + " use the memory at " + at +
                              ", and neither waits for the other (a race: a depend clause or a taskwait is missing)";
  say_finding("race", message, std::string(library) + " stand-in: " + message + "\n" + text,
              one.code != 0 ? one.code : other.code, places);
}

} // namespace emulator
