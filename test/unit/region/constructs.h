// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data constructs in one line each, on a device of fake_device.h, and where data lie there.
#pragma once

#include <optional>

#include "argument_list.h"
#include "fake_device.h"
#include "mapping/base_pointers.h"
#include "region/constructs.h"
#include "region/data_update.h"
#include "region/entering.h"
#include "region/exiting.h"
#include "device/mapped_storage.h"

namespace omptarget::test {

inline MapItem item(void *base, void *begin, int64_t size, uint64_t type, int32_t parent = -1) {
  return {host_ptr(base), host_ptr(begin), size, type, nullptr, 0, parent};
}
inline MapItem item(void *begin, int64_t size, uint64_t type) { return item(begin, begin, size, type); }

/// One construct, step by step.
class Construct {
public:
  explicit Construct(Device &device) : device_(device), queue_(device, false) {}
  ~Construct() {
    if (!exiting_)
      return;
    exiting_->copy_nothing();
    complete().consume();
  }
  Construct(const Construct &) = delete;
  Construct &operator=(const Construct &) = delete;

  ConstructQueue &queue() { return queue_; }
  MapArguments &arguments() { return arguments_->get(); }
  /// Enters the data of a region. is_first: it tries to retain what is present before.
  Status enter(const MapItems &items, bool is_first = false) {
    arguments_.emplace(items);
    Absence absence;
    size_t first = 0;
    if (is_first && !arguments().is_expanded() && retain_present(device_.map(), arguments(), first, absence))
      return Status::ok();
    Status status = enter_rest(device_, arguments(), first, absence, queue_, nullptr);
    if (!status.is_ok())
      give_back(device_, arguments());
    return status;
  }
  /// The same for a construct that leaves the data present.
  Status enter_data(const MapItems &items, bool is_first = false) {
    OMPTARGET_TRY(enter(items, is_first));
    note_base_pointers(device_.map(), arguments());
    return Status::ok();
  }
  /// has_entered: this construct has entered the items.
  Status start_exit(const MapItems &items, bool has_entered, bool is_first = false) {
    if (!has_entered) {
      arguments_.emplace(items, true);
      OMPTARGET_TRY(is_first && !arguments().is_expanded() ? find_for_exit(device_, arguments(), queue_, nullptr)
                                                           : look_up(device_, arguments(), queue_, nullptr));
    }
    exiting_.emplace(device_, arguments(), queue_, besides_);
    if (device_.plugin().is_asynchronous())
      exiting_->start();
    return Status::ok();
  }
  Status complete() {
    Status status = exiting_ ? exiting_->finish() : queue_.wait();
    exiting_.reset();
    status.keep_first(std::move(besides_));
    besides_ = Status::ok();
    return status;
  }

private:
  Device &device_;
  Status besides_;
  std::optional<TestArguments> arguments_;
  ConstructQueue queue_;
  std::optional<Exiting> exiting_;
};

inline Status enter(Device &device, const MapItems &items, bool is_first = false) {
  Construct work(device);
  OMPTARGET_TRY(work.enter_data(items, is_first));
  return work.complete();
}
inline Status exit(Device &device, const MapItems &items, bool is_first = false) {
  Construct work(device);
  OMPTARGET_TRY(work.start_exit(items, false, is_first));
  return work.complete();
}
inline Status update(Device &device, const MapItems &items) {
  ArgumentList list(items);
  DataUpdate update(device);
  OMPTARGET_TRY(update.start(list.list(), nullptr, true));
  return update.finish();
}

/// The device's counterpart, or null if it is not present.
template <typename T> T *on_device(Device &device, T *host) {
  const Found found = device.map().find(host_ptr(host), sizeof(T));
  return found.is_contained ? static_cast<T *>(raw(found.ref.mapping->target_of(host_ptr(host)))) : nullptr;
}

} // namespace omptarget::test
