// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Information for users and tools: descriptions of devices, tables of present data, the mask of LIBOMPTARGET_INFO.

#include <cinttypes>
#include <cstdio>
#include <string>

#include "abi/boundary.h"
#include "base/text_output.h"
#include "device/runtime.h"
#include "mapping/variable_name.h"
#include "observe/info.h"
#include "omptarget/compiler.h"

using namespace omptarget;

namespace {

std::string count_text(uint32_t count) { return count == UINT32_MAX ? "INF" : std::to_string(count); }

void print_row(const std::string &prefix, const HostDataToTargetMap::Snapshot &row) {
  const VariableName variable = parse_variable_name(row.name);
  const bool has_file = !variable.file.empty();
  const std::string name = printable_name(variable.name.empty() ? "unknown" : variable.name);
  const std::string file = printable_name(has_file ? variable.file : "unknown");
  std::printf("%s0x%016" PRIxPTR " 0x%016" PRIxPTR " %-8" PRId64 " %-11s %-12s %s at %s:%d:%d\n", prefix.c_str(),
              static_cast<uintptr_t>(row.begin), static_cast<uintptr_t>(row.target_begin), row.end - row.begin,
              count_text(row.dynamic_count).c_str(), count_text(row.hold_count).c_str(), name.c_str(), file.c_str(),
              variable.line, variable.column);
}

void print_table(Device &device) {
  const std::string prefix = format("omptarget device %d info: ", raw(device.id()));
  const auto rows = device.map().snapshot();
  if (rows.empty()) {
    std::printf("%sOpenMP Host-Device pointer mappings table empty\n", prefix.c_str());
    return;
  }
  std::printf("%sOpenMP Host-Device pointer mappings after block at libomptarget:0:0:\n", prefix.c_str());
  std::printf("%s%-18s %-18s %s %s %s %s\n", prefix.c_str(), "Host Ptr", "Target Ptr", "Size (B)", "DynRefCount",
              "HoldRefCount", "Declaration");
  for (const auto &row : rows)
    print_row(prefix, row);
}

} // namespace

void __tgt_set_info_flag(uint32_t flag) { Runtime::get().set_info(flag); }

int __tgt_print_device_info(int64_t device_number) {
  const Call call{"__tgt_print_device_info", nullptr, device_number, __builtin_return_address(0)};
  auto device = device_for(device_number);
  if (!device)
    return succeeded(device.take_status(), call) ? 1 : 0;
  return *device && (*device)->plugin_device().print_device_info() ? 1 : 0;
}

void ompx_dump_mapping_tables(void) {
  for (int32_t i = 0; Device *const device = Runtime::get().known_device(i); ++i)
    print_table(*device);
  std::fflush(stdout);
}
