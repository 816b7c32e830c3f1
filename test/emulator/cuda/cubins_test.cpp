// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cubins that a real compiler and NVIDIA's tools made, as the plugin reads them: which GPUs they are for, and how
// kernels are launched. Arguments: a program with images for sm_80 and sm_90, the version of its clang, and a program
// with a recursive kernel.

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/kernel_traits.h"
#include "cuda/image.h"
#include "cuda/stack_needs.h"

namespace omptarget::cuda {
namespace {

constexpr uint16_t kMachineCuda = 190;

std::string program, recursive_program;
int clang_version;

// The images in a program by their architecture.
std::map<int, std::string> images(const std::string &file = program) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::map<int, std::string> found;
  for (size_t at = bytes.find(ELFMAG, 1); at != std::string::npos; at = bytes.find(ELFMAG, at + 1)) {
    Elf64_Ehdr header;
    if (bytes.size() - at < sizeof(header))
      break;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    if (header.e_machine != kMachineCuda)
      continue;
    const std::string image = bytes.substr(at);
    auto target = read_image_target(image.data(), image.size());
    EXPECT_TRUE(target) << target.status().to_string();
    if (target)
      found[target->sm] = image;
  }
  return found;
}

TEST(Cubins, say_which_devices_run_them) {
  const auto all = images();
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all.count(80) && all.count(90));
  for (const auto &[sm, bytes] : all) {
    auto target = read_image_target(bytes.data(), bytes.size());
    EXPECT_EQ(target->form, ImageTarget::Form::kCubin);
    const bool is_by_cuda_13 = target->least_driver != 0;
    EXPECT_EQ(target->name(), "sm_" + std::to_string(sm) + (is_by_cuda_13 ? " by CUDA 13 (driver 580 or later)" : ""));
    EXPECT_EQ(target->rank({sm, 12080}) == 0, is_by_cuda_13);
    constexpr int kNewest = 99000;
    EXPECT_NE(target->rank({sm, kNewest}), 0);
    EXPECT_EQ(target->rank({sm == 80 ? 90 : 80, kNewest}), 0);
  }
}

TEST(Cubins, tell_how_their_kernels_are_launched) {
  for (const auto &[sm, bytes] : images()) {
    auto elf = ElfImage::parse(bytes.data(), bytes.size());
    ASSERT_TRUE(elf) << elf.status().to_string();
    int kernels = 0, with_buffer = 0;
    for (const ElfSymbol &symbol : elf->symbols()) {
      if (symbol.type != STT_FUNC || !symbol.name.starts_with("__omp_offloading_"))
        continue;
      int missing = 0;
      auto traits = read_kernel_traits(std::string(symbol.name),
                                       [&](const std::string &name, void *out, size_t size) -> Result<bool> {
                                         const ElfSymbol *found = elf->find(name);
                                         if (!found || found->size < size)
                                           return false;
                                         // Every one can be read from the file: nothing needs a copy from the device.
                                         missing += !elf->read(*found, out, size);
                                         return true;
                                       });
      ASSERT_TRUE(traits) << traits.status().to_string();
      EXPECT_EQ(missing, 0);
      EXPECT_EQ(traits->source,
                clang_version >= 17 ? KernelTraits::Source::kEnvironment : KernelTraits::Source::kExecModeByte);
      EXPECT_TRUE(traits->exec_mode == ExecMode::kSpmd) << symbol.name;
      with_buffer += traits->reduction_buffer_size(1) != 0;
      ++kernels;
    }
    EXPECT_EQ(kernels, 5);
    EXPECT_EQ(with_buffer, clang_version >= 17 ? 5 : 0);
    const ElfSymbol *environment = elf->find("__omp_rtl_device_environment");
    ASSERT_NE(environment, nullptr);
    EXPECT_EQ(environment->size, clang_version >= 17 ? 48u : 16u);
  }
}

TEST(Cubins, say_which_kernels_have_a_stack_of_unknown_size) {
  const auto all = images(recursive_program);
  ASSERT_EQ(all.size(), 2u);
  for (const auto &[sm, bytes] : all) {
    auto elf = ElfImage::parse(bytes.data(), bytes.size());
    ASSERT_TRUE(elf) << elf.status().to_string();
    const StackNeeds needs = StackNeeds::of_cubin(*elf);
    int kernels = 0;
    for (const ElfSymbol &symbol : elf->symbols()) {
      if (symbol.type != STT_FUNC || !symbol.name.starts_with("__omp_offloading_"))
        continue;
      ++kernels;
      if (symbol.name.find("recursive") == std::string_view::npos) {
        EXPECT_EQ(needs.of(symbol.name), 0u) << symbol.name;
      } else {
        EXPECT_EQ(needs.of(symbol.name), kLeastUnknownStack) << symbol.name;
      }
    }
    EXPECT_EQ(kernels, 2);
  }
}

TEST(Cubins, may_be_cut_off_anywhere) {
  const auto all = images();
  const std::string &bytes = all.begin()->second;
  for (size_t size = 0; size < bytes.size(); size += size < 4096 ? 7 : 4099) {
    const std::string cut = bytes.substr(0, size);
    if (auto target = read_image_target(cut.data(), cut.size())) {
      EXPECT_EQ(target->sm, all.begin()->first);
    }
  }
}

} // namespace
} // namespace omptarget::cuda

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 4)
    return 2;
  omptarget::cuda::program = argv[1];
  omptarget::cuda::clang_version = std::atoi(argv[2]);
  omptarget::cuda::recursive_program = argv[3];
  return RUN_ALL_TESTS();
}
