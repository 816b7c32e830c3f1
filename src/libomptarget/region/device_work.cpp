// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/device_work.h"

#include <cinttypes>
#include <llvm/ADT/STLExtras.h>

#include "base/log.h"
#include "base/sched_point.h"
#include "device/mapping_notes.h"
#include "device/mapping_tables.h"
#include "mapping/base_pointers.h"
#include "mapping/variable_name.h"
#include "observe/checks.h"
#include "observe/construct_events.h"
#include "region/deferred_construct.h"
#include "region/direct_report.h"
#include "region/mapping_settings.h"

namespace omptarget {

using observe::DataOperation;
using observe::DataOperationKind;

static Status free_storage(const Device &device, const Removed &removed) {
  const PluginDevice &plugin = device.plugin_device();
  const DataOperation operation(deletion_of(device, removed));
  OMPTARGET_TRY(plugin.data_notify_unmapped(raw(removed.begin)));
  OMPTARGET_TRY_DURING(plugin.data_delete(raw(removed.allocation), OMPTARGET_ALLOC_DEFAULT),
                       "Failed to deallocate target data");
  return Status::ok();
}

Status free_removed(Device &device, const Removed &removed) {
  if (removed.is_removed)
    report_removed(device, removed);
  if (removed.allocation == DevicePtr::kNull)
    return Status::ok();
  OMPTARGET_SCHED_POINT("free: removed, not yet freed");
  Status status = free_storage(device, removed);
  if (removed.is_large) [[unlikely]]
    device.map().large_frees().end();
  return status;
}

namespace {

Status free_all(Device &device, const std::vector<Removed> &all) {
  Status status;
  for (const Removed &removed : all)
    status.keep_first(free_removed(device, removed));
  return status;
}

} // namespace

/// A failure is on its way up.
void DeviceWork::leave_after_failure() {
  queue_.wait().consume();
  leave_all(false).consume();
}

MappingPolicy DeviceWork::policy_of(const Device &device) {
  MappingPolicy policy;
  policy.use_host_memory = device.uses_host_memory();
  policy.pins_released = device.plugin().is_asynchronous();
  policy.copies_in_turn = mapping_settings().force_atomic && !OMPTARGET_PLANTED("copies-out-of-turn");
  policy.attach_always = mapping_settings().attach_always;
  return policy;
}

/// Plans until all is there. Published mappings stay as they are: others may have written to them.
Status DeviceWork::enter(MapItems &items) {
  EnterPlan plan;
  for (;;) {
    if (Status status = plan_enter(map(), policy_, items, plan); !status) {
      free_all(device(), plan.removed).consume();
      return status;
    }
    if (plan.is_empty()) [[likely]]
      return Status::ok();
    auto is_done = make_present(plan);
    if (!is_done.is_ok()) {
      undo_enter(items, plan).consume();
      return is_done.take_status();
    }
    if (*is_done)
      return Status::ok();
    OMPTARGET_TRACE_DEVICE(Topic::kMapping, device().id(), "what another thread was mapping is gone: planning it anew");
    forget_gone(items, plan);
  }
}

Status DeviceWork::enter_data(MapItems &items) {
  OMPTARGET_TRY(enter(items));
  note_base_pointers(map(), items);
  return Status::ok();
}

/// Carries out the lists of the plan and empties them. False if data of another construct are gone that this one
/// needs: they are to be planned anew, with what is left in the lists.
Result<bool> DeviceWork::make_present(EnterPlan &plan) {
  OMPTARGET_TRY(allocate(plan));
  OMPTARGET_SCHED_POINT("enter: allocated");
  for (const EnteredMapping &entered : plan.entered)
    entered.report();
  plan.entered.clear();
  OMPTARGET_TRY_ASSIGN(const bool is_filled, fill(plan));
  if (!is_filled)
    return false;
  OMPTARGET_SCHED_POINT("enter: filled");
  OMPTARGET_TRY_ASSIGN(const bool are_kept, publish(plan));
  OMPTARGET_SCHED_POINT("enter: published");
  for (const MappingRef &ref : plan.borrowed)
    exit_.left.push_back({ref, LeftMapping::How::kBorrowed});
  plan.borrowed.clear();
  if (!plan.awaited.empty()) {
    OMPTARGET_TRY_ASSIGN(const bool are_there, queue_.wait_for_data(plan.awaited));
    plan.awaited.clear();
    if (!are_there)
      return false;
  }
  if (!are_kept)
    return false;
  for (const MappingRef &ref : plan.turns)
    wait_for_turn(ref);
  plan.turns.clear();
  OMPTARGET_SCHED_POINT("enter: all there");
  for (const Copy &copy : plan.late_copies)
    OMPTARGET_TRY(queue_.copy_to_device(copy));
  for (const Attachment &action : plan.late_attachments)
    OMPTARGET_TRY(queue_.attach(action));
  return true;
}

Status DeviceWork::allocate(const EnterPlan &plan) {
  device().free_evicted();
  for (const NewStorage &storage : plan.allocations) {
    if (storage.ref.mapping->state() & MappingState::kStorage)
      continue; // since an earlier attempt
    const int64_t bytes = storage.size + storage.padding;
    DataOperation operation(
        {DataOperationKind::kAllocate, device().id(), raw(storage.begin), nullptr, bytes, storage.ref.mapping->name()});
    auto allocated = device().allocate(bytes, raw(storage.begin), OMPTARGET_ALLOC_DEFAULT);
    if (!allocated)
      return allocated.take_status()
          .during(format("%" PRIu64 " bytes for host address 0x%016" PRIxPTR " could not be allocated on device %d",
                         bytes, static_cast<uintptr_t>(storage.begin), raw(device().id())))
          .during(mapped_memory_text(device()))
          .during("Call to getTargetPointer returned null pointer (device failure or illegal mapping).")
          .about(variable_text(storage.ref.mapping->name(), storage.size));
    const DevicePtr allocation = device_ptr(*allocated);
    operation.set_target(*allocated);
    Status notified = device().plugin_device().data_notify_mapped(raw(storage.begin), storage.size);
    OMPTARGET_SCHED_POINT("enter: no storage yet");
    storage.ref.publish_storage(allocation, storage.padding);
    OMPTARGET_TRY(std::move(notified));
    report_created(device(), *storage.ref.mapping);
  }
  return Status::ok();
}

/// False: as make_present. Then nothing is published.
Result<bool> DeviceWork::fill(EnterPlan &plan) {
  for (const Copy &copy : plan.copies)
    OMPTARGET_TRY(queue_.copy_to_device(copy));
  plan.copies.clear();
  for (const Attachment &action : plan.attachments) {
    // The target's address is enough; its data may still be on the way.
    if (action.target && !action.target.wait_for(MappingState::kStorage))
      return false;
    OMPTARGET_TRY(queue_.attach(action));
  }
  plan.attachments.clear();
  return attach_early(plan);
}

/// Pointers in data of others, if these have arrived: nobody is to find what they point to before they are attached.
/// False: as make_present.
Result<bool> DeviceWork::attach_early(EnterPlan &plan) {
  for (Attachment &action : plan.late_attachments) {
    const uint64_t word = action.pointer_mapping.mapping->state();
    if (!action.pointer_mapping.is_of(word) || !(word & MappingState::kReady))
      continue;
    if (action.target && !action.target.wait_for(MappingState::kStorage))
      return false;
    OMPTARGET_TRY_ASSIGN(const bool is_there, queue_.wait_for_data({action.pointer_mapping})); // of its queue only
    if (!is_there)
      return false;
    OMPTARGET_TRY(queue_.attach(action));
    action.size = 0; // done
  }
  llvm::erase_if(plan.late_attachments, [](const Attachment &action) { return action.size == 0; });
  return true;
}

/// Other threads may use the new data once their copies have arrived: this thread waits for them, or if the device has
/// events, the queues of the others will. False if another construct has deleted some of them already.
Result<bool> DeviceWork::publish(EnterPlan &plan) {
  bool are_kept = true;
  if (plan.allocations.empty())
    return are_kept;
  Arrival *arrival = nullptr;
  if (queue_.is_busy() && mapping_settings().force_atomic) {
    OMPTARGET_TRY_ASSIGN(arrival, queue_.record_arrival());
  }
  for (const NewStorage &storage : plan.allocations) {
    if (arrival)
      queue_.add_arriving(storage.ref);
    plan.published.push_back(storage.ref);
    if (storage.ref.publish_ready(arrival)) [[likely]]
      continue;
    OMPTARGET_TRY(queue_.wait());
    const Removed removed = map().remove_if_unused(storage.ref);
    are_kept = are_kept && !removed.is_removed;
    OMPTARGET_TRY(free_removed(device(), removed));
  }
  plan.allocations.clear();
  return are_kept;
}

/// Queued copies into what goes are waited for.
Status DeviceWork::undo_enter(MapItems &items, EnterPlan &plan) {
  Status status = queue_.settle();
  abandon_enter(map(), items, plan);
  status.keep_first(free_all(device(), plan.removed));
  return status;
}

/// Frees at once what planning has removed: other threads may be waiting for that memory.
Status DeviceWork::plan_leaving(const MappingPolicy &policy, MapItems &items, bool has_entered) {
  Status status = plan_exit(map(), policy, items, has_entered, exit_);
  status.keep_first(free_all(device(), exit_.removed));
  exit_.removed.clear();
  return status;
}

Status DeviceWork::start_exit(MapItems &items, bool has_entered) {
  if (observe::checks_mapping() && !has_entered)
    note_absent(device(), items);
  OMPTARGET_TRY(plan_leaving(policy_, items, has_entered));
  if (!exit_.awaited.empty()) [[unlikely]]
    if (auto are_there = queue_.wait_for_data(exit_.awaited); !are_there.is_ok()) // what is gone is not copied
      return are_there.take_status();
  for (const Copy &copy : exit_.copies)
    OMPTARGET_TRY(queue_.copy_to_host(copy));
  return Status::ok();
}

Status DeviceWork::abandon(MapItems &items) {
  for (MapItem &item : items)
    item.type &= ~map_type::kFrom;
  OMPTARGET_TRY(plan_leaving(policy_, items, true));
  OMPTARGET_TRY(queue_.wait());
  return leave_all(false);
}

Status DeviceWork::complete() {
  OMPTARGET_TRY(queue_.wait());
  return is_leaving() ? leave_all(true) : Status::ok();
}

/// The queue is empty. Leaves everything, whatever fails; a construct that takes a last reference copies back if it
/// is to copy.
Status DeviceWork::leave_all(bool copies) {
  Status status = leave_mappings();
  while (!exit_.late.empty()) {
    status.keep_first(leave_late(copies));
    status.keep_first(leave_mappings());
    if (!exit_.late.empty())
      wait_for_turn(exit_.late.front().mapping); // with no turn of its own
  }
  for (const MappingRef &ref : exit_.turns)
    wait_for_turn(ref);
  exit_.turns.clear();
  return status;
}

Status DeviceWork::leave_late(bool copies) {
  MapItems items(exit_.late.begin(), exit_.late.end());
  exit_.late.clear();
  exit_.copies.clear();
  if (!copies)
    for (MapItem &item : items)
      item.type &= ~map_type::kFrom;
  MappingPolicy policy = policy_;
  policy.pins_released = false;
  OMPTARGET_TRY(plan_leaving(policy, items, true));
  Status status;
  for (const Copy &copy : exit_.copies)
    status.keep_first(queue_.copy_to_host(copy));
  status.keep_first(queue_.wait());
  return status;
}

/// Called with no turn of its own, and everything of its own published. libomp may never ask for a construct with
/// nowait that has the turn: this thread completes it.
void DeviceWork::wait_for_turn(MappingRef ref) {
  OMPTARGET_SCHED_POINT("about to wait for the turn");
  if (device().plugin().is_asynchronous())
    DeferredConstruct::complete_holder(device(), ref);
  ref.wait_for_turn();
}

bool DeviceWork::has_turn(MappingRef ref) const {
  for (const LeftMapping &left : exit_.left)
    if (left.how == LeftMapping::How::kInTurn && left.ref == ref)
      return true;
  return false;
}

/// The last construct that is done with a mapping removes it, whichever took the last reference. All are left, whatever
/// fails.
Status DeviceWork::leave_mappings() {
  OMPTARGET_SCHED_POINT("complete: about to remove");
  Status status;
  for (const LeftMapping &left : exit_.left)
    status.keep_first(free_removed(device(), leave_mapping(map(), left)));
  exit_.left.clear();
  return status;
}

} // namespace omptarget
