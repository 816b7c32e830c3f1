// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of several threads in the same data. Copies back come in the order in which the device was read, and no
// construct discards what another one has written. One construct is held in the middle while others run whole.

#include <chrono>
#include <future>
#include <thread>
#include <unistd.h>

#include "argument_list.h"
#include "region/constructs.h"
#include "windows.h"

namespace omptarget::test {
namespace {

using namespace map_type;

constexpr uint64_t kBoth = kTo | kFrom;

/// A construct in a thread of its own. It may have to wait for the construct that its maker holds.
class Other {
public:
  explicit Other(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          work();
          is_done_ = true;
        }) {}
  ~Other() { join(); }
  /// Lets it go as far as it can. A test of right code passes however long that is.
  void let_run() const {
    for (int i = 0; i < 100 && !is_done_; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  bool is_done() const { return is_done_; }
  void join() {
    if (thread_.joinable())
      thread_.join();
  }

private:
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

/// Leaves data as `target exit data` does.
Status leave(Device &device, const MapItems &items) {
  TestArguments arguments(items);
  return run_exit(device, arguments.get(), false, nullptr);
}

/// A construct that is held after its first copy has read the device and before it writes the host.
class Held {
public:
  Held(Device &device, MapItems items, bool is_planned) {
    if (device.plugin().is_asynchronous())
      start_queued(device, std::move(items));
    else
      start(device, std::move(items), is_planned);
    is_held_.get_future().wait();
  }
  ~Held() { go_on(); }
  void go_on() {
    if (!thread_.joinable())
      return;
    go_on_.set_value();
    thread_.join();
    set_fake_hook(nullptr);
  }

private:
  void wait() {
    is_held_.set_value();
    go_on_.get_future().wait();
  }

  void start(Device &device, MapItems items, bool is_planned) {
    set_fake_hook([this](FakeOperation operation) {
      if (operation == FakeOperation::kRead && std::this_thread::get_id() == id_ && !std::exchange(was_held_, true))
        wait();
    });
    std::promise<void> is_known;
    thread_ = std::thread([&device, items = std::move(items), is_planned, known = is_known.get_future().share()] {
      known.wait();
      EXPECT_TRUE((is_planned ? exit(device, items) : leave(device, items)).is_ok());
    });
    id_ = thread_.get_id();
    is_known.set_value();
  }

  void start_queued(Device &device, MapItems items) {
    thread_ = std::thread([this, &device, items = std::move(items)]() mutable {
      Construct work(device);
      EXPECT_TRUE(work.start_exit(items, false).is_ok());
      auto is_done = work.queue().is_done(); // does the first piece of work: the read
      EXPECT_TRUE(is_done.is_ok() && !*is_done);
      wait();
      EXPECT_TRUE(work.complete().is_ok());
    });
  }

  std::promise<void> is_held_, go_on_;
  std::thread::id id_;
  bool was_held_ = false;
  std::thread thread_;
};

/// is_planned: the held construct is planned, on a device that completes each operation at once.
struct Way {
  FakeKind kind;
  bool is_planned;
};

class CopyOrder : public testing::TestWithParam<Way> {
protected:
  CopyOrder() : device_(GetParam().kind) {}
  ~CopyOrder() override {
    sched_point_hook = nullptr;
    EXPECT_EQ(device_.map().fault(), "");
    EXPECT_EQ(device_.map().size(), 0u);
    device_.free_dormant();
    EXPECT_EQ(fake_blocks(), blocks_) << "device memory is lost";
  }

  /// A whole construct that adds one on the device.
  void add_one(int *value, uint64_t type = kBoth) {
    EXPECT_TRUE(enter(device_, {item(value, sizeof *value, type)}).is_ok());
    ++*on_device(device_, value);
    EXPECT_TRUE(leave(device_, {item(value, sizeof *value, type)}).is_ok());
  }
  void enter_and_add(int *value) {
    EXPECT_TRUE(enter(device_, {item(value, sizeof *value, kTo)}).is_ok());
    ++*on_device(device_, value);
  }

  const int64_t blocks_ = fake_blocks();
  FakeDevice device_;
};

TEST_P(CopyOrder, the_newer_result_survives_the_older_copy) {
  int x = 0;
  enter_and_add(&x);
  Held held(device_, {item(&x, sizeof x, kFrom)}, GetParam().is_planned);
  Other other([&] { add_one(&x); });
  other.let_run();
  held.go_on();
  other.join();
  EXPECT_EQ(x, 2);
}

TEST_P(CopyOrder, an_always_copy_is_ordered_with_the_last_one) {
  int x = 0;
  enter_and_add(&x);
  ASSERT_TRUE(enter(device_, {item(&x, sizeof x, kTo)}).is_ok());
  Held held(device_, {item(&x, sizeof x, kFrom | kAlways)}, true); // another reference stays
  ++*on_device(device_, &x);
  Other other([&] { EXPECT_TRUE(leave(device_, {item(&x, sizeof x, kFrom)}).is_ok()); });
  other.let_run();
  held.go_on();
  other.join();
  EXPECT_EQ(x, 2);
}

TEST_P(CopyOrder, an_always_copy_waits_for_another_one) {
  int x = 0;
  enter_and_add(&x);
  ASSERT_TRUE(enter(device_, {item(&x, sizeof x, 0)}).is_ok());
  ASSERT_TRUE(enter(device_, {item(&x, sizeof x, 0)}).is_ok());
  Held held(device_, {item(&x, sizeof x, kFrom | kAlways)}, true);
  ++*on_device(device_, &x);
  Other other([&] { EXPECT_TRUE(exit(device_, {item(&x, sizeof x, kFrom | kAlways)}).is_ok()); });
  other.let_run();
  held.go_on();
  other.join();
  EXPECT_EQ(x, 2);
  ASSERT_TRUE(exit(device_, {item(&x, sizeof x, 0)}).is_ok());
}

struct Struct {
  int first, second, third;
};

TEST_P(CopyOrder, members_of_a_struct_share_one_turn) {
  Struct s = {};
  const auto members = [&](uint64_t type) {
    return MapItems{item(&s, sizeof s, 0), item(&s, &s.first, sizeof s.first, type | 1ull << kMemberOfShift, 0),
                    item(&s, &s.third, sizeof s.third, type | 1ull << kMemberOfShift, 0)};
  };
  const auto add = [&] {
    ++on_device(device_, &s)->first;
    ++on_device(device_, &s)->third;
  };
  ASSERT_TRUE(enter(device_, members(kTo)).is_ok());
  add();
  Held held(device_, members(kFrom), true);
  Other other([&] {
    EXPECT_TRUE(enter(device_, members(kTo)).is_ok());
    add();
    EXPECT_TRUE(exit(device_, members(kFrom)).is_ok());
  });
  other.let_run();
  held.go_on();
  other.join();
  EXPECT_EQ(s.first, 2);
  EXPECT_EQ(s.third, 2);
}

TEST_P(CopyOrder, all_items_of_a_mapping_that_is_left_late_are_copied) {
  int data[4] = {};
  ASSERT_TRUE(enter(device_, {item(data, sizeof data, kTo)}).is_ok());
  Held held(device_, {item(data, sizeof data, kFrom)}, GetParam().is_planned);
  Other other([&] {
    const MapItems items{item(&data[0], sizeof(int), kBoth), item(&data[3], sizeof(int), kBoth)};
    EXPECT_TRUE(enter(device_, items).is_ok());
    *on_device(device_, &data[0]) = 1;
    *on_device(device_, &data[3]) = 2;
    EXPECT_TRUE(exit(device_, items).is_ok());
  });
  other.let_run();
  held.go_on();
  other.join();
  EXPECT_EQ(data[0], 1);
  EXPECT_EQ(data[3], 2);
}

TEST_P(CopyOrder, constructs_that_leave_the_same_data_in_another_order_do_not_wait_for_one_another) {
  int x = 0, y = 0;
  enter_and_add(&x);
  enter_and_add(&y);
  Held held(device_, {item(&x, sizeof x, kFrom), item(&y, sizeof y, kFrom)}, GetParam().is_planned);
  Other other([&] {
    const MapItems items{item(&y, sizeof y, kBoth), item(&x, sizeof x, kBoth)};
    EXPECT_TRUE(enter(device_, items).is_ok());
    ++*on_device(device_, &x);
    ++*on_device(device_, &y);
    EXPECT_TRUE(leave(device_, items).is_ok());
  });
  other.let_run();
  held.go_on();
  other.join();
  EXPECT_EQ(x, 2);
  EXPECT_EQ(y, 2);
}

TEST_P(CopyOrder, data_that_others_reference_are_entered_and_left_without_a_copy_at_once) {
  int x = 0;
  enter_and_add(&x);
  ASSERT_TRUE(enter(device_, {item(&x, sizeof x, 0)}).is_ok());
  Held held(device_, {item(&x, sizeof x, kFrom | kAlways)}, true);
  add_one(&x, kTo); // in this thread, which would wait for ever
  ASSERT_TRUE(update(device_, {item(&x, sizeof x, kTo)}).is_ok());
  held.go_on();
  ASSERT_TRUE(exit(device_, {item(&x, sizeof x, 0)}).is_ok());
}

TEST_P(CopyOrder, who_has_entered_data_owns_the_hosts_copy) {
  int x = 0;
  enter_and_add(&x);
  Held held(device_, {item(&x, sizeof x, kFrom)}, GetParam().is_planned);
  Other other([&] {
    EXPECT_TRUE(enter(device_, {item(&x, sizeof x, kTo)}).is_ok());
    x = 7; // nobody copies back any more
  });
  other.let_run();
  EXPECT_FALSE(other.is_done());
  held.go_on();
  other.join();
  EXPECT_EQ(x, 7);
  ASSERT_TRUE(exit(device_, {item(&x, sizeof x, 0)}).is_ok());
}

TEST_P(CopyOrder, data_that_are_copied_back_are_not_removed_by_others) {
  int x = 0;
  enter_and_add(&x);
  Held held(device_, {item(&x, sizeof x, kFrom)}, GetParam().is_planned);
  const int64_t blocks = fake_blocks();
  Other other([&] { EXPECT_TRUE(leave(device_, {item(&x, sizeof x, kDelete)}).is_ok()); });
  other.let_run();
  EXPECT_EQ(fake_blocks(), blocks);
  held.go_on();
  other.join(); // which has waited for the copy
  EXPECT_EQ(x, 1);
}

TEST_P(CopyOrder, pointers_have_host_values_before_the_next_copy) {
  int data[2] = {1, 2};
  struct {
    int *p;
    int value;
  } s = {data, 0};
  const auto both = [&] {
    return MapItems{item(&s, sizeof s, kBoth), item(&s.p, data, sizeof data, kTo | kPtrAndObj)};
  };
  ASSERT_TRUE(enter(device_, both()).is_ok());
  on_device(device_, &s)->value = 1;
  Held held(device_, both(), true);
  Other other([&] {
    EXPECT_TRUE(enter(device_, both()).is_ok());
    on_device(device_, &s)->value = 2;
    EXPECT_TRUE(exit(device_, both()).is_ok());
  });
  other.let_run();
  held.go_on();
  other.join();
  EXPECT_EQ(s.value, 2);
  EXPECT_EQ(s.p, data);
}

TEST_P(CopyOrder, a_pointer_that_was_attached_before_the_turn_keeps_its_value) {
  if (GetParam().is_planned)
    GTEST_SKIP() << "without a plan";
  int data[2] = {1, 2};
  struct {
    int *p;
    int value;
  } s = {data, 0};
  ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kBoth), item(data, sizeof data, kTo)}).is_ok());
  on_device(device_, &s)->value = 1;
  {
    std::optional<AtPoint> copied;
    const AtPoint before_turn("exit: about to take the turn", [&] {
      // Another thread's construct, which is over before this one takes its turn.
      const MapItems items{item(&s, sizeof s, 0), item(&s.p, data, sizeof data, kPtrAndObj)};
      EXPECT_TRUE(enter(device_, items).is_ok());
      EXPECT_TRUE(exit(device_, items).is_ok());
      copied.emplace("exit: copied back", [&] { EXPECT_EQ(s.p, data); });
    });
    EXPECT_TRUE(leave(device_, {item(&s, sizeof s, kFrom)}).is_ok());
  }
  EXPECT_EQ(s.value, 1);
  EXPECT_EQ(s.p, data);
  EXPECT_TRUE(exit(device_, {item(data, sizeof data, kDelete)}).is_ok());
}

TEST_P(CopyOrder, a_copy_that_fails_ends_the_turn) {
  if (GetParam().kind != FakeKind::kSynchronous)
    GTEST_SKIP() << "copies of the lazy devices do not fail";
  int x = 0;
  enter_and_add(&x);
  fail_retrieve(1);
  EXPECT_FALSE(
      (GetParam().is_planned ? exit(device_, {item(&x, sizeof x, kFrom)}) : leave(device_, {item(&x, sizeof x, kFrom)}))
          .is_ok());
  add_one(&x);
  EXPECT_EQ(x, 1);
}

std::string name_of(const testing::TestParamInfo<Way> &way) {
  const std::string kinds[] = {"synchronous", "lazy", "lazy_without_events"};
  return kinds[static_cast<int>(way.param.kind)] + (way.param.is_planned ? "_planned" : "_direct");
}

const auto kAllWays = testing::Values(Way{FakeKind::kSynchronous, false}, Way{FakeKind::kSynchronous, true},
                                      Way{FakeKind::kLazy, true}, Way{FakeKind::kLazyWithoutEvents, true});
INSTANTIATE_TEST_SUITE_P(All, CopyOrder, kAllWays, name_of);

class Entering : public CopyOrder {};

TEST_P(Entering, constructs_that_make_what_the_other_one_wants_do_not_wait_for_each_other) {
  static std::atomic<int> inserted;
  static thread_local bool was_here;
  inserted = 0;
  sched_point_hook = [](const char *name) { // each goes on when both have made something
    if (std::string_view(name) != "enter: inserted" || std::exchange(was_here, true))
      return;
    ++inserted;
    while (inserted < 2)
      std::this_thread::yield();
  };
  alarm(60); // for code that waits for ever
  int x = 1, y = 2;
  const MapItem one = item(&x, sizeof x, kTo), two = item(&y, sizeof y, kTo);
  const auto enter_both = [&](const MapItems &items) {
    was_here = false;
    EXPECT_TRUE(enter(device_, items, !GetParam().is_planned).is_ok());
  };
  {
    Other other([&] { enter_both({two, one}); });
    enter_both({one, two});
  }
  alarm(0);
  EXPECT_EQ(*on_device(device_, &x), 1);
  EXPECT_EQ(*on_device(device_, &y), 2);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(leave(device_, {item(&x, sizeof x, 0), item(&y, sizeof y, 0)}).is_ok());
}
/// Large data, for which the device has memory once.
class EnteringOnce : public Entering {
protected:
  EnteringOnce() {
    limit_memory(kBytes + kBytes / 2);
    reset_fake_counts();
  }
  ~EnteringOnce() override { limit_memory(INT64_MAX); }

  Status enter_data() { return enter(device_, items_, !GetParam().is_planned); }
  /// The other thread enters while this one is between two steps of its construct. Both leave.
  void race(const char *step, const std::function<void()> &construct) {
    alarm(60);
    std::optional<Other> other;
    {
      const AtPoint point(step, [&] {
        other.emplace([&] { EXPECT_TRUE(enter_data().is_ok()); });
        other->let_run();
        EXPECT_FALSE(other->is_done());
      });
      construct();
    }
    other.reset();
    alarm(0);
  }

  static constexpr int64_t kBytes = 1 << 20;
  std::vector<char> data_ = std::vector<char>(kBytes);
  const MapItems items_{item(data_.data(), kBytes, 0)};
};

TEST_P(EnteringOnce, one_of_two_threads_allocates_and_the_other_one_waits) {
  race(GetParam().is_planned ? "enter: no storage yet" : "enter: reserved", [&] { EXPECT_TRUE(enter_data().is_ok()); });
  EXPECT_EQ(fake_counts().allocations, 1);
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(leave(device_, items_).is_ok());
}

TEST_P(EnteringOnce, a_thread_waits_for_the_memory_of_what_another_one_has_just_left) {
  ASSERT_TRUE(enter_data().is_ok());
  race("free: removed, not yet freed", [&] { EXPECT_TRUE(leave(device_, items_).is_ok()); });
  EXPECT_TRUE(leave(device_, items_).is_ok());
}

TEST_P(EnteringOnce, data_for_which_there_is_no_memory_fail_without_waiting) {
  ASSERT_TRUE(enter_data().is_ok());
  std::vector<char> more(kBytes);
  const MapItems others{item(more.data(), kBytes, 0)};
  for (int i = 0; i < 2; ++i) {
    Status status = enter(device_, others);
    EXPECT_NE(status.to_string().find("could not be allocated"), std::string::npos);
    status.consume();
  }
  EXPECT_TRUE(leave(device_, items_).is_ok());
  EXPECT_TRUE(enter(device_, others).is_ok());
  EXPECT_TRUE(leave(device_, others).is_ok());
}
INSTANTIATE_TEST_SUITE_P(All, Entering, kAllWays, name_of);
INSTANTIATE_TEST_SUITE_P(All, EnteringOnce, kAllWays, name_of);

/// A construct that waits for data of another thread when it has entered its own.
class WaitsInTheMiddle : public testing::Test {
protected:
  ~WaitsInTheMiddle() override {
    set_fake_hook(nullptr);
    EXPECT_EQ(device_.map().fault(), "");
    EXPECT_EQ(device_.map().size(), 0u);
    device_.free_dormant();
    EXPECT_EQ(fake_blocks(), blocks_) << "device memory is lost";
  }

  /// Has another thread map the data, and holds it before it copies them.
  void hold_entering(int *value) {
    std::promise<void> is_held;
    set_fake_hook([this, &is_held](FakeOperation operation) {
      if (operation != FakeOperation::kSubmit)
        return;
      if (std::this_thread::get_id() == entering_.get_id()) {
        is_held.set_value();
        go_on_.get_future().wait();
      } else if (in_copy_) {
        std::exchange(in_copy_, nullptr)();
      }
    });
    std::promise<void> is_known;
    entering_ = std::thread([this, value, known = is_known.get_future().share()] {
      known.wait();
      EXPECT_TRUE(enter(device_, {item(value, sizeof *value, kTo)}).is_ok());
    });
    is_known.set_value();
    is_held.get_future().wait();
  }
  void go_on() {
    go_on_.set_value();
    entering_.join();
  }

  /// Enters the items, and waits in the middle for the data of the other thread.
  void enter_in_two_steps(const MapItems &items) {
    std::optional<AtPoint> point(std::in_place, "await", [this] { go_on(); });
    ASSERT_TRUE(enter(device_, items, true).is_ok());
  }

  const int64_t blocks_ = fake_blocks();
  FakeDevice device_{FakeKind::kSynchronous};
  std::function<void()> in_copy_; ///< constructs of others while the construct copies for the first time
  std::thread entering_;
  std::promise<void> go_on_;
};

TEST_F(WaitsInTheMiddle, data_that_were_present_keep_what_others_wrote) {
  int a = 1, b = 1, c = 1;
  ASSERT_TRUE(enter(device_, {item(&b, sizeof b, kTo)}).is_ok());
  *on_device(device_, &b) = 5;
  hold_entering(&c);
  in_copy_ = [&] { EXPECT_TRUE(exit(device_, {item(&b, sizeof b, kFrom)}).is_ok()); }; // not the last one: no copy
  MapItems items{item(&b, sizeof b, kBoth), item(&a, sizeof a, kBoth), item(&c, sizeof c, kBoth)};
  enter_in_two_steps(items);
  EXPECT_EQ(*on_device(device_, &b), 5);
  ASSERT_TRUE(leave(device_, items).is_ok());
  EXPECT_EQ(b, 5);
  ASSERT_TRUE(leave(device_, {item(&c, sizeof c, 0)}).is_ok());
}

TEST_F(WaitsInTheMiddle, data_that_the_construct_made_keep_what_others_wrote) {
  int a = 1, c = 1, d = 1;
  hold_entering(&c);
  MapItems items{item(&a, sizeof a, kFrom), item(&d, sizeof d, kTo), item(&c, sizeof c, kBoth)};
  in_copy_ = [&] {
    EXPECT_TRUE(enter(device_, {item(&a, sizeof a, kBoth)}).is_ok());
    *on_device(device_, &a) = 5;
    EXPECT_TRUE(exit(device_, {item(&a, sizeof a, kFrom)}).is_ok());
  };
  enter_in_two_steps(items);
  EXPECT_EQ(*on_device(device_, &a), 5);
  ASSERT_TRUE(leave(device_, items).is_ok());
  EXPECT_EQ(a, 5);
  ASSERT_TRUE(leave(device_, {item(&c, sizeof c, 0)}).is_ok());
}

TEST_F(WaitsInTheMiddle, a_later_argument_in_new_data_is_copied) {
  int a[10] = {1, 2, 3}, c = 1;
  hold_entering(&c);
  MapItems items{item(a, sizeof a, 0), item(&c, sizeof c, kTo), item(a, 5 * sizeof(int), kTo)};
  enter_in_two_steps(items);
  EXPECT_EQ(on_device(device_, a)[2], 3);
  ASSERT_TRUE(leave(device_, items).is_ok());
  ASSERT_TRUE(leave(device_, {item(&c, sizeof c, 0)}).is_ok());
}

// What a mapper pushes lies in data that another thread is mapping, and that a third one deletes.
TEST_F(WaitsInTheMiddle, what_a_mapper_pushes_is_taken_again_with_the_data_around_it) {
  int s[4] = {1, 2, 3, 4};
  hold_entering(&s[0]);
  MapItems items{item(s, sizeof(int), 0), item(s, sizeof(int), kTo | (1ull << kMemberOfShift))};
  items[0].group = items[1].group = 0;
  {
    const AtPoint point("await", [&] {
      go_on();
      EXPECT_TRUE(exit(device_, {item(s, sizeof(int), kDelete)}).is_ok());
    });
    ASSERT_TRUE(enter(device_, items).is_ok());
  }
  ASSERT_EQ(device_.map().size(), 1u);
  EXPECT_EQ(device_.map().snapshot()[0].dynamic_count, 1u);
  ASSERT_TRUE(exit(device_, items).is_ok());
}

class TakenAgain : public WindowTest {};

TEST_P(TakenAgain, a_pointer_is_attached_although_its_target_was_made_anew_by_others) {
  int t[2] = {1, 2};
  struct {
    int *p;
  } s = {t};
  // The target is being mapped by another construct, which fails; then a third one maps it.
  const ConstructQueue creator(device_, false);
  const MappingRef failing =
      device_.map().insert({host_ptr(t), host_ptr(t + 2), host_ptr(t), nullptr, &creator, Counter::kDynamic}).found.ref;
  auto block = device_.allocate(sizeof t, nullptr, OMPTARGET_ALLOC_DEFAULT);
  ASSERT_TRUE(block.is_ok());
  failing.publish_storage(device_ptr(*block));
  {
    const AtPoint point("await", [&] {
      EXPECT_TRUE(free_removed(device_, device_.map().discard(failing)).is_ok());
      EXPECT_TRUE(enter(device_, {item(t, sizeof t, kTo)}).is_ok());
    });
    ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kTo), item(&s.p, t, sizeof t, kTo | kPtrAndObj)}).is_ok());
  }
  int **const copy = on_device(device_, &s.p);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(*copy, on_device(device_, &t[0]));
  EXPECT_TRUE(exit(device_, {item(&s, sizeof s, 0), item(&s.p, t, sizeof t, kPtrAndObj)}).is_ok());
  EXPECT_TRUE(exit(device_, {item(t, sizeof t, 0)}).is_ok());
}

INSTANTIATE_TEST_SUITE_P(All, TakenAgain, testing::Values(FakeKind::kSynchronous));

TEST(Borrowing, the_last_of_many_frees_although_others_gave_back_meanwhile) {
  FakeDevice device{FakeKind::kSynchronous};
  HostDataToTargetMap &map = device.map();
  const int64_t blocks = fake_blocks();
  int x = 0;
  ASSERT_TRUE(enter(device, {item(&x, sizeof x, kTo)}).is_ok());
  const MappingRef ref = map.find(host_ptr(&x), sizeof x).ref;
  constexpr int kBorrowers = 15; // as many as the state word counts
  for (int i = 0; i < kBorrowers; ++i)
    ASSERT_TRUE(map.borrow(ref));
  ASSERT_TRUE(exit(device, {item(&x, sizeof x, kDelete)}).is_ok());
  int frees = 0;
  const auto give_back = [&] {
    const Removed removed = map.give_back(ref);
    frees += removed.is_free ? 1 : 0;
    EXPECT_TRUE(free_removed(device, removed).is_ok());
  };
  {
    const AtPoint point("give back: one of many", [&] {
      for (int i = 1; i < kBorrowers; ++i)
        give_back();
    });
    give_back();
  }
  sched_point_hook = nullptr;
  EXPECT_EQ(frees, 1);
  EXPECT_EQ(fake_blocks(), blocks);
}

} // namespace
} // namespace omptarget::test
