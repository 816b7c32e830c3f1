// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/guarded.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/fork_mutex.h"
#include "base/loader_lock.h"

namespace omptarget {
namespace {

TEST(Guarded, one_thread_at_a_time_reaches_the_value) {
  Guarded<int> counter(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 10000; ++round)
        ++*counter.lock();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(*counter.lock(), 40000);
}

TEST(Guarded, values_are_made_in_place) {
  Guarded<std::vector<int>> values(3, 7);
  EXPECT_EQ(values.lock()->size(), 3u);
}

/// Returns whether a child of fork that calls this function ends well. A child that hangs is ended by a signal.
template <typename Body> bool succeeds_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    body();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(ForkMutex, is_free_in_the_child_though_another_thread_used_it) {
  static ForkMutex mutex;
  pthread_atfork([] { mutex.before_fork(); }, [] { mutex.after_fork(); }, [] { mutex.after_fork(); });
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    while (!stop.load(std::memory_order_relaxed))
      std::lock_guard lock(mutex);
  });
  for (int i = 0; i < 30; ++i)
    EXPECT_TRUE(succeeds_in_child([] { std::lock_guard lock(mutex); }));
  stop.store(true, std::memory_order_relaxed);
  worker.join();
  // The thread that holds it may fork, and holds it in the child, too.
  mutex.lock();
  EXPECT_TRUE(succeeds_in_child([] {
    mutex.unlock();
    std::lock_guard again(mutex);
  }));
  mutex.unlock();
  std::lock_guard free(mutex);
}

} // namespace
TEST(LoaderLock, is_free_for_others_while_a_call_goes_on) {
  LoaderLock lock;
  lock.lock();
  EXPECT_TRUE(lock.wait_for_others(&lock)) << "nobody is in a call";
  {
    const LoaderLock::Open open(lock, &lock);
    EXPECT_TRUE(lock.is_held_here()) << "by a call that has come back";
    std::thread([&] {
      EXPECT_FALSE(lock.is_held_here());
      EXPECT_FALSE(lock.try_lock_closed()) << "loading is not over";
      ASSERT_TRUE(lock.try_lock());
      int other = 0;
      EXPECT_TRUE(lock.wait_for_others(&other)) << "the call is about something else";
      EXPECT_FALSE(lock.wait_for_others(&lock, [] { return true; })) << "it may be waiting for this thread";
      lock.unlock();
    }).join();
  }
  EXPECT_TRUE(lock.is_held_here());
  lock.unlock();
  EXPECT_FALSE(lock.is_held_here());
  EXPECT_TRUE(lock.try_lock_closed());
  lock.unlock();
}

TEST(LoaderLock, is_waited_for_where_nobody_can_hold_the_loaders_lock) {
  LoaderLock lock;
  std::atomic<bool> is_open{false}, may_end{false}, has_ended{false};
  std::thread other([&] {
    lock.lock();
    {
      const LoaderLock::Open open(lock, &lock);
      is_open = true;
      while (!may_end)
        std::this_thread::yield();
      has_ended = true;
    }
    lock.unlock();
  });
  while (!is_open)
    std::this_thread::yield();
  lock.lock();
  static std::atomic<bool> *allow = &may_end;
  EXPECT_TRUE(lock.wait_for_others(&lock, [] {
    *allow = true; // the patience of those who may hold it is over
    return false;
  }));
  EXPECT_TRUE(has_ended);
  lock.unlock();
  other.join();
}

TEST(LoaderLock, the_child_of_a_fork_knows_of_its_own_calls_only) {
  static LoaderLock lock;
  lock.lock();
  const LoaderLock::Open open(lock, &lock);
  std::atomic<bool> is_open{false}, may_end{false};
  std::thread other([&] {
    lock.lock();
    {
      const LoaderLock::Open others(lock, &may_end);
      is_open = true;
      while (!may_end)
        std::this_thread::yield();
    }
    lock.unlock();
  });
  while (!is_open)
    std::this_thread::yield();
  lock.lock();
  EXPECT_FALSE(lock.wait_for_others(&may_end, [] { return true; }));
  lock.forget_others(); // as in the child, where the other thread is not
  EXPECT_TRUE(lock.wait_for_others(&may_end));
  EXPECT_FALSE(lock.wait_for_others(&lock)) << "that is this thread's own";
  lock.unlock();
  may_end = true;
  other.join();
}

} // namespace omptarget
