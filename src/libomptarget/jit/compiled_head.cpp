// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "jit/compiled_head.h"

#include <cstring>
#include <elf.h>

#include "base/format.h"
#include "base/machine.h"
#include "generations/amdgpu_processors.h"
#include "jit/compiler_program.h"

namespace omptarget::jit {

namespace {

constexpr uint16_t kMachineCuda = 190, kMachineAmdgpu = 224;
constexpr uint8_t kHsa = 64, kCodeObjectV5 = 3;
constexpr uint32_t kXnackOff = 0x200, kXnackOn = 0x300, kXnackAny = 0x100;
constexpr uint32_t kSrameccOff = 0x800, kSrameccOn = 0xc00, kSrameccAny = 0x400;
constexpr uint32_t kFirstGeneric = 1u << 24;

/// An ELF file of one empty segment: plugins look at the header, and that for the CPU wants a segment.
struct Head {
  Elf64_Ehdr header;
  Elf64_Phdr segment;
};

template <typename T> std::vector<std::byte> bytes_of(const T *data, size_t size) {
  const auto *const begin = reinterpret_cast<const std::byte *>(data);
  return {begin, begin + size};
}

Head elf_head(uint16_t machine) {
  Head head{};
  std::memcpy(head.header.e_ident, ELFMAG, SELFMAG);
  head.header.e_ident[EI_CLASS] = ELFCLASS64;
  head.header.e_ident[EI_DATA] = ELFDATA2LSB;
  head.header.e_ident[EI_VERSION] = EV_CURRENT;
  head.header.e_type = ET_DYN;
  head.header.e_machine = machine;
  head.header.e_version = EV_CURRENT;
  head.header.e_ehsize = sizeof(Elf64_Ehdr);
  head.header.e_phoff = offsetof(Head, segment);
  head.header.e_phentsize = sizeof(Elf64_Phdr);
  head.header.e_phnum = 1;
  head.segment.p_type = PT_NULL;
  return head;
}

uint32_t feature(const std::string &architecture, const char *name, uint32_t on, uint32_t off, uint32_t any) {
  const size_t at = architecture.find(format(":%s", name));
  const size_t sign = at + 1 + std::strlen(name);
  return at == std::string::npos || sign >= architecture.size() ? any : architecture[sign] == '+' ? on : off;
}

std::vector<std::byte> code_object_head(const std::string &architecture) {
  const AmdgpuProcessor *const processor = find_amdgpu_processor(architecture.substr(0, architecture.find(':')));
  if (!processor)
    return {};
  Head head = elf_head(kMachineAmdgpu);
  head.header.e_ident[EI_OSABI] = kHsa;
  head.header.e_ident[EI_ABIVERSION] = kCodeObjectV5;
  head.header.e_flags = processor->number | feature(architecture, "xnack", kXnackOn, kXnackOff, kXnackAny) |
                        feature(architecture, "sramecc", kSrameccOn, kSrameccOff, kSrameccAny) |
                        (processor->name.ends_with("-generic") ? kFirstGeneric : 0);
  return bytes_of(&head, sizeof head);
}

bool is_processor(const std::string &name) { return name.starts_with("sm_") || name.starts_with("gfx"); }

std::vector<std::byte> head_of(const ImageFacts &facts, const std::string &device_arch) {
  if (facts.machine == kMachineCuda) {
    const std::string text = format(".version 6.0\n.target %s\n.address_size 64\n", // no plugin minds which version
                                    processor_for(facts, device_arch).c_str());
    return bytes_of(text.data(), text.size());
  }
  if (facts.machine == kMachineAmdgpu)
    return code_object_head(is_processor(facts.architecture) ? facts.architecture : processor_for(facts, device_arch));
  if (facts.machine != kMachine.elf_machine)
    return {};
  const Head head = elf_head(kMachine.elf_machine);
  return bytes_of(&head, sizeof head);
}

} // namespace

std::string processor_for(const ImageFacts &facts, const std::string &device_arch) {
  const std::string &name = is_processor(facts.architecture) ? facts.architecture : device_arch;
  const char *const stem = facts.machine == kMachineCuda ? "sm_" : "gfx";
  const bool is_for_gpu = facts.machine == kMachineCuda || facts.machine == kMachineAmdgpu;
  return is_for_gpu && name.starts_with(stem) ? name.substr(0, name.find(':')) : std::string();
}

CompiledHead::CompiledHead(const ImageFacts &facts, const std::string &device_arch) {
  if (facts.kind == ImageKind::kBitcode && facts.machine != 0 && !compiler_program().empty())
    bytes_ = head_of(facts, device_arch);
}

__tgt_device_image CompiledHead::record(const __tgt_device_image &image) {
  return {bytes_.data(), bytes_.data() + bytes_.size(), image.EntriesBegin, image.EntriesEnd};
}

std::string advice_on(const ImageFacts &facts) {
  const bool is_lacking = facts.kind == ImageKind::kBitcode && compiler_program().empty();
  return is_lacking ? ": leave that option out, or install omptarget-jit" : "";
}

} // namespace omptarget::jit
