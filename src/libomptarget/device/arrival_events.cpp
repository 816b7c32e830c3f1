// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/arrival_events.h"

#include <utility>

namespace omptarget {

inline Arrival *ArrivalEvents::take_kept() {
  for (std::atomic<Arrival *> &place : kept_)
    if (place.load(std::memory_order_relaxed))
      if (Arrival *const arrival = place.exchange(nullptr, std::memory_order_acquire))
        return arrival;
  return nullptr;
}

/// Its event is new, but it may have been used before.
Result<Arrival *> ArrivalEvents::make() {
  OMPTARGET_TRY_ASSIGN(void *const event, device_.create_event());
  Arrival *arrival = nullptr;
  if (auto unused = without_event_.lock(); !unused->empty()) {
    arrival = unused->back();
    unused->pop_back();
  } else {
    arrival = all_.lock()->emplace_back(std::make_unique<Arrival>()).get();
  }
  arrival->event = event;
  return arrival;
}

Result<Arrival *> ArrivalEvents::record(Queue &queue) {
  if (!device_.plugin().has_events()) {
    OMPTARGET_TRY(device_.synchronize(queue));
    return static_cast<Arrival *>(nullptr);
  }
  Arrival *arrival = take_kept();
  if (!arrival) {
    OMPTARGET_TRY_ASSIGN(arrival, make());
  }
  arrival->begin();
  if (Status status = device_.record_event(arrival->event, queue); !status.is_ok()) {
    end_use(*arrival);
    return status;
  }
  return arrival;
}

/// Nobody uses it.
void ArrivalEvents::keep(Arrival &arrival) {
  for (std::atomic<Arrival *> &place : kept_) {
    Arrival *none = nullptr;
    if (!place.load(std::memory_order_relaxed) &&
        place.compare_exchange_strong(none, &arrival, std::memory_order_release, std::memory_order_relaxed))
      return;
  }
  destroy_event_of(arrival);
}

void ArrivalEvents::destroy_event_of(Arrival &arrival) {
  device_.destroy_event(std::exchange(arrival.event, nullptr));
  without_event_.lock()->push_back(&arrival);
}

void ArrivalEvents::destroy_all() {
  while (Arrival *const arrival = take_kept())
    destroy_event_of(*arrival);
}

} // namespace omptarget
