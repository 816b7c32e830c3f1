// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/data_update.h"

#include <gtest/gtest.h>

#include "constructs.h"

namespace omptarget::test {
namespace {

using namespace map_type;

class DataUpdateTest : public testing::TestWithParam<FakeKind> {
protected:
  DataUpdateTest() : device_(GetParam()) { reset_fake_counts(); }
  void check_borrowers(const void *host) {
    const Found found = device_.map().find(host_ptr(host), 1);
    ASSERT_TRUE(found.is_contained);
    EXPECT_EQ(MappingState::borrowers(found.ref.mapping->state()), 0u);
  }
  FakeDevice device_;
};

TEST_P(DataUpdateTest, absent_data_are_left_alone_unless_they_must_be_present) {
  int here[4] = {1, 2, 3, 4}, absent[4] = {};
  ASSERT_TRUE(enter(device_, {item(here, sizeof here, kTo)}).is_ok());
  here[0] = 5;
  EXPECT_TRUE(update(device_, {item(absent, sizeof absent, kTo), item(here, sizeof here, kTo)}).is_ok());
  EXPECT_EQ(on_device(device_, here)[0], 5);
  EXPECT_TRUE(update(device_, {item(here, sizeof here, kTo | kPresent)}).is_ok());
  Status status = update(device_, {item(here, sizeof here, kTo), item(absent, sizeof absent, kTo | kPresent)});
  EXPECT_NE(status.to_string().find("'present' motion modifier"), std::string::npos);
  status.consume();
  check_borrowers(here);
  EXPECT_TRUE(exit(device_, {item(here, sizeof here, kDelete)}).is_ok());
}

TEST_P(DataUpdateTest, ranges_that_no_memory_can_have_fail) {
  char data[64] = {};
  const HostPtr begin = host_ptr(data);
  ASSERT_TRUE(enter(device_, {item(data, sizeof data, kTo)}).is_ok());
  const struct {
    HostPtr begin;
    int64_t size;
    const char *words;
  } cases[] = {{begin + 32, -16, "size -16 of host address"},
               {begin + 32, INT64_MIN, "is negative"},
               {begin, INT64_MAX, "reach out of the address space"},
               {HostPtr{UINTPTR_MAX - 7}, 16, "reach out of the address space"}};
  for (const auto &[at, size, words] : cases) {
    Status status = update(device_, {item(data, 8, kFrom), item(raw(at), size, kFrom)});
    EXPECT_NE(status.to_string().find(words), std::string::npos) << status.to_string();
    status.consume();
    check_borrowers(data);
  }
  EXPECT_TRUE(exit(device_, {item(data, sizeof data, kDelete)}).is_ok());
}

TEST_P(DataUpdateTest, neighbours_in_one_mapping_are_one_copy) {
  struct {
    int a, b, c, d;
  } s = {1, 2, 3, 4};
  constexpr uint64_t kMember = 1ull << kMemberOfShift;
  ASSERT_TRUE(enter(device_, {item(&s, sizeof s, kTo)}).is_ok());
  s = {5, 6, 7, 8};
  reset_fake_counts();
  EXPECT_TRUE(update(device_, {item(&s, sizeof s, 0), item(&s.a, sizeof s.a, kTo | kMember),
                               item(&s.b, sizeof s.b, kTo | kMember), item(&s.d, sizeof s.d, kTo | kMember)})
                  .is_ok());
  EXPECT_EQ(fake_counts().to_device, 2);
  EXPECT_EQ(on_device(device_, &s)->b, 6);
  EXPECT_EQ(on_device(device_, &s)->c, 3);
  EXPECT_EQ(on_device(device_, &s)->d, 8);
  EXPECT_TRUE(exit(device_, {item(&s, sizeof s, kDelete)}).is_ok());
}

TEST_P(DataUpdateTest, neighbours_in_two_mappings_are_two_copies) {
  int data[8] = {};
  ASSERT_TRUE(enter(device_, {item(data, 16, kTo)}).is_ok());
  ASSERT_TRUE(enter(device_, {item(data + 4, 16, kTo)}).is_ok());
  data[3] = data[4] = 7;
  EXPECT_TRUE(update(device_, {item(data, 16, kTo), item(data + 4, 16, kTo)}).is_ok());
  EXPECT_EQ(*on_device(device_, &data[3]), 7);
  EXPECT_EQ(*on_device(device_, &data[4]), 7);
  EXPECT_TRUE(exit(device_, {item(data, 16, kDelete), item(data + 4, 16, kDelete)}).is_ok());
}

// The struct has an attached pointer, so that its copy needs care; the arrays before and behind it do not.
TEST_P(DataUpdateTest, data_with_and_without_attached_pointers_come_by_one_queue) {
  int first[4] = {}, last[4] = {}, data[4] = {};
  struct {
    long x;
    int *p;
  } s = {1, data + 1};
  ASSERT_TRUE(enter(device_, {item(first, sizeof first, kTo), item(last, sizeof last, kTo), item(&s, sizeof s, kTo),
                              item(&s.p, data, sizeof data, kTo | kPtrAndObj)})
                  .is_ok());
  on_device(device_, first)[1] = on_device(device_, last)[2] = 7;
  on_device(device_, &s)->x = 7;
  reset_fake_counts();
  EXPECT_TRUE(
      update(device_, {item(first, sizeof first, kFrom), item(&s, sizeof s, kFrom), item(last, sizeof last, kFrom)})
          .is_ok());
  EXPECT_EQ(fake_counts().synchronisations, GetParam() == FakeKind::kSynchronous ? 0 : 1);
  EXPECT_EQ(first[1], 7);
  EXPECT_EQ(last[2], 7);
  EXPECT_EQ(s.x, 7);
  EXPECT_EQ(s.p, data + 1);
  check_borrowers(first);
  check_borrowers(&s);
  EXPECT_TRUE(exit(device_, {item(first, sizeof first, kDelete), item(last, sizeof last, kDelete),
                             item(&s, sizeof s, kDelete), item(data, sizeof data, kDelete)})
                  .is_ok());
}

TEST_P(DataUpdateTest, a_copy_that_fails_gives_the_mapping_back) {
  if (GetParam() != FakeKind::kSynchronous)
    return;
  int a[4] = {}, b[4] = {};
  ASSERT_TRUE(enter(device_, {item(a, sizeof a, kTo), item(b, sizeof b, kTo)}).is_ok());
  fail_submit(2);
  Status status = update(device_, {item(a, sizeof a, kTo), item(b, sizeof b, kTo)});
  EXPECT_NE(status.to_string().find("Copying data to device failed: 16 bytes"), std::string::npos);
  status.consume();
  check_borrowers(a);
  check_borrowers(b);
  EXPECT_TRUE(exit(device_, {item(a, sizeof a, kDelete), item(b, sizeof b, kDelete)}).is_ok());
}

INSTANTIATE_TEST_SUITE_P(, DataUpdateTest,
                         testing::Values(FakeKind::kSynchronous, FakeKind::kLazy, FakeKind::kLazyWithoutEvents),
                         [](const auto &info) {
                           return info.param == FakeKind::kSynchronous ? "synchronous"
                                  : info.param == FakeKind::kLazy      ? "queueing"
                                                                       : "queueing_without_events";
                         });

} // namespace
} // namespace omptarget::test
