// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/fault.h"

#include "base/format.h"

namespace omptarget::amdgpu {

std::string describe_memory_fault(const hsa_amd_gpu_memory_fault_info_t &fault) {
  const struct {
    uint32_t bit;
    const char *text;
  } reasons[] = {
      {HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT, "page not present or not the program's"},
      {HSA_AMD_MEMORY_FAULT_READ_ONLY, "write to a read-only page"},
      {HSA_AMD_MEMORY_FAULT_NX, "execution of a page without code"},
      {HSA_AMD_MEMORY_FAULT_HOST_ONLY, "page for the host only"},
      {HSA_AMD_MEMORY_FAULT_DRAMECC, "uncorrectable error of device memory"},
      {HSA_AMD_MEMORY_FAULT_IMPRECISE, "address not exact"},
      {HSA_AMD_MEMORY_FAULT_SRAMECC, "uncorrectable error of on-chip memory"},
      {uint32_t{1} << 31, "device reset after a hang"},
  };
  std::string text;
  for (const auto &reason : reasons)
    if (fault.fault_reason_mask & reason.bit)
      text += format("%s%s", text.empty() ? "" : ", ", reason.text);
  return format("memory fault at address %#llx: %s", static_cast<unsigned long long>(fault.virtual_address),
                text.empty() ? "the driver gives no reason" : text.c_str());
}

} // namespace omptarget::amdgpu
