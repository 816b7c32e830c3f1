// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/call.h"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/format.h"
#include "device/libomp.h"
#include "device/process_exit.h"
#include "device/runtime.h"

namespace omptarget {

namespace {

Status no_device() {
  Status status = Status::error("No device is available for offloading");
  for (const std::string &line : Runtime::get().explain_devices())
    status = std::move(status).during(line);
  return status;
}

/// The number that the text begins with, or 0.
int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

} // namespace

Result<DeviceUse> device_for(int64_t device_number) {
  if (DeviceUse device = ready_device_for(device_number))
    return device;
  Runtime &runtime = Runtime::get();
  const int32_t count = runtime.number_of_devices();
  if (device_number == raw(DeviceId::kDefault))
    device_number = libomp::default_device();
  if (device_number >= 0 && device_number < count)
    return runtime.device(static_cast<DeviceId>(device_number));
  if (runtime.is_disabled() || runtime.has_ended())
    return DeviceUse();
  if (count == 0) {
    if (runtime.is_mandatory() && !is_process_exiting())
      return no_device();
    return DeviceUse();
  }
  if (device_number == count)
    return DeviceUse();
  return Status::fatal(static_cast<int>(device_number),
                       format("Device number '%lld' out of range, only %d devices available",
                              static_cast<long long>(device_number), count));
}

Device *ended_device_for(int64_t device_number) {
  if (device_number == raw(DeviceId::kDefault))
    device_number = libomp::default_device();
  return device_number >= 0 && device_number <= INT32_MAX
             ? Runtime::get().ended_device(static_cast<int32_t>(device_number))
             : nullptr;
}

SourcePosition source_position(const ident_t *location) {
  if (!location || !location->psource)
    return {};
  std::string_view fields[5];
  std::string_view rest = location->psource;
  for (std::string_view &field : fields) {
    const size_t end = rest.find(';');
    if (end == std::string_view::npos)
      return {};
    field = rest.substr(0, end);
    rest = rest.substr(end + 1);
  }
  // ";file;function;line;column;;": the first field is empty.
  const SourcePosition position{fields[1].data(), static_cast<int>(fields[1].size()), number_in(fields[3]),
                                number_in(fields[4])};
  return fields[1] == "unknown" || fields[1].empty() || position.line == 0 ? SourcePosition{} : position;
}

std::string place_of(const Call &call) {
  const SourcePosition position = source_position(call.location);
  return position ? format("%s at %.*s:%d:%d", call.construct, position.file_length, position.file, position.line,
                           position.column)
                  : call.construct;
}

} // namespace omptarget
