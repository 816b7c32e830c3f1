// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user is told about a device.

#include <cstdio>

#include "base/log.h"
#include "cuda/device.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

const char *yes_no(bool value) { return value ? "yes" : "no"; }

} // namespace

void Device::print_info() const {
  char name[256] = "";
  char bus[32] = "";
  size_t memory = 0;
  static_cast<void>(OMPTARGET_CU_RESULT(cuDeviceGetName, name, sizeof(name) - 1, properties_.handle));
  static_cast<void>(OMPTARGET_CU_RESULT(cuDeviceGetPCIBusId, bus, sizeof(bus) - 1, properties_.handle));
  static_cast<void>(OMPTARGET_CU_RESULT(cuDeviceTotalMem, &memory, properties_.handle));
  std::printf("    Device                     %d (%d of the CUDA plugin)\n", number(), id_);
  std::printf("    Name                       %s\n", name);
  std::printf("    Architecture               sm_%d\n", properties_.sm);
  std::printf("    PCI bus                    %s\n", bus);
  std::printf("    Driver serves CUDA         %d.%d\n", driver().version / 1000, driver().version % 1000 / 10);
  std::printf("    Memory                     %zu bytes\n", memory);
  std::printf("    Multiprocessors            %d\n", properties_.multiprocessors);
  std::printf("    Warp                       %d threads\n", properties_.warp_size);
  std::printf("    Most threads of a team     %u\n", limits_.max_threads);
  std::printf("    Most teams                 %u\n", limits_.max_teams);
  std::printf("    Shared memory of a team    %d bytes\n", properties_.shared_memory);
  std::printf("    Managed memory             %s\n", yes_no(properties_.has_managed_memory));
  std::printf("    Reaches pageable memory    %s\n", yes_no(properties_.reaches_pageable_memory));
  std::printf("    Memory pools               %s\n", yes_no(properties_.has_memory_pools));
}

void Device::report_statistics() {
  trace_statistics(number(), memory_.statistics());
}

} // namespace omptarget::cuda
