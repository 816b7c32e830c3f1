// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "abi/kernel_args.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace omptarget {
namespace {

__tgt_kernel_args full_block(uint32_t version) {
  static void *pointers[2];
  static int64_t numbers[2] = {0x23, 0x120};
  __tgt_kernel_args block{};
  block.Version = version;
  block.NumArgs = 2;
  block.ArgBasePtrs = block.ArgPtrs = pointers;
  block.ArgSizes = block.ArgTypes = numbers;
  block.Tripcount = 1000;
  block.Flags = OMPTARGET_KERNEL_NOWAIT;
  for (uint32_t i = 0; i < 3; ++i) {
    block.NumTeams[i] = 10 + i;
    block.ThreadLimit[i] = 20 + i;
  }
  block.DynCGroupMem = 512;
  return block;
}

Result<LaunchRequest> read_kernel_args(const void *block, int32_t num_teams, int32_t thread_limit) {
  LaunchRequest request;
  OMPTARGET_TRY(omptarget::read_kernel_args(block, num_teams, thread_limit, request));
  return request;
}

TEST(KernelArgs, version_1_takes_teams_and_threads_from_the_call) {
  const __tgt_kernel_args block = full_block(1);
  Result<LaunchRequest> request = read_kernel_args(&block, 3, 4);
  ASSERT_TRUE(request.is_ok());
  EXPECT_EQ(request->list.count, 2);
  EXPECT_EQ(request->list.bases, block.ArgBasePtrs);
  EXPECT_EQ(request->list.types, block.ArgTypes);
  EXPECT_EQ(request->args.Tripcount, 1000u);
  EXPECT_EQ(request->args.NumTeams[0], 3u);
  EXPECT_EQ(request->args.ThreadLimit[0], 4u);
  EXPECT_EQ(request->args.Flags, 0u);
  EXPECT_EQ(request->args.DynCGroupMem, 0u);
  EXPECT_EQ(request->block, BlockForm::kVersion1);
}

TEST(KernelArgs, versions_2_and_3_bring_their_own) {
  for (const uint32_t version : {2u, 3u}) {
    const __tgt_kernel_args block = full_block(version);
    Result<LaunchRequest> request = read_kernel_args(&block, 3, 4);
    ASSERT_TRUE(request.is_ok());
    EXPECT_EQ(request->args.NumTeams[0], 10u);
    EXPECT_EQ(request->args.ThreadLimit[0], 20u);
    EXPECT_EQ(request->args.NumTeams[2], 12u);
    EXPECT_EQ(request->args.ThreadLimit[1], 21u);
    EXPECT_EQ(request->args.Flags, uint64_t{OMPTARGET_KERNEL_NOWAIT});
    EXPECT_EQ(request->args.DynCGroupMem, 512u);
    EXPECT_EQ(block_version(request->block), version);
  }
}

TEST(KernelArgs, version_5_ends_with_the_implicit_argument_which_is_taken_off) {
  __tgt_kernel_args block = full_block(5);
  Result<LaunchRequest> request = read_kernel_args(&block, 10, 20);
  ASSERT_TRUE(request.is_ok());
  EXPECT_EQ(request->list.count, 1);
  EXPECT_EQ(request->block, BlockForm::kVersion5);
  EXPECT_EQ(request->args.NumTeams[0], 10u);
  const auto reason = [&] { return read_kernel_args(&block, 1, 1).status().to_string(); };
  int64_t types[2] = {0x23, 0x20};
  block.ArgTypes = types;
  EXPECT_THAT(reason(),
              testing::HasSubstr("version 5, whose last argument is the implicit one, of type 0x120 and without a "
                                 "base; here it has type 0x20"));
  types[1] = 0x120;
  int value = 0;
  void *bases[2] = {nullptr, &value};
  block.ArgBasePtrs = bases;
  EXPECT_THAT(reason(), testing::HasSubstr("here it has type 0x120 and base 0x"));
  block.ArgTypes = nullptr;
  EXPECT_THAT(reason(), testing::HasSubstr("has version 5 and 2 arguments without bases or types"));
  block.NumArgs = 0;
  EXPECT_THAT(reason(), testing::HasSubstr("has version 5 and 0 arguments, but its last one must be the implicit one"));
  block.NumArgs = 0x80000000u;
  EXPECT_THAT(reason(), testing::HasSubstr("has version 5 and -2147483648 arguments"));
}

TEST(KernelArgs, flags_of_other_front_ends_and_later_compilers_are_refused) {
  for (const uint32_t version : {2u, 3u, 5u}) {
    __tgt_kernel_args block = full_block(version);
    block.Flags = OMPTARGET_KERNEL_NOWAIT | OMPTARGET_KERNEL_GROUP_MEMORY_DEFAULT | OMPTARGET_KERNEL_STRICT;
    Result<LaunchRequest> request = read_kernel_args(&block, 1, 1);
    ASSERT_TRUE(request.is_ok());
    EXPECT_EQ(request->args.Flags, 0x49u);
    for (const uint64_t flag : {uint64_t{OMPTARGET_KERNEL_CUDA_STYLE}, uint64_t{OMPTARGET_KERNEL_COOPERATIVE},
                                uint64_t{OMPTARGET_KERNEL_FINAL_ADDRESSES}, uint64_t{0x80}, uint64_t{1} << 63}) {
      block.Flags = flag | OMPTARGET_KERNEL_NOWAIT;
      EXPECT_THAT(read_kernel_args(&block, 1, 1).status().to_string(),
                  testing::HasSubstr("of which this library does not know 0x" +
                                     format("%llx", static_cast<unsigned long long>(flag))));
    }
  }
}

TEST(KernelArgs, a_construct_without_teams_stays_one) {
  __tgt_kernel_args block = full_block(3);
  block.NumTeams[0] = UINT32_MAX;
  Result<LaunchRequest> request = read_kernel_args(&block, -1, 0);
  ASSERT_TRUE(request.is_ok());
  EXPECT_EQ(request->args.NumTeams[0], 1u);
}

TEST(KernelArgs, unknown_versions_are_refused_by_number) {
  for (const uint32_t version : {0u, 4u, 6u, 7u, UINT32_MAX}) {
    const __tgt_kernel_args block = full_block(version);
    Result<LaunchRequest> request = read_kernel_args(&block, 1, 1);
    ASSERT_FALSE(request.is_ok());
    EXPECT_THAT(request.status().to_string(),
                testing::HasSubstr("has version " + std::to_string(version) +
                                   "; this library knows versions 1, 2, 3 and 5 (clang 15 to 23): compile with "
                                   "one of these, or use a newer omptarget"));
  }
  Result<LaunchRequest> none = read_kernel_args(nullptr, 1, 1);
  EXPECT_EQ(none.status().to_string(), "the kernel argument block is null");
}

/// Puts the first bytes of a block at the end of a page that nothing readable follows.
class EndOfPage {
public:
  EndOfPage(const __tgt_kernel_args &block, size_t size) {
    pages_ = static_cast<char *>(mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    munmap(pages_ + page_, page_);
    begin_ = pages_ + page_ - size;
    std::memcpy(begin_, &block, size);
  }
  ~EndOfPage() { munmap(pages_, page_); }
  EndOfPage(const EndOfPage &) = delete;
  EndOfPage &operator=(const EndOfPage &) = delete;
  void make_read_only() { mprotect(pages_, page_, PROT_READ); }
  const void *begin() const { return begin_; }

private:
  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char *pages_;
  char *begin_;
};

TEST(KernelArgs, nothing_beyond_the_version_is_read_and_nothing_written) {
  for (const auto &[version, size] :
       {std::pair{1u, size_t{64}}, {2u, size_t{104}}, {3u, size_t{104}}, {4u, size_t{4}}, {5u, size_t{104}}}) {
    EndOfPage block(full_block(version), size);
    block.make_read_only();
    Result<LaunchRequest> request = read_kernel_args(block.begin(), 3, 4);
    EXPECT_EQ(request.is_ok(), version != 4);
  }
}

} // namespace
} // namespace omptarget
