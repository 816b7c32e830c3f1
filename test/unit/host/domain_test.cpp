// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "gtest/gtest.h"

#include "host/domain_memory.h"
#include "host/domain_threads.h"
#include "host/numa_domain.h"

using namespace omptarget::host;

namespace {

using Numbers = std::vector<int>;

TEST(NumaDomain, ReadsListsOfTheKernel) {
  EXPECT_EQ(read_number_list("0"), Numbers({0}));
  EXPECT_EQ(read_number_list("0-3,8"), Numbers({0, 1, 2, 3, 8}));
  EXPECT_EQ(read_number_list("8,0-1,1-2"), Numbers({0, 1, 2, 8}));
  for (const char *damaged : {"", "x", "-", "1-", "-1", "3-1", "1,,2", "1,", "1 2", "99999999999999999999", "0-70000"})
    EXPECT_EQ(read_number_list(damaged), Numbers()) << damaged;
}

/// A folder as the kernel's, which is gone at the end.
class NumaFolder : public testing::Test {
protected:
  NumaFolder() { EXPECT_NE(mkdtemp(folder_), nullptr); }
  ~NumaFolder() override {
    if (std::system((std::string("rm -rf ") + folder_).c_str()) != 0)
      ADD_FAILURE();
  }
  void write(const std::string &name, const std::string &text) {
    const std::string path = std::string(folder_) + "/" + name;
    if (const size_t slash = name.find('/'); slash != std::string::npos)
      mkdir((std::string(folder_) + "/" + name.substr(0, slash)).c_str(), 0700);
    std::ofstream(path) << text;
  }
  char folder_[32] = "/tmp/numa-test-XXXXXX";
};

TEST_F(NumaFolder, DomainsHaveTheCpusThatTheProcessMayUse) {
  write("online", "0-2,5\n");
  write("has_memory", "0,2,5\n");
  write("node0/cpulist", "0-3\n");
  write("node1/cpulist", "4-7\n");
  write("node2/cpulist", "\n"); // memory alone
  write("node5/cpulist", "8-11\n");
  const auto domains = read_numa_domains(folder_, {2, 3, 5, 20});
  ASSERT_TRUE(domains.is_ok());
  ASSERT_EQ(domains.value().size(), 2u);
  EXPECT_EQ(domains.value()[0].number, 0);
  EXPECT_EQ(domains.value()[0].cpus, Numbers({2, 3}));
  EXPECT_TRUE(domains.value()[0].has_memory);
  EXPECT_EQ(domains.value()[1].number, 1);
  EXPECT_EQ(domains.value()[1].cpus, Numbers({5}));
  EXPECT_FALSE(domains.value()[1].has_memory);
}

TEST_F(NumaFolder, WithoutAUsableDomainSaysSo) {
  EXPECT_FALSE(read_numa_domains(folder_, {0}).is_ok());
  write("online", "0\n");
  EXPECT_FALSE(read_numa_domains(folder_, {0}).is_ok());
  write("node0/cpulist", "1\n");
  EXPECT_FALSE(read_numa_domains(folder_, {0}).is_ok());
}

TEST(NumaDomain, TheProcessMayUseACpu) { EXPECT_FALSE(allowed_cpus().empty()); }

// What binding needs of the kernel is not asked for: the domain has no memory.
const NumaDomain kDomain{0, allowed_cpus(), false};

TEST(DomainMemory, BlocksAreApartAndAligned) {
  DomainMemory memory(kDomain);
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

TEST(DomainMemory, ReusesWhatWasReleased) {
  DomainMemory memory(kDomain);
  void *const first = memory.allocate(100);
  DomainMemory::release(first);
  EXPECT_EQ(memory.allocate(100), first);
  DomainMemory::release(nullptr);
  EXPECT_EQ(memory.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(memory.allocate(SIZE_MAX / 4), nullptr);
}

TEST(DomainMemory, ManyThreads) {
  DomainMemory memory(kDomain);
  std::vector<std::thread> threads;
  for (unsigned char t = 0; t < 4; ++t)
    threads.emplace_back([&memory, t] {
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
      // What a thread of the domain runs in the domain, it runs itself.
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
