// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/transfer.h"

#include <cinttypes>
#include <cstring>

#include "base/log.h"
#include "base/sched_point.h"
#include "base/settings.h"
#include "device/invariants.h"
#include "mapping/variable_name.h"
#include "observe/construct_events.h"

namespace omptarget {

namespace {

/// Settings that are needed in each construct, read once.
struct MappingSettings {
  bool force_atomic = setting_flag(SettingId::kMapForceAtomic);
  bool attach_always = setting_flag(SettingId::kAttachAutoAsAlways);
};
using observe::DataOperation;
using observe::DataOperationKind;

const MappingSettings &mapping_settings() {
  static const MappingSettings settings;
  return settings;
}

} // namespace

Status during_copy(Status status, const Copy &copy, const char *direction) {
  if (status.is_ok()) [[likely]]
    return status;
  return std::move(status)
      .during(format("Copying data %s device failed: %" PRId64 " bytes of host address 0x%016" PRIxPTR, direction,
                     copy.size, static_cast<uintptr_t>(copy.host)))
      .about(variable_text(copy.name, copy.size));
}

DeviceWork::~DeviceWork() { // something is left only after a failure, which is on its way up
  if (queue_.is_busy() || !temporaries_.empty()) [[unlikely]]
    finish().consume();
  if (!exit_.late.empty()) [[unlikely]]
    leave_late(false).consume();
  if (!exit_.left.empty()) [[unlikely]]
    leave_mappings().consume();
  check_present_data(device_);
}

MappingPolicy DeviceWork::policy_of(const Device &device) {
  MappingPolicy policy;
  policy.use_host_memory = device.uses_host_memory();
  policy.pins_released = device.plugin().is_asynchronous();
  policy.attach_always = mapping_settings().attach_always;
  return policy;
}

Status DeviceWork::enter(MapItems &items) {
  EnterPlan plan;
  if (Status status = plan_enter(device_.map(), policy_, items, plan); !status) {
    free_all(plan.removed).consume();
    return status;
  }
  if (plan.is_empty()) [[likely]]
    return Status::ok();
  auto is_done = carry_out(plan);
  if (!is_done.is_ok()) {
    give_back(items, plan).consume();
    return is_done.take_status();
  }
  return *is_done ? Status::ok() : enter_again(items, plan);
}

/// Plans anew before the last plan is given back, so that what is referenced stays.
Status DeviceWork::enter_again(MapItems &items, EnterPlan &first) {
  std::unique_ptr<EnterPlan> last;
  for (;;) {
    OMPTARGET_TRACE_DEVICE(Topic::kMapping, device_.id(), "what another thread was mapping is gone: planning anew");
    auto plan = std::make_unique<EnterPlan>();
    MapItems again = unplanned(items);
    Status status = plan_enter(device_.map(), policy_, again, *plan);
    Status given_back = give_back(items, last ? *last : first);
    items = again;
    last = std::move(plan);
    Result<bool> is_done = status.is_ok() ? carry_out(*last) : Result<bool>(std::move(status));
    if (is_done.is_ok() && *is_done)
      return given_back;
    given_back.consume(); // there is worse, or it comes again
    if (!is_done.is_ok()) {
      give_back(items, *last).consume();
      return is_done.take_status();
    }
  }
}

/// False if something that it waited for is gone: the plan must be given back.
Result<bool> DeviceWork::carry_out(const EnterPlan &plan) {
  OMPTARGET_TRY(allocate(plan));
  OMPTARGET_SCHED_POINT("enter: allocated");
  for (const EnteredMapping &entered : plan.entered)
    entered.report();
  OMPTARGET_TRY_ASSIGN(const bool is_filled, fill(plan));
  if (!is_filled)
    return false;
  OMPTARGET_SCHED_POINT("enter: filled");
  OMPTARGET_TRY(publish(plan));
  OMPTARGET_SCHED_POINT("enter: published");
  if (!plan.awaited.empty()) {
    OMPTARGET_TRY_ASSIGN(const bool are_there, await(plan.awaited));
    if (!are_there)
      return false;
  }
  for (const Copy &copy : plan.late_copies)
    OMPTARGET_TRY(copy_to_device(copy));
  for (const Attachment &action : plan.late_attachments)
    OMPTARGET_TRY(attach(action));
  for (const MappingRef &ref : plan.borrowed)
    exit_.left.push_back({ref, LeftMapping::How::kBorrowed});
  return true;
}

namespace {

void report_created(const NewStorage &storage, DevicePtr allocation) {
  const Mapping &mapping = *storage.ref.mapping;
  observe::mapping_created({mapping.base(), storage.begin, allocation + storage.padding, storage.size,
                            MappingState::reported_count(mapping.state()), mapping.hold_count(), mapping.name()},
                           allocation);
}

} // namespace

Status DeviceWork::allocate(const EnterPlan &plan) {
  for (const NewStorage &storage : plan.allocations) {
    const int64_t bytes = storage.size + storage.padding;
    DataOperation operation({DataOperationKind::kAllocate, device_.id(), raw(storage.begin), nullptr, bytes,
                             storage.ref.mapping->name()});
    auto allocated = device_.plugin_device().data_alloc(bytes, raw(storage.begin), OMPTARGET_ALLOC_DEFAULT);
    if (!allocated)
      return allocated.take_status()
          .during(format("%" PRId64 " bytes for host address 0x%016" PRIxPTR " could not be allocated on device %d",
                         bytes, static_cast<uintptr_t>(storage.begin), raw(device_.id())))
          .during("Call to getTargetPointer returned null pointer (device failure or illegal mapping).")
          .about(variable_text(storage.ref.mapping->name(), storage.size));
    const DevicePtr allocation = device_ptr(*allocated);
    operation.set_target(*allocated);
    Status notified = notify_mapped(storage);
    OMPTARGET_SCHED_POINT("enter: no storage yet");
    device_.map().publish_storage(*storage.ref.mapping, allocation + storage.padding, allocation);
    OMPTARGET_TRY(std::move(notified));
    OMPTARGET_TRACE_DEVICE(Topic::kMapping, device_.id(), "new mapping: host %p, device %p, %" PRId64 " bytes, %s",
                           raw(storage.begin), raw(allocation + storage.padding), storage.size,
                           storage.ref.mapping->name() ? storage.ref.mapping->name() : "unknown");
    if (observe::reports_mappings()) [[unlikely]]
      report_created(storage, allocation);
  }
  return Status::ok();
}

Status DeviceWork::notify_mapped(const NewStorage &storage) {
  return device_.plugin_device().data_notify_mapped(raw(storage.begin), storage.size);
}

/// False as carry_out.
Result<bool> DeviceWork::fill(const EnterPlan &plan) {
  for (const Copy &copy : plan.copies)
    OMPTARGET_TRY(copy_to_device(copy));
  for (const Attachment &action : plan.attachments) {
    // The target's address is enough; its data may still be on the way.
    if (!action.target.mapping->wait_for(MappingState::kStorage, action.target.generation))
      return false;
    OMPTARGET_TRY(attach(action));
  }
  return true;
}

/// An event after which all that is queued now is done. It lives as long as somebody may wait for it.
Result<std::shared_ptr<void>> DeviceWork::record_arrival() {
  const PluginDevice device = device_.plugin_device();
  OMPTARGET_TRY_ASSIGN(void *const event, device.create_event());
  std::shared_ptr<void> arrival(event, [device](void *handle) { device.destroy_event(handle); });
  OMPTARGET_TRY(device.record_event(event, queue_));
  return arrival;
}

/// Other threads may use the new data once their copies have arrived: this thread waits for them, or if the device has
/// events, the queues of the others will.
Status DeviceWork::publish(const EnterPlan &plan) {
  if (plan.allocations.empty())
    return Status::ok();
  std::shared_ptr<void> arrival;
  if (queue_.is_busy() && mapping_settings().force_atomic) {
    if (device_.plugin().has_events()) {
      OMPTARGET_TRY_ASSIGN(arrival, record_arrival());
    } else {
      OMPTARGET_TRY(device_.plugin_device().synchronize(queue_));
    }
  }
  for (const NewStorage &storage : plan.allocations) {
    if (arrival)
      arriving_.push_back(storage.ref);
    // Somebody may have taken all references meanwhile.
    if (!device_.map().publish_ready(storage.ref, arrival)) [[unlikely]] {
      OMPTARGET_TRY(finish());
      OMPTARGET_TRY(free_removed(device_, device_.map().remove_if_unused(storage.ref)));
    }
  }
  return Status::ok();
}

/// Whether all of them are still there.
Result<bool> DeviceWork::await(const llvm::SmallVectorImpl<MappingRef> &awaited) {
  const uint64_t bit = mapping_settings().force_atomic ? MappingState::kReady : MappingState::kStorage;
  bool are_there = true;
  for (const MappingRef &ref : awaited) {
    OMPTARGET_SCHED_POINT("await");
    if (!ref.mapping->wait_for(bit, ref.generation))
      are_there = false;
    else if (const std::shared_ptr<void> arrival = device_.map().arrival(ref))
      OMPTARGET_TRY(device_.plugin_device().wait_event(arrival.get(), queue_));
  }
  return are_there;
}

Status DeviceWork::copy_to_device(const Copy &copy) {
  const std::optional<DevicePtr> target = target_of(copy.mapping, copy.host);
  OMPTARGET_SCHED_POINT("copy: placed");
  if (!target) [[unlikely]]
    return copy.needed_by ? missing_present(copy) : Status::ok();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_.id(), "to device: host %p, device %p, %" PRId64 " bytes, %s",
                         raw(copy.host), raw(*target), copy.size, copy.name ? copy.name : "unknown");
  const DataOperation operation({DataOperationKind::kToDevice, device_.id(), raw(copy.host), raw(*target), copy.size,
                                 copy.mapping.mapping->name()});
  OMPTARGET_TRY(during_copy(
      timed(device_.plugin_device().data_submit(raw(*target), raw(copy.host), copy.size, &queue_)), copy,
      "to"));
  return copy.mapping.mapping->has_attached_pointers() ? rewrite_pointers(copy) : Status::ok();
}

/// The copy brought host values to pointers that must hold device addresses.
Status DeviceWork::rewrite_pointers(const Copy &copy) {
  for (const AttachedPointer &pointer : device_.map().attached_in(copy.mapping, copy.host, copy.size))
    OMPTARGET_TRY(write_value(pointer.device_address, &pointer.device_value, sizeof pointer.device_value));
  return Status::ok();
}

void *DeviceWork::keep(const void *value, size_t size) {
  values_.push_back(std::make_unique<std::byte[]>(size));
  return std::memcpy(values_.back().get(), value, size);
}

Status DeviceWork::write_value(DevicePtr target, const void *value, int64_t size) {
  if (device_.plugin().is_asynchronous())
    value = keep(value, static_cast<size_t>(size));
  const DataOperation operation({DataOperationKind::kToDevice, device_.id(), value, raw(target), size, nullptr});
  return timed(device_.plugin_device().data_submit(raw(target), value, size, &queue_));
}

Status DeviceWork::write_from_host(DevicePtr target, HostPtr source, int64_t size) {
  const DataOperation operation({DataOperationKind::kToDevice, device_.id(), raw(source), raw(target), size, nullptr});
  return timed(device_.plugin_device().data_submit(raw(target), raw(source), size, &queue_));
}

Status DeviceWork::attach(const Attachment &action) {
  const HostPtr host_value = load_pointer(action.pointer);
  const std::optional<DevicePtr> device_value = target_of(action.target, host_value);
  const std::optional<DevicePtr> device_address = target_of(action.pointer_mapping, action.pointer);
  if (!device_value || !device_address)
    return Status::ok(); // not present any more
  // Where writes are complete at once, another construct's is waited for. Elsewhere it is in a queue that this construct's
  // knows nothing of, so that the pointer is written once more.
  const bool waits = !device_.plugin().is_asynchronous();
  if (!device_.map().note_attached(action.pointer_mapping,
                                   {action.pointer, host_value, *device_address, *device_value, this}, waits))
    return Status::ok();
  attaching_.emplace_back(action.pointer_mapping, action.pointer);
  Status status = write_pointer(action, *device_address, *device_value);
  if (waits)
    settle_attached();
  return status;
}

void DeviceWork::settle_attached() {
  for (const auto &[mapping, pointer] : attaching_)
    device_.map().settle_attached(mapping, pointer, this);
  attaching_.clear();
}

Status DeviceWork::write_pointer(const Attachment &action, DevicePtr device_address, DevicePtr device_value) {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device_.id(), "attaching pointer %p (device %p) to %p", raw(action.pointer),
                         raw(device_address), raw(device_value));
  if (action.size <= static_cast<int64_t>(sizeof device_value))
    return write_value(device_address, &device_value, sizeof device_value);
  // A descriptor: its first word is the address, the rest describes it.
  std::vector<std::byte> descriptor(static_cast<size_t>(action.size));
  std::memcpy(descriptor.data(), raw(action.pointer), descriptor.size());
  std::memcpy(descriptor.data(), &device_value, sizeof device_value);
  return write_value(device_address, descriptor.data(), action.size);
}

/// Queued copies into what goes are waited for.
Status DeviceWork::give_back(MapItems &items, EnterPlan &plan) {
  Status status = queue_.is_busy() ? device_.plugin_device().synchronize(queue_) : Status::ok();
  settle_attached();
  abandon_enter(device_.map(), items, plan);
  Status freed = free_all(plan.removed);
  if (status.is_ok())
    return freed;
  freed.consume();
  return status;
}

Status DeviceWork::free_all(const std::vector<Removed> &all) {
  Status status;
  for (const Removed &removed : all) {
    status.keep_first(free_removed(device_, removed));
  }
  return status;
}

Status DeviceWork::start_exit(MapItems &items, bool has_entered) {
  OMPTARGET_TRY(plan_exit(device_.map(), policy_, items, has_entered, exit_));
  if (!exit_.awaited.empty()) [[unlikely]]
    if (auto are_there = await(exit_.awaited); !are_there.is_ok()) // what is gone is not copied
      return are_there.take_status();
  for (const Copy &copy : exit_.copies)
    OMPTARGET_TRY(copy_to_host(copy));
  return Status::ok();
}

Status DeviceWork::abandon(MapItems &items) {
  OMPTARGET_TRY(plan_exit(device_.map(), policy_, items, true, exit_));
  OMPTARGET_TRY(finish());
  OMPTARGET_TRY(leave_late(false));
  return complete();
}

Status DeviceWork::complete() {
  OMPTARGET_TRY(finish());
  restore_all();
  if (!exit_.late.empty())
    OMPTARGET_TRY(leave_late(true));
  return exit_.left.empty() ? Status::ok() : leave_mappings();
}

void DeviceWork::restore_all() {
  for (const Copy &copy : restored_)
    restore_pointers(copy);
  restored_.clear();
}

/// Once the kernel is done. Who turns out to take a last reference copies back, and waits for that.
Status DeviceWork::leave_late(bool copies) {
  MapItems items(exit_.late.begin(), exit_.late.end());
  exit_.late.clear();
  exit_.copies.clear();
  if (!copies)
    for (MapItem &item : items)
      item.type &= ~map_type::kFrom;
  MappingPolicy policy = policy_;
  policy.pins_released = false;
  OMPTARGET_TRY(plan_exit(device_.map(), policy, items, true, exit_));
  for (const Copy &copy : exit_.copies)
    OMPTARGET_TRY(copy_to_host(copy));
  OMPTARGET_TRY(finish());
  restore_all();
  return Status::ok();
}

Result<bool> DeviceWork::try_complete() {
  auto is_done = device_.plugin_device().query(queue_);
  if (!is_done.is_ok()) [[unlikely]]
    return blamed_on_kernel(is_done.take_status());
  if (!*is_done)
    return false;
  OMPTARGET_TRY(complete());
  return true;
}

Status DeviceWork::copy_to_host(const Copy &copy) {
  const std::optional<DevicePtr> target = target_of(copy.mapping, copy.host);
  OMPTARGET_SCHED_POINT("copy: placed");
  if (!target) [[unlikely]]
    return copy.needed_by ? missing_present(copy) : Status::ok();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_.id(), "to host: host %p, device %p, %" PRId64 " bytes, %s",
                         raw(copy.host), raw(*target), copy.size, copy.name ? copy.name : "unknown");
  const DataOperation operation({DataOperationKind::kFromDevice, device_.id(), raw(copy.host), raw(*target), copy.size,
                                 copy.mapping.mapping->name()});
  OMPTARGET_TRY(during_copy(
      timed(device_.plugin_device().data_retrieve(raw(copy.host), raw(*target), copy.size, &queue_)), copy,
      "from"));
  if (!copy.mapping.mapping->has_attached_pointers())
    return Status::ok();
  if (queue_.is_busy())
    restored_.push_back(copy);
  else
    restore_pointers(copy);
  return Status::ok();
}

/// The copy brought device addresses to pointers that must hold host values.
void DeviceWork::restore_pointers(const Copy &copy) {
  for (const AttachedPointer &pointer : device_.map().attached_in(copy.mapping, copy.host, copy.size)) {
    void *value = raw(pointer.host_value);
    std::memcpy(raw(pointer.host_address), &value, sizeof value);
  }
}

/// The last construct that is done with a mapping removes it, whichever took the last reference. All are left, whatever
/// fails.
Status DeviceWork::leave_mappings() {
  OMPTARGET_SCHED_POINT("complete: about to remove");
  HostDataToTargetMap &map = device_.map();
  Status status;
  for (const LeftMapping &left : exit_.left) {
    const Removed removed = left.how == LeftMapping::How::kUnused   ? map.remove_if_unused(left.ref)
                            : left.how == LeftMapping::How::kPinned ? map.unpin(left.ref)
                                                                    : map.give_back(left.ref);
    if (!removed.is_removed && !removed.is_free)
      continue;
    status.keep_first(free_removed(device_, removed));
  }
  exit_.left.clear();
  return status;
}

Status free_removed(Device &device, const Removed &removed) {
  if (removed.is_removed) {
    OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "removed mapping: host %p, device %p, %" PRId64 " bytes",
                           raw(removed.begin), raw(removed.target_begin), removed.size);
    if (observe::reports_mappings()) [[unlikely]]
      observe::mapping_removed({{}, removed.begin, removed.target_begin, removed.size, 0, 0, removed.name});
  }
  if (removed.allocation == DevicePtr::kNull)
    return Status::ok();
  const PluginDevice &plugin = device.plugin_device();
  const DataOperation operation({DataOperationKind::kDelete, device.id(), raw(removed.begin),
                                 raw(removed.allocation), removed.size, removed.name});
  OMPTARGET_TRY(plugin.data_notify_unmapped(raw(removed.begin)));
  OMPTARGET_TRY_DURING(plugin.data_delete(raw(removed.allocation), OMPTARGET_ALLOC_DEFAULT),
                       "Failed to deallocate target data");
  return Status::ok();
}

Status DeviceWork::start_update(const MapItems &items) {
  UpdatePlan plan;
  OMPTARGET_TRY(plan_update(device_.map(), policy_, items, plan, exit_.left));
  OMPTARGET_SCHED_POINT("update: planned");
  if (!plan.awaited.empty()) [[unlikely]]
    if (auto are_there = await(plan.awaited); !are_there.is_ok()) // what is gone is not copied
      return are_there.take_status();
  for (const Copy &copy : plan.to_device)
    OMPTARGET_TRY(copy_to_device(copy));
  for (const Copy &copy : plan.to_host)
    OMPTARGET_TRY(copy_to_host(copy));
  return Status::ok();
}

Result<DevicePtr> DeviceWork::allocate_temporary(int64_t size) {
  DataOperation operation({DataOperationKind::kAllocate, device_.id(), nullptr, nullptr, size, nullptr});
  OMPTARGET_TRY_ASSIGN(void *const memory,
                       device_.plugin_device().data_alloc(size, nullptr, OMPTARGET_ALLOC_DEFAULT));
  operation.set_target(memory);
  temporaries_.push_back(device_ptr(memory));
  return device_ptr(memory);
}

Status DeviceWork::wait() {
  const observe::Wait wait(device_.id());
  Status status = device_.plugin_device().synchronize(queue_);
  return status.is_ok() ? std::move(status) : blamed_on_kernel(std::move(status));
}

Status DeviceWork::timed(Status status) {
  constexpr uint32_t kTimed = observe::listener::kProfile | observe::listener::kTrace;
  const bool waits = (observe::listeners() & kTimed) != 0 && queue_.is_busy();
  if (!waits || !status) [[likely]]
    return status;
  return device_.plugin_device().synchronize(queue_);
}

Status DeviceWork::blamed_on_kernel(Status failure) const {
  if (!kernel_)
    return failure;
  return std::move(failure)
      .during(format("kernel %s cannot be run on device %d", kernel_, raw(device_.id())))
      .during("Executing target region abort target.");
}

/// A kernel's fault is told by whichever call comes next, often a copy of its results. Waiting tells them apart.
Status DeviceWork::unless_kernel_failed(Status failure) {
  Status waited = device_.plugin_device().synchronize(queue_);
  if (waited.is_ok())
    return failure;
  failure.consume();
  return blamed_on_kernel(std::move(waited));
}

Status DeviceWork::finish() {
  Status status;
  if (queue_.is_busy())
    status = wait();
  for (const MappingRef &ref : arriving_)
    device_.map().end_arrival(ref);
  arriving_.clear();
  settle_attached();
  if (!temporaries_.empty())
    status.keep_first(free_temporaries());
  values_.clear();
  return status;
}

Status DeviceWork::free_temporaries() {
  Status status;
  for (const DevicePtr temporary : temporaries_) {
    const DataOperation operation({DataOperationKind::kDelete, device_.id(), nullptr, raw(temporary), 0, nullptr});
    status.keep_first(device_.plugin_device().data_delete(raw(temporary), OMPTARGET_ALLOC_DEFAULT));
  }
  temporaries_.clear();
  return status;
}

} // namespace omptarget
