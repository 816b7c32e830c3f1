// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/launch_info.h"

#include <algorithm>
#include <string>

#include "common/boundary.h"
#include "host/device.h"
#include "host/device_number.h"

namespace omptarget::host {

namespace {

std::string name_of(int32_t device, const void *kernel) {
  auto state = device_state(device).lock();
  for (const auto &image : state->images) {
    const __tgt_target_table &table = *image->table();
    for (const __tgt_offload_entry *entry = table.EntriesBegin; entry != table.EntriesEnd; ++entry)
      if (entry->addr == kernel)
        return entry->name;
  }
  return "unknown";
}

} // namespace

void set_info_flag(uint32_t flag) { set_info_bits(flag); }

void print_launch(int32_t device, const void *kernel, uint32_t teams, uint32_t threads) {
  print_info(device_number(device), "Launching kernel %s with %u blocks and %u threads in Generic mode",
             name_of(device, kernel).c_str(), std::max(teams, 1u), std::max(threads, 1u));
}

} // namespace omptarget::host
