// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <thread>

#include "constructs.h"
#include "region/expansion.h"

namespace omptarget::test {
namespace {

/// As what is left to libomp is asked for.
Result<bool> try_complete(Construct &work) {
  OMPTARGET_TRY_ASSIGN(const bool is_done, work.queue().is_done());
  if (is_done)
    OMPTARGET_TRY(work.complete());
  return is_done;
}

Result<bool> try_complete(DataUpdate &update) {
  OMPTARGET_TRY_ASSIGN(const bool is_done, update.is_done());
  if (is_done)
    OMPTARGET_TRY(update.finish());
  return is_done;
}

using namespace map_type;

struct Struct {
  long x;
  int *p;
};

class ConstructTest : public testing::TestWithParam<FakeKind> {
protected:
  ConstructTest() : device_(GetParam()) {
    device_.map().dormant().limit(0);
    reset_fake_counts();
  }
  FakeDevice device_;
};

TEST_P(ConstructTest, data_go_there_and_come_back) {
  int a[4] = {1, 2, 3, 4};
  ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo)}).is_ok());
  EXPECT_EQ(on_device(device_, &a[2])[0], 3);
  on_device(device_, &a[2])[0] = 33;
  ASSERT_TRUE(exit(device_, {item(a, sizeof a, kFrom)}).is_ok());
  EXPECT_EQ(a[2], 33);
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(ConstructTest, one_construct_synchronises_once) {
  int a[4] = {}, b[4] = {};
  ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo), item(b, sizeof b, kTo)}).is_ok());
  reset_fake_counts();
  ASSERT_TRUE(exit(device_, {item(a, sizeof a, kFrom), item(b, sizeof b, kFrom)}).is_ok());
  EXPECT_EQ(fake_counts().synchronisations, GetParam() == FakeKind::kSynchronous ? 0 : 1);
  EXPECT_EQ(fake_counts().frees, 2);
}

TEST_P(ConstructTest, attached_pointers_hold_device_addresses_there_and_host_values_here) {
  int data[4] = {1, 2, 3, 4};
  struct {
    long x;
    int *p;
  } s = {7, data + 1};
  MapItems items{item(&s, sizeof s, kTo), item(&s.p, data, sizeof data, kTo | kPtrAndObj)};
  ASSERT_TRUE(enter(device_, items).is_ok());
  EXPECT_EQ(on_device(device_, &s.p)[0], on_device(device_, &data[1]));
  s.x = 8;
  ASSERT_TRUE(update(device_, {item(&s, sizeof s, kTo)}).is_ok());
  EXPECT_EQ(on_device(device_, &s.x)[0], 8);
  EXPECT_EQ(on_device(device_, &s.p)[0], on_device(device_, &data[1])) << "update to does not bring the host's address";
  *on_device(device_, &s.x) = 9;
  ASSERT_TRUE(update(device_, {item(&s, sizeof s, kFrom)}).is_ok());
  EXPECT_EQ(s.x, 9);
  EXPECT_EQ(s.p, data + 1) << "update from does not bring the device's address";
}

// Kernels of other threads may read the pointer at any moment.
TEST_P(ConstructTest, a_copy_to_the_device_leaves_attached_pointers_as_they_are_all_the_while) {
  int data[4] = {1, 2, 3, 4};
  struct {
    long x;
    int *p, *q;
    long y;
    int *r;
  } s = {7, data + 1, data + 2, 8, data};
  MapItems items{item(&s, sizeof s, kTo)};
  for (int **pointer : {&s.p, &s.q})
    items.push_back(item(pointer, data, sizeof data, kTo | kPtrAndObj));
  ASSERT_TRUE(enter(device_, items).is_ok());
  const auto *const copy = on_device(device_, &s);
  const auto are_attached = [&] {
    return copy->p == on_device(device_, &data[1]) && copy->q == on_device(device_, &data[2]);
  };
  set_fake_hook([&](FakeOperation) { EXPECT_TRUE(are_attached()) << "between two copies of a construct"; });
  for (const bool is_update : {true, false}) {
    s.x = s.y += 1;
    s.r += 1;
    reset_fake_counts();
    MapItems always{item(&s, sizeof s, kTo | kAlways)};
    Construct work(device_);
    DataUpdate update(device_);
    ASSERT_TRUE((is_update ? update.start(MapItems{item(&s, sizeof s, kTo)}, false) : work.enter(always)).is_ok());
    for (bool is_done = false; !is_done;) {
      auto result = is_update ? try_complete(update) : try_complete(work);
      ASSERT_TRUE(result.is_ok());
      is_done = *result;
      EXPECT_TRUE(are_attached()) << "between two pieces of queued work";
    }
    EXPECT_EQ(copy->x, s.x);
    EXPECT_EQ(copy->y, s.y);
    EXPECT_EQ(copy->r, s.r) << "is not attached";
    EXPECT_EQ(fake_counts().to_device, 2);
    EXPECT_EQ(fake_counts().bytes_to_device, sizeof s - sizeof s.p - sizeof s.q);
  }
  set_fake_hook(nullptr);
  ASSERT_TRUE(exit(device_, {item(&s, sizeof s, kDelete), item(data, sizeof data, kDelete)}).is_ok());
}

// Another construct attaches it, and is done first.
TEST_P(ConstructTest, a_pointer_that_becomes_attached_while_a_copy_waits_in_a_queue_keeps_its_value_on_both_sides) {
  int data[4] = {1, 2, 3, 4}, others[4] = {};
  struct {
    int *other, *p;
    long x;
  } s = {others, data + 1, 7};
  MapItems always_to{item(&s, sizeof s, kTo | kAlways)}, always_from{item(&s, sizeof s, kFrom | kAlways)};
  const std::function<Status(Construct &, DataUpdate &)> copies[] = {
      [&](Construct &, DataUpdate &update) { return update.start(MapItems{item(&s, sizeof s, kTo)}, false); },
      [&](Construct &, DataUpdate &update) { return update.start(MapItems{item(&s, sizeof s, kFrom)}, false); },
      [&](Construct &work, DataUpdate &) { return work.enter(always_to); },
      [&](Construct &work, DataUpdate &) { return work.start_exit(always_from, false); },
  };
  for (const bool has_other : {false, true})
    for (size_t i = 0; i < std::size(copies); ++i) {
      SCOPED_TRACE(i);
      for (int references = 2; references > 0; --references)
        ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kTo)}).is_ok());
      if (has_other) {
        ASSERT_TRUE(enter(device_, {item(&s.other, others, sizeof others, kTo | kPtrAndObj)}).is_ok());
      }
      Construct work(device_);
      DataUpdate update(device_);
      ASSERT_TRUE(copies[i](work, update).is_ok());
      ASSERT_TRUE(enter(device_, {item(&s.p, data, sizeof data, kTo | kPtrAndObj)}).is_ok());
      ASSERT_TRUE(update.finish().is_ok());
      ASSERT_TRUE(work.complete().is_ok());
      EXPECT_EQ(s.p, data + 1);
      EXPECT_EQ(s.other, others);
      EXPECT_EQ(*on_device(device_, &s.p), on_device(device_, &data[1]));
      EXPECT_EQ(*on_device(device_, &s.other), has_other ? on_device(device_, &others[0]) : others);
      ASSERT_TRUE(exit(device_, {item(&s, sizeof s, kDelete), item(data, sizeof data, kDelete),
                                 item(others, sizeof others, kDelete)})
                      .is_ok());
    }
}

TEST_P(ConstructTest, a_pointer_to_an_empty_section_that_is_not_present_keeps_the_hosts_value_on_the_device) {
  int data[4] = {};
  Struct s = {7, data + 1}, other = {8, data + 1};
  const uint64_t member = 1ull << kMemberOfShift;
  ASSERT_TRUE(enter(device_, {item(&s, sizeof s, 0), item(&s.x, &s.x, sizeof s.x, kTo | member, 0),
                              item(&s.p, data + 1, 0, kTo | kPtrAndObj | member, 0)})
                  .is_ok());
  EXPECT_EQ(on_device(device_, &s.x)[0], 7);
  EXPECT_EQ(on_device(device_, &s.p)[0], data + 1);
  ASSERT_TRUE(
      enter(device_, {item(&other, sizeof other, 0), item(&other.p, data + 1, sizeof(void *), kAttach)}).is_ok());
  EXPECT_EQ(on_device(device_, &other.p)[0], data + 1);
  EXPECT_EQ(device_.map().size(), 2u);
  ASSERT_TRUE(exit(device_, {item(&s, sizeof s, kDelete), item(&other, sizeof other, kDelete)}).is_ok());
}

TEST_P(ConstructTest, a_pointer_is_counted_with_its_pointee_only) {
  int data[4] = {};
  Struct s = {7, data};
  const auto count = [&] { return MappingState::count(device_.map().find(host_ptr(&s), 1).state); };
  ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kTo)}).is_ok());
  ASSERT_TRUE(exit(device_, {item(&s.p, data, sizeof data, kPtrAndObj)}).is_ok());
  EXPECT_EQ(count(), 1u) << "the pointee is absent";
  ASSERT_TRUE(enter(device_, {item(&s.p, data, 0, kTo | kPtrAndObj)}).is_ok());
  EXPECT_EQ(count(), 1u) << "and stays absent";
  ASSERT_TRUE(enter(device_, {item(&s.p, data, sizeof data, kTo | kPtrAndObj)}).is_ok());
  EXPECT_EQ(count(), 2u);
  ASSERT_TRUE(exit(device_, {item(&s.p, data, sizeof data, kPtrAndObj)}).is_ok());
  EXPECT_EQ(count(), 1u);
  ASSERT_TRUE(exit(device_, {item(&s, sizeof s, kDelete)}).is_ok());
}

/// The item that compilers before clang 22 pass for the pointee of a base pointer that the program does not name.
class BasePointerTest : public ConstructTest {
protected:
  static constexpr uint64_t kMember = 1ull << kMemberOfShift;
  uint32_t count() { return MappingState::count(device_.map().find(host_ptr(&s_), 1).state); }
  bool is_pointee_present() { return device_.map().find(host_ptr(data_), sizeof data_).is_contained; }
  MapItems after_pointer(uint64_t type) {
    return {item(&s_, &s_.p, sizeof(void *), type), item(&s_.p, data_, sizeof data_, type | kPtrAndObj)};
  }
  MapItems in_struct(uint64_t type) {
    return {item(&s_, &s_.p, sizeof(void *), 0), item(&s_.p, data_, sizeof data_, type | kPtrAndObj | kMember, 0)};
  }
  MapItems in_struct_of_arrays(uint64_t type) {
    return {item(&s_, &s_.p, sizeof(void *), 0), item(&s_, &s_.p, sizeof(void *), type | kMember, 0),
            item(&s_.p, data_, sizeof data_, type | kPtrAndObj | kMember, 0)};
  }
  MapItems alone(uint64_t type) { return {item(&s_.p, data_, sizeof data_, type | kPtrAndObj)}; }
  MapItems second_level(uint64_t type) {
    return {item(&pointer_to_p_, &s_.p, sizeof(void *), type | kPtrAndObj),
            item(&s_.p, data_, sizeof data_, type | kPtrAndObj)};
  }
  using Form = MapItems (BasePointerTest::*)(uint64_t);
  static constexpr Form kForms[] = {&BasePointerTest::after_pointer, &BasePointerTest::in_struct,
                                    &BasePointerTest::in_struct_of_arrays, &BasePointerTest::alone,
                                    &BasePointerTest::second_level};
  MapItems form(Form form, uint64_t type) { return (this->*form)(type); }

  int data_[4] = {};
  Struct s_ = {7, data_};
  int **pointer_to_p_ = &s_.p;
};

TEST_P(BasePointerTest, releasing_a_pointee_again_leaves_what_the_program_has_mapped) {
  for (const Form form : kForms) {
    ASSERT_TRUE(enter(device_, {item(&s_, sizeof s_, kTo)}).is_ok());
    ASSERT_TRUE(enter(device_, this->form(form, kTo)).is_ok());
    for (const uint64_t type : {uint64_t{0}, uint64_t{0}, kFrom, kDelete}) {
      ASSERT_TRUE(exit(device_, this->form(form, type)).is_ok());
      EXPECT_EQ(count(), 1u);
      EXPECT_FALSE(is_pointee_present());
    }
    EXPECT_EQ(device_.map().size(), 1u);
    ASSERT_TRUE(exit(device_, {item(&s_, sizeof s_, 0)}).is_ok());
    EXPECT_EQ(device_.map().size(), 0u);
  }
}

TEST_P(BasePointerTest, releasing_a_pointee_that_was_mapped_without_its_pointer_leaves_the_pointer) {
  for (const Form form : kForms)
    for (const uint64_t type : {uint64_t{0}, kDelete}) {
      ASSERT_TRUE(enter(device_, {item(&s_, sizeof s_, kTo), item(data_, sizeof data_, kTo)}).is_ok());
      ASSERT_TRUE(exit(device_, this->form(form, type)).is_ok());
      EXPECT_EQ(count(), 1u);
      EXPECT_FALSE(is_pointee_present());
      ASSERT_TRUE(exit(device_, {item(&s_, sizeof s_, 0)}).is_ok());
    }
}

TEST_P(BasePointerTest, a_pointer_that_came_with_its_pointee_goes_with_it) {
  for (const Form form : kForms) {
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(enter(device_, this->form(form, kTo)).is_ok());
    ASSERT_TRUE(exit(device_, this->form(form, 0)).is_ok());
    EXPECT_TRUE(is_pointee_present());
    ASSERT_TRUE(exit(device_, this->form(form, 0)).is_ok());
    EXPECT_EQ(device_.map().size(), 0u);
    ASSERT_TRUE(enter(device_, this->form(form, kTo)).is_ok());
    ASSERT_TRUE(exit(device_, {item(data_, sizeof data_, kDelete)}).is_ok());
    ASSERT_TRUE(exit(device_, this->form(form, 0)).is_ok());
    EXPECT_EQ(device_.map().size(), 0u) << "the pointee was gone already";
  }
}

TEST_P(BasePointerTest, deleting_a_pointee_takes_all_that_came_for_its_pointer) {
  for (const Form form : kForms) {
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(enter(device_, this->form(form, kTo)).is_ok());
    ASSERT_TRUE(exit(device_, this->form(form, kDelete)).is_ok());
    EXPECT_EQ(device_.map().size(), 0u);
  }
}

TEST_P(BasePointerTest, deleting_reaches_the_pointers_between_the_first_and_the_last_level) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(enter(device_, second_level(kTo)).is_ok());
  MapItems items = second_level(kDelete);
  items[0].type &= ~kDelete;
  ASSERT_TRUE(exit(device_, items).is_ok());
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(BasePointerTest, what_a_region_has_counted_is_its_own) {
  for (const Form form : kForms) {
    MapItems items = this->form(form, kTo);
    Construct region(device_);
    ASSERT_TRUE(region.enter(items).is_ok());
    const uint32_t counted = MappingState::count(device_.map().find(host_ptr(&s_.p), 1).state);
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(exit(device_, {item(&s_, &s_.p, sizeof(void *), 0), item(&s_.p, data_ + 4, 4, kPtrAndObj)}).is_ok());
    EXPECT_EQ(MappingState::count(device_.map().find(host_ptr(&s_.p), 1).state), counted);
    ASSERT_TRUE(region.start_exit(items, true).is_ok());
    ASSERT_TRUE(region.complete().is_ok());
    EXPECT_EQ(device_.map().size(), 0u);
  }
}

TEST_P(BasePointerTest, what_is_named_with_its_pointee_counts_for_itself) {
  const auto items = [&](uint64_t type) {
    return MapItems{item(&s_, sizeof s_, 0), item(&s_.x, &s_.x, sizeof s_.x, type | kMember, 0),
                    item(&s_.p, data_, sizeof data_, type | kPtrAndObj | kMember, 0)};
  };
  ASSERT_TRUE(enter(device_, items(kTo)).is_ok());
  ASSERT_TRUE(exit(device_, in_struct(0)).is_ok());
  EXPECT_EQ(count(), 1u) << "the other member is not released";
  ASSERT_TRUE(exit(device_, items(0)).is_ok());
  EXPECT_EQ(device_.map().size(), 0u);
  // clang 19 names a pointer beside its pointee with TARGET_PARAM.
  ASSERT_TRUE(enter(device_, alone(kTo | kTargetParam)).is_ok());
  ASSERT_TRUE(exit(device_, alone(0)).is_ok());
  EXPECT_EQ(device_.map().size(), 1u);
  ASSERT_TRUE(exit(device_, alone(kTargetParam)).is_ok());
  EXPECT_EQ(device_.map().size(), 1u) << "its pointee is absent";
  ASSERT_TRUE(exit(device_, {item(&s_.p, sizeof s_.p, 0)}).is_ok());
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(BasePointerTest, deleting_the_pointer_forgets_what_it_was_counted_for) {
  const MapItems held{item(&s_, sizeof s_, kTo | kHold)};
  ASSERT_TRUE(enter(device_, held).is_ok());
  ASSERT_TRUE(enter(device_, after_pointer(kTo)).is_ok());
  ASSERT_TRUE(exit(device_, {item(&s_, sizeof s_, kDelete)}).is_ok());
  EXPECT_EQ(count(), 0u);
  ASSERT_TRUE(enter(device_, {item(&s_, sizeof s_, kTo)}).is_ok());
  ASSERT_TRUE(exit(device_, after_pointer(0)).is_ok());
  EXPECT_EQ(count(), 1u);
  ASSERT_TRUE(exit(device_, held).is_ok());
  ASSERT_TRUE(exit(device_, {item(&s_, sizeof s_, 0)}).is_ok());
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(ConstructTest, a_descriptor_is_attached_with_all_that_it_says) {
  double data[6] = {};
  struct {
    double *address;
    long bounds[4];
  } descriptor = {data, {1, 6, 8, 5}};
  ASSERT_TRUE(enter(device_, {item(&descriptor, sizeof descriptor, 0), item(data, sizeof data, kTo),
                              item(&descriptor, data, sizeof descriptor, kAttach)})
                  .is_ok());
  const auto *copy = on_device(device_, &descriptor);
  EXPECT_EQ(copy->address, on_device(device_, &data[0]));
  EXPECT_EQ(copy->bounds[3], 5);
}

TEST_P(ConstructTest, a_failed_allocation_leaves_everything_as_it_was) {
  int a[4] = {}, b[4] = {}, c[4] = {};
  ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo)}).is_ok());
  const int64_t blocks = fake_blocks();
  for (int n = 1; n <= 2; ++n) {
    fail_allocation(n);
    MapItems items{item(a, sizeof a, kTo), item(b, sizeof b, kTo), item(c, sizeof c, kTo)};
    items[n == 1 ? 1 : 2].name = ";lost;f.c;5;6;;";
    Status status = enter(device_, items);
    fail_allocation(0);
    ASSERT_FALSE(status.is_ok());
    EXPECT_NE(status.to_string().find("16 bytes"), std::string::npos);
    EXPECT_EQ(status.failure().about, "in the mapping of lost (16 bytes) at f.c:5:6");
    EXPECT_EQ(fake_blocks(), blocks);
    EXPECT_EQ(device_.map().size(), 1u);
    EXPECT_EQ(device_.map().snapshot()[0].dynamic_count, 1u);
  }
}

TEST_P(ConstructTest, neighbours_go_in_one_transfer) {
  struct {
    int a, b, c, gap, d;
  } s = {};
  const uint64_t member = 1ull << kMemberOfShift;
  MapItems items{item(&s, sizeof s, 0)};
  for (int *part : {&s.a, &s.b, &s.c, &s.d})
    items.push_back(item(&s, part, 4, kTo | member, 0));
  ASSERT_TRUE(enter(device_, items).is_ok());
  EXPECT_EQ(fake_counts().to_device, 2);
  EXPECT_EQ(fake_counts().bytes_to_device, 16);
}

TEST_P(ConstructTest, a_kernel_of_another_construct_sees_data_that_are_on_their_way) {
  int a[4] = {1, 2, 3, 4};
  Construct first(device_), second(device_);
  MapItems first_items{item(a, sizeof a, kTo | kFrom)}, second_items{item(a, sizeof a, kTo | kFrom)};
  ASSERT_TRUE(first.enter(first_items).is_ok()); // queued; nobody has waited for it
  ASSERT_TRUE(second.enter(second_items).is_ok());
  int seen = 0;
  FakeKernel kernel = [&](void **arguments) { seen = static_cast<int *>(arguments[0])[3]; };
  void *arguments[2] = {nullptr, on_device(device_, &a[0])};
  __tgt_kernel_args args{};
  args.Version = 2;
  args.NumArgs = 1;
  ASSERT_TRUE(device_.plugin().launch_kernel(0, &kernel, arguments + 1, args, &second.queue().plugin_queue()).is_ok());
  ASSERT_TRUE(second.start_exit(second_items, true).is_ok());
  ASSERT_TRUE(second.complete().is_ok());
  EXPECT_EQ(seen, 4);
  ASSERT_TRUE(first.start_exit(first_items, true).is_ok());
  ASSERT_TRUE(first.complete().is_ok());
  device_.arrivals().destroy_all();
  EXPECT_EQ(fake_counts().events, 0);
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(ConstructTest, an_update_waits_for_data_that_are_on_their_way) {
  int a[4] = {1, 2, 3, 4};
  Construct first(device_);
  MapItems items{item(a, sizeof a, kTo)};
  ASSERT_TRUE(first.enter(items).is_ok());
  a[0] = 50;
  ASSERT_TRUE(update(device_, {item(a, 4, kTo)}).is_ok());
  ASSERT_TRUE(first.complete().is_ok());
  EXPECT_EQ(on_device(device_, &a[0])[0], 50);
  EXPECT_EQ(on_device(device_, &a[3])[0], 4);
}

TEST_P(ConstructTest, work_is_asked_for_until_it_is_done) {
  int a[4] = {1, 2, 3, 4}, b[4] = {};
  Construct work(device_);
  MapItems items{item(a, sizeof a, kTo | kFrom), item(b, sizeof b, kTo | kFrom)};
  ASSERT_TRUE(work.enter(items).is_ok());
  ASSERT_TRUE(work.start_exit(items, true).is_ok());
  int asked = 0;
  for (bool is_done = false; !is_done; ++asked) {
    auto result = try_complete(work);
    ASSERT_TRUE(result.is_ok());
    is_done = *result;
    ASSERT_EQ(device_.map().size(), is_done ? 0u : 2u) << "data stay until the work is done";
  }
  if (GetParam() == FakeKind::kLazy) {
    EXPECT_GT(asked, 1);
  }
}

TEST_P(ConstructTest, data_that_are_entered_again_while_they_go_stay) {
  int a[4] = {1, 2, 3, 4};
  ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo)}).is_ok());
  Construct exiting(device_);
  MapItems items{item(a, sizeof a, kFrom)};
  ASSERT_TRUE(exiting.start_exit(items, false).is_ok());
  std::thread entering([&] { EXPECT_TRUE(enter(device_, {item(a, sizeof a, kTo)}).is_ok()); });
  while (MappingState::count(device_.map().find(host_ptr(a), sizeof a).state) == 0)
    std::this_thread::yield(); // then it waits for the copy
  ASSERT_TRUE(exiting.complete().is_ok());
  entering.join();
  ASSERT_EQ(device_.map().size(), 1u);
  EXPECT_EQ(device_.map().snapshot()[0].dynamic_count, 1u);
  EXPECT_EQ(on_device(device_, &a[3])[0], 4);
}

// The first construct has given its references back, but its kernel has not run yet: nobody may free what it uses.
TEST_P(ConstructTest, data_live_until_every_construct_that_uses_them_is_done) {
  int a[4] = {1, 2, 3, 4};
  Construct first(device_), second(device_);
  MapItems first_items{item(a, sizeof a, kTo)}, second_items{item(a, sizeof a, kTo)};
  ASSERT_TRUE(first.enter(first_items).is_ok());
  const int64_t blocks = fake_blocks();
  ASSERT_TRUE(first.start_exit(first_items, true).is_ok());
  ASSERT_TRUE(second.enter(second_items).is_ok());
  ASSERT_TRUE(second.start_exit(second_items, true).is_ok());
  ASSERT_TRUE(second.complete().is_ok());
  if (GetParam() != FakeKind::kSynchronous) {
    EXPECT_EQ(fake_blocks(), blocks);
  }
  ASSERT_TRUE(first.complete().is_ok());
  EXPECT_EQ(fake_blocks(), blocks - 1);
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(ConstructTest, data_that_one_construct_copies_back_are_not_freed_by_another) {
  int a[4] = {1, 2, 3, 4}, part[4] = {};
  const struct {
    int references;
    MapItems items;
  } rows[] = {{1, {item(a, sizeof a, kFrom)}},
              {2, {item(a, sizeof a, kFrom | kAlways)}},
              {2, {item(part, sizeof part, 0), item(a, a + 1, 8, kFrom | kAlways | 1ull << kMemberOfShift, 0)}}};
  for (const auto &row : rows) {
    for (int i = 0; i < row.references; ++i)
      ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo)}).is_ok());
    std::thread deleting;
    const auto while_copying = [&] {
      const int64_t blocks = fake_blocks();
      if (row.references > 1) { // otherwise entering waits for the copy
        ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo)}).is_ok());
      }
      const MappingRef ref = device_.map().find(host_ptr(a), 4).ref;
      deleting = std::thread([&] { // and waiting for the copy
        EXPECT_TRUE(exit(device_, {item(a, sizeof a, kDelete)}).is_ok());
      });
      while (!MappingState::is_unused(ref.mapping->state()))
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      EXPECT_EQ(fake_blocks(), blocks);
      EXPECT_EQ(ref, device_.map().find(host_ptr(a), 4).ref);
    };
    MapItems items = row.items;
    Construct work(device_);
    if (GetParam() == FakeKind::kSynchronous)
      set_fake_hook([&](FakeOperation operation) {
        if (operation == FakeOperation::kRead && !deleting.joinable())
          while_copying();
      });
    ASSERT_TRUE(work.start_exit(items, false).is_ok());
    if (GetParam() != FakeKind::kSynchronous)
      while_copying();
    ASSERT_TRUE(work.complete().is_ok());
    deleting.join();
    set_fake_hook(nullptr);
    EXPECT_EQ(device_.map().size(), 0u);
  }
}

struct ExitRow {
  const char *name;
  uint64_t type;
  bool copies_last, copies_other, removes_other;
};
constexpr ExitRow kExitRows[] = {
    {"release", 0, false, false, false},
    {"to", kTo, false, false, false},
    {"from", kFrom, true, false, false},
    {"always from", kFrom | kAlways, true, true, false},
    {"delete", kDelete, false, false, true},
    {"always delete", kDelete | kAlways, false, false, true},
    {"implicit from", kFrom | kImplicit, true, false, false},
};

TEST_P(ConstructTest, each_map_type_of_an_exit) {
  for (const ExitRow &row : kExitRows)
    for (const int references : {1, 3}) {
      SCOPED_TRACE(std::string(row.name) + " of " + std::to_string(references));
      int a[4] = {1, 2, 3, 4};
      for (int i = 0; i < references; ++i)
        ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo)}).is_ok());
      on_device(device_, a)[1] = 22;
      ASSERT_TRUE(exit(device_, {item(a, sizeof a, row.type)}).is_ok());
      const bool is_last = references == 1;
      EXPECT_EQ(a[1] == 22, is_last ? row.copies_last : row.copies_other);
      EXPECT_EQ(device_.map().size(), is_last || row.removes_other ? 0u : 1u);
      ASSERT_TRUE(exit(device_, {item(a, sizeof a, kDelete)}).is_ok());
    }
}

// A large list is left as a small one: its arguments find those that lie in the same mapping.
TEST_P(ConstructTest, many_members_of_one_struct_come_back_in_one_transfer) {
  int a[64] = {};
  MapItems items{item(a, sizeof a, 0)};
  for (int &member : a)
    items.push_back(item(a, &member, sizeof member, kFrom | 1ull << kMemberOfShift, 0));
  ASSERT_TRUE(enter(device_, items).is_ok());
  for (int i = 0; i < 64; ++i)
    on_device(device_, a)[i] = i;
  reset_fake_counts();
  ASSERT_TRUE(exit(device_, items).is_ok());
  EXPECT_EQ(fake_counts().to_host, 1);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(a[i], i);
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(ConstructTest, temporary_memory_goes_when_the_work_is_done) {
  const int64_t blocks = fake_blocks();
  Construct work(device_);
  auto memory = work.queue().allocate_temporary(64);
  ASSERT_TRUE(memory.is_ok());
  {
    const long value = 42; // does not live as long as the copy takes
    ASSERT_TRUE(work.queue().write_value(*memory, &value, sizeof value).is_ok());
  }
  EXPECT_EQ(fake_blocks(), blocks + 1);
  ASSERT_TRUE(work.queue().wait().is_ok());
  EXPECT_EQ(fake_blocks(), blocks);
}

// Only queues have a failure before all is copied back.
TEST_P(ConstructTest, after_a_failure_nothing_is_copied_back_of_many_arguments) {
  int a[40] = {};
  MapItems items;
  for (size_t i = 0; i < 40; i += 2) // no neighbours
    items.push_back(item(&a[i], sizeof a[i], kTo | kFrom));
  Construct work(device_);
  ASSERT_TRUE(work.enter(items).is_ok());
  ASSERT_TRUE(work.queue().wait().is_ok());
  ASSERT_TRUE(enter(device_, {items[0]}).is_ok());
  *on_device(device_, a) = 42;
  ASSERT_TRUE(work.start_exit(items, true).is_ok()); // a[0] is left for later: another construct has a reference
  ASSERT_TRUE(exit(device_, {items[0]}).is_ok());
  fail_synchronize(1);
  EXPECT_EQ(work.complete().is_ok(), GetParam() == FakeKind::kSynchronous);
  fail_synchronize(0);
  EXPECT_TRUE(a[0] == 0 || GetParam() == FakeKind::kSynchronous);
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_P(ConstructTest, memory_that_cannot_be_freed_does_not_stop_the_copy_back) {
  int a[4] = {};
  Construct work(device_);
  MapItems items{item(a, sizeof a, kTo | kFrom)};
  ASSERT_TRUE(work.enter(items).is_ok());
  ASSERT_TRUE(work.queue().wait().is_ok());
  *on_device(device_, a) = 42;
  ASSERT_TRUE(work.queue().allocate_temporary(64).is_ok());
  ASSERT_TRUE(work.start_exit(items, true).is_ok());
  fail_free(1);
  const Status status = work.complete();
  fail_free(0);
  EXPECT_FALSE(status.is_ok());
  EXPECT_EQ(a[0], 42);
  EXPECT_EQ(device_.map().size(), 0u);
}

// Threads map the same and their own data over two devices; each must find what it was promised to find.
TEST_P(ConstructTest, threads_map_the_same_data) {
  FakeDevice other(GetParam(), 1);
  constexpr int kThreads = 4, kRounds = 300;
  int shared[16];
  for (int i = 0; i < 16; ++i)
    shared[i] = i;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      int own[8] = {};
      for (int round = 0; round < kRounds; ++round) {
        Device &device = (round + thread) % 2 ? device_ : other;
        own[0] = round;
        Construct work(device);
        MapItems items{item(shared, sizeof shared, kTo), item(own, sizeof own, kTo | kFrom)};
        bool is_ok = work.enter(items).is_ok();
        FakeKernel kernel = [&](void **arguments) {
          if (static_cast<int *>(arguments[0])[15] != 15)
            wrong.fetch_add(1);
          static_cast<int *>(arguments[1])[0] += 1000;
        };
        void *arguments[3] = {nullptr, raw(work.arguments().refs[0].mapping->target_of(host_ptr(shared))),
                              raw(work.arguments().refs[1].mapping->target_of(host_ptr(own)))};
        __tgt_kernel_args args{};
        args.Version = 2;
        args.NumArgs = 2;
        is_ok =
            is_ok && device.plugin()
                         .launch_kernel(device.local_id(), &kernel, arguments + 1, args, &work.queue().plugin_queue())
                         .is_ok();
        is_ok = is_ok && work.start_exit(items, true).is_ok() && work.complete().is_ok();
        if (!is_ok || own[0] != round + 1000)
          wrong.fetch_add(1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(device_.map().size() + other.map().size(), 0u);
  device_.arrivals().destroy_all();
  other.arrivals().destroy_all();
  EXPECT_EQ(fake_counts().events, 0);
}

constexpr auto kKinds = {FakeKind::kSynchronous, FakeKind::kLazy, FakeKind::kLazyWithoutEvents};
constexpr auto kind_name = [](const auto &info) {
  return info.param == FakeKind::kSynchronous ? "synchronous"
         : info.param == FakeKind::kLazy      ? "queueing"
                                              : "queueing_without_events";
};
INSTANTIATE_TEST_SUITE_P(, ConstructTest, testing::ValuesIn(kKinds), kind_name);
INSTANTIATE_TEST_SUITE_P(, BasePointerTest, testing::ValuesIn(kKinds), kind_name);

} // namespace
} // namespace omptarget::test
