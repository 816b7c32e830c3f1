// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/construct_queue.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "base/log.h"
#include "base/page_access.h"
#include "base/sched_point.h"
#include "device/mapped_storage.h"
#include "device/protected_memory.h"
#include "mapping/variable_name.h"
#include "observe/code_places.h"
#include "observe/construct_events.h"
#include "region/mapping_settings.h"

namespace omptarget {

using observe::DataOperation;
using observe::DataOperationKind;

namespace {

struct Part {
  HostPtr begin;
  int64_t size;
};

/// The parts of a range that are not attached pointers, given those that lie in it in ascending order.
std::vector<Part> parts_around(llvm::ArrayRef<AttachedPointer> pointers, HostPtr begin, int64_t size) {
  std::vector<Part> parts;
  const HostPtr end = begin + size;
  const auto add_until = [&](HostPtr limit) {
    if (begin < limit)
      parts.push_back({begin, limit - begin});
  };
  for (const AttachedPointer &pointer : pointers) {
    add_until(pointer.host_address);
    begin = std::max(begin, pointer.host_address + static_cast<int64_t>(sizeof pointer.host_value));
  }
  add_until(end);
  return parts;
}

/// Returns whether all of the pointer is copied.
bool contains(const Copy &copy, const AttachedPointer &pointer) {
  const HostPtr end = pointer.host_address + static_cast<int64_t>(sizeof pointer.host_value);
  return copy.host <= pointer.host_address && end <= copy.host + copy.size;
}

} // namespace

Status during_copy(Status status, const Copy &copy, const char *direction) {
  if (status.is_ok())
    return status;
  return std::move(status)
      .during(format("Copying data %s device failed: %" PRIu64 " bytes of host address 0x%016" PRIxPTR, direction,
                     copy.size, static_cast<uintptr_t>(copy.host)))
      .about(variable_text(observe::name_for_message(copy.name, raw(copy.host)), copy.size));
}

/// Queues a copy of this kind, host being its place on the host, or without a queue makes it; whether it brings attached
/// pointers with it. A template, so that neither kind pays for the other.
template <DataOperationKind kKind>
Status ConstructQueue::queue_copy(const Copy &copy, void *host, Queue *queue, bool &brings_pointers) {
  constexpr bool kIsToDevice = kKind == DataOperationKind::kToDevice;
  brings_pointers = false;
  const std::optional<DevicePtr> target = OMPTARGET_PLANTED("update-late-place")
                                              ? copy.mapping.mapping->target_of(copy.host)
                                              : target_of(copy.mapping, copy.host);
  OMPTARGET_SCHED_POINT("copy: placed");
  if (!target)
    return copy.needed_by ? missing_present(copy) : Status::ok();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_.id(), "to %s: host %p, device %p, %" PRIu64 " bytes, %s",
                         kIsToDevice ? "device" : "host", raw(copy.host), raw(*target), copy.size,
                         variable_place(copy.name).c_str());
  DataOperation operation({kKind, device_.id(), raw(copy.host), raw(*target), copy.size, copy.mapping.mapping->name()});
  const auto work = [&] {
    const PluginDevice &device = device_.plugin_device();
    if constexpr (kIsToDevice)
      return device.data_submit(raw(*target), host, copy.size, queue);
    else
      return device.data_retrieve(host, raw(*target), copy.size, queue);
  };
  OMPTARGET_TRY(during_copy(queue ? timed(operation, work) : work(), copy, kIsToDevice ? "to" : "from"));
  brings_pointers = copy.mapping.mapping->has_attached_pointers();
  return Status::ok();
}

Status ConstructQueue::copy_to_device(const Copy &copy) {
  OMPTARGET_TRY(during_copy(check_readable(raw(copy.host), copy.size, false), copy, "to"));
  if (copy.mapping.mapping->has_attached_pointers())
    return copy_around_pointers(copy);
  bool brings_pointers = false;
  OMPTARGET_TRY(queue_copy<DataOperationKind::kToDevice>(copy, raw(copy.host), &queue_, brings_pointers));
  if (brings_pointers)
    OMPTARGET_TRY(rewrite_pointers(copy, {}));
  note_upload(copy, {});
  return Status::ok();
}

/// Others find data that have arrived, and may attach pointers in them until the copy is made.
void ConstructQueue::note_upload(const Copy &copy, std::vector<AttachedPointer> left_out) {
  OMPTARGET_SCHED_POINT("copy: queued");
  if (queue_.is_busy() && (copy.mapping.mapping->state() & MappingState::kReady))
    pending().uploads.push_back({copy, std::move(left_out)});
}

/// All of them are made. They have gone over the pointers that were attached since they were queued.
Status ConstructQueue::complete_uploads() {
  if (!pending_ || pending_->uploads.empty())
    return Status::ok();
  for (const Upload &upload : pending_->uploads)
    OMPTARGET_TRY(rewrite_pointers(upload.copy, upload.left_out));
  pending_->uploads.clear();
  return queue_.is_busy() ? synchronize() : Status::ok();
}

Status ConstructQueue::copy_around_pointers(const Copy &copy) {
  OMPTARGET_TRY(renew_pointers_in_place(copy));
  std::vector<AttachedPointer> pointers = device_.map().attached_pointers().in(copy.mapping, copy.host, copy.size);
  for (const Part &part : parts_around(pointers, copy.host, copy.size)) {
    bool brings_pointers = false;
    const Copy part_of_copy{copy.mapping, part.begin, part.size, copy.name, copy.needed_by};
    OMPTARGET_TRY(queue_copy<DataOperationKind::kToDevice>(part_of_copy, raw(part.begin), &queue_, brings_pointers));
  }
  OMPTARGET_TRY(rewrite_pointers(copy, pointers));
  note_upload(copy, std::move(pointers));
  return Status::ok();
}

/// Writes the present values of the host's pointers to copies of pointers to data in place.
Status ConstructQueue::renew_pointers_in_place(const Copy &copy) {
  const bool waits = !device_.plugin().is_asynchronous();
  for (AttachedPointer pointer : device_.map().attached_pointers().in(copy.mapping, copy.host, copy.size)) {
    if (!pointer.is_in_place() || !contains(copy, pointer))
      continue;
    pointer.host_value = load_pointer(pointer.host_address);
    pointer.device_value = device_ptr(raw(pointer.host_value));
    (void)begin_pointer(copy.mapping, pointer, waits); // written in any case: a kernel may have changed it
    OMPTARGET_TRY(write_value(pointer.device_address, &pointer.device_value, sizeof pointer.device_value,
                              copy.mapping.mapping->name()));
    if (waits)
      settle_pointers();
  }
  return Status::ok();
}

/// Writes the device's values to the pointers that a copy to the device has overwritten: those that are attached
/// now, but for those that are known, in ascending order, to have their values.
Status ConstructQueue::rewrite_pointers(const Copy &copy, llvm::ArrayRef<AttachedPointer> known) {
  for (const AttachedPointer &pointer : device_.map().attached_pointers().in(copy.mapping, copy.host, copy.size)) {
    const auto same = std::ranges::lower_bound(known, pointer.host_address, {}, &AttachedPointer::host_address);
    if (same == known.end() || same->host_address != pointer.host_address || same->device_value != pointer.device_value)

      OMPTARGET_TRY(write_value(pointer.device_address, &pointer.device_value, sizeof pointer.device_value,
                                copy.mapping.mapping->name()));
  }
  return Status::ok();
}

Status ConstructQueue::copy_to_host(const Copy &copy) {
  if (copy.size > 0 && !is_writable(raw(copy.host), static_cast<size_t>(copy.size)))
    return copy_to_protected(copy);
  bool brings_pointers = false;
  Landing landing{copy, nullptr};
  if (copy.mapping.mapping->has_attached_pointers())
    landing.staged.reset(new std::byte[static_cast<size_t>(copy.size)]);
  void *const host = landing.staged ? static_cast<void *>(landing.staged.get()) : raw(copy.host);
  OMPTARGET_TRY(queue_copy<DataOperationKind::kFromDevice>(copy, host, &queue_, brings_pointers));
  if (queue_.is_busy()) // pointers may become attached until the copy is made
    pending().landings.push_back(std::move(landing));
  else if (brings_pointers)
    land(landing);
  return Status::ok();
}

Status ConstructQueue::copy_at_once(const Copy &copy, bool is_to_device) {
  bool brings_pointers = false;
  if (is_to_device)
    OMPTARGET_TRY(during_copy(check_readable(raw(copy.host), copy.size, false), copy, "to"));
  OMPTARGET_TRY(is_to_device
                    ? queue_copy<DataOperationKind::kToDevice>(copy, raw(copy.host), nullptr, brings_pointers)
                    : queue_copy<DataOperationKind::kFromDevice>(copy, raw(copy.host), nullptr, brings_pointers));
  return brings_pointers ? mend_pointers(copy, is_to_device) : Status::ok();
}

[[gnu::cold]] Status ConstructQueue::mend_pointers(const Copy &copy, bool is_to_device) {
  if (is_to_device)
    return rewrite_pointers(copy, {});
  device_.map().attached_pointers().restore(copy.mapping, copy.host, copy.size);
  return Status::ok();
}

/// Once the queue has been waited for: memory that cannot be written is compared piece by piece.
Status ConstructQueue::copy_to_protected(const Copy &copy) {
  if (queue_.is_busy()) {
    pending().protected_copies.push_back(copy);
    return Status::ok();
  }
  const std::optional<DevicePtr> target = target_of(copy.mapping, copy.host);
  if (!target)
    return copy.needed_by ? missing_present(copy) : Status::ok();
  DataOperation operation({DataOperationKind::kFromDevice, device_.id(), raw(copy.host), raw(*target), copy.size,
                           copy.mapping.mapping->name()});
  const std::vector<AttachedPointer> pointers =
      device_.map().attached_pointers().in(copy.mapping, copy.host, copy.size);
  for (const Part &part : parts_around(pointers, copy.host, copy.size))
    OMPTARGET_TRY(during_copy(
        retrieve_changes(device_, raw(part.begin), raw(*target + (part.begin - copy.host)), part.size), copy, "from"));
  return Status::ok();
}

void ConstructQueue::land(const Landing &landing) {
  const Copy &copy = landing.copy;
  if (!landing.staged)
    return device_.map().attached_pointers().restore(copy.mapping, copy.host, copy.size);
  std::vector<AttachedPointer> pointers = device_.map().attached_pointers().in(copy.mapping, copy.host, copy.size);
  // A kernel may give a pointer to data in place another value, which the host can use.
  std::erase_if(pointers, [&](const AttachedPointer &pointer) {
    const std::byte *const staged = landing.staged.get() + (pointer.host_address - copy.host);
    return pointer.is_in_place() && contains(copy, pointer) &&
           std::memcmp(staged, &pointer.device_value, sizeof pointer.device_value) != 0;
  });
  for (const Part &part : parts_around(pointers, copy.host, copy.size))
    std::memcpy(raw(part.begin), landing.staged.get() + (part.begin - copy.host), static_cast<size_t>(part.size));
}

Status ConstructQueue::write_value(DevicePtr target, const void *value, int64_t size, const char *name) {
  if (device_.plugin().is_asynchronous()) {
    auto &values = pending().values;
    values.push_back(std::make_unique<std::byte[]>(static_cast<size_t>(size)));
    value = std::memcpy(values.back().get(), value, static_cast<size_t>(size));
  }
  return write_from_host(target, host_ptr(value), size, name);
}

Status ConstructQueue::write_from_host(DevicePtr target, HostPtr source, int64_t size, const char *name) {
  DataOperation operation({DataOperationKind::kToDevice, device_.id(), raw(source), raw(target), size, name});
  return timed(operation, [&] { return device_.plugin_device().data_submit(raw(target), raw(source), size, &queue_); });
}

Status ConstructQueue::attach(const Attachment &action) {
  const HostPtr host_value = load_pointer(action.pointer);
  const std::optional<DevicePtr> device_value =
      action.target ? target_of(action.target, host_value) : device_ptr(raw(host_value));
  const std::optional<DevicePtr> device_address = target_of(action.pointer_mapping, action.pointer);
  if (!device_value || !device_address)
    return Status::ok(); // not present any more
  // Where writes are complete at once, another construct's is waited for. Elsewhere it is in a queue that this
  // construct's knows nothing of, so that the pointer is written once more.
  const bool waits = !device_.plugin().is_asynchronous();
  if (!begin_pointer(action.pointer_mapping, {action.pointer, host_value, *device_address, *device_value}, waits))
    return Status::ok();
  Status status = write_pointer(action, *device_address, *device_value);
  if (waits)
    settle_pointers();
  return status;
}

Status ConstructQueue::write_pointer(const Attachment &action, DevicePtr device_address, DevicePtr device_value) {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device_.id(), "attaching pointer %p (device %p) to %p", raw(action.pointer),
                         raw(device_address), raw(device_value));
  const char *const name = action.pointer_mapping.mapping->name();
  if (action.size <= static_cast<int64_t>(sizeof device_value))
    return write_value(device_address, &device_value, sizeof device_value, name);
  // A descriptor: its first word is the address, the rest describes it.
  std::vector<std::byte> descriptor(static_cast<size_t>(action.size));
  std::memcpy(descriptor.data(), raw(action.pointer), descriptor.size());
  std::memcpy(descriptor.data(), &device_value, sizeof device_value);
  return write_value(device_address, descriptor.data(), action.size, name);
}

Result<bool> ConstructQueue::wait_for_data(llvm::ArrayRef<MappingRef> mappings) {
  const uint64_t bit = mapping_settings().force_atomic ? MappingState::kReady : MappingState::kStorage;
  bool are_there = true;
  for (const MappingRef &ref : mappings) {
    OMPTARGET_SCHED_POINT("await");
    if (!ref.wait_for(bit))
      are_there = false;
    else if (Arrival *const arrival = ref.use_arrival())
      OMPTARGET_TRY(wait_for_arrival(ref, *arrival));
  }
  return are_there;
}

Status ConstructQueue::wait_for_arrival(MappingRef ref, Arrival &arrival) {
  Status status;
  if (ref.is_arriving())
    status = device_.plugin_device().wait_event(arrival.event, queue_);
  device_.arrivals().end_use(arrival);
  return status;
}

/// Null: the mappings are published when their data are there already.
Result<Arrival *> ConstructQueue::record_arrival() {
  if (!queue_.is_busy() || !mapping_settings().force_atomic || OMPTARGET_PLANTED("arrival-untold"))
    return nullptr;
  if (!arrival_)
    return device_.arrivals().record(queue_);
  OMPTARGET_TRY(synchronize()); // the construct's first attempt has an event already
  return nullptr;
}

Status ConstructQueue::publish(llvm::SmallVectorImpl<MappingRef> &lost) {
  Status status;
  Arrival *arrival = nullptr;
  if (auto recorded = record_arrival(); recorded.is_ok()) {
    arrival = *recorded;
  } else {
    status = recorded.take_status();
    synchronize().consume(); // nobody can wait for it
  }
  uint32_t kept = published_;
  for (size_t i = published_; i < arriving_.size(); ++i) {
    const MappingRef ref = arriving_[i];
    if (ref.publish_ready(arrival)) {
      arriving_[kept++] = ref;
      continue;
    }
    status.keep_first(synchronize());
    status.keep_first(free_removed(device_, device_.map().remove_if_unused(ref)));
    ref.end_arrival(); // others may have entered them in between
    lost.push_back(ref);
  }
  if (arrival) {
    arrival_ = arrival;
    is_unfinished_ = true;
    published_ = kept;
  }
  arriving_.truncate(published_);
  return status;
}

/// The data are there: nobody waits for them any more.
void ConstructQueue::end_arrivals() {
  for (const MappingRef &ref : arriving_)
    ref.end_arrival();
  arriving_.clear();
  published_ = 0;
  if (arrival_)
    device_.arrivals().end_use(*std::exchange(arrival_, nullptr));
}

Status ConstructQueue::wait(Status *besides) {
  Status status;
  if (queue_.is_busy()) {
    const observe::Wait wait(device_.id());
    status = synchronize();
  }
  return is_unfinished_ ? end(std::move(status), besides) : std::move(status);
}

Status ConstructQueue::end(Status status, Status *besides) {
  if (status.is_ok())
    status = complete_uploads();
  end_arrivals();
  is_unfinished_ = false;
  return pending_ ? end_pending(std::move(status), besides) : std::move(status);
}

Status ConstructQueue::end_pending(Status status, Status *besides) {
  Pending &all = *pending_;
  all.uploads.clear();
  if (!all.times.is_empty())
    all.times.report(status.is_ok());
  settle_pointers();
  for (const Landing &landing : all.landings)
    if (status.is_ok()) // otherwise nobody knows what was copied
      land(landing);
  all.landings.clear();
  Status &failure = besides ? *besides : status;
  for (const Copy &copy : all.protected_copies)
    if (status.is_ok())
      failure.keep_first(copy_to_protected(copy));
  all.protected_copies.clear();
  failure.keep_first(free_temporaries());
  failure.keep_first(give_back_borrowed());
  all.values.clear();
  return status;
}

/// There is something to wait for only after a failure, which is on its way up.
void ConstructQueue::end_after_failure() { wait().consume(); }

Status ConstructQueue::settle() {
  Status status = is_busy() ? synchronize() : Status::ok();
  if (status.is_ok())
    status = complete_uploads();
  settle_pointers();
  return status;
}

void ConstructQueue::End::operator()(Pending *pending) const { delete pending; }

ConstructQueue::Pending &ConstructQueue::pending() {
  is_unfinished_ = true;
  if (!pending_)
    pending_.reset(new Pending(device_));
  return *pending_;
}

/// Returns whether the construct is to write the device copy of the pointer (AttachedPointers::note).
bool ConstructQueue::begin_pointer(MappingRef mapping, AttachedPointer pointer, bool waits) {
  pointer.writer = this;
  if (!device_.map().attached_pointers().note(mapping, pointer, waits))
    return false;
  pending().pointers.emplace_back(mapping, pointer.host_address);
  return true;
}

/// All of them are written.
void ConstructQueue::settle_pointers() {
  if (!pending_)
    return;
  for (const auto &[mapping, address] : pending_->pointers)
    device_.map().attached_pointers().settle(mapping, address, this);
  pending_->pointers.clear();
}

Result<DevicePtr> ConstructQueue::allocate_temporary(int64_t size) {
  DataOperation operation({DataOperationKind::kAllocate, device_.id(), nullptr, nullptr, size, nullptr});
  OMPTARGET_TRY_ASSIGN(void *const memory, device_.allocate(size, nullptr, OMPTARGET_ALLOC_DEFAULT));
  operation.set_target(memory);
  pending().temporaries.push_back(device_ptr(memory));
  return device_ptr(memory);
}

/// Frees all of it, whatever fails, and returns the first failure.
Status ConstructQueue::free_temporaries() {
  Status status;
  for (const DevicePtr temporary : pending_->temporaries) {
    const DataOperation operation({DataOperationKind::kDelete, device_.id(), nullptr, raw(temporary), 0, nullptr});
    status.keep_first(device_.plugin_device().data_delete(raw(temporary), OMPTARGET_ALLOC_DEFAULT));
  }
  pending_->temporaries.clear();
  return status;
}

Status ConstructQueue::give_back_borrowed() {
  OMPTARGET_SCHED_POINT("complete: about to remove");
  Status status;
  for (const MappingRef &ref : pending_->borrowed)
    status.keep_first(free_removed(device_, device_.map().give_back(ref)));
  pending_->borrowed.clear();
  return status;
}

Status blamed_on_kernel(const Device &device, const char *kernel, Status failure) {
  if (!kernel)
    return failure;
  return std::move(failure)
      .during(format("kernel %s cannot be run on device %d", kernel, raw(device.id())))
      .during("Executing target region abort target.");
}

} // namespace omptarget
