// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the trace, information, profiles and tools of a construct: its begin and end, and each step with its arguments.
// Callers ask whether somebody observes, unless it says otherwise.
#pragma once

#include "base/log.h"
#include "device/call.h"
#include "device/device.h"
#include "mapping/map_arguments.h"
#include "observe/construct_events.h"
#include "region/construct_queue.h"
#include "region/launch.h"

namespace omptarget {

inline bool is_observed() { return observe::listeners() != 0 || traces_anything(); }

/// Made when a construct begins on its device; at its end the mapping tables are printed, if that is wanted. Does
/// nothing if nobody listens.
class ReportedConstruct {
public:
  ReportedConstruct(const Call &call, const Device &device, observe::ConstructKind kind, const MapList &list)
      : location_(call.location), construct_({kind, call.is_nowait, device.id(), call.location, call.code},
                                             {list.count, list.sizes, list.types, list.names}) {
    if (traces(Topic::kKernel))
      trace_begin(call, device.id(), list.count);
  }
  ~ReportedConstruct() {
    if (construct_.is_reported())
      print_tables(location_);
  }
  /// Between these two the thread does other things, and the device goes on with the construct.
  void suspend() { construct_.suspend(); }
  void resume() { construct_.resume(); }

private:
  static void print_tables(const ident_t *location);
  static void trace_begin(const Call &call, DeviceId device, int32_t arguments);

  const ident_t *const location_;
  observe::Construct construct_;
};

namespace internal {
[[gnu::cold]] void report_placed(const MapArguments &arguments);
[[gnu::cold]] void report_kernel_arguments(const Device &device, const MapArguments &arguments);
[[gnu::cold]] observe::KernelFacts facts_of_launch(const Device &device, const Kernel &kernel,
                                                   const LaunchRequest &request);
/// Traces a launch in full words.
[[gnu::cold]] void trace_launch(const observe::KernelFacts &facts, uint32_t arguments);
} // namespace internal

/// All data are in place; at the end of a data region: they are about to go. Does nothing if nobody listens.
inline void report_placed(const MapArguments &arguments) {
  if (observe::listeners() != 0 && observe::reports_map_items())
    internal::report_placed(arguments);
}
/// The values of a kernel's arguments, before it is launched. Does nothing if nobody listens.
inline void report_kernel_arguments(const Device &device, const MapArguments &arguments) {
  if (observe::reports_mappings())
    internal::report_kernel_arguments(device, arguments);
}

/// Launches a kernel by launch(queue). If it is to be complete at once, launch() gets null, unless its times are taken.
/// arguments: how many the program passes.
template <typename Launch>
[[gnu::cold]] Status launch_observed(const Kernel &kernel, const LaunchRequest &request, uint32_t arguments,
                                     ConstructQueue &queue, bool is_at_once, Launch launch) {
  const observe::KernelFacts facts = internal::facts_of_launch(queue.device(), kernel, request);
  internal::trace_launch(facts, arguments);
  observe::KernelLaunch operation(facts);
  if (!is_at_once || operation.wants_times())
    return queue.timed(operation, [&] { return launch(&queue.plugin_queue()); });
  const observe::Wait wait(queue.device().id());
  return launch(nullptr);
}

/// The end of a mapping.
struct LastUse {
  observe::MappingFacts facts; ///< at the place of the argument that releases it
  observe::CountChange change;
  Removed removal;
};

/// Tells of the arguments in a list. Made where there is something to be told.
class ArgumentReport {
public:
  ArgumentReport(const Device &device, const MapList &list) : device_(device), list_(list) {}

  /// The construct has found the mapping of an argument, and retained it if is_counted; or has retained all of refs.
  [[gnu::cold]] void entered(size_t i, const Mapping &mapping, bool is_counted) const;
  [[gnu::cold]] void entered(const ArgumentRefs &refs) const;
  /// The construct has made a mapping of what a dormant one had.
  [[gnu::cold]] void revived(size_t i, const Mapping &mapping) const;

  /// The construct is about to exit these: tells of those that are not counted, but copied with others.
  [[gnu::cold]] void exiting(const ArgumentRefs &refs) const;
  /// The construct has released a reference to an argument's mapping.
  [[gnu::cold]] void released(size_t i, const Mapping &mapping, bool is_last) const;
  /// Finds out what there is to tell of the last use of a mapping, while it is still there.
  [[gnu::cold]] LastUse last_use(size_t i, const Mapping &mapping) const;

private:
  observe::MappingFacts facts_of(size_t i, const Mapping &mapping) const;
  bool has(size_t i, uint64_t bits) const { return (static_cast<uint64_t>(list_.types[i]) & bits) != 0; }
  observe::CountChange last_change(size_t i) const;
  void tell_entered(size_t i, const Mapping &mapping, bool is_counted, uint32_t others) const;
  const char *name(size_t i) const;

  const Device &device_;
  const MapList &list_;
};

/// The construct has released the last reference.
[[gnu::cold]] void report_released(const LastUse &last);
} // namespace omptarget
