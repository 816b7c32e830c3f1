// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/direct_constructs.h"

#include "device/invariants.h"
#include "region/direct_mapping.h"

namespace omptarget {

namespace {

/// The value of an argument that retain_present has dealt with.
void *value_of(const Device &device, const Kernel &kernel, const MapList &list, int32_t i, const PresentRef &ref) {
  void *const base = list.bases[i];
  if (ref.mapping) [[likely]]
    return raw(ref.mapping->target_of(host_ptr(base))); // we hold a reference
  return list.types[i] & static_cast<int64_t>(map_type::kLiteral)
             ? base
             : unmapped_argument(device, kernel, list.sizes[i], base);
}

[[gnu::cold, gnu::noinline]] Status call_observed(const Device &device, const Kernel &kernel, LaunchRequest &request,
                                                  const PresentRefs &refs, void **slots, uint32_t count,
                                                  ConstructQueue &queue, bool is_at_once) {
  const ParameterForm form = kernel.forms[static_cast<size_t>(request.block)];
  report_placed(request.list, refs);
  report_kernel_arguments(request.list, refs);
  return launch_observed(kernel, request, count, queue, is_at_once, [&](Queue *used) {
    return call_kernel(device, kernel, form, request.args, slots, count, used);
  });
}

/// Returns whether something is to be copied back after the kernel, unless another construct retains it meanwhile.
inline bool may_copy_back(const MapList &list, const PresentRefs &refs) {
  for (size_t i = 0; i < refs.size(); ++i)
    if ((list.types[i] & static_cast<int64_t>(map_type::kFrom)) && refs[i].is_counted &&
        MappingState::count(refs[i].mapping->state()) == 1)
      return true;
  return false;
}

/// waits: the construct waits for the kernel. Then the kernel needs no queue if nothing else is in it, before or after.
[[gnu::always_inline]] inline Status start_kernel(const Device &device, const Kernel &kernel, LaunchRequest &request,
                                                  const PresentRefs &refs, ConstructQueue &queue, bool waits) {
  const ParameterForm form = kernel.forms[static_cast<size_t>(request.block)];
  const MapList &list = request.list;
  llvm::SmallVector<void *, 16> slots;
  slots.resize_for_overwrite(static_cast<size_t>(list.count) + 2);
  void **last = slots.data();
  for (int32_t i = 0; i < list.count; ++i)
    if (list.types[i] & static_cast<int64_t>(map_type::kTargetParam))
      *++last = value_of(device, kernel, list, i, refs[static_cast<size_t>(i)]);
  const bool is_at_once = waits && device.plugin().is_asynchronous() && !queue.is_busy() && !may_copy_back(list, refs);
  const auto count = static_cast<uint32_t>(last - slots.data());
  if (queue.is_observed()) [[unlikely]]
    return call_observed(device, kernel, request, refs, slots.data(), count, queue, is_at_once);
  return call_kernel(device, kernel, form, request.args, slots.data(), count,
                     is_at_once ? nullptr : &queue.plugin_queue());
}

/// Enters what is present, and then plain data. False: as enter_plain.
[[gnu::always_inline]] inline bool enter_all(Device &device, const MapList &list, PresentRefs &refs,
                                             ConstructQueue &queue, Status &status) {
  Absence absence;
  const bool are_present = retain_present(device.map(), list, refs, absence);
  if (queue.is_observed()) [[unlikely]]
    ArgumentReport(device, list).entered(refs);
  return are_present || enter_plain(device, list, refs, absence, queue, status);
}

/// The first part of launch_directly: the kernel has run, or is queued. waits: as for start_kernel.
[[gnu::always_inline]] inline DirectLaunch start(Device &device, const Kernel &kernel, LaunchRequest &request,
                                                 PresentRefs &refs, ConstructQueue &queue, bool waits, Status &status) {
  if (!enter_all(device, request.list, refs, queue, status)) [[unlikely]] {
    if (status.is_ok())
      return DirectLaunch::kNotEntered;
    status = std::move(status).during(kDuringEntry).during(kBeforeKernel);
    return DirectLaunch::kNotStarted;
  }
  Status called = start_kernel(device, kernel, request, refs, queue, waits);
  if (called.is_ok()) [[likely]]
    return DirectLaunch::kDone;
  status = std::move(called);
  return DirectLaunch::kFailed;
}

/// Writes device addresses back to the caller's bases (use_device_ptr, use_device_addr), once all data are in place.
inline void tell_addresses(const MapList &list, const PresentRefs &refs, bool is_observed) {
  if (is_observed) [[unlikely]]
    report_placed(list, refs);
  for (int32_t i = 0; i < list.count; ++i)
    if (list.types[i] & static_cast<int64_t>(map_type::kReturnParam))
      list.bases[i] = raw(refs[static_cast<size_t>(i)].mapping->target_of(host_ptr(list.bases[i])));
}

} // namespace

DirectLaunch ended(Device &device, const char *during, Status waited, Status &status) {
  if (!waited.is_ok()) [[unlikely]] {
    status.consume();
    status = std::move(waited);
    return DirectLaunch::kFailed;
  }
  if (!status.is_ok() && during) [[unlikely]]
    status = std::move(status).during(during);
  check_present_data(device);
  return DirectLaunch::kDone;
}

bool start_entry(Device &device, const MapList &list, PresentRefs &refs, ConstructQueue &queue, Status &status) {
  if (!enter_all(device, list, refs, queue, status)) [[unlikely]]
    return false;
  tell_addresses(list, refs, queue.is_observed());
  return true;
}

bool enter_directly(Device &device, const MapList &list, PresentRefs &refs, bool is_observed, Status &status) {
  Absence absence;
  const bool are_present = retain_present(device.map(), list, refs, absence);
  if (is_observed) [[unlikely]]
    ArgumentReport(device, list).entered(refs);
  if (!are_present) {
    ConstructQueue queue(device, is_observed);
    if (!enter_plain(device, list, refs, absence, queue, status)) [[unlikely]]
      return !status.is_ok();
    if (!queue.is_idle())
      status = queue.wait();
  }
  tell_addresses(list, refs, is_observed);
  check_present_data(device);
  return true;
}

bool find_left(Device &device, const MapList &list, PresentRefs &refs, uint64_t &kinds, bool is_observed) {
  if (!find_present(device.map(), list, refs, kinds)) {
    refs.clear();
    return false;
  }
  if (is_observed) [[unlikely]]
    report_placed(list, refs);
  return true;
}

bool leave_directly(Device &device, const MapList &list, PresentRefs &refs, bool is_observed, Status &status) {
  uint64_t kinds = 0;
  if (!find_left(device, list, refs, kinds, is_observed))
    return false;
  const bool is_asynchronous = device.plugin().is_asynchronous();
  if (is_asynchronous || !leave_shared(device, list, refs, kinds, is_observed)) {
    ConstructQueue queue(device, is_observed);
    Leaving leaving(device, list, refs, queue, kinds, status);
    if (is_asynchronous) {
      leaving.start();
      (void)ended(device, nullptr, leaving.finish(), status);
      return true;
    }
    leaving.leave_rest();
  }
  check_present_data(device);
  return true;
}

DirectLaunch start_launch(Device &device, const Kernel &kernel, LaunchRequest &request, PresentRefs &refs,
                          ConstructQueue &queue, Status &status) {
  return start(device, kernel, request, refs, queue, false, status);
}

DirectLaunch launch_directly(Device &device, const Kernel &kernel, LaunchRequest &request, PresentRefs &refs,
                             bool is_observed, Status &status) {
  ConstructQueue queue(device, is_observed);
  if (const DirectLaunch started = start(device, kernel, request, refs, queue, true, status);
      started != DirectLaunch::kDone) [[unlikely]]
    return started;
  if (queue.is_busy()) {
    Leaving leaving(device, request.list, refs, queue, 0, status);
    leaving.start();
    return ended(device, kAfterKernel, leaving.finish(), status);
  }
  if (!leave_shared(device, request.list, refs, 0, is_observed)) {
    Leaving(device, request.list, refs, queue, 0, status).leave_rest();
    if (!status.is_ok()) [[unlikely]]
      status = std::move(status).during(kAfterKernel);
  }
  check_present_data(device);
  return DirectLaunch::kDone;
}

} // namespace omptarget
