// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/construct_events.h"

#include <algorithm>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "observe/checks.h"
#include "observe/current_construct.h"
#include "observe/device_events.h"
#include "observe/info.h"
#include "observe/info_lines.h"
#include "observe/listener_table.h"
#include "observe/ranges.h"
#include "observe/source_text.h"
#include "omptarget/types.h"

namespace omptarget::observe {

namespace {
// Plain data: needs no hook at thread exit.
thread_local constinit ConstructRecord *current = nullptr;
thread_local constinit const void *api_code = nullptr;
constinit std::atomic<uint64_t> last_number{0};

template <typename Record> WorkTimes times_of_call(const Record &record) {
  return {record.begin_ns, internal::wants_times(record.listeners) ? now_ns() : 0};
}

void tell_done(const DataOperationRecord &record, const WorkTimes &times, const EventContext &context,
               uint64_t fingerprint) {
  tell(record.listeners, &Listener::data_operation_done, record, times, context, fingerprint);
}
void tell_done(const KernelRecord &record, const WorkTimes &times, const EventContext &context, uint64_t) {
  tell(record.listeners, &Listener::kernel_done, record, times, context);
}

uint64_t fingerprint_of(const DataOperationRecord &record) {
  for (const Listener *const listener : all_listeners)
    if ((record.listeners & listener->bits) && listener->fingerprint)
      return listener->fingerprint(record.facts.host, record.facts.bytes);
  return 0;
}

DeviceId current_device() { return current ? current->facts.device : DeviceId::kDefault; }
} // namespace

ConstructRecord *current_construct() { return current; }
EventContext event_context() {
  return current ? EventContext{current->number, current->facts.location ? current->facts.location->psource : nullptr,
                                current->target_data, 0}
                 : EventContext{};
}
uint64_t next_number() { return last_number.fetch_add(1, std::memory_order_relaxed) + 1; }

void note_api_call(const void *code) { api_code = code; }

static void trace_end(const ConstructFacts &facts) {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, raw(facts.device), "%s at %s is done", construct_name(facts.kind),
                         construct_place(facts.location).to_string().c_str());
}

const char *construct_name(ConstructKind kind) {
  switch (kind) {
  case ConstructKind::kTarget: return "target";
  case ConstructKind::kEnterData: return "target enter data";
  case ConstructKind::kExitData: return "target exit data";
  case ConstructKind::kUpdate: return "target update";
  }
  return "?";
}

void Construct::begin(const ConstructFacts &facts, const ConstructArguments &arguments) {
  const uint32_t told = listeners();
  new (&record_) ConstructRecord{facts, current, 0, 0, 0, nullptr, nullptr, told};
  current = &record_;
  if (told & (listener::kTool | listener::kTrace | listener::kProfile))
    record_.number = next_number();
  if (told & listener::kInfo)
    print_arguments(facts, arguments);
  if (told & listener::kProfile)
    record_.begin_ns = now_ns();
  tell(told, &Listener::construct, record_, Endpoint::kBegin);
  if (told & listener::kRanges)
    push_range(range_text(facts));
}

void Construct::end() {
  if (record_.listeners & listener::kRanges)
    pop_range();
  tell(record_.listeners, &Listener::construct, record_, Endpoint::kEnd);
  if (record_.listeners & listener::kLines)
    trace_end(record_.facts);
  current = record_.outer;
}

// A range is its thread's: another thread may come back.
void Construct::suspend_reported() {
  if (record_.listeners & listener::kRanges)
    pop_range();
  current = record_.outer;
}

void Construct::resume_reported() {
  record_.outer = current;
  current = &record_;
  if (record_.listeners & listener::kRanges)
    push_range(range_text(record_.facts));
}

namespace {

/// Reports the begin of a data operation.
void report_begin(DataOperationRecord &record) {
  record.facts.code = current ? current->facts.code : api_code;
  if (record.listeners & listener::kInfo)
    print_copy(record.facts);
}
void report_begin(KernelRecord &record) {
  if (!(record.listeners & info::kKernel))
    return;
  if (has_silent_plugin(record.facts.device))
    print_info(raw(record.facts.device), "Launching kernel %s", record.facts.name);
  else // the plugin prints the kernel
    print_version_once();
}

void report_end(const DataOperationRecord &record) {
  if (ContentsListener *const follower = contents_listener())
    follower->moved(record.facts);
}
/// A device that queues work may still run it.
void report_end(const KernelRecord &record) {
  if (ContentsListener *const follower = contents_listener()) // for which nothing is queued
    follower->ran(record.facts.device);
  if (record.listeners & listener::kLines)
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, raw(record.facts.device), "the launch of %s has returned",
                           readable_name(record.facts.name).c_str());
}

void tell_endpoint(DataOperationRecord &record, Endpoint endpoint) {
  tell(record.listeners, &Listener::data_operation, record, endpoint);
}
void tell_endpoint(KernelRecord &record, Endpoint endpoint) {
  tell(record.listeners, &Listener::kernel, record, endpoint);
}

} // namespace

template <typename Record> void ReportedWork<Record>::begin(const Facts &facts) {
  const uint32_t told = listeners();
  new (&record_) Record{facts, 0, 0, told, false};
  report_begin(record_);
  tell_endpoint(record_, Endpoint::kBegin);
  if (told & (listener::kProfile | listener::kTrace))
    record_.begin_ns = now_ns();
  if (told & listener::kRanges)
    push_range(range_text(facts));
}

template <typename Record> void ReportedWork<Record>::end() {
  if (record_.listeners & listener::kRanges)
    pop_range();
  report_end(record_);
  const WorkTimes times = times_of_call(record_);
  tell_endpoint(record_, Endpoint::kEnd);
  if (!record_.is_late && internal::wants_times(record_.listeners))
    tell_done(record_, times, event_context(), 0);
}

template <typename Record> LateReport ReportedWork<Record>::postpone() {
  record_.is_late = true;
  return LateReport(record_);
}

template class ReportedWork<DataOperationRecord>;
template class ReportedWork<KernelRecord>;

LateReport::LateReport(const DataOperationRecord &record)
    : record_(record), context_(event_context()), begin_ns_(record.begin_ns), returned_ns_(now_ns()) {
  context_.thread = static_cast<uint32_t>(syscall(SYS_gettid));
  if (record.facts.kind == DataOperationKind::kToDevice)
    fingerprint_ = fingerprint_of(record);
}

LateReport::LateReport(const KernelRecord &record)
    : record_(record), context_(event_context()), begin_ns_(record.begin_ns), returned_ns_(now_ns()) {
  context_.thread = static_cast<uint32_t>(syscall(SYS_gettid));
}

/// No work begins before it is queued or ends after it is known to be complete, however well the clocks are compared;
/// how long it takes does not depend on that.
void LateReport::publish(const WorkTimes *times) const {
  WorkTimes told{begin_ns_, returned_ns_};
  if (times) {
    const uint64_t most = now_ns() - begin_ns_;
    const uint64_t duration = std::min(times->end_ns - std::min(times->begin_ns, times->end_ns), most);
    told.begin_ns = std::clamp(times->begin_ns, begin_ns_, begin_ns_ + most - duration);
    told.end_ns = told.begin_ns + duration;
  }
  std::visit([&](const auto &record) { observe::tell_done(record, told, context_, fingerprint_); }, record_);
}

uint64_t Wait::begin(DeviceId device) {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, raw(device), "waiting for the device's work");
  return now_ns();
}
void Wait::end() const {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, raw(device_), "the device's work is done");
  tell(listeners(), &Listener::waited, device_, begin_ns_, now_ns());
}

void mapping_entered(const MappingFacts &facts, CountChange change, bool is_hold, bool is_implicit) {
  print_mapping_entered(current_device(), facts, change, is_hold, is_implicit);
}
void mapping_released(const MappingFacts &facts, CountChange change, bool is_hold) {
  print_mapping_released(current_device(), facts, change, is_hold);
}
void mapping_looked_up(DeviceId device, const MappingFacts &facts) {
  print_mapping_released(device, facts, CountChange::kSuppressed, false);
}
void mapping_on_host(HostPtr begin, int64_t size) { print_mapping_on_host(current_device(), begin, size); }
void mapping_created(const MappingFacts &facts, DevicePtr allocation) {
  print_mapping_created(current_device(), facts, allocation);
  if (ContentsListener *const follower = contents_listener())
    follower->created(current_device(), facts);
}
void mapping_removed(const MappingFacts &facts) {
  print_mapping_removed(current_device(), facts);
  if (ContentsListener *const follower = contents_listener())
    follower->removed(current_device(), facts);
}

void internal::mapping_missing(const char *name) { print_mapping_missing(current_device(), name); }

void internal::host_fallback(const ConstructFacts &facts, const char *kernel, const char *reason) {
  const uint32_t told = observe::listeners();
  tell(told, &Listener::host_fallback, facts.location, kernel, reason);
  if (!(told & listener::kTool))
    return;
  ConstructRecord record{facts, current, next_number(), 0, 0, nullptr, nullptr, told};
  current = &record;
  for (const Endpoint endpoint : {Endpoint::kBegin, Endpoint::kEnd}) // for a tool, the region is one like others
    tell(listener::kTool, &Listener::construct, record, endpoint);
  current = record.outer;
}

static bool is_told_map_items(const Listener *one) {
  return (listeners() & one->bits) && one->map_items && one->wants_map_items();
}
bool reports_map_items() {
  return contents_listener() || std::any_of(all_listeners.begin(), all_listeners.end(), is_told_map_items);
}
void map_items(std::span<const MappedItem> items) {
  if (!current)
    return;
  if (ContentsListener *const follower = contents_listener(); follower && current->facts.kind == ConstructKind::kTarget)
    follower->used(current->facts.device, items);
  for (const Listener *const one : all_listeners)
    if (is_told_map_items(one))
      one->map_items(*current, items);
}

} // namespace omptarget::observe
