// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/interop.h"

#include <atomic>
#include <gmock/gmock.h>
#include <thread>

#include "fake_device.h"

namespace omptarget::test {
namespace {

using testing::HasSubstr;

constexpr int32_t kThread = 7, kOther = 8;
constexpr InteropUser kAtOnce{kThread, false}, kLater{kThread, true};

/// Objects of a device that queues work and does it as late as it may.
class InteropTest : public testing::TestWithParam<FakeKind> {
protected:
  InteropTest() { reset_fake_counts(); }
  ~InteropTest() override {
    EXPECT_EQ(fake_counts().events, 0);
    EXPECT_EQ(fake_counts().interop_queues, 0);
  }

  InteropHandle make(int32_t owner = Interop::kExplicit) {
    auto object = Interop::make(device_, true, {}, owner);
    EXPECT_TRUE(object.is_ok());
    return add_interop(*object);
  }
  /// Foreign work that adds to done_.
  void add_work(InteropHandle handle) {
    Queue queue;
    queue.info.Queue = *find_interop(handle)->queue_handle();
    void *none = nullptr;
    __tgt_kernel_args args{};
    ASSERT_TRUE(device_.plugin_device().launch_kernel(&kernel_, &none, args, &queue).is_ok());
  }
  bool has_events() const { return GetParam() == FakeKind::kLazy; }

  FakeDevice device_{GetParam()};
  std::atomic<int> done_{0};
  FakeKernel kernel_ = [this](void **) { ++done_; };
};

TEST_P(InteropTest, use_and_destroy_wait_for_what_is_in_the_queue) {
  const InteropHandle handle = make();
  add_work(handle);
  EXPECT_EQ(done_, 0);
  ASSERT_TRUE(use_interop(handle, kAtOnce).is_ok());
  EXPECT_EQ(done_, 1);
  if (has_events()) { // otherwise the queue has ended
    add_work(handle);
    add_work(handle);
  }
  ASSERT_TRUE(destroy_interop(handle, kAtOnce).is_ok());
  EXPECT_EQ(done_, has_events() ? 3 : 1);
}

TEST_P(InteropTest, what_a_thread_has_deferred_is_complete_when_it_asks) {
  const InteropHandle handle = make();
  add_work(handle);
  ASSERT_TRUE(use_interop(handle, kLater).is_ok());
  EXPECT_EQ(done_, has_events() ? 0 : 1);
  ASSERT_TRUE(finish_interop_work(kOther).is_ok());
  EXPECT_EQ(done_, has_events() ? 0 : 1);
  ASSERT_TRUE(finish_interop_work(kThread).is_ok());
  EXPECT_EQ(done_, 1);
  ASSERT_TRUE(destroy_interop(handle, kAtOnce).is_ok());
}

TEST_P(InteropTest, destroying_waits_for_what_others_have_deferred) {
  const InteropHandle handle = make();
  add_work(handle);
  ASSERT_TRUE(use_interop(handle, kLater).is_ok());
  ASSERT_TRUE(destroy_interop(handle, {kOther, false}).is_ok());
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(fake_counts().interop_queues, 0);
  EXPECT_TRUE(finish_interop_work(kThread).is_ok());
}

TEST_P(InteropTest, a_handle_is_never_used_again) {
  const InteropHandle first = make();
  ASSERT_TRUE(destroy_interop(first, kAtOnce).is_ok());
  const InteropHandle second = make();
  EXPECT_NE(first, second);
  EXPECT_EQ(find_interop(first), nullptr);
  for (Status (*function)(const void *, InteropUser) : {use_interop, destroy_interop}) {
    Status status = function(first, kLater);
    ASSERT_FALSE(status.is_ok());
    EXPECT_THAT(status.to_string(), HasSubstr("is no interoperability object"));
    status.consume();
  }
  ASSERT_TRUE(destroy_interop(second, kAtOnce).is_ok());
}

TEST_P(InteropTest, threads_use_one_object_and_destroy_their_own) {
  const InteropHandle shared = make();
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int32_t number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      for (int i = 0; i < 50; ++i) {
        const InteropHandle own = make();
        failures += !use_interop(shared, {number, i % 2 == 0}).is_ok();
        failures += !use_interop(own, {number, true}).is_ok();
        failures += !destroy_interop(own, {number, i % 3 == 0}).is_ok();
        failures += !finish_interop_work(number).is_ok();
        failures += find_interop(own) != nullptr;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  ASSERT_TRUE(destroy_interop(shared, kAtOnce).is_ok());
}

INSTANTIATE_TEST_SUITE_P(Kinds, InteropTest, testing::Values(FakeKind::kLazy, FakeKind::kLazyWithoutEvents));

class InteropWithEvents : public InteropTest {};

TEST_P(InteropWithEvents, a_deferred_end_gives_the_queue_back_when_its_work_is_complete) {
  const InteropHandle handle = make();
  add_work(handle);
  ASSERT_TRUE(destroy_interop(handle, kLater).is_ok());
  EXPECT_EQ(find_interop(handle), nullptr);
  EXPECT_EQ(done_, 0);
  EXPECT_EQ(fake_counts().interop_queues, 1);
  ASSERT_TRUE(finish_interop_work(kThread).is_ok());
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(fake_counts().interop_queues, 0);
}

TEST_P(InteropWithEvents, only_what_came_before_a_use_is_waited_for) {
  const InteropHandle handle = make();
  add_work(handle);
  ASSERT_TRUE(use_interop(handle, kLater).is_ok());
  add_work(handle);
  ASSERT_TRUE(finish_interop_work(kThread).is_ok());
  EXPECT_EQ(done_, 1);
  ASSERT_TRUE(destroy_interop(handle, kAtOnce).is_ok());
}

TEST_P(InteropWithEvents, a_later_use_stands_for_an_earlier_one) {
  const InteropHandle handle = make();
  for (int i = 0; i < 10; ++i) {
    add_work(handle);
    ASSERT_TRUE(use_interop(handle, kLater).is_ok());
    EXPECT_EQ(fake_counts().events, 1);
  }
  ASSERT_TRUE(use_interop(handle, {kOther, true}).is_ok());
  EXPECT_EQ(fake_counts().events, 2);
  ASSERT_TRUE(finish_interop_work(kThread).is_ok());
  EXPECT_EQ(done_, 10);
  ASSERT_TRUE(destroy_interop(handle, kAtOnce).is_ok());
}

TEST_P(InteropWithEvents, work_that_fails_is_told_where_it_is_waited_for) {
  const InteropHandle handle = make();
  fail_wait(1);
  Status status = use_interop(handle, kAtOnce);
  EXPECT_FALSE(status.is_ok());
  status.consume();
  ASSERT_TRUE(use_interop(handle, kLater).is_ok());
  fail_wait(1);
  status = finish_interop_work(kThread);
  EXPECT_FALSE(status.is_ok());
  status.consume();
  EXPECT_TRUE(finish_interop_work(kThread).is_ok());
  ASSERT_TRUE(destroy_interop(handle, kAtOnce).is_ok());
}

TEST_P(InteropWithEvents, an_implicit_object_is_its_threads_and_all_its_work_is_waited_for) {
  EXPECT_EQ(reuse_implicit_interop(device_, kThread, {}), nullptr);
  const InteropHandle handle = make(kThread);
  EXPECT_EQ(reuse_implicit_interop(device_, kThread, {}), handle);
  EXPECT_EQ(reuse_implicit_interop(device_, kOther, {}), nullptr);
  expect_implicit_work(handle, kThread);
  expect_implicit_work(handle, kThread);
  add_work(handle);
  add_work(handle);
  ASSERT_TRUE(finish_interop_work(kThread).is_ok());
  EXPECT_EQ(done_, 2);
  ASSERT_TRUE(destroy_interop(handle, kAtOnce).is_ok());
  EXPECT_EQ(reuse_implicit_interop(device_, kThread, {}), nullptr);
}

TEST_P(InteropWithEvents, the_child_of_a_fork_waits_for_nothing_of_its_parent) {
  const InteropHandle handle = make();
  add_work(handle);
  ASSERT_TRUE(use_interop(handle, kLater).is_ok());
  forget_interop_work();
  ASSERT_TRUE(finish_interop_work(kThread).is_ok());
  EXPECT_EQ(done_, 0);
  ASSERT_TRUE(destroy_interop(handle, kAtOnce).is_ok());
  EXPECT_EQ(fake_counts().events, 1); // the parent's
  forget_events();
}

INSTANTIATE_TEST_SUITE_P(Kinds, InteropWithEvents, testing::Values(FakeKind::kLazy));

TEST(InteropOfADevice, without_foreign_runtime_is_none) {
  FakeDevice device(FakeKind::kSynchronous);
  for (const bool has_queue : {false, true}) {
    auto object = Interop::make(device, has_queue, {}, Interop::kExplicit);
    ASSERT_TRUE(object.is_ok());
    EXPECT_EQ(*object, nullptr);
    EXPECT_EQ(add_interop(*object), nullptr);
  }
  EXPECT_EQ(find_interop(nullptr), nullptr);
}

} // namespace
} // namespace omptarget::test
