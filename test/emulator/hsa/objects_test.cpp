// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects that real compilers made, inside of the libraries that they belong to: parsed, matched and described.
// The places of their kernels' implicit arguments as they are computed are compared with the compiler's own metadata.
// And damaged ones, of which every byte is reached. Arguments: compiler/target/version=library. The stand-in's devices
// are those of kDevices, for omptarget-info.

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <elf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "amdgpu/image.h"
#include "common/kernel_traits.h"

namespace omptarget::amdgpu {
namespace {

using testing::HasSubstr;

/// A library and the one image in it.
struct Object {
  std::string label; ///< "19/gfx90a/5"
  std::string compiler, target, version;
  std::string file;
  std::string bytes; ///< from where the image begins
};

std::vector<Object> objects;

struct DeviceRow {
  const char *name;
  std::set<std::string> runs; ///< targets of images
};

// In the order of SIM_HSA_DEVICES.
const std::array<DeviceRow, 7> kDevices = {{
    {"gfx90a:sramecc+:xnack-", {"gfx90a"}},
    {"gfx90a:sramecc+:xnack+", {"gfx90a", "gfx90a:xnack+"}},
    {"gfx942:sramecc+:xnack-", {"gfx942", "gfx9-4-generic"}},
    {"gfx1030", {"gfx1030"}},
    {"gfx1100", {"gfx1100", "gfx11-generic"}},
    {"gfx906:sramecc-:xnack-", {"gfx9-generic"}},
    {"gfx1250:xnack-", {"gfx1250"}},
}};

// The bytes of the library from where the image begins; empty without one.
std::string image_of(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (size_t at = bytes.find(ELFMAG, 1); at != std::string::npos; at = bytes.find(ELFMAG, at + 1)) {
    auto header = ElfHeader::read(bytes.data() + at, bytes.size() - at);
    if (header && header->machine == 224)
      return bytes.substr(at);
  }
  return {};
}

class CodeObjects : public testing::Test {
protected:
  void SetUp() override {
    if (objects.empty())
      GTEST_SKIP() << "no compiler for AMD GPUs";
  }
};

TEST_F(CodeObjects, say_which_devices_run_them) {
  for (const Object &object : objects) {
    auto target = read_image_target(object.bytes.data(), object.bytes.size());
    ASSERT_TRUE(target) << object.label << ": " << target.status().to_string();
    EXPECT_EQ(target->name(), object.target + " (code object V" + object.version + ")") << object.label;
    for (const DeviceRow &row : kDevices) {
      auto device = TargetId::parse(std::string("amdgcn-amd-amdhsa--") + row.name);
      ASSERT_TRUE(device);
      EXPECT_EQ(target->rank(*device) != 0, row.runs.count(object.target) != 0) << object.label << " on " << row.name;
    }
  }
}

TEST_F(CodeObjects, place_implicit_arguments_as_computed) {
  for (const Object &object : objects) {
    auto target = read_image_target(object.bytes.data(), object.bytes.size());
    auto elf = ElfImage::parse(object.bytes.data(), object.bytes.size());
    ASSERT_TRUE(target && elf) << object.label;
    auto kernels = read_metadata(*elf);
    ASSERT_TRUE(kernels) << kernels.status().to_string();
    ASSERT_EQ(kernels->size(), 2u) << object.label;
    for (const auto &[name, kernel] : *kernels) {
      ASSERT_TRUE(kernel.explicit_size.has_value()) << name;
      const ImplicitLayout layout = ImplicitLayout::of(target->version, kernel.kernarg_size, *kernel.explicit_size);
      EXPECT_FALSE(kernel.hidden.empty()) << object.label << ": " << name;
      for (const auto &[argument, offset] : kernel.hidden)
        if (argument != "hidden_none") {
          EXPECT_EQ(layout.offset_of(argument), offset) << object.label << ": " << name << ": " << argument;
        }
      EXPECT_EQ(layout.offset + layout.size, kernel.kernarg_size) << object.label << ": " << name;
      // Clang 17 and later pass a pointer before the program's arguments.
      const uint32_t program_arguments = name.find("scale") != std::string::npos ? 4 : 1;
      const uint32_t leading = object.compiler >= "17" ? 1 : 0;
      EXPECT_EQ(*kernel.explicit_size, (program_arguments + leading) * 8) << object.label << ": " << name;
    }
  }
}

TEST_F(CodeObjects, describe_their_kernels) {
  for (const Object &object : objects) {
    auto elf = ElfImage::parse(object.bytes.data(), object.bytes.size());
    ASSERT_TRUE(elf) << object.label;
    auto kernels = read_metadata(*elf);
    ASSERT_TRUE(kernels) << object.label;
    for (const auto &[name, kernel] : *kernels) {
      EXPECT_NE(elf->find(name + ".kd"), nullptr) << name;
      EXPECT_EQ(kernel.wavefront_size, object.target.starts_with("gfx9") ? 64u : 32u) << object.label << ": " << name;
      EXPECT_GT(kernel.max_threads, 0u);
      EXPECT_EQ(kernel.kernarg_alignment, 8u);
      auto traits = read_kernel_traits(name, [&](const std::string &symbol, void *to, size_t size) -> Result<bool> {
        const ElfSymbol *found = elf->find(symbol);
        return found && elf->read(*found, to, size);
      });
      ASSERT_TRUE(traits) << object.label;
      EXPECT_EQ(traits->source,
                object.compiler >= "17" ? KernelTraits::Source::kEnvironment : KernelTraits::Source::kExecModeByte)
          << object.label;
      if (name.find("scale") != std::string::npos)
        EXPECT_EQ(traits->exec_mode, ExecMode::kSpmd) << object.label;
      else // or made SPMD by the optimiser
        EXPECT_THAT(traits->exec_mode, testing::AnyOf(ExecMode::kGeneric, ExecMode::kGenericSpmd)) << object.label;
    }
  }
}

// The output of omptarget-info for each library, by the plugin on the stand-in.
TEST_F(CodeObjects, are_described_to_users) {
  std::string command = INFO_TOOL;
  for (const Object &object : objects)
    command += " '" + object.file + "'";
  FILE *pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  for (char part[4096]; const size_t size = std::fread(part, 1, sizeof(part), pipe);)
    text.append(part, size);
  EXPECT_EQ(pclose(pipe), 0);
  for (const Object &object : objects) {
    const size_t begin = text.find(object.file + "\n");
    ASSERT_NE(begin, std::string::npos) << object.file;
    const size_t end = text.find(".so\n", begin + object.file.size());
    const std::string about = text.substr(begin, end - begin);
    EXPECT_THAT(about, HasSubstr("image 0: " + object.target + ", ELF")) << object.label;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < kDevices.size(); ++i)
      if (kDevices[i].runs.count(object.target))
        numbers.push_back(i);
    ASSERT_FALSE(numbers.empty()) << object.label;
    EXPECT_THAT(about, HasSubstr(numbers.size() == 1
                                     ? "would run on device " + std::to_string(numbers[0]) + " of plugin amdgpu"
                                     : "would run on devices 0, 1 of plugin amdgpu"));
    EXPECT_THAT(about, HasSubstr("global counter (4 bytes)"));
    EXPECT_THAT(about, HasSubstr("kernel scale, line 12"));
  }
}

// Neither lengths nor numbers of a damaged file are believed.
TEST_F(CodeObjects, may_be_damaged_anywhere) {
  const std::string &bytes = objects.front().bytes;
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
  using namespace omptarget::amdgpu;
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t first = argument.find('/'), second = argument.find('/', first + 1), equals = argument.find('=');
    if (first > second || second > equals || equals == std::string::npos) {
      std::fprintf(stderr, "%s: expected compiler/target/version=library\n", argv[i]);
      return 2;
    }
    Object object{argument.substr(0, equals),
                  argument.substr(0, first),
                  argument.substr(first + 1, second - first - 1),
                  argument.substr(second + 1, equals - second - 1),
                  argument.substr(equals + 1),
                  {}};
    object.bytes = image_of(object.file);
    objects.push_back(std::move(object));
  }
  return RUN_ALL_TESTS();
}
