// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The promises of OpenMP between constructs of different threads (5.2, section 5.8.3: entering and leaving are atomic).
// A copy is held half-way while other threads do whole constructs with the same data. Each thread adds to an element of
// its own, and no sum may be lost. A runtime that lets the others wait for the copy is right, too. Then the copy goes
// on after a while, so that no test fails for want of time.

#include <chrono>
#include <condition_variable>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <thread>

#include "../windows.h"
#include "program.h"

namespace omptarget::test {
namespace {

using namespace map_type;
using namespace std::chrono_literals;

constexpr auto kPatience = 100ms;
constexpr int kLength = 64;
constexpr int kLast = kLength - 1;
constexpr uint64_t kToFrom = kTo | kFrom, kParameter = kTargetParam;

/// Copies of one range in one direction: the next one is held when it has read, or at another moment.
class Hold {
public:
  /// host: a byte of the host's end; null: any copy of that size.
  Hold(const void *host, bool is_to_device, SplitMoment moment = SplitMoment::kCopyHasRead, int64_t size = 0)
      : host_(host), is_to_device_(is_to_device), moment_(moment), size_(size) {
    std::lock_guard lock(mutex_);
    for (Hold *&place : holds_)
      if (!place) {
        place = this;
        return;
      }
  }
  ~Hold() {
    std::lock_guard lock(mutex_);
    for (Hold *&place : holds_)
      if (place == this)
        place = nullptr;
  }
  Hold(const Hold &) = delete;
  Hold &operator=(const Hold &) = delete;

  static inline Device *device = nullptr; ///< where the memory may be mapped

  /// Returns whether a copy is held, or was.
  bool wait(std::chrono::milliseconds patience = 20s) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return is_reached_; });
  }
  void let_go() {
    std::lock_guard lock(mutex_);
    may_go_on_ = true;
    changed_.notify_all();
  }

  static void at(const SplitEvent &event) {
    std::unique_lock lock(mutex_);
    for (Hold *const hold : holds_)
      if (hold && hold->takes(event)) {
        hold->is_reached_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, kPatience, [hold] { return hold->may_go_on_; });
        return;
      }
  }

private:
  bool takes(const SplitEvent &event) const {
    if (is_reached_ || !event.host || event.moment != moment_ || event.is_to_device != is_to_device_)
      return false;
    if (!host_)
      return event.size == size_;
    return covers(event.host, event.size, host_) || covers(event.device, event.size, counterpart());
  }
  static bool covers(const void *memory, int64_t size, const void *byte) {
    const auto *const begin = static_cast<const char *>(memory);
    return begin <= byte && begin + size > byte;
  }
  /// Structs with attached pointers come back by way of a buffer.
  const void *counterpart() const {
    const HostPtr host = host_ptr(const_cast<void *>(host_));
    const Found found = device->map().find(host, 1);
    const std::optional<DevicePtr> target = found.is_contained ? target_of(found.ref, host) : std::nullopt;
    return target ? raw(*target) : nullptr;
  }

  static inline std::mutex mutex_; ///< guards all of it
  static inline std::condition_variable changed_;
  static inline Hold *holds_[4] = {};
  const void *const host_;
  const bool is_to_device_;
  const SplitMoment moment_;
  const int64_t size_;
  bool is_reached_ = false, may_go_on_ = false;
};

/// The next copy back of so many bytes, wherever it goes to first.
class HoldBack : public Hold {
public:
  HoldBack(int64_t size, SplitMoment moment) : Hold(nullptr, false, moment, size) {}
};

/// If set, the device works on its queue at once, rather than when a thread waits.
bool is_eager = false;
uint32_t choose(uint32_t limit) { return is_eager ? limit - 1 : 0; }

void fail(const char *what) { ADD_FAILURE() << what; }

struct Members {
  long head;
  long x[kLength], y[kLength];
  long *p;
};

struct Way {
  SplitKind kind;
  bool is_observed = false;
  bool is_planned = false; ///< with plans for what could do without
};

class PromiseTest : public testing::TestWithParam<Way> {
protected:
  PromiseTest() : on_(device_of(GetParam().kind)) {
    is_eager = false;
    Hold::device = &runtime_device(GetParam().kind);
    observe(GetParam().is_observed);
    plans_all = GetParam().is_planned;
  }
  ~PromiseTest() override {
    observe(false);
    plans_all = false;
    EXPECT_EQ(runtime_device(GetParam().kind).map().size(), 0u) << "data stay present";
    free_dormant_data(GetParam().kind);
    EXPECT_EQ(count_blocks(GetParam().kind), blocks_) << "device memory is lost";
  }

  template <typename T> static Argument all_of(T &array, uint64_t type) { return data(&array, sizeof array, type); }

  /// A region that adds 1 to an element of each array that is a parameter.
  void add(const Arguments &arguments, int element) const { on_.region(arguments, adding(arguments, element)); }
  static Body adding(const Arguments &arguments, int element) {
    size_t count = 0;
    for (const Argument &one : arguments)
      count += (one.type & kParameter) != 0;
    return [=](void **parameters) {
      for (size_t i = 0; i < count; ++i)
        ++static_cast<long *>(parameters[i])[element];
    };
  }
  void add_to_a(int element, uint64_t type = kToFrom) { add({all_of(a_, type | kParameter)}, element); }

  /// A struct with its pointer's data, as clang up to 22 and as clang 23 pass them.
  std::vector<Arguments> struct_and_pointee() {
    constexpr uint64_t kFirst = uint64_t{1} << kMemberOfShift;
    return {{all_of(s_, kToFrom | kParameter), {&s_.p, b_, sizeof b_, kFirst | kPtrAndObj | kToFrom}},
            {all_of(s_, kToFrom | kParameter), all_of(b_, kToFrom), {&s_.p, b_, sizeof s_.p, kAttach}}};
  }
  void clear_struct() {
    s_ = {};
    s_.p = b_;
    b_[0] = b_[kLast] = 0;
  }
  /// Adds 1 to elements of the struct's, and of what its pointer points to.
  static Body through_pointer(int element) {
    return [element](void **parameters) {
      auto *const on_device = static_cast<Members *>(parameters[0]);
      ++on_device->x[element];
      const bool is_right = is_device_memory(GetParam().kind, on_device->p, sizeof b_);
      EXPECT_TRUE(is_right) << "the kernel gets " << on_device->p;
      if (is_right)
        ++on_device->p[element];
    };
  }

  /// Holds the copy of that memory that the first function makes, and runs the second one in another thread meanwhile.
  template <typename First, typename Second>
  static void run_both(const void *host, First first, Second second, SplitMoment moment = SplitMoment::kCopyHasRead) {
    Hold hold(host, false, moment);
    std::thread other([&] {
      EXPECT_TRUE(hold.wait()) << "no copy was held";
      second();
      hold.let_go();
    });
    first();
    other.join();
  }

  const int64_t blocks_ = (free_dormant_data(GetParam().kind), count_blocks(GetParam().kind));
  const Constructs on_;
  long a_[kLength] = {}, b_[kLength] = {}, c_[kLength] = {}, d_[kLength] = {};
  Members s_ = {};
};

TEST_P(PromiseTest, a_region_beside_the_copy_back_of_another_one_keeps_its_result) {
  run_both(a_, [&] { add_to_a(0); }, [&] { add_to_a(kLast); });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

TEST_P(PromiseTest, several_regions_beside_a_copy_back_keep_their_results) {
  run_both(
      a_, [&] { add_to_a(0); },
      [&] {
        for (int i = 1; i <= 3; ++i)
          add_to_a(kLast);
      });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 3);
}

TEST_P(PromiseTest, regions_with_several_data_keep_their_results) {
  for (const void *held : {a_, b_, c_}) {
    for (int i = 0; i < kLength; ++i)
      a_[i] = b_[i] = c_[i] = 0;
    run_both(
        held,
        [&] {
          add({all_of(a_, kToFrom | kParameter), all_of(b_, kToFrom | kParameter), all_of(c_, kToFrom | kParameter)},
              0);
        },
        [&] {
          add({all_of(c_, kToFrom | kParameter), all_of(a_, kToFrom | kParameter), all_of(b_, kToFrom | kParameter)},
              kLast);
        });
    for (const long *array : {a_, b_, c_}) {
      EXPECT_EQ(array[0], 1);
      EXPECT_EQ(array[kLast], 1);
    }
  }
}

TEST_P(PromiseTest, a_region_beside_the_copy_back_of_exit_data_keeps_its_result) {
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  run_both(a_, [&] { on_.exit({all_of(a_, kFrom)}); }, [&] { add_to_a(kLast); });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

TEST_P(PromiseTest, exit_data_beside_the_copy_back_of_exit_data_brings_its_result) {
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  run_both(
      a_, [&] { on_.exit({all_of(a_, kFrom)}); },
      [&] {
        on_.enter({all_of(a_, kTo)});
        add_to_a(kLast, 0);
        on_.exit({all_of(a_, kFrom)});
      });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

TEST_P(PromiseTest, exit_data_of_a_held_reference_brings_its_result) {
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  run_both(
      a_, [&] { on_.exit({all_of(a_, kFrom)}); },
      [&] {
        on_.enter({all_of(a_, kTo | kHold)});
        add_to_a(kLast, 0);
        on_.exit({all_of(a_, kFrom | kHold)});
      });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

// A third reference keeps the data; both copy back all the same.
TEST_P(PromiseTest, copies_that_are_always_made_keep_each_others_results) {
  on_.enter({all_of(a_, kTo)});
  run_both(a_, [&] { add_to_a(0, kFrom | kAlways); }, [&] { add_to_a(kLast, kFrom | kAlways); });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
  on_.exit({all_of(a_, 0)});
}

TEST_P(PromiseTest, a_part_that_is_always_copied_is_not_overwritten) {
  on_.enter({all_of(a_, kTo)});
  run_both(
      a_, [&] { add_to_a(0, kFrom | kAlways); },
      [&] {
        on_.region({data(&a_[kLast], sizeof(long), kFrom | kAlways | kParameter)},
                   [](void **p) { ++*static_cast<long *>(p[0]); });
      });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
  on_.exit({all_of(a_, 0)});
}

// Entering either comes first, and then nobody copies back, or it comes after the copy. So once a thread has entered
// the data, nobody writes to the host's but itself.
TEST_P(PromiseTest, an_update_is_not_overwritten_by_the_copy_back_of_a_construct_that_left_before) {
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  run_both(
      a_, [&] { on_.exit({all_of(a_, kFrom)}); },
      [&] {
        on_.enter({all_of(a_, kTo)});
        add_to_a(kLast, 0);
        on_.update({data(&a_[kLast], sizeof(long), kFrom)});
        EXPECT_EQ(a_[kLast], 1);
      });
  EXPECT_EQ(a_[kLast], 1) << "after the other copy";
  on_.exit({all_of(a_, kFrom)});
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

TEST_P(PromiseTest, what_the_host_writes_is_not_overwritten_by_the_copy_back_of_a_construct_that_left_before) {
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  run_both(
      a_, [&] { on_.exit({all_of(a_, kFrom)}); },
      [&] {
        on_.enter({all_of(a_, kTo)});
        a_[kLast] = 7;
      });
  EXPECT_EQ(a_[kLast], 7);
  on_.update({data(&a_[kLast], sizeof(long), kTo)});
  add_to_a(kLast, 0);
  on_.exit({all_of(a_, kFrom)});
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 8);
}

TEST_P(PromiseTest, the_same_although_a_third_thread_has_entered_meanwhile) {
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  std::thread third;
  run_both(
      a_, [&] { on_.exit({all_of(a_, kFrom)}); },
      [&] {
        third = std::thread([&] { on_.enter({all_of(a_, kTo)}); });
        std::this_thread::sleep_for(kPatience / 5); // it waits for the copy, or is done
        on_.enter({all_of(a_, kTo)});
        a_[kLast] = 7;
      });
  third.join();
  EXPECT_EQ(a_[kLast], 7);
  on_.update({data(&a_[kLast], sizeof(long), kTo)});
  on_.exit({all_of(a_, kFrom)});
  on_.exit({all_of(a_, kFrom)});
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 7);
}

TEST_P(PromiseTest, members_of_a_struct_keep_the_results_of_both) {
  constexpr uint64_t kFirst = uint64_t{1} << kMemberOfShift;
  const Arguments members = {{&s_, s_.x, sizeof s_.x + sizeof s_.y, kParameter},
                             {&s_, s_.x, sizeof s_.x, kFirst | kToFrom},
                             {&s_, s_.y, sizeof s_.y, kFirst | kToFrom}};
  const auto adding_to = [](int element) {
    return [element](void **parameters) {
      ++static_cast<Members *>(parameters[0])->x[element];
      ++static_cast<Members *>(parameters[0])->y[element];
    };
  };
  for (const void *held : {s_.x, s_.y}) {
    s_ = {};
    run_both(held, [&] { on_.region(members, adding_to(0)); }, [&] { on_.region(members, adding_to(kLast)); });
    for (const long *array : {s_.x, s_.y}) {
      EXPECT_EQ(array[0], 1);
      EXPECT_EQ(array[kLast], 1);
    }
  }
}

TEST_P(PromiseTest, a_struct_with_an_attached_pointer_keeps_the_results_of_both) {
  for (const Arguments &list : struct_and_pointee())
    for (const auto size : {sizeof s_, sizeof b_}) {
      clear_struct();
      HoldBack hold(size, SplitMoment::kCopyHasRead);
      std::thread other([&] {
        EXPECT_TRUE(hold.wait()) << "no copy was held";
        on_.region(list, through_pointer(kLast));
        hold.let_go();
      });
      on_.region(list, through_pointer(0));
      other.join();
      for (const long *array : {s_.x, b_}) {
        EXPECT_EQ(array[0], 1);
        EXPECT_EQ(array[kLast], 1);
      }
      EXPECT_EQ(s_.p, b_);
    }
}

// A struct is copied back with its pointer, which is attached. The host's pointer keeps its value all the while, and
// others use it.
TEST_P(PromiseTest, nobody_takes_a_pointer_that_is_copied_back_for_the_hosts) {
  for (const Arguments &list : struct_and_pointee()) {
    for (const SplitMoment moment : {SplitMoment::kCopyHasRead, SplitMoment::kCopyEnds}) {
      clear_struct();
      on_.enter({all_of(s_, kTo)}); // the struct stays, its pointer's data go and come
      Arguments first = list;
      first[0].type |= kAlways;
      first[0].type &= ~kTo;
      HoldBack hold(sizeof s_, moment);
      std::thread other([&] {
        EXPECT_TRUE(hold.wait()) << "no copy was held";
        EXPECT_EQ(s_.p, b_) << "seen by another thread";
        on_.region(list, through_pointer(kLast));
        hold.let_go();
      });
      on_.region(first, through_pointer(0));
      other.join();
      on_.exit({all_of(s_, 0)});
      EXPECT_EQ(b_[0], 1);
      EXPECT_EQ(b_[kLast], 1);
      EXPECT_EQ(s_.p, b_);
    }
  }
}

// One construct has made what a pointer points to, and has not written the pointer yet. Another one finds all of it
// present.
TEST_P(PromiseTest, a_pointer_is_attached_before_anybody_else_can_use_it) {
  for (const Arguments &list : struct_and_pointee())
    for (const char *point : {"enter: inserted", "enter: filled", "enter: published"}) {
      clear_struct();
      on_.enter({all_of(s_, kTo)});
      std::promise<void> in_window, leave_window;
      std::thread other([&] {
        const auto patience = in_window.get_future().wait_for(kPatience);
        EXPECT_EQ(patience, std::future_status::ready) << point;
        on_.region(list, through_pointer(kLast));
        leave_window.set_value();
      });
      {
        const AtPoint hold(point, [&] {
          in_window.set_value();
          (void)leave_window.get_future().wait_for(kPatience);
        });
        on_.region(list, through_pointer(0));
      }
      other.join();
      sched_point_hook = nullptr;
      on_.exit({all_of(s_, kFrom)});
      EXPECT_EQ(b_[0], 1) << point;
      EXPECT_EQ(b_[kLast], 1) << point;
      EXPECT_EQ(s_.p, b_) << point;
    }
}

// The struct itself is still being copied to the device when another construct has made what its pointer points to. A
// third one finds both as soon as they are there.
TEST_P(PromiseTest, a_pointer_in_data_that_are_being_copied_is_attached_before_anybody_else_can_use_it) {
  for (const Arguments &list : struct_and_pointee()) {
    clear_struct();
    Hold copy(&s_, true);
    std::thread creator([&] { on_.enter({all_of(s_, kTo)}); });
    EXPECT_TRUE(copy.wait()) << "no copy was held";
    std::thread other;
    std::promise<void> is_used;
    {
      const AtPoint published("enter: published", [&] {
        copy.let_go();
        creator.join();
        other = std::thread([&] {
          on_.region(list, through_pointer(kLast));
          is_used.set_value();
        });
        (void)is_used.get_future().wait_for(kPatience);
      });
      on_.region(list, through_pointer(0));
    }
    other.join();
    sched_point_hook = nullptr;
    on_.exit({all_of(s_, kFrom)});
    EXPECT_EQ(b_[0], 1);
    EXPECT_EQ(b_[kLast], 1);
    EXPECT_EQ(s_.p, b_);
  }
}

// The copy back has been queued, and the device has read, when somebody else's construct comes and goes. No second
// thread is needed.
TEST_P(PromiseTest, a_copy_back_with_nowait_does_not_land_on_a_newer_result) {
  is_eager = true;
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  void *const handle = on_.exit_nowait({all_of(a_, kFrom)});
  std::thread other([&] { add_to_a(kLast); });
  std::this_thread::sleep_for(kPatience / 5); // it may wait for what has not been waited for
  wait_for(handle);
  other.join();
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

// Nobody asks for the first construct before the second one is complete, which must not wait for that.
TEST_P(PromiseTest, a_thread_need_not_ask_for_what_it_has_left_unfinished) {
  is_eager = true;
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  void *const handle = on_.exit_nowait({all_of(a_, kFrom)});
  add_to_a(kLast);
  wait_for(handle);
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

TEST_P(PromiseTest, regions_with_nowait_keep_each_others_results) {
  is_eager = true;
  const Arguments list = {all_of(a_, kToFrom | kParameter)};
  const Body first = adding(list, 0), second = adding(list, kLast);
  void *const handle = on_.region_nowait(list, first);
  std::thread other([&] { wait_for(on_.region_nowait(list, second)); });
  std::this_thread::sleep_for(kPatience / 5);
  wait_for(handle);
  other.join();
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 1);
}

// A construct references present data, and comes to data that another thread is just copying. Nobody else references
// the present data by then, so the only result is on the device.
TEST_P(PromiseTest, entering_in_several_attempts_throws_no_result_away) {
  long *const all[] = {a_, b_, c_, d_};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      if (i == j)
        continue;
      long *const present = all[i], *const held = all[j], *const arriving = all[3];
      for (long *array : all)
        array[0] = array[1] = 0;
      const auto one = [](long *array, uint64_t type) { return data(array, kLength * sizeof *array, type); };
      on_.enter({one(present, kTo)});
      add({one(present, kParameter)}, 0);
      Hold arrival(arriving, true), copy(held, true);
      std::thread creator([&] { on_.enter({one(arriving, kTo)}); });
      EXPECT_TRUE(arrival.wait(kPatience) || GetParam().kind != SplitKind::kAtOnce);
      std::thread leaver([&] {
        (void)copy.wait(kPatience);
        on_.exit({one(present, kFrom)});
        copy.let_go();
        std::this_thread::sleep_for(kPatience / 20);
        arrival.let_go();
      });
      Arguments list;
      for (long *array : all)
        list.push_back(one(array, kToFrom | kParameter));
      add(list, 1);
      creator.join();
      leaver.join();
      on_.exit({one(arriving, kFrom)});
      EXPECT_EQ(present[0], 1) << "present: " << i << ", held: " << j;
      for (const long *array : all)
        EXPECT_EQ(array[1], 1);
    }
}

// Others reference data that a construct makes while it waits for other data, which then go: whatever it makes anew,
// their results stay.
TEST_P(PromiseTest, data_that_a_construct_gives_up_keep_the_results_of_others) {
  Hold arrival(d_, true);
  std::thread creator([&] { on_.enter({all_of(d_, kTo)}); });
  EXPECT_TRUE(arrival.wait(kPatience) || GetParam().kind != SplitKind::kAtOnce);
  std::thread other([&] {
    for (int i = 0; i < 100 && !on_.is_present(a_); ++i)
      std::this_thread::sleep_for(1ms);
    add_to_a(0);
    on_.exit({all_of(d_, kDelete)});
    arrival.let_go();
  });
  add({all_of(a_, kToFrom | kParameter), all_of(d_, kToFrom | kParameter)}, 1);
  creator.join();
  other.join();
  on_.exit({all_of(d_, kDelete)});
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[1], 1);
}

// The table finds the whole array for a part of it. Meanwhile its last reference goes, and it is copied back.
TEST_P(PromiseTest, who_enters_a_part_while_the_last_reference_goes_waits_for_the_copy) {
  static int runs = 0;
  const int first = 1 + runs++; // no earlier construct began there, which the table would remember
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  Hold hold(a_, false);
  std::thread other;
  {
    const AtPoint point("retain: read, not yet counted", [&] {
      other = std::thread([&] { on_.exit({all_of(a_, kFrom)}); });
      EXPECT_TRUE(hold.wait()) << "no copy was held";
    });
    on_.enter({data(&a_[first], static_cast<int64_t>(sizeof(long)) * (kLength - first), kTo)});
    a_[kLast] = 7;
  }
  hold.let_go();
  other.join();
  EXPECT_EQ(a_[kLast], 7) << "what the host wrote after its enter data was overwritten";
  on_.exit({all_of(a_, kDelete)});
}

// The turn ends and is taken again, by a construct with nowait, before the thread that waits for it goes on. libomp asks
// for that construct only later.
TEST_P(PromiseTest, who_waits_for_a_turn_does_not_wait_for_a_construct_that_is_deferred_meanwhile) {
  if (GetParam().kind == SplitKind::kAtOnce)
    return; // defers none
  on_.enter({all_of(a_, kTo)});
  const Arguments always = {all_of(a_, kFrom | kAlways | kParameter)};
  const Body body = adding(always, 1);
  void *handle = nullptr;
  std::promise<void> is_waiting, has_entered;
  std::thread waiter;
  Hold hold(a_, false);
  std::thread starter([&] {
    EXPECT_TRUE(hold.wait()) << "no copy was held";
    waiter = std::thread([&] {
      {
        const AtPoint about("about to wait for the turn", [&] { is_waiting.set_value(); });
        on_.enter({all_of(a_, kTo)});
      }
      has_entered.set_value();
    });
    is_waiting.get_future().wait();
    std::this_thread::sleep_for(kPatience / 5); // it waits
    hold.let_go();
  });
  {
    const AtPoint ended("exit: others use it",
                        [&] { std::thread([&] { handle = on_.region_nowait(always, body); }).join(); });
    on_.exit({all_of(a_, kFrom)});
  }
  starter.join();
  EXPECT_EQ(has_entered.get_future().wait_for(20s), std::future_status::ready);
  if (handle)
    wait_for(handle);
  waiter.join();
  EXPECT_EQ(a_[1], 1);
  on_.exit({all_of(a_, kDelete)});
}

// One construct maps what a pointer points to, the other one the pointer. Each attaches it if it finds both.
TEST_P(PromiseTest, of_two_constructs_that_map_a_pointer_and_its_data_one_attaches_it) {
  clear_struct();
  {
    const AtPoint point("enter: next argument", [&] {
      std::thread([&] { on_.enter({all_of(s_, kTo), {b_, b_, 0, kTo}, {&s_.p, b_, sizeof s_.p, kAttach}}); }).join();
    });
    on_.enter({all_of(b_, kTo), {&s_.p, b_, sizeof s_.p, kAttach}});
  }
  on_.region({all_of(s_, kParameter)}, through_pointer(0));
  on_.exit({all_of(b_, kFrom)});
  on_.exit({all_of(s_, kFrom)});
  EXPECT_EQ(b_[0], 1);
}

TEST_P(PromiseTest, exit_data_that_always_copies_waits_for_the_copy_of_a_construct_that_left_before) {
  on_.enter({all_of(a_, kTo)});
  add_to_a(0, 0);
  run_both(
      a_, [&] { on_.exit({all_of(a_, kFrom)}); },
      [&] {
        on_.exit({all_of(a_, kFrom | kAlways)});
        a_[kLast] = 7;
      });
  EXPECT_EQ(a_[0], 1);
  EXPECT_EQ(a_[kLast], 7);
}

// A thread has released the last reference, and has not removed the mapping yet. Another one deletes the data, and maps
// what the host has written since.
TEST_P(PromiseTest, data_that_are_deleted_while_their_last_reference_goes_are_mapped_anew) {
  on_.enter({all_of(a_, kTo)});
  std::unique_ptr<AtPoint> is_released, is_read;
  {
    const AtPoint removing("complete: about to remove", [&] {
      std::thread([&] { on_.enter({all_of(a_, kTo)}); }).join();
      is_read = std::make_unique<AtPoint>("release: read, not yet counted", [&] {
        std::thread([&] { on_.exit({all_of(a_, 0)}); }).join();
        is_released = std::make_unique<AtPoint>("exit: released", [&] {
          std::thread([&] {
            on_.exit({all_of(a_, kDelete)});
            a_[kLast] = 7;
            on_.enter({all_of(a_, kTo)});
          }).join();
        });
      });
    });
    on_.exit({all_of(a_, 0)});
  }
  add_to_a(kLast, 0);
  on_.exit({all_of(a_, kFrom)});
  EXPECT_EQ(a_[kLast], 8);
}

INSTANTIATE_TEST_SUITE_P(
    , PromiseTest,
    testing::Values(Way{SplitKind::kAtOnce}, Way{SplitKind::kAtOnce, true}, Way{SplitKind::kAtOnce, false, true},
                    Way{SplitKind::kQueueing}, Way{SplitKind::kQueueingWithEvents},
                    Way{SplitKind::kQueueingWithEvents, true}, Way{SplitKind::kQueueingWithEvents, false, true}),
    [](const auto &info) {
      const std::string name = info.param.kind == SplitKind::kAtOnce     ? "at_once"
                               : info.param.kind == SplitKind::kQueueing ? "queueing"
                                                                         : "with_events";
      return name + (info.param.is_observed ? "_observed" : info.param.is_planned ? "_planned" : "");
    });

} // namespace
} // namespace omptarget::test

int main(int count, char **words) {
  static const omptarget::test::SplitHooks hooks = {omptarget::test::Hold::at, omptarget::test::choose,
                                                    omptarget::test::fail};
  omptarget::test::start_program(hooks);
  testing::InitGoogleTest(&count, words);
  return RUN_ALL_TESTS();
}
