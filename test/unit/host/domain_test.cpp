// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

#include "gtest/gtest.h"

#include "host/domain_memory.h"
#include "host/domain_threads.h"
#include "host/numa_domain.h"

using namespace omptarget;
using namespace omptarget::host;

namespace {

TEST(NumaDomain, TheProcessMayUseACpu) { EXPECT_FALSE(allowed_cpus().empty()); }

// Binding does not ask the kernel: the domain has no memory.
const NumaDomain kDomain{0, allowed_cpus(), false};

TEST(DomainMemory, BlocksAreApartAndAligned) {
  static auto &memory = *new DomainMemory(kDomain); // never destroyed
  std::vector<std::pair<unsigned char *, size_t>> blocks;
  for (size_t size = 0; size < 200000; size += 1 + size / 3)
    for (int i = 0; i < 3; ++i) {
      auto *const block = static_cast<unsigned char *>(memory.allocate(size));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % (size < 4096 ? 16 : 64), 0u) << size;
      std::memset(block, static_cast<int>(blocks.size() % 251), size);
      blocks.emplace_back(block, size);
    }
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t k = 0; k < blocks[i].second; ++k)
      ASSERT_EQ(blocks[i].first[k], i % 251) << blocks[i].second;
  for (const auto &[block, size] : blocks)
    DomainMemory::release(block);
}

TEST(DomainMemory, LargeBlocksHaveWholePages) {
  for (const size_t page : {4096, 16384, 65536})
    for (const size_t size : {size_t{65537}, size_t{100000}, size_t{3} << 20}) {
      const size_t bytes = DomainMemory::piece_bytes(size, page);
      EXPECT_EQ(bytes % page, 0u) << size << " bytes, pages of " << page;
      EXPECT_GE(bytes, size + 4096);
      EXPECT_LT(bytes, size + 4096 + page);
    }
}

TEST(DomainMemory, ReusesWhatWasReleased) {
  static auto &memory = *new DomainMemory(kDomain); // never destroyed
  void *const first = memory.allocate(100);
  DomainMemory::release(first);
  EXPECT_EQ(memory.allocate(100), first);
  DomainMemory::release(nullptr);
  EXPECT_EQ(memory.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(memory.allocate(SIZE_MAX / 4), nullptr);
}

TEST(DomainMemory, ManyThreads) {
  static auto &memory = *new DomainMemory(kDomain); // never destroyed
  std::vector<std::thread> threads;
  for (unsigned char t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (size_t i = 0; i < 3000; ++i) {
        const size_t size = 1 + i * 37 % 3000;
        auto *const block = static_cast<unsigned char *>(memory.allocate(size));
        block[0] = block[size - 1] = t;
        EXPECT_TRUE(block[0] == t && block[size - 1] == t);
        DomainMemory::release(block);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(DomainThreads, RunElsewhereOnceEach) {
  static auto *const threads = new DomainThreads(kDomain); // as in the plugin: never destroyed
  const std::thread::id own = std::this_thread::get_id();
  std::set<std::thread::id> seen;
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(threads->run([&] {
      seen.insert(std::this_thread::get_id());
      // Work that a thread of the domain gives to the domain runs on that thread.
      EXPECT_TRUE(threads->run([&] {
        EXPECT_EQ(*seen.begin(), std::this_thread::get_id());
        return omptarget::Status::ok();
      }));
      return omptarget::Status::ok();
    }));
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen.count(own), 0u);
  EXPECT_FALSE(threads->run([] { return omptarget::Status::error("no"); }));
}

} // namespace
