// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <atomic>
#include <cfenv>
#include <pthread.h>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "base/service_threads.h"

using namespace omptarget;

namespace {

/// As in the library: never destroyed.
ServiceThreads &make_threads() { return *new ServiceThreads("test-service"); }

size_t stack_size() {
  pthread_attr_t attributes;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return size;
}

TEST(ServiceThreads, one_thread_serves_calls_in_turn) {
  ServiceThreads &threads = make_threads();
  std::set<std::thread::id> seen;
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(threads.run([&] { seen.insert(std::this_thread::get_id()); }), 0);
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen.count(std::this_thread::get_id()), 0u);
}

TEST(ServiceThreads, a_call_rounds_as_its_caller) {
  ServiceThreads &threads = make_threads();
  const int usual = fegetround();
  for (const int mode : {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD}) {
    int seen = -1;
    fesetround(mode);
    const int error = threads.run([&] { seen = fegetround(); });
    fesetround(usual);
    ASSERT_EQ(error, 0);
    EXPECT_EQ(seen, mode);
  }
}

TEST(ServiceThreads, calls_at_once_run_on_threads_of_their_own) {
  ServiceThreads &threads = make_threads();
  constexpr int kCalls = 4;
  std::atomic<int> running{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < kCalls; ++i)
    callers.emplace_back([&] {
      EXPECT_EQ(threads.run([&] {
        ++running;
        while (running.load() < kCalls)
          std::this_thread::yield();
      }),
                0);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(running.load(), kCalls);
}

TEST(ServiceThreads, the_stack_is_as_large_as_the_callers) {
  static ServiceThreads &threads = make_threads();
  ASSERT_EQ(threads.run([] {}), 0); // a thread with a smaller stack is idle
  constexpr size_t kLarge = size_t{256} << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kLarge);
  static size_t seen = 0;
  const auto call = [](void *) -> void * {
    EXPECT_EQ(threads.run([] { seen = stack_size(); }), 0);
    return nullptr;
  };
  pthread_t caller;
  ASSERT_EQ(pthread_create(&caller, &attributes, call, nullptr), 0);
  pthread_join(caller, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_GE(seen, kLarge);
}

TEST(ServiceThreads, forgotten_threads_are_replaced) {
  ServiceThreads &threads = make_threads();
  std::set<std::thread::id> seen;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(threads.run([&] { seen.insert(std::this_thread::get_id()); }), 0);
    threads.forget();
  }
  EXPECT_EQ(seen.size(), 2u);
}

} // namespace
