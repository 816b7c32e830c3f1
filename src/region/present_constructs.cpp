// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/present_constructs.h"

#include "device/invariants.h"
#include "region/device_work.h"
#include "region/small_data.h"

namespace omptarget {

namespace {

/// The value of an argument that retain_present has dealt with.
void *value_of(const Device &device, const MapList &list, int32_t i, const PresentRef &ref) {
  void *const base = list.bases[i];
  if (ref.mapping) [[likely]]
    return raw(ref.mapping->target_of(host_ptr(base))); // we hold a reference
  return list.types[i] & static_cast<int64_t>(map_type::kLiteral) ? base : unmapped_argument(device, list.sizes[i], base);
}

/// The last construct that gives back what was removed frees it.
[[gnu::cold, gnu::noinline]] Status give_back_whole(Device &device, MappingRef ref) {
  const Removed removed = device.map().give_back(ref);
  return removed.is_free ? free_removed(device, removed) : Status::ok();
}

/// Copies what was borrowed for an update.
Status copy_borrowed(Device &device, const MapList &list, uint64_t direction, const PresentRefs &refs) {
  for (int32_t i = 0; i < list.count; ++i) {
    void *const host = list.begins[i];
    const int64_t size = list.sizes[i];
    void *const target = raw(refs[static_cast<size_t>(i)].mapping->target_of(host_ptr(host)));
    const bool is_to = direction == map_type::kTo;
    Status status = is_to ? device.plugin_device().data_submit(target, host, size, nullptr)
                          : device.plugin_device().data_retrieve(host, target, size, nullptr);
    if (!status.is_ok()) [[unlikely]]
      return during_copy(std::move(status),
                         {refs[static_cast<size_t>(i)].ref(), host_ptr(host), size,
                          list.names ? static_cast<const char *>(list.names[i]) : nullptr},
                         is_to ? "to" : "from");
  }
  return Status::ok();
}

Status give_back(Device &device, const PresentRefs &refs) {
  Status status;
  for (const PresentRef &ref : refs)
    if (!device.map().give_back_simply(ref.ref())) [[unlikely]]
      status.keep_first(give_back_whole(device, ref.ref()));
  return status;
}

} // namespace

bool enter_directly(Device &device, const MapList &list, PresentRefs &refs, Status &status) {
  if (!retain_present(device.map(), list, refs) && !enter_small(device, list, refs, status)) [[unlikely]]
    return !status.is_ok();
  for (int32_t i = 0; i < list.count; ++i)
    if (list.types[i] & static_cast<int64_t>(map_type::kReturnParam))
      list.bases[i] = raw(refs[static_cast<size_t>(i)].mapping->target_of(host_ptr(list.bases[i])));
  check_present_data(device);
  return true;
}

bool leave_directly(Device &device, const MapList &list, PresentRefs &refs, Status &status) {
  if (!find_present(device.map(), list, refs)) {
    refs.clear();
    return false;
  }
  if (!release_shared(device.map(), refs) && !leave_small(device, list, refs, status))
    return false;
  check_present_data(device);
  return true;
}

bool update_directly(Device &device, const MapList &list, Status &status) {
  PresentRefs refs;
  const uint64_t direction = borrow_present(device.map(), list, refs);
  if (direction != 0)
    status = copy_borrowed(device, list, direction, refs);
  status.keep_first(give_back(device, refs));
  check_present_data(device);
  return direction != 0 || !status.is_ok();
}

DirectLaunch launch_directly(Device &device, const Kernel &kernel, LaunchRequest &request, PresentRefs &refs, Status &status) {
  const MapList &list = request.list;
  if (!retain_present(device.map(), list, refs) && !enter_small(device, list, refs, status)) [[unlikely]] {
    if (status.is_ok())
      return DirectLaunch::kNotEntered;
    status = std::move(status).during(kBeforeKernel);
    return DirectLaunch::kFailed;
  }
  KernelCall call(device, kernel, request);
  for (int32_t i = 0; i < list.count; ++i)
    if (list.types[i] & static_cast<int64_t>(map_type::kTargetParam))
      call.add(value_of(device, list, i, refs[static_cast<size_t>(i)]));
  call.prepare(nullptr);
  Queue queue;
  status = call.start(queue);
  if (!status.is_ok()) [[unlikely]]
    return DirectLaunch::kFailed;
  const bool is_left = release_shared(device.map(), refs) || leave_small(device, list, refs, status);
  if (!status.is_ok()) [[unlikely]]
    status = std::move(status).during(kAfterKernel);
  if (!is_left) [[unlikely]]
    return DirectLaunch::kNotLeft;
  check_present_data(device);
  return DirectLaunch::kDone;
}

} // namespace omptarget
