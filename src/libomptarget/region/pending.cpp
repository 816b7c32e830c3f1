// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/pending.h"

#include "observe/construct_events.h"

namespace omptarget {

using observe::DataOperation;
using observe::DataOperationKind;

Result<DevicePtr> TemporaryMemory::allocate(int64_t size) {
  DataOperation operation({DataOperationKind::kAllocate, owner_.id(), nullptr, nullptr, size, nullptr});
  OMPTARGET_TRY_ASSIGN(void *const memory, owner_.allocate(size, nullptr, OMPTARGET_ALLOC_DEFAULT));
  operation.set_target(memory);
  things_.push_back(device_ptr(memory));
  return device_ptr(memory);
}

Status TemporaryMemory::free() {
  Status status;
  for (const DevicePtr temporary : things_) {
    const DataOperation operation({DataOperationKind::kDelete, owner_.id(), nullptr, raw(temporary), 0, nullptr});
    status.keep_first(owner_.plugin_device().data_delete(raw(temporary), OMPTARGET_ALLOC_DEFAULT));
  }
  things_.clear();
  return status;
}

} // namespace omptarget
