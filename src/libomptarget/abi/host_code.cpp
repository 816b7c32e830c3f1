// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs of programs whose regions are functions of the program itself (src/gomp). They are launched as kernels of
// the device that is this CPU.

#include "omptarget/host_code.h"

#include <atomic>
#include <llvm/ADT/SmallVector.h>

#include "abi/boundary.h"
#include "base/format.h"
#include "base/log.h"
#include "base/machine.h"
#include "image/gcc_variables.h"
#include "memory/memory.h"
#include "observe/api_caller.h"
#include "observe/code_places.h"
#include "observe/info.h"
#include "region/construct_report.h"
#include "region/count_once.h"
#include "region/data_constructs.h"
#include "region/launch.h"

using namespace omptarget;

namespace {

Call call_of(const __omptarget_construct &construct) {
  const ident_t *const location = is_observed() ? observe::location_of(construct.code) : nullptr;
  return {construct.name, location, construct.device, construct.code};
}

/// The construct's list. The compiler names no variables; those of static storage get their names if somebody listens.
class NamedList {
public:
  explicit NamedList(const __omptarget_construct &construct)
      : list_{construct.count, construct.bases, construct.begins, construct.sizes, construct.types, nullptr, nullptr} {
    if (is_observed()) [[unlikely]]
      find_names();
  }
  const MapList &list() const { return list_; }

private:
  void find_names() {
    for (int32_t i = 0; i < list_.count; ++i) {
      const bool is_range = (list_.types[i] & static_cast<int64_t>(map_type::kLiteral)) == 0;
      const char *const name = is_range ? observe::static_variable_name(list_.begins[i]) : nullptr;
      names_.push_back(const_cast<char *>(name));
    }
    list_.names = names_.data();
  }

  MapList list_;
  llvm::SmallVector<void *, 8> names_;
};

/// As finish, with file and line.
void finish_at_line(const Status &status, Call call) {
  if (status.is_ok()) [[likely]]
    return;
  call.location = observe::location_of(call.code);
  finish(status, call);
}

/// The devices that were found to run the program's own code, by their numbers. A device keeps its number.
constexpr int64_t kMostKnown = 64;
constinit std::atomic<const Device *> known_devices[kMostKnown] = {};

/// The same device as device_of if it is known and nothing is left to do; null: ask that.
inline DeviceUse known_device_of(const Call &call) {
  if (call.device_number < 0 || call.device_number >= kMostKnown)
    return DeviceUse();
  const Device *const known = known_devices[call.device_number].load(std::memory_order_relaxed);
  DeviceUse ready = ready_device_for(call.device_number);
  return known && ready.get() == known ? std::move(ready) : DeviceUse();
}

/// The device if it runs the program's own code; null: the host does its work. Only the plugin for the CPU runs it that
/// comes with the library. Numbers that no device has mean the host, as in libgomp, unless offloading is mandatory.
[[gnu::noinline]] Result<DeviceUse> device_of(const Call &call) {
  Runtime &runtime = Runtime::get();
  if (call.device_number > runtime.number_of_devices() && !runtime.is_mandatory())
    return DeviceUse();
  OMPTARGET_TRY_ASSIGN(DeviceUse device, device_for(call.device_number));
  if (device && !(device->lasts() && device->plugin().name() == kMachine.name)) {
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, device->id(), "%s is the host's: it does not run code of this compiler",
                           call.construct);
    return DeviceUse();
  }
  if (device && call.device_number >= 0 && call.device_number < kMostKnown)
    known_devices[call.device_number].store(device.get(), std::memory_order_relaxed);
  return device;
}

constexpr const char *kNothing = "a host runtime passes nothing where something must be";

/// Ends the process if there is no construct.
const __omptarget_construct &checked(const __omptarget_construct *construct) {
  static constexpr __omptarget_construct kNone{"a construct", nullptr, -1, 0, nullptr, nullptr, nullptr, nullptr};
  if (!construct || !construct->name)
    __omptarget_refuse(&kNone, kNothing);
  return *construct;
}

template <typename Work> void run_data(const __omptarget_construct *construct, Work work) {
  const Call call = call_of(checked(construct));
  const NamedList named(*construct);
  const auto run = [&]() -> Status {
    if (const DeviceUse known = known_device_of(call)) [[likely]]
      return work(*known, call, named.list());
    OMPTARGET_TRY_ASSIGN(const DeviceUse device, device_of(call));
    return device ? work(*device, call, named.list()) : Status::ok();
  };
  finish_at_line(run(), call);
}

} // namespace

int __omptarget_run_region(const __omptarget_construct *construct, const __omptarget_region *region) {
  const Call call = call_of(checked(construct));
  if (!region || !region->function || !region->run)
    __omptarget_refuse(construct, "it has no function");
  const NamedList named(*construct);
  LaunchRequest request{region->function, named.list(), BlockForm::kNone, {}, 0, 0};
  request.args.NumTeams[0] = region->teams;
  request.args.ThreadLimit[0] = region->threads;
  Kernel kernel{reinterpret_cast<void *>(region->run), observe::function_name(region->function, is_observed())};
  kernel.forms.fill(ParameterForm::kCells);
  Outcome outcome = Outcome::kRanOnDevice;
  const auto run = [&]() -> Status {
    if (const DeviceUse known = known_device_of(call)) [[likely]]
      return launch_function(*known, call, kernel, request);
    OMPTARGET_TRY_ASSIGN(const DeviceUse device, device_of(call));
    if (device)
      return launch_function(*device, call, kernel, request);
    outcome = Outcome::kRunOnHost;
    return Status::ok();
  };
  finish_at_line(run(), call);
  return outcome == Outcome::kRanOnDevice ? 0 : 1;
}

void __omptarget_enter_data(const __omptarget_construct *construct) {
  run_data(construct,
           [](Device &device, const Call &call, const MapList &list) { return enter_data(device, call, list); });
}

void __omptarget_exit_data(const __omptarget_construct *construct) {
  run_data(construct,
           [](Device &device, const Call &call, const MapList &list) { return exit_data(device, call, list); });
}

void __omptarget_update_data(const __omptarget_construct *construct) {
  run_data(construct,
           [](Device &device, const Call &call, const MapList &list) { return update_data(device, call, list); });
}

void __omptarget_enter_once(const __omptarget_construct *construct) {
  run_data(construct, [](Device &device, const Call &call, const MapList &list) {
    count_once(device, list);
    return enter_data(device, call, list);
  });
}

void __omptarget_exit_once(const __omptarget_construct *construct) {
  run_data(construct, [](Device &device, const Call &call, const MapList &list) {
    count_once(device, list);
    return exit_data(device, call, list);
  });
}

void *__omptarget_device_address(const void *address, int64_t device) {
  Result<void *> found = mapped_address(address, static_cast<int32_t>(device));
  if (found.is_ok())
    return *found;
  found.take_status().consume();
  return nullptr;
}

void __omptarget_refuse(const __omptarget_construct *construct, const char *reason) {
  const __omptarget_construct &refused = checked(construct);
  finish_at_line(Status::error(reason ? reason : kNothing), {refused.name, nullptr, refused.device, refused.code});
}

void __omptarget_warn(const char *text) { print_message(text ? text : kNothing); }

void __omptarget_warn_of(const __omptarget_construct *construct, const void *variable, const char *text) {
  const __omptarget_construct &warned = checked(construct);
  const char *const name = observe::static_variable_name(variable);
  const Call call{warned.name, observe::location_of(warned.code), warned.device, warned.code};
  print_message(format("%s: %s %s", place_of(call).c_str(),
                       name ? name : format("the variable at %p", variable).c_str(), text ? text : kNothing));
}

const __omptarget_variables *__omptarget_declared_variables() { return &gcc_variables(); }

void __omptarget_called_from(const void *code) { observe::note_caller(code); }
