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
#include "region/direct_constructs.h"
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

Result<void *> allocate_mapped(Device &device, HostPtr begin, int64_t bytes, const char *name) {
  DataOperation operation({DataOperationKind::kAllocate, device.id(), raw(begin), nullptr, bytes, name});
  auto allocated = device.allocate(bytes, raw(begin), OMPTARGET_ALLOC_DEFAULT);
  if (allocated.is_ok()) [[likely]]
    operation.set_target(*allocated);
  return allocated;
}

namespace {

Status free_all(Device &device, const std::vector<Removed> &all) {
  Status status;
  for (const Removed &removed : all)
    status.keep_first(free_removed(device, removed));
  return status;
}

} // namespace

MappingPolicy DeviceWork::policy_of(const Device &device) {
  MappingPolicy policy;
  policy.use_host_memory = device.uses_host_memory();
  policy.attach_always = mapping_settings().attach_always;
  policy.device = device.id();
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
  borrowed_.insert(borrowed_.end(), plan.borrowed.begin(), plan.borrowed.end());
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
    DeferredConstruct::wait_for_turn(device(), ref);
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
    auto allocated = allocate_mapped(device(), storage.begin, bytes, storage.ref.mapping->name());
    if (!allocated)
      return allocated.take_status()
          .during(format("%" PRIu64 " bytes for host address 0x%016" PRIxPTR " could not be allocated on device %d",
                         bytes, static_cast<uintptr_t>(storage.begin), raw(device().id())))
          .during(mapped_memory_text(device()))
          .during("Call to getTargetPointer returned null pointer (device failure or illegal mapping).")
          .about(variable_text(storage.ref.mapping->name(), storage.size));
    Status notified = device().plugin_device().data_notify_mapped(raw(storage.begin), storage.size);
    OMPTARGET_SCHED_POINT("enter: no storage yet");
    storage.ref.publish_storage(device_ptr(*allocated), storage.padding);
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

/// Other threads may use the new data from now on. False if another construct has deleted some of them already.
Result<bool> DeviceWork::publish(EnterPlan &plan) {
  for (const NewStorage &storage : plan.allocations) {
    queue_.add_arriving(storage.ref);
    plan.published.push_back(storage.ref);
  }
  plan.allocations.clear();
  llvm::SmallVector<MappingRef, 2> lost;
  OMPTARGET_TRY(queue_.publish(lost));
  return llvm::none_of(lost, [](MappingRef ref) { return ref.is_removed(); });
}

/// Queued copies into what goes are waited for.
Status DeviceWork::undo_enter(MapItems &items, EnterPlan &plan) {
  Status status = queue_.settle();
  abandon_enter(map(), items, plan);
  status.keep_first(free_all(device(), plan.removed));
  return status;
}

DeviceWork::Exit::Exit(DeviceWork &work, const MapItems &items)
    : arguments(items), leaving(work.device(), arguments.list, arguments.refs, work.queue_, arguments.kinds, besides) {
  leaving.keep_none_dormant();
}

Status DeviceWork::start_exit(MapItems &items, bool has_entered) {
  if (!has_entered) {
    if (observe::checks_mapping())
      note_absent(device(), items);
    llvm::SmallVector<MappingRef, 2> awaited;
    OMPTARGET_TRY(look_up_left(map(), policy_, items, awaited));
    if (!awaited.empty()) [[unlikely]]
      if (auto are_there = queue_.wait_for_data(awaited); !are_there.is_ok()) // what is gone is not copied
        return are_there.take_status();
  }
  exit_.emplace(*this, items);
  if (queue_.is_observed()) [[unlikely]]
    ArgumentReport(device(), exit_->arguments.list).leaving(exit_->arguments.refs);
  if (device().plugin().is_asynchronous())
    exit_->leaving.start();
  return Status::ok();
}

Status DeviceWork::abandon(MapItems &items) {
  exit_.emplace(*this, items);
  exit_->leaving.copy_nothing();
  return complete();
}

Status DeviceWork::complete() {
  Status status, besides;
  if (exit_) {
    status = exit_->leaving.finish();
    besides = std::move(exit_->besides);
    exit_.reset();
  } else {
    status = queue_.wait();
  }
  if (!status.is_ok()) [[unlikely]]
    status = blamed_on_kernel(device(), kernel_, std::move(status));
  besides.keep_first(give_back_borrowed());
  if (!besides.is_ok() && kernel_) [[unlikely]]
    besides = std::move(besides).during(kAfterKernel);
  status.keep_first(std::move(besides));
  return status;
}

Result<bool> DeviceWork::is_done() {
  auto is_done = queue_.is_done();
  if (!is_done.is_ok()) [[unlikely]]
    return blamed_on_kernel(device(), kernel_, is_done.take_status());
  return is_done;
}

/// A failure is on its way up.
void DeviceWork::end_after_failure() {
  if (exit_)
    exit_->leaving.copy_nothing();
  complete().consume();
}

Status DeviceWork::give_back_borrowed() {
  OMPTARGET_SCHED_POINT("complete: about to remove");
  Status status;
  for (const MappingRef &ref : borrowed_)
    status.keep_first(free_removed(device(), map().give_back(ref)));
  borrowed_.clear();
  return status;
}

} // namespace omptarget
