// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/deferred_mapping_construct.h"

#include <cstring>

#include "base/sched_point.h"
#include "device/invariants.h"

namespace omptarget {

Status conclude(Device &device, const char *kernel, MapArguments &arguments, Ended so_far, Status status) {
  if (so_far == Ended::kDone)
    return status;
  give_back(device, arguments);
  return so_far == Ended::kFailed ? blamed_on_kernel(device, kernel, std::move(status)) : std::move(status);
}

Ended DeferredMappingConstruct::launch(const Region &region, Status &status) {
  const Ended started = start_region(device(), region, arguments_, queue_, status);
  if (started != Ended::kDone)
    queue_.wait().consume(); // nothing may be under way when what it uses is given back
  else if (queue_.is_busy())
    exiting_.start();
  return started;
}

Ended DeferredMappingConstruct::enter(const void *code, Status &status) {
  return start_entry(device(), arguments_, queue_, code, status);
}

Ended DeferredMappingConstruct::exit(const void *code, Status &status) {
  status = find_for_exit(device(), arguments_, queue_, code);
  if (!status.is_ok()) {
    arguments_.refs.clear(); // it has retained nothing
    return Ended::kNotStarted;
  }
  exiting_.start();
  return Ended::kDone;
}

/// After kDone: waits for all that, and exits.
Ended DeferredMappingConstruct::finish(Status &status) {
  if (kind_ == observe::ConstructKind::kEnterData) {
    status = queue_.wait();
    check_present_data(device());
    return status.is_ok() ? Ended::kDone : Ended::kNotStarted;
  }
  Status waited = exiting_.finish();
  status = std::move(besides_);
  const Ended so_far = ended(device(), kernel_ ? kAfterKernel : nullptr, std::move(waited), status);
  return kernel_ ? so_far : Ended::kDone;
}

/// From now on the list's arrays may go.
void DeferredMappingConstruct::keep_list() {
  if (OMPTARGET_PLANTED("list-lent") || arguments_.is_expanded())
    return;
  const auto count = static_cast<size_t>(list_.count);
  kept_list_.reset(new void *[5 * count]);
  void **end = kept_list_.get();
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

Status DeferredMappingConstruct::defer_or_complete(std::unique_ptr<DeferredMappingConstruct> construct, void *&slot) {
  if (!construct->queue_.is_busy())
    return construct->complete();
  construct->keep_list();
  return defer(std::move(construct), slot);
}

Status DeferredMappingConstruct::complete() {
  Status status;
  const Ended so_far = finish(status);
  return conclude(so_far, std::move(status));
}

Result<bool> DeferredMappingConstruct::is_done() {
  auto is_done = queue_.is_done();
  if (is_done.is_ok())
    return is_done;
  Status status;
  finish(status);
  status.consume(); // the first failure is what counts
  return conclude(Ended::kFailed, is_done.take_status());
}

} // namespace omptarget
