// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/image_facts.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

namespace omptarget {
namespace {

constexpr uint16_t kCuda = 190;
constexpr uint16_t kAmdGpu = 224;

std::string elf(uint16_t machine, uint32_t flags = 0, uint8_t abi_version = 0) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_ABIVERSION] = abi_version;
  header.e_machine = machine;
  header.e_flags = flags;
  return {reinterpret_cast<const char *>(&header), sizeof header};
}

ImageFacts facts(const std::string &bytes) { return image_facts(std::as_bytes(std::span(bytes))); }

TEST(ImageFacts, machines_are_named) {
  EXPECT_EQ(facts(elf(EM_X86_64)).architecture, "x86_64");
  EXPECT_EQ(facts(elf(EM_X86_64)).machine, EM_X86_64);
  EXPECT_EQ(facts(elf(EM_AARCH64)).architecture, "aarch64");
  EXPECT_EQ(facts(elf(EM_PPC64)).architecture, "ppc64le");
  EXPECT_EQ(facts(elf(EM_MIPS)).architecture, "ELF machine 8");
}

TEST(ImageFacts, cuda_architectures_are_read_of_both_layouts) {
  EXPECT_EQ(facts(elf(kCuda, 80, 7)).architecture, "sm_80");
  EXPECT_EQ(facts(elf(kCuda, 90 | 0x800, 7)).architecture, "sm_90a");
  EXPECT_EQ(facts(elf(kCuda, 100 << 8, 8)).architecture, "sm_100");
  EXPECT_EQ(facts(elf(kCuda, 90 << 8 | 0x8, 8)).architecture, "sm_90a");
}

TEST(ImageFacts, amd_architectures_have_features) {
  EXPECT_EQ(facts(elf(kAmdGpu, 0x3f)).architecture, "gfx90a");
  EXPECT_EQ(facts(elf(kAmdGpu, 0x3f | 3 << 8)).architecture, "gfx90a:xnack+");
  EXPECT_EQ(facts(elf(kAmdGpu, 0x3f | 2 << 8 | 3 << 10)).architecture, "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(facts(elf(kAmdGpu, 0x5f | 1 << 24)).architecture, "gfx9-4-generic");
  EXPECT_EQ(facts(elf(kAmdGpu, 0xfe)).architecture, "gfx? (0xfe)");
}

TEST(ImageFacts, other_formats_are_told_apart) {
  EXPECT_EQ(facts("BC\xC0\xDE....").kind, ImageKind::kBitcode);
  EXPECT_EQ(facts("\x50\xED\x55\xBA....").kind, ImageKind::kFatBinary);
  EXPECT_EQ(facts("//\n.version 7.8\n.target sm_80\n").kind, ImageKind::kPtx);
  EXPECT_EQ(facts(".version 7.8").kind, ImageKind::kUnknown);
}

TEST(ImageFacts, any_bytes_will_do) {
  EXPECT_EQ(facts("").architecture, "unknown");
  const std::string whole = elf(EM_X86_64);
  for (size_t size = 1; size < whole.size(); ++size)
    EXPECT_NE(facts(whole.substr(0, size)).architecture, "x86_64") << size;
  std::string narrow = whole;
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(facts(narrow).architecture, "ELF of another class, or cut off");
}

} // namespace
} // namespace omptarget
