// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects that real compilers made: parsed, matched and described, and the places of their kernels' implicit arguments
// as they are computed compared with what the compiler's own metadata says. And damaged ones, of which every byte is
// reached. Arguments: processor=file.

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include <elf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "amdgpu/image.h"
#include "common/kernel_traits.h"

namespace omptarget::amdgpu {
namespace {

using testing::HasSubstr;

std::map<std::string, std::string> files;

std::string read_file(const std::string &name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class CodeObjects : public testing::Test {
protected:
  void SetUp() override {
    if (files.empty())
      GTEST_SKIP() << "no compiler for AMD GPUs";
  }
};

TEST_F(CodeObjects, say_which_devices_run_them) {
  for (const auto &[processor, file] : files) {
    const std::string bytes = read_file(file);
    auto target = read_image_target(bytes.data(), bytes.size());
    ASSERT_TRUE(target) << file << ": " << target.status().to_string();
    EXPECT_EQ(target->target.processor, processor);
    EXPECT_THAT(target->name(), HasSubstr("code object V"));
    for (const auto &[other, unused] : files) {
      auto device = TargetId::parse("amdgcn-amd-amdhsa--" + other);
      ASSERT_TRUE(device);
      EXPECT_EQ(target->rank(*device) != 0, other == processor) << processor << " on " << other;
    }
  }
}

TEST_F(CodeObjects, place_implicit_arguments_as_computed) {
  for (const auto &[processor, file] : files) {
    const std::string bytes = read_file(file);
    auto target = read_image_target(bytes.data(), bytes.size());
    auto elf = ElfImage::parse(bytes.data(), bytes.size());
    ASSERT_TRUE(target && elf) << file;
    auto kernels = read_metadata(*elf);
    ASSERT_TRUE(kernels) << kernels.status().to_string();
    ASSERT_EQ(kernels->size(), 2u) << file;
    for (const auto &[name, kernel] : *kernels) {
      ASSERT_TRUE(kernel.explicit_size.has_value()) << name;
      const ImplicitLayout layout = ImplicitLayout::of(target->version, kernel.kernarg_size, *kernel.explicit_size);
      EXPECT_FALSE(kernel.hidden.empty()) << name;
      for (const auto &[argument, offset] : kernel.hidden)
        if (argument != "hidden_none") {
          EXPECT_EQ(layout.offset_of(argument), offset) << file << ": " << name << ": " << argument;
        }
      EXPECT_EQ(layout.offset + layout.size, kernel.kernarg_size) << name;
    }
  }
}

TEST_F(CodeObjects, describe_their_kernels) {
  for (const auto &[processor, file] : files) {
    const std::string bytes = read_file(file);
    auto elf = ElfImage::parse(bytes.data(), bytes.size());
    ASSERT_TRUE(elf);
    auto kernels = read_metadata(*elf);
    ASSERT_TRUE(kernels);
    for (const auto &[name, kernel] : *kernels) {
      EXPECT_NE(elf->find(name + ".kd"), nullptr) << name;
      EXPECT_EQ(kernel.wavefront_size, processor.starts_with("gfx9") ? 64u : 32u) << name;
      EXPECT_GT(kernel.max_threads, 0u);
      EXPECT_EQ(kernel.kernarg_alignment, 8u);
      auto traits = read_kernel_traits(name, [&](const std::string &symbol, void *to, size_t size) -> Result<bool> {
        const ElfSymbol *found = elf->find(symbol);
        return found && elf->read(*found, to, size);
      });
      ASSERT_TRUE(traits);
      EXPECT_NE(traits->source, KernelTraits::Source::kNone) << name;
    }
  }
}

// Neither lengths nor numbers of a damaged file are believed.
TEST_F(CodeObjects, may_be_damaged_anywhere) {
  const std::string bytes = read_file(files.begin()->second);
  const auto look = [](const std::string &damaged) {
    auto target = read_image_target(damaged.data(), damaged.size());
    auto elf = ElfImage::parse(damaged.data(), damaged.size());
    if (target && elf)
      read_metadata(*elf).take_status().consume();
  };
  auto elf = ElfImage::parse(bytes.data(), bytes.size());
  ASSERT_TRUE(elf);
  size_t begin = 0, end = 0;
  for (const ElfSection &section : elf->sections())
    if (section.type == SHT_NOTE) {
      begin = static_cast<size_t>(section.contents.data() - bytes.data());
      end = begin + section.contents.size();
    }
  ASSERT_NE(end, 0u);
  for (size_t size = 0; size < bytes.size(); size += 97)
    look(bytes.substr(0, size));
  for (size_t at = begin; at < end; ++at)
    for (const char value : {'\x00', '\xff', '\xdd', '\x7f'}) {
      std::string damaged = bytes;
      damaged[at] = value;
      look(damaged);
    }
}

TEST(TargetIds, are_written_as_they_are_read) {
  for (const char *text : {"gfx90a:sramecc+:xnack-", "gfx90a", "gfx1100", "gfx942:xnack+", "gfx11-generic"}) {
    auto target = TargetId::parse(std::string("amdgcn-amd-amdhsa--") + text);
    ASSERT_TRUE(target) << text;
    EXPECT_EQ(target->name(), text);
  }
  for (const char *text : {"", "gfx", "sm_90", "gfx90a:xnack", "gfx90a:colour+", "gfx90a:"})
    EXPECT_FALSE(TargetId::parse(text)) << text;
}

TEST(ImplicitLayouts, of_version_4_and_cut_off) {
  const ImplicitLayout four = ImplicitLayout::of(CodeObjectVersion::kV4, 20 + 4 + 56, 20);
  EXPECT_EQ(four.offset, 24u);
  EXPECT_EQ(four.offset_of("hidden_hostcall_buffer"), 48u);
  EXPECT_EQ(four.offset_of("hidden_block_count_x"), std::nullopt);
  const ImplicitLayout none = ImplicitLayout::of(CodeObjectVersion::kV5, 16, 16);
  EXPECT_EQ(none.size, 0u);
  // 14 bytes: the counts of blocks and the first size of a team, nothing behind that is written.
  const ImplicitLayout cut = ImplicitLayout::of(CodeObjectVersion::kV5, 22, 8);
  unsigned char bytes[30];
  std::memset(bytes, 0xaa, sizeof(bytes));
  cut.write(bytes, {{1, 2, 3}, {4, 5, 6}, 1, 7, 8});
  EXPECT_EQ(bytes[8], 1);
  EXPECT_EQ(bytes[20], 4);
  EXPECT_EQ(bytes[22], 0xaa);
}

} // namespace
} // namespace omptarget::amdgpu

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (const char *equals = std::strchr(argv[i], '='))
      omptarget::amdgpu::files[std::string(argv[i], static_cast<size_t>(equals - argv[i]))] = equals + 1;
  return RUN_ALL_TESTS();
}
