// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler: see instruction.h.

#include <algorithm>
#include <cstring>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <mutex>

#include "instruction.h"

namespace sim::executor::amdgpu {

Decoder::Decoder(const Processor &processor) : is_rdna_(!processor.is_gfx9) {
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

// Newer compilers write the constant 0 for a third source that a vector instruction of RDNA 3 does not have, which the hardware does not
// look at; this disassembler knows it as no register only.
size_t Decoder::read_without_third_source(const uint8_t *code, uint64_t size, char *text, size_t room) const {
  constexpr uint32_t kThirdSource = 0x1FFu << 18, kZero = 0x80u << 18;
  uint8_t copy[16] = {};
  std::memcpy(copy, code, std::min<uint64_t>(size, sizeof(copy)));
  uint32_t words[2];
  std::memcpy(words, copy, sizeof(words));
  if (size < sizeof(words) || (words[0] >> 26 != 0b110101 && words[0] >> 26 != 0b110011) || (words[1] & kThirdSource) != kZero)
    return 0;
  words[1] &= ~kThirdSource;
  std::memcpy(copy, words, sizeof(words));
  return LLVMDisasmInstruction(context_, copy, std::min<uint64_t>(size, sizeof(copy)), 0, text, room);
}

Instruction Decoder::decode(const uint8_t *code, uint64_t size) const {
  char text[512];
  size_t read = LLVMDisasmInstruction(context_, const_cast<uint8_t *>(code), size, 0, text, sizeof(text));
  if (read == 0 && is_rdna_)
    read = read_without_third_source(code, size, text, sizeof(text));
  if (read == 0)
    return {};
  Instruction result = parse_instruction(text);
  result.size = static_cast<uint8_t>(read);
  return result;
}

} // namespace sim::executor::amdgpu
