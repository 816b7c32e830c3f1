// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/data_constructs.h"

#include <memory>

#include "base/log.h"
#include "region/data_update.h"
#include "region/deferred_mapping_construct.h"
#include "region/ended_device.h"
#include "region/expansion.h"
#include "region/unfit_module.h"

namespace omptarget {

namespace {

// The kinds of data constructs. on_host() does what is left for the host. run() is complete on return, start() starts the
// construct.

struct Enter {
  static constexpr observe::ConstructKind kKind = observe::ConstructKind::kEnterData;
  static Status run(Device &device, const Call &call, MapArguments &arguments, bool is_observed) {
    Status status;
    const Ended so_far = run_entry(device, arguments, is_observed, call.code, status);
    return so_far == Ended::kDone ? std::move(status) : conclude(device, nullptr, arguments, so_far, std::move(status));
  }
  static Ended start(DeferredMappingConstruct &construct, const Call &call, Status &status) {
    return construct.enter(call.code, status);
  }
  static Status on_host(const Call &, const MapList &) { return Status::ok(); }
};

struct Exit {
  static constexpr observe::ConstructKind kKind = observe::ConstructKind::kExitData;
  static Status run(Device &device, const Call &call, MapArguments &arguments, bool is_observed) {
    return run_exit(device, arguments, is_observed, call.code);
  }
  static Ended start(DeferredMappingConstruct &construct, const Call &call, Status &status) {
    return construct.exit(call.code, status);
  }
  static Status on_host(const Call &call, const MapList &list) { return exit_ended_device(call, list); }
};

struct Update {
  static constexpr observe::ConstructKind kKind = observe::ConstructKind::kUpdate;
  static Status on_host(const Call &call, const MapList &list) { return update_ended_device(call, list); }
};

/// An update with nowait that outlives its call.
class DeferredUpdate final : public DeferredConstruct {
public:
  DeferredUpdate(Device &device, const Call &call, const MapList &list)
      : DeferredConstruct(device, call, Update::kKind, list), update_(device) {}

  static Status run(Device &device, const Call &call, const MapList &list, void *&slot) {
    auto deferred = std::make_unique<DeferredUpdate>(device, call, list);
    OMPTARGET_TRY(deferred->update_.start(list, call.code, false));
    return deferred->update_.is_busy() ? defer(std::move(deferred), slot) : deferred->update_.finish();
  }

private:
  Status complete() override { return update_.finish(); }
  Result<bool> is_done() override { return update_.is_done(); }
  bool has_turn(MappingRef) const override { return false; }

  DataUpdate update_;
};

/// Carries out a construct to its end.
template <typename Kind>
[[gnu::always_inline]] inline Status run_to_end(Device &device, const Call &call, const MapList &list,
                                                bool is_observed) {
  MapArguments arguments(list);
  return Kind::run(device, call, arguments, is_observed);
}
template <> inline Status run_to_end<Update>(Device &device, const Call &call, const MapList &list, bool is_observed) {
  DataUpdate update(device, is_observed);
  OMPTARGET_TRY(update.start(list, call.code, true));
  return update.finish();
}

template <typename Kind>
[[gnu::cold, gnu::noinline]] Status run_observed(Device &device, const Call &call, const MapList &list) {
  const ReportedConstruct reported(call, device, Kind::kKind, list);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "%s with %d arguments", call.construct, list.count);
  return run_to_end<Kind>(device, call, list, true);
}

template <typename Kind>
[[gnu::noinline]] Status run_deferred(Device &device, const Call &call, const MapList &list, void *&slot) {
  return DeferredMappingConstruct::run(
      std::make_unique<DeferredMappingConstruct>(device, call, Kind::kKind, list, nullptr), slot,
      [&](DeferredMappingConstruct &construct, Status &status) { return Kind::start(construct, call, status); });
}
template <> Status run_deferred<Update>(Device &device, const Call &call, const MapList &list, void *&slot) {
  return DeferredUpdate::run(device, call, list, slot);
}

/// Some module has no image on the device. If none fits, its constructs are the host's, and those of others are the
/// device's.
template <typename Kind>
[[gnu::cold, gnu::noinline]] Status run_beside_unfit(Device &device, const Call &call, const MapList &list) {
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items, call.code));
  OMPTARGET_TRY(find_offsets(items, call.code));
  OMPTARGET_TRY_ASSIGN(const bool is_hosts, is_for_host(device, call, items));
  if (is_hosts)
    return Kind::on_host(call, list);
  OMPTARGET_TRY(check_variables(device, items));
  const ReportedConstruct reported(call, device, Kind::kKind, list);
  return run_to_end<Kind>(device, call, list, is_observed());
}

template <typename Kind>
[[gnu::always_inline]] inline Status run_on(Device &device, const Call &call, const MapList &list) {
  if (device.lacks_images())
    return run_beside_unfit<Kind>(device, call, list);
  if (call.is_nowait)
    if (void **slot = DeferredConstruct::free_slot(device, call))
      return run_deferred<Kind>(device, call, list, *slot);
  if (is_observed())
    return run_observed<Kind>(device, call, list);
  return run_to_end<Kind>(device, call, list, false);
}

template <typename Kind> [[gnu::noinline]] Status run_on_any_device(const Call &call, const MapList &list) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, device_for(call.device_number));
  return device ? run_on<Kind>(*device, call, list) : Kind::on_host(call, list);
}

template <typename Kind> Status run(const Call &call, const MapList &list) {
  if (const DeviceUse ready = ready_device_for(call.device_number))
    return run_on<Kind>(*ready, call, list);
  return run_on_any_device<Kind>(call, list);
}

} // namespace

Status enter_data(const Call &call, const MapList &list) { return run<Enter>(call, list); }

Status exit_data(const Call &call, const MapList &list) { return run<Exit>(call, list); }

Status update_data(const Call &call, const MapList &list) { return run<Update>(call, list); }

Status enter_data(Device &device, const Call &call, const MapList &list) { return run_on<Enter>(device, call, list); }

Status exit_data(Device &device, const Call &call, const MapList &list) { return run_on<Exit>(device, call, list); }

Status update_data(Device &device, const Call &call, const MapList &list) { return run_on<Update>(device, call, list); }

} // namespace omptarget
