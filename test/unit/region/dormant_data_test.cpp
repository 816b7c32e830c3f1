// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>
#include <vector>

#include "argument_list.h"
#include "constructs.h"

namespace omptarget::test {
namespace {

constexpr uint64_t kBoth = map_type::kTo | map_type::kFrom;

class PlainData : public testing::Test {
protected:
  PlainData() { reset_fake_counts(); }
  ~PlainData() override {
    device_.free_dormant();
    EXPECT_EQ(fake_blocks(), blocks_) << "device memory is lost";
  }

  bool enter_data(const MapItems &items) {
    TestArguments arguments(items);
    Status status;
    const Ended ended = run_entry(device_, arguments.get(), false, nullptr, status);
    if (ended != Ended::kDone)
      give_back(device_, arguments.get());
    status.consume();
    return ended == Ended::kDone;
  }
  bool leave_data(const MapItems &items) {
    TestArguments arguments(items);
    Status status = run_exit(device_, arguments.get(), false, nullptr);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
    status.consume();
    return true;
  }
  /// Maps the data and leaves them: they sleep.
  void pass(const MapItems &items) {
    EXPECT_TRUE(enter_data(items));
    EXPECT_TRUE(leave_data(items));
  }

  const int64_t blocks_ = fake_blocks();
  FakeDevice device_{FakeKind::kSynchronous};
};

TEST_F(PlainData, sleeping_data_are_revived_with_what_the_host_holds) {
  int data = 0;
  const MapItems items{item(&data, sizeof data, kBoth)};
  for (int i = 1; i <= 5; ++i) {
    data = 10 * i;
    ASSERT_TRUE(enter_data(items));
    int *const copy = on_device(device_, &data);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(*copy, 10 * i);
    ++*copy;
    ASSERT_TRUE(leave_data(items));
    EXPECT_EQ(data, 10 * i + 1);
  }
  EXPECT_EQ(fake_counts().allocations, 1);
  EXPECT_EQ(fake_counts().frees, 0);
}

TEST_F(PlainData, dormant_data_are_not_present) {
  int data[2] = {};
  pass({item(data, sizeof data, kBoth)});
  EXPECT_EQ(device_.map().find(host_ptr(data), sizeof data).ref.mapping, nullptr);
  EXPECT_EQ(device_.map().find(host_ptr(data + 1), 0).ref.mapping, nullptr);
  EXPECT_EQ(device_.map().size(), 0u);
  EXPECT_TRUE(device_.map().snapshot().empty());
  EXPECT_EQ(device_.map().fault(), "");
  EXPECT_FALSE(enter_data({item(data, sizeof data, kBoth | map_type::kPresent)}));
}

TEST_F(PlainData, an_empty_section_finds_its_base_beyond_sleeping_data) {
  int data[6] = {};
  const MapItem section{host_ptr(data + 3), host_ptr(data), sizeof(int), map_type::kTo, nullptr, 0, -1};
  enter(device_, {section}).consume(); // its base lies behind what sleeps
  pass({item(data + 1, sizeof(int), kBoth)});
  const Found found = device_.map().find(host_ptr(data + 2), 0);
  EXPECT_TRUE(found.is_contained);
  EXPECT_EQ(found.begin, host_ptr(data));
  exit(device_, {section}).consume();
}

TEST_F(PlainData, what_is_present_is_found_beyond_sleeping_data_that_the_range_touches) {
  int data[8] = {};
  const MapItem below = item(data, sizeof(int), kBoth), above = item(data + 5, sizeof(int), kBoth);
  enter(device_, {below}).consume();
  enter(device_, {above}).consume();
  for (int i = 1; i < 5; ++i)
    pass({item(data + i, sizeof(int), kBoth)});
  const auto found = [&](int first, int count) {
    return device_.map().find(host_ptr(data + first), count * static_cast<int64_t>(sizeof(int)));
  };
  EXPECT_EQ(found(2, 1).ref.mapping, nullptr);
  EXPECT_EQ(found(1, 4).ref.mapping, nullptr);
  EXPECT_EQ(found(2, 4).begin, host_ptr(data + 5));
  EXPECT_TRUE(found(2, 4).is_overlapped);
  EXPECT_FALSE(found(2, 4).is_contained);
  EXPECT_EQ(found(0, 3).begin, host_ptr(data));
  exit(device_, {below, above}).consume();
}

TEST_F(PlainData, only_so_many_sleep_and_the_storage_of_the_others_is_freed) {
  std::vector<int> data(10000);
  for (size_t i = 0; i < data.size(); i += 2)
    pass({item(&data[i], sizeof(int), kBoth)});
  EXPECT_LE(fake_blocks() - blocks_, 256);
  EXPECT_EQ(device_.map().size(), 0u);
  EXPECT_EQ(device_.map().fault(), "");
}

TEST_F(PlainData, what_sleeps_is_not_driven_out_by_what_is_left_once) {
  int first = 0;
  const MapItems items{item(&first, sizeof first, kBoth)};
  pass(items);
  std::vector<int> others(10000);
  for (size_t i = 0; i < others.size(); i += 2)
    pass({item(&others[i], sizeof(int), kBoth)});
  const auto before = fake_counts().allocations;
  pass(items);
  EXPECT_EQ(fake_counts().allocations, before);
}

TEST_F(PlainData, what_is_left_again_gets_a_place_to_sleep) {
  std::vector<int> others(10000);
  for (size_t i = 0; i < others.size(); i += 2)
    pass({item(&others[i], sizeof(int), kBoth)});
  int mine = 0;
  const MapItems items{item(&mine, sizeof mine, kBoth)};
  pass(items);
  pass(items);
  const auto before = fake_counts().allocations;
  pass(items);
  EXPECT_EQ(fake_counts().allocations, before);
}

TEST_F(PlainData, a_pointer_that_is_absent_is_not_attached) {
  int data[4] = {1, 2, 3, 4};
  int *pointer = data;
  const MapItems items{item(pointer, data, sizeof data, kBoth),
                       item(&pointer, data, sizeof pointer, map_type::kAttach)};
  EXPECT_TRUE(enter_data(items));
  ASSERT_NE(on_device(device_, data), nullptr);
  EXPECT_EQ(on_device(device_, data)[3], 4);
  EXPECT_EQ(on_device(device_, &pointer), nullptr);
  EXPECT_TRUE(leave_data(items));
}

TEST_F(PlainData, a_pointer_that_is_present_or_mapped_beside_its_data_is_attached) {
  int data[4] = {};
  int *pointer = data;
  const MapItem pointee = item(pointer, data, sizeof data, kBoth);
  const MapItem attachment = item(&pointer, data, sizeof pointer, map_type::kAttach);
  const MapItem around = item(&pointer, sizeof pointer, map_type::kTo);
  EXPECT_TRUE(enter_data({pointee, attachment, around}));
  EXPECT_EQ(*on_device(device_, &pointer), on_device(device_, data));
  EXPECT_TRUE(leave_data({pointee, around}));
  ASSERT_TRUE(enter_data({around}));
  ASSERT_TRUE(enter_data({pointee, attachment}));
  EXPECT_EQ(*on_device(device_, &pointer), on_device(device_, data));
  EXPECT_TRUE(exit(device_, {pointee}).is_ok());
  EXPECT_TRUE(exit(device_, {item(&pointer, sizeof pointer, 0)}).is_ok());
}

// Another construct attaches the pointer while an update copies the struct that it lies in.
TEST_F(PlainData, a_pointer_that_becomes_attached_during_an_update_keeps_its_value_on_both_sides) {
  for (const uint64_t direction : {map_type::kTo, map_type::kFrom}) {
    int data[4] = {};
    int *pointers[2] = {nullptr, data + 1};
    ASSERT_TRUE(enter_data({item(pointers, sizeof pointers, map_type::kTo)}));
    const MapItem pointee = item(data, sizeof data, map_type::kTo);
    set_fake_hook([&](FakeOperation) {
      set_fake_hook(nullptr);
      const MapItem attachment = item(&pointers[1], data, sizeof(int *), map_type::kAttach);
      EXPECT_TRUE(enter(device_, {pointee, attachment}).is_ok());
    });
    EXPECT_TRUE(update(device_, {item(pointers, sizeof pointers, direction)}).is_ok());
    EXPECT_EQ(on_device(device_, pointers)[1], on_device(device_, &data[1]));
    EXPECT_EQ(pointers[1], data + 1);
    EXPECT_TRUE(exit(device_, {pointee, item(pointers, sizeof pointers, 0)}).is_ok());
  }
}

// Another construct attaches the pointer while the update copies something else first.
TEST_F(PlainData, a_pointer_that_became_attached_before_its_copy_keeps_its_value_on_both_sides) {
  for (const uint64_t direction : {map_type::kTo, map_type::kFrom}) {
    int data[4] = {}, first[4] = {};
    int *pointers[2] = {nullptr, data + 1};
    ASSERT_TRUE(enter_data({item(first, sizeof first, map_type::kTo)}));
    ASSERT_TRUE(enter_data({item(pointers, sizeof pointers, map_type::kTo)}));
    const MapItem pointee = item(data, sizeof data, map_type::kTo);
    bool is_attached = false;
    set_fake_hook([&](FakeOperation) {
      is_attached = true;
      set_fake_hook(nullptr);
      const MapItem attachment = item(&pointers[1], data, sizeof(int *), map_type::kAttach);
      EXPECT_TRUE(enter(device_, {pointee, attachment}).is_ok());
    });
    EXPECT_TRUE(
        update(device_, {item(first, sizeof first, direction), item(pointers, sizeof pointers, direction)}).is_ok());
    EXPECT_TRUE(is_attached);
    EXPECT_EQ(on_device(device_, pointers)[1], on_device(device_, &data[1]));
    EXPECT_EQ(pointers[1], data + 1);
    EXPECT_TRUE(exit(device_, {pointee, item(pointers, sizeof pointers, 0), item(first, sizeof first, 0)}).is_ok());
  }
}

TEST_F(PlainData, others_may_have_the_addresses_of_dormant_data) {
  int data[16] = {};
  for (int &one : data)
    pass({item(&one, sizeof one, kBoth)});
  ASSERT_TRUE(enter_data({item(data, sizeof data, kBoth)}));
  EXPECT_EQ(fake_blocks() - blocks_, 1);
  ASSERT_TRUE(leave_data({item(data, sizeof data, kBoth)}));
  const NewRange range{host_ptr(data + 1), host_ptr(data + 2), host_ptr(data + 1), nullptr, &data, Counter::kDynamic};
  EXPECT_TRUE(device_.map().insert_infinite(range, device_ptr(data)));
  EXPECT_TRUE(device_.map().remove_infinite(host_ptr(data + 1), &data).is_removed);
}

TEST_F(PlainData, an_allocation_that_fails_gets_the_storage_of_sleeping_data) {
  int data[8] = {};
  for (int i = 0; i < 8; i += 2)
    pass({item(&data[i], sizeof(int), kBoth)});
  EXPECT_EQ(fake_blocks() - blocks_, 4);
  fail_allocation(1);
  std::vector<char> large(10000);
  const MapItems items{item(large.data(), 10000, kBoth)};
  EXPECT_TRUE(enter(device_, items).is_ok());
  EXPECT_EQ(fake_blocks() - blocks_, 1);
  EXPECT_TRUE(exit(device_, items).is_ok());
  fail_allocation(1); // and nothing sleeps
  EXPECT_FALSE(enter(device_, items).is_ok());
}

TEST_F(PlainData, nothing_sleeps_that_is_larger_than_the_user_wants) {
  device_.map().dormant().limit(sizeof(int));
  int data[3] = {};
  pass({item(data, sizeof(int), kBoth)});
  EXPECT_EQ(fake_blocks() - blocks_, 1);
  pass({item(data + 1, 2 * sizeof(int), kBoth)});
  EXPECT_EQ(fake_blocks() - blocks_, 1);
  device_.map().dormant().limit(0);
  pass({item(data + 1, sizeof(int), kBoth)});
  EXPECT_EQ(fake_blocks() - blocks_, 1);
}

TEST_F(PlainData, large_data_do_not_sleep) {
  std::vector<char> large(DormantMappings::kMostBytes + 1);
  const MapItems items{item(large.data(), static_cast<int64_t>(large.size()), kBoth)};
  EXPECT_TRUE(enter_data(items));
  EXPECT_TRUE(leave_data(items));
  EXPECT_EQ(fake_blocks(), blocks_);
}

TEST_F(PlainData, a_copy_that_fails_fails_the_construct_which_leaves_nothing) {
  int data[2] = {1, 2};
  MapItems items{item(&data[0], sizeof(int), kBoth), item(&data[1], sizeof(int), kBoth)};
  TestArguments arguments(items);
  Status status;
  fail_submit(2);
  EXPECT_EQ(run_entry(device_, arguments.get(), false, nullptr, status), Ended::kNotStarted);
  fail_submit(0);
  EXPECT_NE(status.to_string().find("Copying data to device failed: 4 bytes of host address"), std::string::npos);
  status.consume();
  give_back(device_, arguments.get());
  EXPECT_EQ(device_.map().size(), 0u);
}

TEST_F(PlainData, data_that_are_deleted_and_entered_again_while_they_are_published_are_not_on_the_way_for_ever) {
  FakeDevice device{FakeKind::kLazy};
  HostDataToTargetMap &map = device.map();
  int data = 1;
  auto block = device.allocate(sizeof data, nullptr, OMPTARGET_ALLOC_DEFAULT);
  ASSERT_TRUE(block.is_ok());
  const HostPtr begin = host_ptr(&data);
  Absence absence;
  const MappingRef own =
      map.insert({begin, begin + int64_t{sizeof data}, begin, nullptr, nullptr, Counter::kDynamic}, absence.gap)
          .found.ref;
  own.publish_storage(device_ptr(*block));
  ConstructQueue queue(device, false);
  ASSERT_TRUE(device.plugin_device().data_submit(*block, &data, sizeof data, &queue.plugin_queue()).is_ok());
  queue.add_arriving(own);
  EXPECT_TRUE(own.release(false).reached_zero);
  FakeKernel enters = [&](void **) { EXPECT_TRUE(own.retain()); }; // when the queue is waited for
  void *slots[2] = {};
  __tgt_kernel_args args{};
  args.Version = 2;
  ASSERT_TRUE(device.plugin_device().launch_kernel(&enters, slots + 1, args, &queue.plugin_queue()).is_ok());
  llvm::SmallVector<MappingRef, 2> lost;
  EXPECT_TRUE(queue.publish(lost).is_ok());
  EXPECT_EQ(lost.size(), 1u);
  EXPECT_TRUE(map.find_to_release(begin, sizeof data));
  EXPECT_TRUE(exit(device, {item(&data, sizeof data, 0)}).is_ok());
  device.free_dormant();
}

} // namespace
} // namespace omptarget::test
