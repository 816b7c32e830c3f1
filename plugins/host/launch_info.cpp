// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/launch_info.h"

#include <algorithm>
#include <string>

#include "base/dimensions.h"
#include "common/boundary.h"
#include "host/device.h"
#include "host/device_number.h"

namespace omptarget::host {

namespace {

/// Empty if no image has the kernel: it is a function of the program, which the host library names.
std::string name_of(int32_t device, const void *kernel) {
  auto state = device_state(device).lock();
  for (const auto &image : state->images) {
    const __tgt_target_table &table = *image->table();
    for (const __tgt_offload_entry *entry = table.EntriesBegin; entry != table.EntriesEnd; ++entry)
      if (entry->addr == kernel)
        return entry->name;
  }
  return {};
}

} // namespace

void set_info_flag(uint32_t flag) { set_info_bits(flag); }

void print_launch(int32_t device, const void *kernel, const uint32_t (&teams)[3], const uint32_t (&threads)[3]) {
  const auto text = [](const uint32_t(&counts)[3]) {
    return dimensions_text(std::max(counts[0], 1u), counts[1], counts[2]);
  };
  if (const std::string name = name_of(device, kernel); !name.empty())
    print_info(device_number(device), "Launching kernel %s with %s blocks and %s threads in Generic mode", name.c_str(),
               text(teams).c_str(), text(threads).c_str());
}

} // namespace omptarget::host
