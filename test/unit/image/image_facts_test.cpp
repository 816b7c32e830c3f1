// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/image_facts.h"

#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/machine.h"
#include "bitcode_bytes.h"

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

TEST(ImageFacts, bitcode_tells_its_target) {
  const ImageFacts nvidia = facts(test::bitcode("nvptx64-nvidia-cuda", {{"", ""}, {"sm_90", "+ptx85"}, {"sm_80", ""}}));
  EXPECT_EQ(nvidia.kind, ImageKind::kBitcode);
  EXPECT_EQ(nvidia.machine, kCuda);
  EXPECT_EQ(nvidia.architecture, "sm_90");
  EXPECT_EQ(description_of(nvidia), "LLVM bitcode for sm_90, made by -fopenmp-target-jit");
  EXPECT_EQ(facts(test::bitcode("nvptx64-nvidia-cuda", {{"sm_90", ""}, {"sm_100", ""}})).architecture, "sm_100");
  const ImageFacts amd =
      facts(test::bitcode("amdgcn-amd-amdhsa", {{"gfx90a", "+wavefrontsize64,-xnack,+sramecc,+xnack-like"}}));
  EXPECT_EQ(amd.machine, kAmdGpu);
  EXPECT_EQ(amd.architecture, "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(facts(test::bitcode("amdgcn-amd-amdhsa", {{"gfx1100", ""}})).architecture, "gfx1100");
}

TEST(ImageFacts, bitcode_for_the_cpu_names_no_processor) {
  const ImageFacts own = facts(test::bitcode(std::string(kMachine.name) + "-pc-linux-gnu", {{"generic", ""}}));
  EXPECT_EQ(own.machine, kMachine.elf_machine);
  EXPECT_EQ(own.architecture, kMachine.name);
  const ImageFacts other = facts(test::bitcode("riscv64-unknown-linux-gnu", {}));
  EXPECT_EQ(other.machine, 0);
  EXPECT_EQ(other.architecture, "riscv64-unknown-linux-gnu");
  // Without kernels, or with a name that can be none.
  EXPECT_EQ(facts(test::bitcode("nvptx64-nvidia-cuda", {})).machine, kCuda);
  EXPECT_EQ(facts(test::bitcode("nvptx64-nvidia-cuda", {})).architecture, "nvptx64-nvidia-cuda");
  EXPECT_EQ(facts(test::bitcode("nvptx64-nvidia-cuda", {{"sm_80\n.x", ""}})).architecture, "nvptx64-nvidia-cuda");
  EXPECT_EQ(facts(test::bitcode("nvptx64-\x1b[2J", {{"sm_80", ""}})).architecture, "bitcode");
}

TEST(ImageFacts, images_for_intel_are_named) {
  constexpr uint16_t kIntel = 205;
  for (const std::string &image :
       {std::string("\x03\x02\x23\x07....", 8), elf(kIntel), test::bitcode("spirv64-intel", {})}) {
    EXPECT_EQ(facts(image).kind, ImageKind::kIntel);
    EXPECT_THAT(description_of(facts(image)), testing::HasSubstr("for Intel GPUs: no plugin for it here"));
  }
}

TEST(ImageFacts, damaged_bitcode_tells_less) {
  const std::string whole = test::bitcode("nvptx64-nvidia-cuda", {{"sm_80", "+ptx85"}});
  for (size_t size = 4; size < whole.size(); ++size) {
    const ImageFacts cut = facts(whole.substr(0, size));
    EXPECT_EQ(cut.kind, ImageKind::kBitcode);
    EXPECT_TRUE(cut.machine == 0 || size + 8 > whole.size()) << size;
  }
  for (size_t bit = 32; bit < 8 * whole.size(); ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    (void)facts(changed);
  }
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
