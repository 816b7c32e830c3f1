// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace, information, profiles and tools learn from here of a construct without a plan. Such a construct has no
// report unless somebody observes.
#pragma once

#include "mapping/argument_refs.h"
#include "observe/construct_events.h"
#include "omptarget/types.h"
#include "region/device_times.h"
#include "region/launch.h"

namespace omptarget {

/// Some construct has made the mapping, which has storage by now; or has removed it.
void report_created(const Device &device, const Mapping &mapping);
void report_removed(const Device &device, const Removed &removed);

/// Returns the facts of a launch for observers.
[[gnu::cold]] observe::KernelFacts facts_of_launch(const Device &device, const Kernel &kernel,
                                                   const LaunchRequest &request);
/// Traces a launch in full words.
[[gnu::cold]] void trace_kernel_launch(const observe::KernelFacts &facts, uint32_t arguments);

/// The storage of a mapping that was removed is freed.
inline observe::DataOperationFacts deletion_of(const Device &device, const Removed &removed) {
  return {observe::DataOperationKind::kDelete,
          device.id(),
          raw(removed.begin),
          raw(removed.allocation),
          removed.size,
          removed.name};
}

/// The end of a mapping.
struct LastUse {
  observe::MappingFacts facts; ///< at the place of the argument that leaves it
  observe::CountChange change;
  Removed removal;
};

/// Copies an argument to the device, or queues that.
[[gnu::always_inline]] inline Status copy_argument(const Device &device, const MapList &list, size_t i,
                                                   const Mapping &mapping, Queue *queue) {
  void *const host = list.begins[i];
  return device.plugin_device().data_submit(raw(mapping.target_of(host_ptr(host))), host, list.sizes[i], queue);
}
/// Allocates storage for an argument.
inline Result<void *> allocate_argument(Device &device, const MapList &list, size_t i) {
  return device.allocate(list.sizes[i], list.begins[i], OMPTARGET_ALLOC_DEFAULT);
}

/// The steps of one construct, told one by one. Used by one thread.
class DirectReport {
public:
  /// list: of the construct; it may move its arrays, but outlives the report.
  DirectReport(Device &device, const MapList &list) : device_(device), list_(list), times_(device) {}
  ~DirectReport() {
    if (!times_.is_empty()) // something has failed
      times_.report(false);
  }
  DirectReport(const DirectReport &) = delete;
  DirectReport &operator=(const DirectReport &) = delete;

  /// The construct has retained the mapping of an argument, or of all that refs has.
  [[gnu::cold]] void entered(size_t i, const Mapping &mapping) const;
  [[gnu::cold]] void entered(const PresentRefs &refs) const;
  /// Allocates storage for an argument.
  [[gnu::cold]] Result<void *> allocate(size_t i) const;
  /// The construct has made a mapping of what a dormant one had.
  [[gnu::cold]] void revived(size_t i, const Mapping &mapping) const;
  /// All data are in place.
  [[gnu::cold]] void mapped(const PresentRefs &refs) const;

  /// Copies an argument to the device, or queues that.
  [[gnu::cold]] Status copy(size_t i, const Mapping &mapping, Queue &queue);
  /// Launches the kernel by launch(queue). If it is to be complete at once, launch() gets null, unless its times are
  /// taken. refs: the arguments.
  template <typename Work>
  [[gnu::cold]] Status launched(const Kernel &kernel, const PresentRefs &refs, const LaunchRequest &request,
                                Queue &queue, bool is_at_once, Work launch) {
    mapped(refs);
    report_arguments(refs);
    const observe::KernelFacts facts = facts_of_launch(device_, kernel, request);
    trace_kernel_launch(facts, request.args.NumArgs);
    observe::KernelLaunch operation(facts);
    Queue *const used = is_at_once && !operation.wants_times() ? nullptr : &queue;
    if (used)
      return times_.timed(queue, operation, [&] { return launch(used); });
    const observe::Wait wait(device_.id());
    return launch(nullptr);
  }
  /// The same of a kernel without arguments. Complete on return.
  template <typename Work>
  [[gnu::cold]] Status launched_alone(const Kernel &kernel, const LaunchRequest &request, Work launch) {
    Queue queue;
    Status status = launched(kernel, {}, request, queue, true, launch);
    if (queue.is_busy())
      status.keep_first(wait(queue));
    return status;
  }
  /// Waits for the queue, and tells the times of what was in it.
  [[gnu::cold]] Status wait(Queue &queue);

  /// The construct is about to leave these: tells of those that are not counted, but copied with others.
  [[gnu::cold]] void leaving(const PresentRefs &refs) const;
  /// The construct has taken a reference of an argument's mapping away.
  [[gnu::cold]] void left(size_t i, const Mapping &mapping, bool is_last) const;
  /// Finds out what there is to tell of the last use of a mapping, while it is still there.
  [[gnu::cold]] LastUse last_use(size_t i, const Mapping &mapping) const;
  /// The construct has taken the last reference away.
  [[gnu::cold]] void left(const LastUse &last) const;
  /// Tell that the storage of a mapping is freed; and, if it has not become dormant, that it is allocated again.
  [[gnu::cold]] void freed(const Removed &removed) const;
  [[gnu::cold]] void allocated(const Removed &removed) const;

private:
  observe::DataOperationFacts allocation_of(size_t i) const;
  observe::MappingFacts facts_of(size_t i, const Mapping &mapping) const;
  bool has(size_t i, uint64_t bits) const { return (static_cast<uint64_t>(list_.types[i]) & bits) != 0; }
  void tell_entered(size_t i, const observe::MappingFacts &facts) const;
  const char *name_of(size_t i) const { return list_.names ? static_cast<const char *>(list_.names[i]) : nullptr; }
  void report_arguments(const PresentRefs &refs) const;

  Device &device_;
  const MapList &list_;
  DeviceTimes times_;
};

} // namespace omptarget
