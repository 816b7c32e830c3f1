// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler: see instruction.h.

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <mutex>

#include "instruction.h"

namespace sim::executor::amdgpu {

Decoder::Decoder(const Processor &processor) {
  static std::once_flag is_ready;
  std::call_once(is_ready, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  const char *features = processor.is_gfx9 ? "" : processor.lanes == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
  context_ =
      LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", processor.name.c_str(), features, nullptr, 0, nullptr, nullptr);
}

Decoder::~Decoder() {
  if (context_)
    LLVMDisasmDispose(context_);
}

Instruction Decoder::decode(const uint8_t *code, uint64_t size) const {
  char text[512];
  const size_t read = LLVMDisasmInstruction(context_, const_cast<uint8_t *>(code), size, 0, text, sizeof(text));
  if (read == 0)
    return {};
  Instruction result = parse_instruction(text);
  result.size = static_cast<uint8_t>(read);
  return result;
}

} // namespace sim::executor::amdgpu
