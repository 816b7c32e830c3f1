// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That builds with assertions end where a fault is planted, at the construct that comes by it. The sources with checks
// are compiled here with assertions, whatever the preset. Which faults a walk finds is in unit.mapping.

#include <gtest/gtest.h>

#include "constructs.h"
#include "indirect/caller_registry.h"
#include "region/constructs.h"

namespace omptarget::test {
namespace {

using namespace map_type;

constexpr HostPtr at(uintptr_t address) { return static_cast<HostPtr>(address); }

/// Attaches a pointer that reaches beyond the mapping which it is noted with.
void plant(Device &device) {
  const Found found = device.map().insert({at(0x1000), at(0x1010), at(0x1000), "x", nullptr, Counter::kDynamic}).found;
  device.map().attached_pointers().note(found.ref, {at(0x100c), at(0x5000), {}, {}}, false);
}
constexpr const char *kPlanted = "broken invariant on device 0: the mapping of host addresses 0x1000 to 0x1010 has an "
                                 "attached pointer at 0x100c, outside";

class BrokenInvariants : public testing::Test {
protected:
  BrokenInvariants() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  void enter_data() {
    MapArguments arguments(list_);
    Status status;
    EXPECT_EQ(run_entry(device_, arguments, false, nullptr, status), Ended::kDone);
  }
  void leave_data() {
    MapArguments arguments(list_);
    EXPECT_TRUE(run_exit(device_, arguments, false, nullptr).is_ok());
  }

  FakeDevice device_{FakeKind::kSynchronous};
  int data_[4] = {1, 2, 3, 4};

  void *bases_[1] = {data_}, *begins_[1] = {data_};
  int64_t sizes_[1] = {sizeof data_}, types_[1] = {static_cast<int64_t>(kTo)};
  const MapList list_{1, bases_, begins_, sizes_, types_, nullptr, nullptr};
};

TEST_F(BrokenInvariants, none_is_found_where_none_is_planted) {
  ASSERT_TRUE(enter(device_, {item(data_, sizeof data_, kTo)}).is_ok());
  enter_data();
  leave_data();
  ASSERT_TRUE(exit(device_, {item(data_, sizeof data_, kTo)}).is_ok());
}

TEST_F(BrokenInvariants, end_a_construct_that_looks_further) {
  plant(device_);
  types_[0] |= static_cast<int64_t>(kAlways);
  EXPECT_DEATH(enter_data(), kPlanted);
}

TEST_F(BrokenInvariants, end_a_construct_that_enters) {
  ASSERT_TRUE(enter(device_, {item(data_, sizeof data_, kTo)}).is_ok());
  plant(device_);
  EXPECT_DEATH(enter_data(), kPlanted);
}

TEST_F(BrokenInvariants, end_a_construct_that_leaves) {
  ASSERT_TRUE(enter(device_, {item(data_, sizeof data_, kTo)}).is_ok());
  enter_data();
  plant(device_);
  EXPECT_DEATH(leave_data(), kPlanted);
}

TEST_F(BrokenInvariants, end_an_update) {
  ASSERT_TRUE(enter(device_, {item(data_, sizeof data_, kTo)}).is_ok());
  plant(device_);
  EXPECT_DEATH(update(device_, {item(data_, sizeof data_, kTo)}).consume(), kPlanted);
}

TEST_F(BrokenInvariants, end_a_construct_that_maps_small_data) {
  plant(device_);
  EXPECT_DEATH(enter_data(), kPlanted);
}

TEST_F(BrokenInvariants, end_a_construct_that_leaves_small_data) {
  enter_data();
  plant(device_);
  EXPECT_DEATH(leave_data(), kPlanted);
}

// Data that their construct has not published, in a phase in which none may be left.
TEST_F(BrokenInvariants, end_a_construct_that_exits_what_it_has_not_published) {
  FakeDevice device(FakeKind::kLazy);
  Construct work(device);
  const MapItems items{item(data_, sizeof data_, kTo)};
  ASSERT_TRUE(work.enter(items).is_ok());
  work.queue().add_arriving(work.arguments().refs[0].ref());
  EXPECT_DEATH(work.start_exit(items, true).consume(), "broken invariant on device 0: a construct exits data that it has not published");
  work.queue().forget_unpublished();
  ASSERT_TRUE(work.start_exit(items, true).is_ok());
}

TEST_F(BrokenInvariants, of_a_table_of_functions_end_its_publication) {
  const FunctionPair right[2] = {{0x1000, 0x9000}, {0x2000, 0xa000}}, twisted[2] = {right[1], right[0]},
                     wrong[2] = {right[0], {0x2000, 0xb000}};
  publish_function_table(0, right);
  check_function_table(DeviceId{0}, right);
  EXPECT_DEATH(check_function_table(DeviceId{0}, twisted),
               "broken invariant on device 0: indirect function 1 does not come after the one before it");
  EXPECT_DEATH(check_function_table(DeviceId{0}, wrong),
               "broken invariant on device 0: indirect function 1 is not found in its table");
  publish_function_table(0, {});
}

} // namespace
} // namespace omptarget::test
