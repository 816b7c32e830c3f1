// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/image_facts.h"

#include <cstring>
#include <llvm/BinaryFormat/ELF.h>
#include <string_view>

#include "base/format.h"
#include "base/machine.h"
#include "generations/amdgpu_processors.h"
#include "image/bitcode_facts.h"

namespace omptarget {

namespace {

namespace elf = llvm::ELF;

constexpr uint16_t kMachineIntel = 205; // EM_INTELGT, which older headers of LLVM do not have

/// Feature in two bits: 0 unsupported, 1 any, 2 off, 3 on.
const char *feature(uint32_t bits, const char *on, const char *off) { return bits == 3 ? on : bits == 2 ? off : ""; }

std::string amd_architecture(uint32_t flags) {
  const AmdgpuProcessor *processor = find_amdgpu_processor(flags & 0xff);
  std::string name = processor ? std::string(processor->name) : format("gfx? (0x%x)", flags & 0xff);
  name += feature((flags >> 10) & 3, ":sramecc+", ":sramecc-");
  name += feature((flags >> 8) & 3, ":xnack+", ":xnack-");
  return name;
}

/// CUDA's ELF files keep the architecture in other bits since ABI version 8 (CUDA 13).
std::string cuda_architecture(uint32_t flags, uint8_t abi_version) {
  const bool is_new = abi_version >= 8;
  const uint32_t number = is_new ? (flags >> 8) & 0xff : flags & 0xff;
  const bool is_accelerated = (flags & (is_new ? 0x8u : 0x800u)) != 0;
  return format("sm_%u%s", number, is_accelerated ? "a" : "");
}

ImageFacts elf_facts(std::span<const std::byte> bytes) {
  elf::Elf64_Ehdr header;
  if (bytes.size() < sizeof header || std::to_integer<int>(bytes[elf::EI_CLASS]) != elf::ELFCLASS64)
    return {ImageKind::kElf, 0, "ELF of another class, or cut off"};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_machine == kMachineIntel)
    return {ImageKind::kIntel, header.e_machine, "code for Intel GPUs"};
  ImageFacts facts{ImageKind::kElf, header.e_machine, {}};
  if (header.e_machine == elf::EM_CUDA)
    facts.architecture = cuda_architecture(header.e_flags, header.e_ident[elf::EI_ABIVERSION]);
  else if (header.e_machine == elf::EM_AMDGPU)
    facts.architecture = amd_architecture(header.e_flags);
  else
    facts.architecture = machine_name(header.e_machine);
  return facts;
}

/// "+xnack" and "-xnack" of the compiler's list become ":xnack+" and ":xnack-".
std::string amd_features(const std::string &features) {
  std::string text;
  for (const std::string name : {"sramecc", "xnack"})
    for (const char sign : {'+', '-'})
      if (("," + features + ",").find("," + (sign + name) + ",") != std::string::npos)
        text += ":" + name + sign;
  return text;
}

ImageFacts bitcode_image_facts(std::span<const std::byte> bytes) {
  const BitcodeFacts bitcode = read_bitcode(bytes);
  const std::string_view triple = bitcode.triple;
  const auto is_for = [&](std::string_view name) { return triple.starts_with(name); };
  if (is_for("spirv"))
    return {ImageKind::kIntel, 0, "SPIR-V for Intel GPUs"};
  // A program without kernels may have no function that names a processor.
  const bool is_for_any = bitcode.processor.empty();
  if (is_for("nvptx64-"))
    return {ImageKind::kBitcode, elf::EM_CUDA, is_for_any ? bitcode.triple : bitcode.processor};
  if (is_for("amdgcn-"))
    return {ImageKind::kBitcode, elf::EM_AMDGPU,
            is_for_any ? bitcode.triple : bitcode.processor + amd_features(bitcode.features)};
  if (is_for(std::string(kMachine.name) + "-"))
    return {ImageKind::kBitcode, kMachine.elf_machine, kMachine.name};
  return {ImageKind::kBitcode, 0, triple.empty() ? "bitcode" : bitcode.triple};
}

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

} // namespace

ImageFacts image_facts(std::span<const std::byte> bytes) {
  if (begins_with(bytes, "\x7f"
                         "ELF"))
    return elf_facts(bytes);
  if (begins_with(bytes, "BC\xC0\xDE"))
    return bitcode_image_facts(bytes);
  if (begins_with(bytes, {"\x03\x02\x23\x07", 4}))
    return {ImageKind::kIntel, 0, "SPIR-V for Intel GPUs"};
  if (begins_with(bytes, "\x50\xED\x55\xBA"))
    return {ImageKind::kFatBinary, 0, "CUDA fat binary"};
  const std::string_view start(reinterpret_cast<const char *>(bytes.data()), std::min<size_t>(bytes.size(), 4096));
  if (start.find(".version") != std::string_view::npos && start.find(".target") != std::string_view::npos)
    return {ImageKind::kPtx, 0, "PTX"};
  return {ImageKind::kUnknown, 0, "unknown"};
}

std::string description_of(const ImageFacts &facts) {
  if (facts.kind == ImageKind::kIntel)
    return facts.architecture + ": no plugin for it here";
  if (facts.kind != ImageKind::kBitcode || facts.architecture == "bitcode")
    return facts.architecture;
  return "LLVM bitcode for " + facts.architecture + ", made by -fopenmp-target-jit";
}

} // namespace omptarget
