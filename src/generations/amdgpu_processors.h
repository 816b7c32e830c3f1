// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors that code objects for AMD GPUs name in their ELF header, up to LLVM 22.
#pragma once

#include <cstdint>
#include <string_view>

namespace omptarget {

struct AmdgpuProcessor {
  uint32_t number; ///< e_flags & 0xff
  std::string_view name;
  std::string_view generic; ///< the generic target that runs there; empty if there is none, and for generic targets
};

// clang-format off
inline constexpr AmdgpuProcessor kAmdgpuProcessors[] = {
    {0x20, "gfx600", ""}, {0x21, "gfx601", ""}, {0x3a, "gfx602", ""}, {0x22, "gfx700", ""}, {0x23, "gfx701", ""},
    {0x24, "gfx702", ""}, {0x25, "gfx703", ""}, {0x26, "gfx704", ""}, {0x3b, "gfx705", ""}, {0x28, "gfx801", ""},
    {0x29, "gfx802", ""}, {0x2a, "gfx803", ""}, {0x3c, "gfx805", ""}, {0x2b, "gfx810", ""},
    {0x2c, "gfx900", "gfx9-generic"}, {0x2d, "gfx902", "gfx9-generic"}, {0x2e, "gfx904", "gfx9-generic"},
    {0x2f, "gfx906", "gfx9-generic"}, {0x30, "gfx908", ""}, {0x31, "gfx909", "gfx9-generic"}, {0x3f, "gfx90a", ""},
    {0x32, "gfx90c", "gfx9-generic"}, {0x40, "gfx940", "gfx9-4-generic"}, {0x4b, "gfx941", "gfx9-4-generic"},
    {0x4c, "gfx942", "gfx9-4-generic"}, {0x4f, "gfx950", "gfx9-4-generic"}, {0x33, "gfx1010", "gfx10-1-generic"},
    {0x34, "gfx1011", "gfx10-1-generic"}, {0x35, "gfx1012", "gfx10-1-generic"}, {0x42, "gfx1013", "gfx10-1-generic"},
    {0x36, "gfx1030", "gfx10-3-generic"}, {0x37, "gfx1031", "gfx10-3-generic"}, {0x38, "gfx1032", "gfx10-3-generic"},
    {0x39, "gfx1033", "gfx10-3-generic"}, {0x3e, "gfx1034", "gfx10-3-generic"}, {0x3d, "gfx1035", "gfx10-3-generic"},
    {0x45, "gfx1036", "gfx10-3-generic"}, {0x41, "gfx1100", "gfx11-generic"}, {0x46, "gfx1101", "gfx11-generic"},
    {0x47, "gfx1102", "gfx11-generic"}, {0x44, "gfx1103", "gfx11-generic"}, {0x43, "gfx1150", "gfx11-generic"},
    {0x4a, "gfx1151", "gfx11-generic"}, {0x55, "gfx1152", "gfx11-generic"}, {0x58, "gfx1153", "gfx11-generic"},
    {0x48, "gfx1200", "gfx12-generic"}, {0x4e, "gfx1201", "gfx12-generic"}, {0x49, "gfx1250", ""},
    {0x5a, "gfx1251", ""}, {0x52, "gfx10-1-generic", ""}, {0x53, "gfx10-3-generic", ""}, {0x54, "gfx11-generic", ""},
    {0x59, "gfx12-generic", ""}, {0x5f, "gfx9-4-generic", ""}, {0x51, "gfx9-generic", ""},
};
// clang-format on

/// Null if there is none of that number.
constexpr const AmdgpuProcessor *find_amdgpu_processor(uint32_t number) {
  for (const AmdgpuProcessor &processor : kAmdgpuProcessors)
    if (processor.number == number)
      return &processor;
  return nullptr;
}

/// Null if there is none of that name.
constexpr const AmdgpuProcessor *find_amdgpu_processor(std::string_view name) {
  for (const AmdgpuProcessor &processor : kAmdgpuProcessors)
    if (processor.name == name)
      return &processor;
  return nullptr;
}

} // namespace omptarget
