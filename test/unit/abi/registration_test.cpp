// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "omptarget/compiler.h"

namespace {

using testing::HasSubstr;

TEST(Registration, a_damaged_descriptor_is_an_error_that_names_the_module) {
  static __tgt_bin_desc descriptor{-5, nullptr, nullptr, nullptr};
  testing::internal::CaptureStderr();
  __tgt_register_lib(&descriptor);
  __tgt_register_lib(nullptr);
  __tgt_unregister_lib(&descriptor);
  __tgt_unregister_lib(nullptr);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("omptarget error: the descriptor claims -5 device images\n"));
  EXPECT_THAT(text, HasSubstr("unit_abi cannot offload: its descriptor is damaged\n"));
  EXPECT_THAT(text, HasSubstr("omptarget error: a null descriptor was registered\n"));
}

TEST(RegistrationDeathTest, contradicting_requirements_are_fatal) {
  EXPECT_EXIT(
      {
        __tgt_register_requires(OMPTARGET_REQUIRES_NONE);
        __tgt_register_requires(OMPTARGET_REQUIRES_NONE);
        __tgt_register_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY);
      },
      testing::KilledBySignal(SIGABRT),
      "one part of .*unit_abi requires unified_shared_memory, another does not\n"
      "omptarget error: in requires, called at .*unit_abi\n"
      "omptarget error: omptarget [0-9.]+.*; causes and remedies are in .*errors.md\n"
      "omptarget fatal error 1: '#pragma omp requires unified_shared_memory' not used consistently!\n");
}

TEST(LaunchDeathTest, unknown_argument_blocks_are_refused_by_version) {
  __tgt_kernel_args block{};
  block.Version = 9;
  EXPECT_EXIT(__tgt_target_kernel(nullptr, -1, 1, 1, nullptr, &block), testing::KilledBySignal(SIGABRT),
              "omptarget error: the kernel argument block has version 9; this library knows versions 1, 2, 3 and 5");
}

} // namespace
