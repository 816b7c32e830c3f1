// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/kernel.h"

#include <algorithm>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "amdgpu/image.h"
#include "common/stack_setting.h"

namespace omptarget::amdgpu {

namespace {

// For kernels that call functions of unknown frames, where the program does not set LIBOMPTARGET_STACK_SIZE.
constexpr uint32_t kDynamicStack = 16 * 1024;

} // namespace

Status Kernel::ask_driver() {
  OMPTARGET_TRY_ASSIGN(const auto code, image_.find_code(name()));
  if (!code)
    return Status::error("the driver does not find it in the image");
  KernelMetadata known = metadata_;
  const struct {
    int attribute;
    uint32_t *value;
  } wanted[] = {
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &known.kernarg_size},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &known.group_size},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &known.private_size},
  };
  OMPTARGET_TRY(
      OMPTARGET_HSA(hsa_executable_symbol_get_info, *code, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object_));
  // The driver enforces the numbers that it read. For the arguments, drivers may round up the metadata's size.
  for (const auto &[attribute, value] : wanted) {
    uint32_t number = 0;
    OMPTARGET_TRY(OMPTARGET_HSA(hsa_executable_symbol_get_info, *code, attribute, &number));
    *value = std::max(*value, number);
  }
  metadata_ = std::move(known);
  static_shared_memory_ = metadata_.group_size;
  // Some compilers' kernels ask for too little, so that what the user says is for all.
  const auto stack = static_cast<uint32_t>(stack_setting(image_.amd_device().number()).bytes);
  const uint32_t least = stack == 0 && metadata_.has_dynamic_stack ? kDynamicStack : stack;
  private_size_ = std::max(metadata_.private_size, least);
  resident_teams_ = count_resident_teams();
  return Status::ok();
}

// As far as waves and shared memory of a compute unit go; registers are not looked at.
uint32_t Kernel::count_resident_teams() const {
  const DeviceProperties &device = image_.amd_device().properties();
  LaunchLimits limits = image_.amd_device().limits();
  if (max_threads() != 0)
    limits.max_threads = std::min(limits.max_threads, max_threads());
  const uint32_t wave = std::max(1u, warp_size() != 0 ? warp_size() : device.wavefront_size);
  const uint32_t waves_of_team = (default_threads_of(traits(), limits) + wave - 1) / wave;
  uint32_t teams = device.max_waves / std::max(1u, waves_of_team);
  if (const uint32_t group = metadata_.group_size + limits.shared_memory; group != 0)
    teams = std::min(teams, device.group_memory / group);
  return std::max(1u, teams) * std::max(1u, device.compute_units);
}

Result<ImplicitLayout> Kernel::implicit_layout(uint32_t explicit_size) const {
  const uint32_t taken = metadata_.explicit_size.value_or(explicit_size);
  if ((taken + 7) / 8 * 8 != explicit_size)
    return Status::error(
        format("kernel %s takes %u bytes of arguments, the launch passes %u", name().c_str(), taken, explicit_size));
  if (explicit_size > (metadata_.kernarg_size + 7) / 8 * 8)
    return Status::error(format("kernel %s has room for %u bytes of arguments, the launch passes %u", name().c_str(),
                                metadata_.kernarg_size, explicit_size));
  return ImplicitLayout::of(version_, metadata_.kernarg_size, explicit_size);
}

} // namespace omptarget::amdgpu
