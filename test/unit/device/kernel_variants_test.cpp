// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/kernel_variants.h"

#include <gmock/gmock.h>
#include <thread>

namespace omptarget::test {
namespace {

using testing::ElementsAre;

const jit::LaunchCase kCommon{"k", 0, 0, {{1, 4, 5}}};
const jit::LaunchCase kExact{"k", 2, 64, {{1, 4, 5}, {2, 8, 7}}};

jit::LaunchCase launch(uint32_t teams, uint64_t first, uint64_t second) {
  return {"", teams, 64, {{1, 4, first}, {2, 8, second}}};
}

class KernelVariantsTest : public testing::Test {
protected:
  KernelVariantsTest() {
    variants_.add(kCommon, Kernel{&common_, "k"});
    variants_.add(kExact, Kernel{&exact_, "k"});
  }
  void *chosen(const jit::LaunchCase &launch) {
    const KernelVariants::Variant *const variant = variants_.choose(launch);
    return variant ? variant->kernel.handle : nullptr;
  }

  char common_ = 0, exact_ = 0;
  jit::KernelNotes notes_{4};
  KernelVariants variants_{notes_};
};

TEST_F(KernelVariantsTest, there_are_none_before_all_are_there) {
  EXPECT_EQ(chosen(launch(2, 5, 7)), nullptr);
  EXPECT_TRUE(notes_.cases().empty());
  variants_.complete();
  EXPECT_EQ(chosen(launch(2, 5, 7)), &exact_);
}

TEST_F(KernelVariantsTest, the_one_with_most_constants_that_fits_is_taken) {
  variants_.complete();
  EXPECT_EQ(chosen(launch(2, 5, 7)), &exact_);
  EXPECT_EQ(chosen(launch(3, 5, 7)), &common_);
  EXPECT_EQ(chosen(launch(2, 5, 8)), &common_);
  EXPECT_EQ(chosen(launch(2, 6, 7)), nullptr);
  EXPECT_EQ(chosen({"", 2, 64, {{1, 8, 5}, {2, 8, 7}}}), nullptr); // the same number in more bytes
}

TEST_F(KernelVariantsTest, each_case_is_noted_once) {
  variants_.complete();
  for (int i = 0; i < 3; ++i) {
    (void)variants_.choose(launch(2, 5, 7));
    (void)variants_.choose(launch(2, 5, 8));
  }
  EXPECT_THAT(notes_.cases(), ElementsAre(launch(2, 5, 7), launch(2, 5, 8)));
}

TEST_F(KernelVariantsTest, threads_choose_at_once) {
  variants_.complete();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (uint64_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i)
        right += chosen(launch(2, 5, t)) == (t == 7 ? &exact_ : &common_);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8000);
}

} // namespace
} // namespace omptarget::test
