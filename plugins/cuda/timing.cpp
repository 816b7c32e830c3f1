// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/timing.h"

#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/uncancelled.h"
#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/queue.h"

namespace omptarget::cuda {

namespace {

// The age of a reference up to which the driver's numbers are good to 60 ns.
constexpr uint64_t kMostAge = 1'000'000'000;
// Tries of making one.
constexpr int kMostTries = 16;
constexpr uint64_t kShortTry = 50'000;

Result<CUevent> make_event() {
  CUevent event = nullptr;
  const unsigned flags = waits_by_sleeping() ? CU_EVENT_BLOCKING_SYNC : 0;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuEventCreate, &event, flags), "while creating an event with a time");
  return event;
}

Result<Timing *> make_timing() {
  OMPTARGET_TRY_ASSIGN(const CUevent begin, make_event());
  Result<CUevent> end = make_event();
  if (!end) {
    OMPTARGET_CU(cuEventDestroy, begin).consume();
    return end.take_status();
  }
  return new Timing{begin, *end};
}

Result<double> milliseconds_between(CUevent from, CUevent to) {
  float milliseconds = 0;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuEventElapsedTime, &milliseconds, from, to), "while reading the time of work");
  return static_cast<double>(milliseconds);
}

uint64_t to_ns(double milliseconds) {
  return milliseconds <= 0 ? 0 : static_cast<uint64_t>(std::llround(milliseconds * 1e6));
}

} // namespace

// On a stream without work an event is complete at once, so nobody's work is waited for. The shortest of several
// tries counts.
Status Timings::make_reference() {
  for (CUevent *event : {&reference_, &candidate_})
    if (!*event) {
      OMPTARGET_TRY_ASSIGN(*event, make_event());
    }
  OMPTARGET_TRY_ASSIGN(gpu::Stream *const stream, queues_.take());
  Status status;
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kMostTries && shortest > kShortTry && status; ++i) {
    const uint64_t before = now_ns();
    status = OMPTARGET_CU(cuEventRecord, candidate_, as_stream(*stream).handle());
    if (status)
      status = OMPTARGET_CU(cuEventSynchronize, candidate_);
    const uint64_t took = now_ns() - before;
    if (!status || took >= shortest)
      continue;
    shortest = took;
    std::swap(reference_, candidate_);
    reference_ns_ = before + took / 2;
  }
  queues_.give_back(*stream);
  if (!status)
    reference_ns_ = 0;
  return std::move(status).during("while comparing the clocks of device and host");
}

Result<Timing *> Timings::take() {
  const Uncancelled uncancelled;
  const std::lock_guard lock(mutex_);
  if (open_ == 0 && (reference_ns_ == 0 || now_ns() - reference_ns_ > kMostAge))
    OMPTARGET_TRY(make_reference());
  OMPTARGET_TRY_ASSIGN(Timing *const timing, timings_.take_or(make_timing));
  ++open_;
  return timing;
}

void Timings::give_back(Timing *timing) {
  const std::lock_guard lock(mutex_);
  timings_.give_back(timing);
  --open_;
}

// The time between the two events is exact; where they lie is as exact as the reference's age lets it be.
Result<gpu::Times> Timings::read(const Timing &timing) const {
  CUevent reference = nullptr;
  uint64_t reference_ns = 0;
  {
    const std::lock_guard lock(mutex_);
    reference = reference_;
    reference_ns = reference_ns_;
  }
  OMPTARGET_TRY_ASSIGN(const double before, milliseconds_between(reference, timing.begin));
  OMPTARGET_TRY_ASSIGN(const double during, milliseconds_between(timing.begin, timing.end));
  const uint64_t begin = reference_ns + to_ns(before);
  return gpu::Times{begin, begin + to_ns(during)};
}

Status Timings::release_all() {
  const std::lock_guard lock(mutex_);
  Status status;
  for (Timing *timing : timings_.take_all()) {
    status.keep_first(OMPTARGET_CU(cuEventDestroy, timing->begin));
    status.keep_first(OMPTARGET_CU(cuEventDestroy, timing->end));
    delete timing;
  }
  for (CUevent *event : {&reference_, &candidate_})
    if (CUevent old = std::exchange(*event, nullptr))
      status.keep_first(OMPTARGET_CU(cuEventDestroy, old));
  reference_ns_ = 0;
  open_ = 0;
  return status;
}

} // namespace omptarget::cuda
