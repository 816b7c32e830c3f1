// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user is told about a device.

#include <cstdio>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/log.h"

namespace omptarget::amdgpu {

namespace {

const char *yes_no(bool value) { return value ? "yes" : "no"; }

uint32_t number_of(hsa_agent_t agent, int attribute) {
  uint32_t value = 0;
  static_cast<void>(OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, attribute, &value));
  return value;
}

} // namespace

void Device::print_info() const {
  char name[64] = "";
  static_cast<void>(OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent(), HSA_AMD_AGENT_INFO_PRODUCT_NAME, name));
  name[sizeof(name) - 1] = '\0';
  const uint32_t bus = number_of(agent(), HSA_AMD_AGENT_INFO_BDFID);
  std::printf("    Device                     %d (%d of the AMDGPU plugin)\n", number(), id_);
  std::printf("    Name                       %s\n", name);
  std::printf("    Architecture               %s\n", properties_.target.name().c_str());
  std::printf("    Instruction set            %s\n", properties_.isa.c_str());
  std::printf("    PCI bus                    %04x:%02x:%02x.%x\n", number_of(agent(), HSA_AMD_AGENT_INFO_DOMAIN),
              bus >> 8 & 0xff, bus >> 3 & 0x1f, bus & 7);
  std::printf("    KFD node                   %u\n", number_of(agent(), HSA_AMD_AGENT_INFO_DRIVER_NODE_ID));
  std::printf("    HSA runtime                %u.%u\n", driver().major, driver().minor);
  std::printf("    Memory                     %zu bytes\n", properties_.device_pool.size);
  std::printf("    Compute units              %u\n", properties_.compute_units);
  std::printf("    Clock                      %u MHz\n", number_of(agent(), HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY));
  std::printf("    Wavefront                  %u threads\n", properties_.wavefront_size);
  std::printf("    Wavefronts of a unit       %u\n", properties_.max_waves);
  std::printf("    Most threads of a team     %u\n", limits_.max_threads);
  std::printf("    Most teams                 %u\n", limits_.max_teams);
  std::printf("    Shared memory of a team    %u bytes\n", properties_.group_memory);
  std::printf("    HSA queues                 %u of %u to %u packets\n", properties_.max_queues,
              properties_.least_queue_size, properties_.most_queue_size);
  std::printf("    Shares memory with the CPU %s\n", yes_no(properties_.is_apu));
  std::printf("    Reaches pageable memory    %s\n", yes_no(driver().reaches_pageable_memory));
  std::printf("    Uses mapped data in place  %s\n", yes_no(uses_zero_copy()));
}

void Device::report_statistics() {
  if (!memory_.is_initialised())
    return;
  trace_statistics(number(), memory_.statistics());
}

} // namespace omptarget::amdgpu
