// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/direct_constructs.h"

#include <cstring>
#include <llvm/ADT/STLExtras.h>

#include "base/page_access.h"
#include "base/sched_point.h"
#include "device/invariants.h"
#include "region/device_work.h"

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
                                                  DirectQueue &queue, bool is_at_once) {
  const ParameterForm form = kernel.forms[static_cast<size_t>(request.block)];
  request.args.NumArgs = count; // for the report
  return queue.report()->launched(kernel, refs, request, queue.get(), is_at_once, [&](Queue *used) {
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
                                                  const PresentRefs &refs, DirectQueue &queue, bool waits) {
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
  if (queue.report()) [[unlikely]]
    return call_observed(device, kernel, request, refs, slots.data(), count, queue, is_at_once);
  return call_kernel(device, kernel, form, request.args, slots.data(), count, is_at_once ? nullptr : &queue.get());
}

/// Enters what is present, and then plain data. False: as enter_plain.
[[gnu::always_inline]] inline bool enter_all(Device &device, const MapList &list, PresentRefs &refs, DirectQueue &queue,
                                             Status &status) {
  Absence absence;
  const bool are_present = retain_present(device.map(), list, refs, absence);
  if (queue.report()) [[unlikely]]
    queue.report()->entered(refs);
  return are_present || enter_plain(device, list, refs, absence, queue, status);
}

/// The first part of launch_directly: the kernel has run, or is queued. waits: as for start_kernel.
[[gnu::always_inline]] inline DirectLaunch start(Device &device, const Kernel &kernel, LaunchRequest &request,
                                                 PresentRefs &refs, DirectQueue &queue, bool waits, Status &status) {
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

/// The end of a construct whose work is complete. waited: whether it has failed. status: what failed besides.
inline DirectLaunch ended(Device &device, const char *during, Status waited, Status &status) {
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

/// Writes device addresses back to the caller's bases (use_device_ptr, use_device_addr).
inline void return_addresses(const MapList &list, const PresentRefs &refs) {
  for (int32_t i = 0; i < list.count; ++i)
    if (list.types[i] & static_cast<int64_t>(map_type::kReturnParam))
      list.bases[i] = raw(refs[static_cast<size_t>(i)].mapping->target_of(host_ptr(list.bases[i])));
}

/// Finds what the construct leaves. False: planning has to do it.
inline bool find_left(Device &device, const MapList &list, PresentRefs &refs, uint64_t &kinds,
                      const DirectReport *report) {
  if (!find_present(device.map(), list, refs, kinds)) {
    refs.clear();
    return false;
  }
  if (report) [[unlikely]]
    report->mapped(refs);
  return true;
}

} // namespace

bool enter_directly(Device &device, const MapList &list, PresentRefs &refs, DirectReport *report, Status &status) {
  Absence absence;
  const bool are_present = retain_present(device.map(), list, refs, absence);
  if (report) [[unlikely]]
    report->entered(refs);
  if (!are_present) {
    DirectQueue queue(device, refs, report);
    if (!enter_plain(device, list, refs, absence, queue, status)) [[unlikely]]
      return !status.is_ok();
    if (queue.is_busy())
      status = queue.complete();
  }
  if (report) [[unlikely]]
    report->mapped(refs);
  return_addresses(list, refs);
  check_present_data(device);
  return true;
}

bool leave_directly(Device &device, const MapList &list, PresentRefs &refs, DirectReport *report, Status &status) {
  uint64_t kinds = 0;
  if (!find_left(device, list, refs, kinds, report))
    return false;
  const bool is_asynchronous = device.plugin().is_asynchronous();
  if (is_asynchronous || !leave_shared(list, refs, kinds, report)) {
    DirectQueue queue(device, refs, report);
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

DirectLaunch launch_directly(Device &device, const Kernel &kernel, LaunchRequest &request, PresentRefs &refs,
                             DirectReport *report, Status &status) {
  DirectQueue queue(device, refs, report);
  if (const DirectLaunch started = start(device, kernel, request, refs, queue, true, status);
      started != DirectLaunch::kDone) [[unlikely]]
    return started;
  if (queue.is_busy()) {
    Leaving leaving(device, request.list, refs, queue, 0, status);
    leaving.start();
    return ended(device, kAfterKernel, leaving.finish(), status);
  }
  if (!leave_shared(request.list, refs, 0, report)) {
    Leaving(device, request.list, refs, queue, 0, status).leave_rest();
    if (!status.is_ok()) [[unlikely]]
      status = std::move(status).during(kAfterKernel);
  }
  check_present_data(device);
  return DirectLaunch::kDone;
}

DirectLaunch DirectHalves::launch(const Kernel &kernel, LaunchRequest &request, Status &status) {
  const DirectLaunch started = start(device_, kernel, request, refs_, queue_, false, status);
  if (started != DirectLaunch::kDone) [[unlikely]]
    queue_.complete().consume(); // nothing may be under way when what it uses is given back
  else if (queue_.is_busy())
    leaving_.start();
  return started;
}

DirectLaunch DirectHalves::enter(Status &status) {
  kind_ = Kind::kEntry;
  if (!enter_all(device_, list_, refs_, queue_, status)) [[unlikely]]
    return status.is_ok() ? DirectLaunch::kNotEntered : DirectLaunch::kNotStarted;
  if (report_)
    report_->mapped(refs_);
  return_addresses(list_, refs_);
  return DirectLaunch::kDone;
}

DirectLaunch DirectHalves::leave(Status &) {
  kind_ = Kind::kExit;
  uint64_t kinds = 0;
  if (!find_left(device_, list_, refs_, kinds, report_.get()))
    return DirectLaunch::kNotEntered;
  leaving_.add_kinds(kinds);
  leaving_.start();
  return DirectLaunch::kDone;
}

DirectLaunch DirectHalves::finish(Status &status) {
  if (kind_ == Kind::kEntry) {
    status = queue_.complete();
    check_present_data(device_);
    return status.is_ok() ? DirectLaunch::kDone : DirectLaunch::kNotStarted;
  }
  const bool is_region = kind_ == Kind::kRegion;
  Status waited = leaving_.finish();
  status = std::move(besides_);
  const DirectLaunch so_far = ended(device_, is_region ? kAfterKernel : nullptr, std::move(waited), status);
  return is_region ? so_far : DirectLaunch::kDone;
}

void DirectHalves::keep_list() {
  if (OMPTARGET_PLANTED("list-lent"))
    return;
  const auto count = static_cast<size_t>(list_.count);
  kept_.reset(new void *[5 * count]);
  void **end = kept_.get();
  const auto keep = [&](auto *&values) {
    static_assert(sizeof *values == sizeof *end);
    if (!values)
      return;
    std::memcpy(end, values, count * sizeof *end);
    values = reinterpret_cast<std::remove_reference_t<decltype(values)>>(end);
    end += count;
  };
  keep(list_.bases);
  keep(list_.begins);
  keep(list_.sizes);
  keep(list_.types);
  keep(list_.names);
  list_.mappers = nullptr; // no argument has one
}

} // namespace omptarget
