// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/plugin_need.h"

#include <llvm/BinaryFormat/ELF.h>

namespace omptarget {

PluginNeed plugin_need_of(const ImageFacts &facts) {
  switch (facts.kind) {
  case ImageKind::kElf: return {facts.machine == llvm::ELF::EM_CUDA, facts.machine == llvm::ELF::EM_AMDGPU};
  case ImageKind::kPtx:
  case ImageKind::kFatBinary: return {true, false};
  case ImageKind::kBitcode:
    return facts.machine == 0 ? PluginNeed::all()
                              : PluginNeed{facts.machine == llvm::ELF::EM_CUDA, facts.machine == llvm::ELF::EM_AMDGPU};
  case ImageKind::kIntel:
  case ImageKind::kUnknown: return PluginNeed::all();
  }
  return PluginNeed::all();
}

} // namespace omptarget
