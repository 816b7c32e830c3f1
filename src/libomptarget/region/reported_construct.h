// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Telling observe/ about a construct: from begin to end, and what it mapped.
#pragma once

#include "base/log.h"
#include "device/call.h"
#include "device/device.h"
#include "mapping/plan.h"
#include "observe/construct_events.h"

namespace omptarget {

/// Made when a construct begins on its device; at its end the mapping tables are printed, if that is wanted.
class ReportedConstruct {
public:
  ReportedConstruct(const Call &call, const Device &device, observe::ConstructKind kind, const MapList &list)
      : location_(call.location), construct_({kind, call.is_nowait, device.id(), call.location, call.code},
                                             {list.count, list.sizes, list.types, list.names}) {
    if (traces(Topic::kKernel)) [[unlikely]]
      trace_begin(call, device.id(), list.count);
  }
  ~ReportedConstruct() {
    if (construct_.is_reported()) [[unlikely]]
      print_tables(location_);
  }
  /// Between these two the thread does other things, and the device goes on with the construct.
  void leave() { construct_.leave(); }
  void enter_again() { construct_.enter_again(); }

  /// After the data of the items are in place; at the end of a data region: before they go.
  static void report_items(const MapItems &items) {
    if (observe::listeners() != 0) [[unlikely]]
      send_items(items);
  }
  /// Reports the values of a kernel's arguments, before it is launched.
  static void report_kernel_arguments(const MapItems &items) {
    if (observe::reports_mappings()) [[unlikely]]
      send_kernel_arguments(items);
  }

private:
  static void print_tables(const ident_t *location);
  static void trace_begin(const Call &call, DeviceId device, int32_t arguments);
  static void send_items(const MapItems &items);
  static void send_kernel_arguments(const MapItems &items);

  const ident_t *const location_;
  observe::Construct construct_;
};

} // namespace omptarget
