// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_CHECK: which checks the user wants, and how their findings are reported.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "observe/construct_events.h"

namespace omptarget::observe {

/// Returns whether map clauses are checked. Any thread.
bool checks_mapping();

/// Prints a note on the construct that the calling thread carries out, or on the end of a device, and appends it to
/// LIBOMPTARGET_CHECK_FILE. rule: a short name, "mapping-absent". The same text is reported once. Any thread.
void report_finding(const char *rule, const std::string &text, DeviceId device);

/// No report is under way while it is held.
std::mutex &findings_mutex_for_fork();

/// "target update at a.c:7:1" of the construct that the calling thread carries out; "the program" outside of one.
std::string construct_text();

/// Follows mapped data and their copies. Called by the thread that carries the construct out, with no lock held.
class ContentsListener {
public:
  virtual ~ContentsListener() = default;
  /// The mapping has storage, and nothing has been copied into it.
  virtual void created(DeviceId device, const MappingFacts &facts) = 0;
  /// It leaves the table; its storage is still there.
  virtual void removed(DeviceId device, const MappingFacts &facts) = 0;
  /// The operation is complete.
  virtual void moved(const DataOperationFacts &facts) = 0;
  /// A target region is about to use these.
  virtual void used(DeviceId device, std::span<const MappedItem> items) = 0;
  /// Its kernel has ended.
  virtual void ran(DeviceId device) = 0;
};
/// From now on the listener is called. It lives for ever.
void follow_contents(ContentsListener &listener);
/// Null if nobody follows.
ContentsListener *contents_listener();

} // namespace omptarget::observe
