// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrivals of one device, with their events, which are kept from one construct to the next.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "mapping/arrival.h"
#include "plugin/plugin_device.h"

namespace omptarget {

/// Any thread.
class ArrivalEvents {
public:
  explicit ArrivalEvents(PluginDevice device) : device_(device) {}
  ArrivalEvents(const ArrivalEvents &) = delete;
  ArrivalEvents &operator=(const ArrivalEvents &) = delete;

  /// Returns the arrival of what is queued now, with the caller as its user. Null: all of it is done, since a plugin
  /// without events has waited for it.
  Result<Arrival *> record(Queue &queue);
  /// The caller uses it no more.
  void end_use(Arrival &arrival) {
    if (arrival.end_use())
      keep(arrival);
  }
  /// Destroys the events that nobody uses.
  void destroy_all();

private:
  Arrival *take_kept();
  Result<Arrival *> make();
  void keep(Arrival &arrival);
  void destroy_event_of(Arrival &arrival);

  const PluginDevice device_;
  std::array<std::atomic<Arrival *>, 8> kept_{}; ///< with their events
  Guarded<std::vector<std::unique_ptr<Arrival>>> all_;
  Guarded<std::vector<Arrival *>> without_event_; ///< that nobody uses
};

} // namespace omptarget
