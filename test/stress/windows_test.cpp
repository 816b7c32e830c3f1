// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows between two atomic steps, one per test.

#include <cstring>
#include <future>
#include <optional>
#include <thread>

#include "windows.h"

namespace omptarget::test {
namespace {

using namespace map_type;

// Two threads share what they read; each has a result of its own. The first one is between releasing its last reference
// to the shared data and the next step. Meanwhile the mapping is removed, used again for the second one's result, and
// left.
TEST_P(WindowTest, a_result_comes_back_whoever_used_its_mapping_before) {
  int shared[4] = {1, 2, 3, 4}, own[4] = {5, 6, 7, 8};
  ASSERT_TRUE(enter(device_, {item(shared, sizeof shared, kTo)}).is_ok());
  std::promise<void> in_window, leave_window;
  std::thread first([&] {
    const AtPoint point("exit: released", [&] {
      in_window.set_value();
      leave_window.get_future().wait();
    });
    EXPECT_TRUE(exit(device_, {item(shared, sizeof shared, kTo)}).is_ok());
  });
  in_window.get_future().wait();
  EXPECT_TRUE(enter(device_, {item(shared, sizeof shared, kTo)}).is_ok());
  EXPECT_TRUE(exit(device_, {item(shared, sizeof shared, kTo)}).is_ok());
  EXPECT_TRUE(enter(device_, {item(own, sizeof own, kTo)}).is_ok());
  *on_device(device_, &own[2]) = 77;
  {
    const AtPoint point("exit: has the turn", [&] {
      leave_window.set_value();
      first.join();
    });
    EXPECT_TRUE(exit(device_, {item(own, sizeof own, kFrom)}).is_ok());
  }
  EXPECT_EQ(own[2], 77);
}

// The construct that takes the last reference copies back, although others enter and leave in between: they wait for
// the copy.
TEST_P(WindowTest, a_result_comes_back_although_others_come_and_go_before_the_copy) {
  int y[4] = {5, 6, 7, 8};
  ASSERT_TRUE(enter(device_, {item(y, sizeof y, kTo)}).is_ok());
  *on_device(device_, &y[2]) = 77;
  std::thread others;
  {
    const AtPoint point("exit: released", [&] {
      std::promise<void> are_waiting;
      others = std::thread([&] {
        const AtPoint waiting("about to wait for the turn", [&] { are_waiting.set_value(); });
        EXPECT_TRUE(enter(device_, {item(y, sizeof y, 0)}).is_ok());
        EXPECT_EQ(y[2], 77);
        EXPECT_TRUE(exit(device_, {item(y, sizeof y, 0)}).is_ok());
      });
      are_waiting.get_future().wait();
    });
    EXPECT_TRUE(exit(device_, {item(y, sizeof y, kFrom)}).is_ok());
  }
  others.join();
  EXPECT_EQ(y[2], 77);
}

struct WithPointer {
  long x;
  int *p;
};

// A struct is removed while an update copies it: the pointer's host value comes back all the same.
TEST_P(WindowTest, an_update_restores_host_pointers_although_the_struct_is_removed) {
  int data[4] = {1, 2, 3, 4};
  WithPointer s = {7, data + 1};
  ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kTo), item(&s.p, data, sizeof data, kTo | kPtrAndObj)}).is_ok());
  on_device(device_, &s)->x = 9;
  DataUpdate work(device_);
  if (GetParam() == FakeKind::kSynchronous)
    set_fake_hook([&](FakeOperation) { EXPECT_TRUE(exit(device_, {item(&s, sizeof s, kDelete)}).is_ok()); });
  EXPECT_TRUE(work.start(MapItems{item(&s, sizeof s, kFrom)}, true).is_ok());
  if (GetParam() != FakeKind::kSynchronous) {
    EXPECT_TRUE(exit(device_, {item(&s, sizeof s, kDelete)}).is_ok());
  }
  EXPECT_TRUE(work.finish().is_ok());
  EXPECT_EQ(s.x, 9);
  EXPECT_EQ(s.p, data + 1);
  EXPECT_TRUE(exit(device_, {item(data, sizeof data, kDelete)}).is_ok());
}

// Between looking x up and copying it, x is removed, and its mapping is another variable's.
TEST_P(WindowTest, an_update_does_not_touch_what_comes_after_its_data) {
  int x[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8};
  for (const uint64_t direction : {kTo, kFrom}) {
    ASSERT_TRUE(enter(device_, {item(x, sizeof x, kTo)}).is_ok());
    {
      const AtPoint point("update: planned", [&] {
        EXPECT_TRUE(exit(device_, {item(x, sizeof x, kDelete)}).is_ok());
        EXPECT_TRUE(enter(device_, {item(other, sizeof other, kTo)}).is_ok());
      });
      EXPECT_TRUE(update(device_, {item(x, sizeof x, direction)}).is_ok());
    }
    EXPECT_EQ(x[1], 2);
    EXPECT_EQ(on_device(device_, &other[0])[1], 6);
    EXPECT_TRUE(exit(device_, {item(other, sizeof other, kDelete)}).is_ok());
  }
}

// Removed mappings are gone for later constructs, although an update still uses their storage.
TEST_P(WindowTest, data_that_are_entered_after_they_were_removed_are_copied_although_an_update_still_runs) {
  struct {
    int a, b;
  } s = {1, 2};
  ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kTo)}).is_ok());
  {
    const AtPoint point("update: planned", [&] {
      EXPECT_TRUE(exit(device_, {item(&s, sizeof s, kDelete)}).is_ok());
      EXPECT_EQ(on_device(device_, &s.b), nullptr);
      s.b = 3;
      EXPECT_TRUE(enter(device_, {item(&s, sizeof s, kTo)}).is_ok());
    });
    EXPECT_TRUE(update(device_, {item(&s.a, sizeof s.a, kTo)}).is_ok());
  }
  EXPECT_EQ(*on_device(device_, &s.b), 3);
  EXPECT_TRUE(exit(device_, {item(&s, sizeof s, kDelete)}).is_ok());
}

/// Makes x present, and calls the function when its storage is there and its data are not.
void create_slowly(Device &device, int (&x)[4], const std::function<void()> &while_not_ready) {
  Construct work(device);
  MapItems items{item(x, sizeof x, kTo | kFrom)};
  const AtPoint point("enter: allocated", while_not_ready);
  EXPECT_TRUE(work.enter(items).is_ok());
  EXPECT_TRUE(work.start_exit(items, true).is_ok());
  EXPECT_TRUE(work.complete().is_ok());
}

/// Another thread's construct, which finds x before it is ready and goes on when x was removed.
class LateThread {
public:
  explicit LateThread(std::function<void()> construct)
      : thread_([this, construct = std::move(construct)] {
          const AtPoint point("await", [&] {
            is_waiting_.set_value();
            go_on_.get_future().wait();
          });
          construct();
        }) {
    is_waiting_.get_future().wait();
  }
  void finish() {
    go_on_.set_value();
    thread_.join();
  }

private:
  std::promise<void> is_waiting_, go_on_;
  std::thread thread_;
};

// Its creator takes x away before the update has seen that it is ready. Nothing failed.
TEST_P(WindowTest, an_update_of_data_that_come_and_go_does_nothing) {
  int x[4] = {1, 2, 3, 4};
  std::unique_ptr<LateThread> late;
  create_slowly(device_, x, [&] {
    late = std::make_unique<LateThread>([&] { EXPECT_TRUE(update(device_, {item(x, sizeof x, kTo)}).is_ok()); });
  });
  late->finish();
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(WindowTest, an_exit_from_data_that_come_and_go_does_nothing) {
  int x[4] = {1, 2, 3, 4};
  std::unique_ptr<LateThread> late;
  create_slowly(device_, x, [&] {
    late = std::make_unique<LateThread>([&] { EXPECT_TRUE(exit(device_, {item(x, sizeof x, 0)}).is_ok()); });
  });
  EXPECT_TRUE(enter(device_, {item(x, sizeof x, 0)}).is_ok());
  EXPECT_TRUE(exit(device_, {item(x, sizeof x, 0)}).is_ok());
  late->finish();
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(WindowTest, entering_data_that_come_and_go_makes_them_anew) {
  int x[4] = {1, 2, 3, 4}, own[4] = {5, 6, 7, 8};
  std::unique_ptr<LateThread> late;
  create_slowly(device_, x, [&] {
    late = std::make_unique<LateThread>(
        [&] { EXPECT_TRUE(enter(device_, {item(own, sizeof own, kTo), item(x, sizeof x, kTo)}).is_ok()); });
  });
  EXPECT_TRUE(exit(device_, {item(x, sizeof x, kDelete)}).is_ok());
  x[3] = 44;
  late->finish();
  ASSERT_EQ(device_.map().size(), 2u);
  EXPECT_EQ(on_device(device_, &x[0])[3], 44);
  EXPECT_EQ(on_device(device_, &own[0])[3], 8);
  for (const auto &row : device_.map().snapshot())
    EXPECT_EQ(row.dynamic_count, 1u);
  EXPECT_TRUE(exit(device_, {item(x, sizeof x, kDelete), item(own, sizeof own, kDelete)}).is_ok());
}

/// The construct of a thread that finds x while its creator's copy is going to fail.
void when_the_creator_fails(Device &device, int (&x)[4], const std::function<void()> &construct) {
  std::unique_ptr<LateThread> late;
  {
    Construct work(device);
    MapItems items{item(x, sizeof x, kTo)};
    const AtPoint point("enter: allocated", [&] {
      late = std::make_unique<LateThread>(construct);
      fail_submit(1);
    });
    Status status = work.enter(items);
    EXPECT_FALSE(status.is_ok());
    status.consume();
  }
  late->finish();
}

TEST_P(WindowTest, data_whose_creator_failed_are_not_present) {
  if (GetParam() != FakeKind::kSynchronous)
    GTEST_SKIP() << "copies fail later there";
  int x[4] = {1, 2, 3, 4};
  when_the_creator_fails(device_, x, [&] { EXPECT_TRUE(update(device_, {item(x, sizeof x, kFrom)}).is_ok()); });
  when_the_creator_fails(device_, x, [&] {
    Status status = update(device_, {item(x, sizeof x, kFrom | kPresent)});
    ASSERT_FALSE(status.is_ok());
    EXPECT_NE(status.to_string().find("'present' motion modifier"), std::string::npos);
  });
  when_the_creator_fails(device_, x, [&] { EXPECT_TRUE(exit(device_, {item(x, sizeof x, kFrom)}).is_ok()); });
  EXPECT_EQ(x[2], 3);
  EXPECT_EQ(device_.map().size(), 0u);
  when_the_creator_fails(device_, x, [&] { EXPECT_TRUE(enter(device_, {item(x, sizeof x, kTo)}).is_ok()); });
  EXPECT_EQ(on_device(device_, &x[0])[2], 3);
  EXPECT_TRUE(exit(device_, {item(x, sizeof x, kDelete)}).is_ok());
}

// The copy of s has been queued by then, with the host's pointer.
TEST_P(WindowTest, a_pointer_that_becomes_attached_before_entering_fails_keeps_its_value) {
  if (GetParam() == FakeKind::kSynchronous)
    GTEST_SKIP() << "copies do not wait there";
  int data[4] = {1, 2, 3, 4}, t[4] = {};
  struct {
    int *p;
    long x;
  } s = {data + 1, 7};
  ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kTo), item(t, sizeof t, kTo)}).is_ok());
  {
    Construct work(device_);
    MapItems items{item(&s, sizeof s, kTo | kAlways), item(t, sizeof t, kTo | kAlways)};
    std::optional<AtPoint> second;
    const AtPoint first("copy: placed", [&] {
      second.emplace("copy: placed", [&] {
        EXPECT_TRUE(enter(device_, {item(&s.p, data, sizeof data, kTo | kPtrAndObj)}).is_ok());
        refuse_submit(1);
      });
    });
    Status status = work.enter(items);
    EXPECT_FALSE(status.is_ok());
    status.consume();
  }
  EXPECT_EQ(*on_device(device_, &s.p), on_device(device_, &data[1]));
  EXPECT_TRUE(exit(device_, {item(&s, sizeof s, kDelete), item(t, sizeof t, kDelete), item(data, sizeof data, kDelete)})
                  .is_ok());
}

TEST_P(WindowTest, a_pointer_that_becomes_attached_when_a_copy_is_queued_has_its_value_afterwards) {
  int data[4] = {1, 2, 3, 4}, more[2] = {5, 6};
  struct {
    int *p, *q;
    long x;
  } s = {data + 1, more + 1, 7};
  for (const bool is_known : {false, true}) { // true: another pointer is attached already
    MapItems items{item(&s, sizeof s, kTo)};
    if (is_known)
      items.push_back(item(&s.p, data, sizeof data, kTo | kPtrAndObj));
    ASSERT_TRUE(enter(device_, items).is_ok());
    {
      const AtPoint queued("copy: queued", [&] {
        EXPECT_TRUE(enter(device_, {item(&s.q, more, sizeof more, kTo | kPtrAndObj)}).is_ok());
      });
      DataUpdate work(device_);
      ASSERT_TRUE(work.start(MapItems{item(&s, sizeof s, kTo)}, false).is_ok());
      ASSERT_TRUE(work.finish().is_ok());
    }
    EXPECT_EQ(*on_device(device_, &s.q), on_device(device_, &more[1]));
    EXPECT_TRUE(exit(device_, {item(&s, sizeof s, kDelete), item(more, sizeof more, kDelete)}).is_ok());
    if (is_known) {
      EXPECT_TRUE(exit(device_, {item(data, sizeof data, kDelete)}).is_ok());
    }
  }
}

// A construct that waits for data on their way finds their arrival. Before it counts itself as a user, the data arrive,
// and the arrival becomes that of other data.
TEST_P(WindowTest, an_arrival_that_ends_while_it_is_found_stays_whole) {
  if (GetParam() != FakeKind::kLazy)
    GTEST_SKIP() << "there are no events";
  int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  MapItems all_of_a{item(a, sizeof a, kTo)}, all_of_b{item(b, sizeof b, kTo)}, again{item(a, sizeof a, kTo)};
  Construct first(device_), other(device_), finder(device_);
  ASSERT_TRUE(first.enter(all_of_a).is_ok());
  {
    const AtPoint point("arrival: found, not yet used", [&] {
      EXPECT_TRUE(first.complete().is_ok());
      EXPECT_TRUE(other.enter(all_of_b).is_ok());
    });
    ASSERT_TRUE(finder.enter(again).is_ok());
  }
  EXPECT_TRUE(finder.complete().is_ok());
  EXPECT_EQ(on_device(device_, a)[1], 2);
  EXPECT_TRUE(other.complete().is_ok());
  EXPECT_EQ(on_device(device_, b)[1], 6);
  EXPECT_TRUE(exit(device_, {item(a, sizeof a, kDelete), item(b, sizeof b, kDelete)}).is_ok());
}

INSTANTIATE_TEST_SUITE_P(, WindowTest,
                         testing::Values(FakeKind::kSynchronous, FakeKind::kLazy, FakeKind::kLazyWithoutEvents),
                         [](const auto &info) {
                           return info.param == FakeKind::kSynchronous ? "synchronous"
                                  : info.param == FakeKind::kLazy      ? "queueing"
                                                                       : "queueing_without_events";
                         });

} // namespace
} // namespace omptarget::test
