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

namespace emulator::executor::amdgpu {

Decoder::Decoder(const Processor &processor) : is_rdna_(!processor.is_gfx9) {
  static std::once_flag is_ready;
  std::call_once(is_ready, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  const char *features = processor.is_gfx9       ? ""
                         : processor.lanes == 32 ? "+wavefrontsize32,+real-true16"
                                                 : "+wavefrontsize64,+real-true16";
  context_ =
      LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", processor.name.c_str(), features, nullptr, 0, nullptr, nullptr);
}

Decoder::~Decoder() {
  if (context_)
    LLVMDisasmDispose(context_);
}

// Newer compilers write the constant 0 for a third source that a vector instruction of RDNA 3 does not have, and for a second, which
// the hardware does not look at; this disassembler knows them as no register only.
size_t Decoder::read_without_third_source(const uint8_t *code, uint64_t size, char *text, size_t room) const {
  constexpr uint32_t kThirdSource = 0x1FFu << 18, kZero = 0x80u << 18, kSecondSource = 0x1FFu << 9,
                     kSecondZero = 0x80u << 9;
  uint8_t copy[16] = {};
  std::memcpy(copy, code, std::min<uint64_t>(size, sizeof(copy)));
  uint32_t words[2];
  std::memcpy(words, copy, sizeof(words));
  if (size < sizeof(words) || (words[0] >> 26 != 0b110101 && words[0] >> 26 != 0b110011) ||
      (words[1] & kThirdSource) != kZero)
    return 0;
  const auto read = [&] {
    std::memcpy(copy, words, sizeof(words));
    return LLVMDisasmInstruction(context_, copy, std::min<uint64_t>(size, sizeof(copy)), 0, text, room);
  };
  words[1] &= ~kThirdSource;
  size_t length = read();
  if (length == 0 && (words[1] & kSecondSource) == kSecondZero) {
    words[1] &= ~kSecondSource;
    length = read();
  }
  return length;
}

// VOP1 that writes 16 bits to an upper half: read as one that writes the lower.
size_t Decoder::read_with_lower_result(const uint8_t *code, uint64_t size, char *text, size_t room) const {
  constexpr uint32_t kVop1 = 0x3F, kUpperResult = 1 << 24;
  uint8_t copy[8] = {};
  size = std::min<uint64_t>(size, sizeof(copy));
  std::memcpy(copy, code, size);
  uint32_t word = 0;
  std::memcpy(&word, copy, sizeof(word));
  if (word >> 25 != kVop1 || !(word & kUpperResult))
    return 0;
  word &= ~kUpperResult;
  std::memcpy(copy, &word, sizeof(word));
  return LLVMDisasmInstruction(context_, copy, size, 0, text, room);
}

namespace {

// Halves of registers, which LLVM 19 does not tell of all instructions of RDNA's that have them.
void choose_halves(uint32_t word, Instruction &result) {
  if (word >> 26 != 0b110101 || result.name.find("16") == std::string::npos || result.name.starts_with("v_perm"))
    return; // not VOP3
  for (unsigned n = 0; n < 4; ++n)
    result.op_sel[n] = word >> (11 + n) & 1;
  result.has_op_sel = (word >> 11 & 0xF) != 0;
  for (Operand &operand : result.operands)
    operand.half = 0;
  if (result.has_op_sel && result.handler && !find_operation(result.name)->takes_modifiers) {
    result.handler = nullptr;
    result.reason = "the executor has this instruction, but not with halves of registers";
  }
}

} // namespace

Instruction Decoder::decode(const uint8_t *code, uint64_t size) const {
  char text[512];
  size_t read = LLVMDisasmInstruction(context_, const_cast<uint8_t *>(code), size, 0, text, sizeof(text));
  if (read == 0 && is_rdna_)
    read = read_without_third_source(code, size, text, sizeof(text));
  const bool is_upper = read == 0 && is_rdna_ && (read = read_with_lower_result(code, size, text, sizeof(text))) != 0;
  if (read == 0)
    return {};
  Instruction result = parse_instruction(text);
  if (is_upper && result.name.find("16") == std::string::npos)
    return {};
  if (is_upper)
    result.operands[0].half = 2;
  uint32_t word = 0;
  std::memcpy(&word, code, std::min<uint64_t>(size, sizeof(word)));
  if (is_rdna_ && !is_upper)
    choose_halves(word, result);
  result.size = static_cast<uint8_t>(read);
  result.touched = find_touched(result);
  return result;
}

} // namespace emulator::executor::amdgpu
