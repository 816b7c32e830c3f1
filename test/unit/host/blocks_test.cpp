// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/blocks.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

// Sanitizers answer as the C library does if an allocation is too large, and do not end the program.
extern "C" {
[[gnu::visibility("default")]] const char *__asan_default_options() { return "allocator_may_return_null=1"; }
[[gnu::visibility("default")]] const char *__tsan_default_options() { return "allocator_may_return_null=1"; }
}

namespace omptarget::host {
namespace {

/// The flags of the system's that the memory at this address has, or nothing.
std::string flags_at(const void *address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream file("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    std::istringstream fields(line);
    if (fields >> std::hex >> begin >> dash >> end && dash == '-')
      is_inside = wanted >= begin && wanted < end;
    else if (is_inside && line.rfind("VmFlags:", 0) == 0)
      return line + " ";
  }
  return "";
}

bool has_huge_pages() { return access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0; }

TEST(Blocks, are_aligned_and_have_their_size) {
  for (const int64_t size : {int64_t{0}, int64_t{1}, int64_t{4096}, kHugeBlock - 1, kHugeBlock, kHugeBlock + 4097}) {
    auto *const block = static_cast<char *>(allocate_block(size));
    ASSERT_NE(block, nullptr) << size;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % (size >= 4096 ? 64 : 16), 0u) << size;
    block[0] = 1;
    block[size == 0 ? 0 : size - 1] = 2;
    release_block(block);
  }
}

TEST(Blocks, that_are_huge_lie_in_huge_pages) {
  void *const huge = allocate_block(kHugeBlock);
  void *const large = allocate_block(kHugeBlock / 2);
  ASSERT_TRUE(huge && large);
  const std::string flags = flags_at(huge);
  if (!has_huge_pages() || flags.empty() || getenv("QEMU_LD_PREFIX") != nullptr)
    GTEST_SKIP() << "this kernel or emulator has no huge pages, or does not tell";
  EXPECT_NE(flags.find(" hg "), std::string::npos) << flags;
  EXPECT_EQ(flags_at(large).find(" hg "), std::string::npos);
  release_block(huge);
  release_block(large);
}

TEST(Blocks, that_are_large_are_kept_when_they_are_freed) {
  if (!may_keep_memory())
    GTEST_SKIP() << "a tool watches freed memory";
  void *const first = allocate_block(kKeptBlock);
  release_block(first);
  void *const second = allocate_block(kKeptBlock);
  EXPECT_EQ(first, second);
  void *const other = allocate_block(kKeptBlock);
  EXPECT_NE(first, other);
  EXPECT_NE(reinterpret_cast<uintptr_t>(first) % 4096, reinterpret_cast<uintptr_t>(other) % 4096);
  release_block(second);
  release_block(other);
  kept_blocks()->trim();
}

TEST(Blocks, of_the_heap_go_back_to_it) {
  void *const kept = allocate_block(kKeptBlock); // so that there are others
  for (const size_t alignment : {size_t{16}, size_t{64}, size_t{256}, size_t{4096}})
    for (size_t size = 1; size <= 100000; size *= 10) {
      void *block = nullptr;
      ASSERT_EQ(posix_memalign(&block, alignment, size), 0);
      release_block(block);
    }
  for (int i = 0; i < 1000; ++i)
    release_block(std::malloc(64));
  release_block(nullptr);
  release_block(kept);
}

TEST(Blocks, that_there_is_no_memory_for_are_null) { EXPECT_EQ(allocate_block(INT64_MAX - 4096), nullptr); }

} // namespace
} // namespace omptarget::host
