// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/constructs.h"

#include "device/invariants.h"
#include "device/kernel_call.h"
#include "device/mapping_notes.h"
#include "mapping/base_pointers.h"
#include "observe/checks.h"
#include "recorder/kernel_recorder.h"
#include "region/construct_report.h"
#include "region/entering.h"
#include "region/exiting.h"
#include "region/expansion.h"
#include "region/private_arguments.h"

namespace omptarget {

namespace {

/// The first pass of entering, with what observers learn of it. Returns whether all is entered.
[[gnu::always_inline]] inline bool retain_all(Device &device, MapArguments &arguments, size_t &first, Absence &absence,
                                              bool is_observed) {
  const bool are_present = retain_present(device.map(), arguments, first, absence);
  if (is_observed) [[unlikely]]
    ArgumentReport(device, arguments.list()).entered(arguments.refs);
  return are_present;
}

/// Enters all arguments. False: status has failed.
[[gnu::always_inline]] inline bool enter_all(Device &device, MapArguments &arguments, ConstructQueue &queue,
                                             const void *code, Status &status) {
  size_t first = 0;
  Absence absence;
  if (retain_all(device, arguments, first, absence, queue.is_observed())) [[likely]]
    return true;
  status = enter_rest(device, arguments, first, absence, queue, code);
  return status.is_ok();
}

/// The value of an argument without a reference of its own: a member, one that is looked up only, or one that is passed
/// as it is.
[[gnu::noinline]] void *uncounted_value_of(const Device &device, const Kernel &kernel, const MapList &list, int32_t i,
                                           const ArgumentRef &ref) {
  void *const base = list.bases[i];
  if (ref.mapping)
    if (const std::optional<DevicePtr> target = target_of(ref.ref(), host_ptr(base)))
      return raw(*target);
  return unmapped_argument(device, kernel, list.sizes[i], base);
}

/// The value of an argument for the kernel.
inline void *value_of(const Device &device, const Kernel &kernel, const MapList &list, int32_t i,
                      const ArgumentRef &ref) {
  void *const base = list.bases[i];
  if (ref.is_counted) [[likely]]
    return raw(ref.mapping->target_of(host_ptr(base)));
  return list.types[i] & static_cast<int64_t>(map_type::kLiteral) ? base
                                                                  : uncounted_value_of(device, kernel, list, i, ref);
}

using Slots = llvm::SmallVector<void *, 16>; ///< of call_kernel

inline Status call(const Region &region, const Device &device, void **slots, uint32_t count, Queue *queue) {
  const ParameterForm form = region.kernel.forms[static_cast<size_t>(region.request.block)];
  return call_kernel(device, region.kernel, form, region.request.args, slots, count, queue);
}

[[gnu::cold, gnu::noinline]] Status launch_observed(const Region &region, const MapArguments &arguments, void **slots,
                                                    uint32_t count, ConstructQueue &queue, bool is_at_once) {
  report_placed(arguments);
  report_kernel_arguments(queue.device(), arguments);
  return launch_observed(region.kernel, region.request, count, queue, is_at_once,
                         [&](Queue *used) { return call(region, queue.device(), slots, count, used); });
}

/// Launches the kernel with count arguments. is_at_once: it is complete on return.
[[gnu::always_inline]] inline Status launch(const Region &region, const MapArguments &arguments, void **slots,
                                            uint32_t count, ConstructQueue &queue, bool is_at_once) {
  if (queue.is_observed()) [[unlikely]]
    return launch_observed(region, arguments, slots, count, queue, is_at_once);
  return call(region, queue.device(), slots, count, is_at_once ? nullptr : &queue.plugin_queue());
}

/// Launches a kernel with private variables, or one that is recorded.
[[gnu::noinline]] Status call_with_care(const Region &region, const MapArguments &arguments, ConstructQueue &queue,
                                        bool &is_prepared) {
  const Device &device = queue.device();
  PrivateArguments privates(arguments, queue, region.recorder);
  OMPTARGET_TRY(privates.prepare());
  is_prepared = true;
  const MapList &list = arguments.list();
  Slots slots = {nullptr};
  for (int32_t i = 0; i < list.count; ++i) {
    const auto number = static_cast<size_t>(i);
    if (!arguments.has(number, map_type::kTargetParam))
      continue;
    slots.push_back(privates.has(number) ? raw(privates.address(number))
                                         : value_of(device, region.kernel, list, i, arguments.refs[number]));
    if (region.recorder) [[unlikely]]
      region.recorder->add_argument(item_of(list, i), arguments.refs[number].ref(), slots.back());
  }
  const auto count = static_cast<uint32_t>(slots.size() - 1);
  slots.push_back(nullptr);
  const auto run = [&] { return launch(region, arguments, slots.data(), count, queue, false); };
  return region.recorder ? region.recorder->record(arguments.refs, [&] { return queue.settle(); }, run) : run();
}

/// Returns whether the kernel needs a queue, since something may be copied back after it.
inline bool may_copy_back(const MapList &list, const ArgumentRefs &refs) {
  for (size_t i = 0; i < refs.size(); ++i)
    if (copies_back(static_cast<uint64_t>(list.types[i])) && refs[i].is_counted &&
        MappingState::count(refs[i].mapping->state()) == 1)
      return true;
  return false;
}

/// waits: the construct waits for the kernel. Then the kernel needs no queue if nothing else is in it, before or after.
/// is_prepared: becomes false if the failure is none of the kernel's.
[[gnu::always_inline]] inline Status start_kernel(const Region &region, const MapArguments &arguments,
                                                  ConstructQueue &queue, bool waits, bool &is_prepared) {
  constexpr uint64_t kPrepared = map_type::kPrivate | map_type::kPtrAndObj;
  if ((arguments.kinds & kPrepared) != 0 || region.recorder) [[unlikely]] {
    is_prepared = false;
    return call_with_care(region, arguments, queue, is_prepared);
  }
  const Device &device = queue.device();
  require(
      device, [&] { return !queue.has_unpublished(); }, "a kernel is launched before its data are published");
  const MapList &list = arguments.list();
  Slots slots;
  slots.resize_for_overwrite(static_cast<size_t>(list.count) + 2);
  void **last = slots.data();
  for (int32_t i = 0; i < list.count; ++i)
    if (list.types[i] & static_cast<int64_t>(map_type::kTargetParam))
      *++last = value_of(device, region.kernel, list, i, arguments.refs[static_cast<size_t>(i)]);
  const bool is_at_once = waits && device.plugin().is_asynchronous() && !queue.is_busy() &&
                          !(arguments.kinds & map_type::kAlways) && !may_copy_back(list, arguments.refs);
  const auto count = static_cast<uint32_t>(last - slots.data());
  return launch(region, arguments, slots.data(), count, queue, is_at_once);
}

/// The first part of a region: the kernel has run, or is queued. waits: as for start_kernel.
[[gnu::always_inline]] inline Ended start(Device &device, const Region &region, MapArguments &arguments,
                                          ConstructQueue &queue, bool waits, Status &status) {
  if (!enter_all(device, arguments, queue, nullptr, status)) [[unlikely]] {
    status = std::move(status).during(kDuringEntry).during(kBeforeKernel);
    return Ended::kNotStarted;
  }
  bool is_prepared = true;
  Status called = start_kernel(region, arguments, queue, waits, is_prepared);
  if (called.is_ok()) [[likely]] {
    if (queue.is_observed()) [[unlikely]]
      ArgumentReport(device, arguments.list()).exiting(arguments.refs);
    return Ended::kDone;
  }
  status = is_prepared ? std::move(called) : std::move(called).during(kBeforeKernel);
  return is_prepared ? Ended::kFailed : Ended::kNotStarted;
}

/// Writes device addresses back to the caller's bases (use_device_ptr, use_device_addr), once all data are in place.
inline void tell_addresses(const Device &device, const MapArguments &arguments, bool is_observed) {
  if (is_observed) [[unlikely]]
    report_placed(arguments);
  void **const bases = arguments.compilers_list().bases;
  for (size_t i = 0; i < arguments.refs.size(); ++i) {
    if (!arguments.has(i, map_type::kReturnParam) || arguments.argument(i) < 0)
      continue;
    void *&base = bases[arguments.argument(i)];
    base = arguments.list().bases[i];
    if (arguments.refs[i].mapping) [[likely]] {
      if (const std::optional<DevicePtr> target = target_of(arguments.refs[i].ref(), host_ptr(base)))
        base = raw(*target);
    } else if (!device.uses_host_memory()) {
      // Absent data keep their host address (OpenMP 5.2, section 5.4.8), or with fb_nullify becomes null (6.1).
      observe::mapping_missing(arguments.name(i));
      if (arguments.has(i, map_type::kNullify))
        base = nullptr;
    }
  }
}

/// Notes arguments that the construct leaves alone, as they are not mapped.
[[gnu::cold]] void note_absent_of(Device &device, const MapArguments &arguments) {
  MapItems items;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!arguments.has(i, map_type::kPointer | map_type::kLookUpOnly) && arguments.argument(i) >= 0)
      items.push_back(item_of(arguments.list(), static_cast<int32_t>(i)));
  note_absent(device, items);
}

[[gnu::cold]] void report_exit(const Device &device, const MapArguments &arguments) {
  report_placed(arguments);
  ArgumentReport(device, arguments.list()).exiting(arguments.refs);
}

} // namespace

Ended ended(Device &device, const char *during, Status waited, Status &status) {
  if (!waited.is_ok()) [[unlikely]] {
    status.consume();
    status = std::move(waited);
    return Ended::kFailed;
  }
  if (!status.is_ok() && during) [[unlikely]]
    status = std::move(status).during(during);
  check_present_data(device);
  return Ended::kDone;
}

Ended start_entry(Device &device, MapArguments &arguments, ConstructQueue &queue, const void *code, Status &status) {
  if (!enter_all(device, arguments, queue, code, status)) [[unlikely]]
    return Ended::kNotStarted;
  note_base_pointers(device.map(), arguments);
  tell_addresses(device, arguments, queue.is_observed());
  return Ended::kDone;
}

Ended run_entry(Device &device, MapArguments &arguments, bool is_observed, const void *code, Status &status) {
  size_t first = 0;
  Absence absence;
  if (!retain_all(device, arguments, first, absence, is_observed)) {
    ConstructQueue queue(device, is_observed);
    status = enter_rest(device, arguments, first, absence, queue, code);
    if (!queue.is_idle())
      status.keep_first(queue.wait());
    if (!status.is_ok()) [[unlikely]]
      return Ended::kNotStarted;
    note_base_pointers(device.map(), arguments);
  }
  tell_addresses(device, arguments, is_observed);
  check_present_data(device);
  return Ended::kDone;
}

[[gnu::noinline]] Status look_up(Device &device, MapArguments &arguments, ConstructQueue &queue, const void *code) {
  OMPTARGET_TRY(prepare(arguments, code, true));
  if (observe::checks_mapping())
    note_absent_of(device, arguments);
  llvm::SmallVector<MappingRef, 2> awaited;
  OMPTARGET_TRY(look_up_exit(device.map(), device.uses_host_memory(), arguments, awaited));
  if (awaited.empty()) [[likely]]
    return Status::ok();
  auto are_there = queue.wait_for_data(awaited); // what is gone is not copied
  return are_there.is_ok() ? Status::ok() : are_there.take_status();
}

Status find_for_exit(Device &device, MapArguments &arguments, ConstructQueue &queue, const void *code) {
  if (!find_present(device.map(), arguments))
    OMPTARGET_TRY(look_up(device, arguments, queue, code));
  if (queue.is_observed()) [[unlikely]]
    report_exit(device, arguments);
  return Status::ok();
}

/// As run_exit, where more is to be done than find_present can find.
[[gnu::noinline]] static Status run_careful_exit(Device &device, MapArguments &arguments, bool is_observed,
                                                 const void *code) {
  Status status;
  ConstructQueue queue(device, is_observed);
  OMPTARGET_TRY(look_up(device, arguments, queue, code));
  if (is_observed) [[unlikely]]
    report_exit(device, arguments);
  Exiting exiting(device, arguments, queue, status);
  if (device.plugin().is_asynchronous())
    exiting.start();
  (void)ended(device, nullptr, exiting.finish(), status);
  return status;
}

Status run_exit(Device &device, MapArguments &arguments, bool is_observed, const void *code) {
  if (!find_present(device.map(), arguments)) [[unlikely]]
    return run_careful_exit(device, arguments, is_observed, code);
  if (is_observed) [[unlikely]]
    report_placed(arguments);
  Status status;
  const bool is_asynchronous = device.plugin().is_asynchronous();
  if (is_asynchronous || !release_shared(device, arguments, is_observed)) {
    ConstructQueue queue(device, is_observed);
    Exiting exiting(device, arguments, queue, status);
    if (is_asynchronous) {
      exiting.start();
      (void)ended(device, nullptr, exiting.finish(), status);
      return status;
    }
    exiting.release_rest();
  }
  check_present_data(device);
  return status;
}

Ended start_region(Device &device, const Region &region, MapArguments &arguments, ConstructQueue &queue,
                   Status &status) {
  return start(device, region, arguments, queue, false, status);
}

Ended run_region(Device &device, const Region &region, MapArguments &arguments, bool is_observed, Status &status) {
  ConstructQueue queue(device, is_observed);
  if (const Ended started = start(device, region, arguments, queue, true, status); started != Ended::kDone) [[unlikely]]
    return started;
  if (!queue.is_idle() || (arguments.kinds & map_type::kAlways) != 0) {
    Exiting exiting(device, arguments, queue, status);
    if (queue.is_busy())
      exiting.start();
    return ended(device, kAfterKernel, exiting.finish(), status);
  }
  if (!release_shared(device, arguments, is_observed)) {
    Exiting(device, arguments, queue, status).release_rest();
    if (!status.is_ok()) [[unlikely]]
      status = std::move(status).during(kAfterKernel);
  }
  check_present_data(device);
  return Ended::kDone;
}

} // namespace omptarget
