// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdlib>
#include <fstream>
#include <semaphore.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "gtest/gtest.h"

#include "base/numa.h"
#include "base/unbound_thread.h"

using namespace omptarget;

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

TEST_F(NumaFolder, DistancesAreInTheOrderOfTheDomains) {
  write("online", "0,2,5\n");
  write("node2/distance", "21 10 32\n");
  write("node5/distance", "21 x\n");
  EXPECT_EQ(numa_distance(folder_, 2, 0), 21);
  EXPECT_EQ(numa_distance(folder_, 2, 2), 10);
  EXPECT_EQ(numa_distance(folder_, 2, 5), 32);
  EXPECT_EQ(numa_distance(folder_, 2, 1), kUnknownDistance);
  EXPECT_EQ(numa_distance(folder_, 5, 2), kUnknownDistance);
  EXPECT_EQ(numa_distance(folder_, 0, 0), kUnknownDistance);
}

TEST(NumaDomain, OfADeviceThatIsNotThere) { EXPECT_EQ(numa_domain_of_pci("ffff:ff:1f.7"), -1); }

TEST(NumaDomain, CpusOfThreads) {
  EXPECT_FALSE(cpus_of_thread(getpid()).empty());
  EXPECT_TRUE(cpus_of_thread(-1).empty());
}

// The creator is bound to one CPU, another thread is not.
TEST(UnboundThread, MayRunWhereSomeThreadOfTheProcessMay) {
  const Numbers all = cpus_of_process();
  ASSERT_FALSE(all.empty());
  Numbers of_creator, of_created;
  std::thread([&] {
    EXPECT_EQ(run_on_cpus(pthread_self(), {all.back()}), 0);
    of_creator = cpus_of_thread(0);
    sem_t may_look;
    ASSERT_EQ(sem_init(&may_look, 0, 0), 0);
    struct Look {
      sem_t *may_look;
      Numbers *cpus;
    } look = {&may_look, &of_created};
    pthread_t created;
    ASSERT_EQ(create_unbound_thread(
                  &created, nullptr,
                  [](void *data) -> void * {
                    Look &of_test = *static_cast<Look *>(data);
                    sem_wait(of_test.may_look);
                    *of_test.cpus = cpus_of_thread(0);
                    return nullptr;
                  },
                  &look),
              0);
    sem_post(&may_look);
    pthread_join(created, nullptr);
    sem_destroy(&may_look);
  }).join();
  EXPECT_EQ(of_creator, Numbers({all.back()}));
  EXPECT_EQ(of_created, all);
}

} // namespace
