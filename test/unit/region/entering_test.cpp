// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "constructs.h"

namespace omptarget::test {
namespace {

using namespace map_type;

// One row per map type and phase: what is copied for data that are new, and for data that are present already.
struct Row {
  const char *name;
  uint64_t type;
  bool copies_new, copies_present, is_error_if_absent;
};
constexpr Row kEnterRows[] = {
    {"alloc", 0, false, false, false},
    {"to", kTo, true, false, false},
    {"from", kFrom, false, false, false},
    {"tofrom", kTo | kFrom, true, false, false},
    {"always to", kTo | kAlways, true, true, false},
    {"always from", kFrom | kAlways, false, false, false},
    {"present to", kTo | kPresent, true, false, true},
    {"present always to", kTo | kPresent | kAlways, true, true, true},
    {"close to", kTo | kClose, true, false, false},
    {"hold to", kTo | kHold, true, false, false},
    {"implicit tofrom", kTo | kFrom | kImplicit, true, false, false},
};

class EnteringTest : public testing::TestWithParam<FakeKind> {
protected:
  EnteringTest() : device_(GetParam()) {
    device_.map().dormant().limit(0);
    reset_fake_counts();
  }
  size_t size() { return device_.map().size(); }
  void remove(const MapItems &items) {
    for (const MapItem &one : items)
      EXPECT_TRUE(exit(device_, {item(raw(one.begin), one.size, kDelete)}).is_ok());
  }

  FakeDevice device_;
};

TEST_P(EnteringTest, each_map_type) {
  int data[16] = {};
  for (const bool is_present : {false, true})
    for (const Row &row : kEnterRows) {
      SCOPED_TRACE(std::string(row.name) + (is_present ? ", present" : ", new"));
      const MapItem one = item(data, sizeof data, row.type);
      if (is_present) {
        ASSERT_TRUE(enter(device_, {item(data, sizeof data, 0)}).is_ok());
      }
      reset_fake_counts();
      Status status = enter(device_, {one});
      ASSERT_EQ(status.is_ok(), is_present || !row.is_error_if_absent);
      status.consume();
      EXPECT_EQ(fake_counts().allocations, is_present || row.is_error_if_absent ? 0 : 1);
      const bool copies = is_present ? row.copies_present : row.copies_new && !row.is_error_if_absent;
      EXPECT_EQ(fake_counts().to_device, copies ? 1 : 0);
      if (row.type & kHold) {
        EXPECT_TRUE(exit(device_, {item(data, sizeof data, kHold)}).is_ok());
      }
      EXPECT_TRUE(exit(device_, {item(data, sizeof data, kDelete)}).is_ok());
      EXPECT_EQ(size(), 0u);
    }
}

TEST_P(EnteringTest, a_region_attaches_what_others_have_mapped_anew) {
  int pointee[16] = {};
  struct {
    int *pointer;
  } around = {pointee};
  const MapItem struct_ = item(&around, sizeof around, kTo), data = item(pointee, sizeof pointee, kTo);
  const MapItem attach = item(&around.pointer, pointee, sizeof(void *), kAttach);
  ASSERT_TRUE(enter(device_, {struct_}).is_ok());
  ASSERT_TRUE(enter(device_, {data}).is_ok());
  int **const copy = on_device(device_, &around.pointer);
  const auto is_attached = [&] { return *copy == on_device(device_, pointee); };
  ASSERT_TRUE(enter(device_, {data, attach}).is_ok());
  EXPECT_FALSE(is_attached()) << "the construct does not use the pointer";
  ASSERT_TRUE(enter(device_, {struct_, data, attach}, true).is_ok());
  EXPECT_TRUE(is_attached());
  reset_fake_counts();
  ASSERT_TRUE(enter(device_, {struct_, data, attach}, true).is_ok());
  EXPECT_EQ(fake_counts().to_device, 0);
  remove({data});
  ASSERT_TRUE(enter(device_, {data}).is_ok());
  ASSERT_TRUE(enter(device_, {struct_, data, attach}, true).is_ok());
  EXPECT_TRUE(is_attached()) << "it was attached to what has gone";
  around.pointer = pointee + 1;
  reset_fake_counts();
  ASSERT_TRUE(enter(device_, {struct_, data, attach}, true).is_ok());
  EXPECT_EQ(fake_counts().to_device, 0) << "the program has changed it";
  remove({struct_, data});
}

TEST_P(EnteringTest, what_leaves_and_is_absent_is_left_alone_unless_it_must_be_present) {
  int data[4] = {};
  EXPECT_TRUE(exit(device_, {item(data, sizeof data, kFrom)}).is_ok());
  Status status = exit(device_, {item(data, sizeof data, kFrom | kPresent)});
  EXPECT_NE(status.to_string().find("'present' map type modifier"), std::string::npos);
  status.consume();
}

TEST_P(EnteringTest, what_an_argument_before_has_made_was_not_present_on_entry) {
  int data[4] = {};
  for (const bool is_first : {false, true})
    for (const uint64_t present : {kPresent, kPresent | kTo})
      for (const uint64_t made : {uint64_t{0}, kTo}) {
        Status status = enter(
            device_, {item(data, sizeof data, made), item(data, sizeof data, present), item(data, 4, kTo | kFrom)},
            is_first);
        EXPECT_NE(status.to_string().find("'present' map type modifier"), std::string::npos);
        status.consume();
        EXPECT_EQ(size(), 0u);
      }
}

TEST_P(EnteringTest, an_empty_argument_that_is_absent_says_nothing_of_the_others) {
  int a[4] = {}, b[4] = {}, absent[4] = {};
  ASSERT_TRUE(enter(device_, {item(a, sizeof a, 0), item(b, sizeof b, 0)}).is_ok());
  for (const MapItem &last : {item(b, sizeof b, kTo | kPresent | kAlways), item(b, 0, kTo | kAlways)}) {
    Construct work(device_);
    const MapItems items{item(absent, 0, kTargetParam), item(a, sizeof a, kTo), last};
    ASSERT_TRUE(work.enter(items, true).is_ok());
    EXPECT_EQ(work.arguments().refs[2].ref(), device_.map().find(host_ptr(b), sizeof b).ref);
    ASSERT_TRUE(work.start_exit(items, true).is_ok());
    ASSERT_TRUE(work.complete().is_ok());
  }
  remove({item(a, sizeof a, 0), item(b, sizeof b, 0)});
}

TEST_P(EnteringTest, leaving_reads_no_pointer_whose_memory_the_program_may_have_freed) {
  void *const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  int data[4] = {};
  auto **const pointer = static_cast<int **>(page);
  *pointer = data;
  const MapItems items{item(page, 64, 0), item(pointer, data, sizeof data, kPtrAndObj)};
  ASSERT_TRUE(enter(device_, items).is_ok());
  munmap(page, 4096);
  ASSERT_TRUE(exit(device_, items).is_ok());
  EXPECT_EQ(size(), 0u);
}

TEST_P(EnteringTest, a_member_of_what_a_mapper_pushes_nothing_for_is_mapped_for_itself) {
  int data[4] = {};
  const ArgumentList list(
      MapItems{item(data, sizeof data, kTo), item(data, sizeof data, kTo | (1ull << kMemberOfShift))});
  const auto pushes_nothing = +[](void *, void *, void *, int64_t, int64_t, void *) {};
  void *mappers[2] = {reinterpret_cast<void *>(pushes_nothing), nullptr};
  MapList with_mappers = list.list();
  with_mappers.mappers = mappers;
  {
    MapArguments arguments(with_mappers);
    Status status;
    ASSERT_EQ(run_entry(device_, arguments, false, nullptr, status), Ended::kDone) << status.to_string();
  }
  EXPECT_EQ(size(), 1u);
  MapArguments arguments(with_mappers);
  ASSERT_TRUE(run_exit(device_, arguments, false, nullptr).is_ok());
  EXPECT_EQ(size(), 0u);
}

TEST_P(EnteringTest, a_larger_range_than_what_is_present_is_refused_and_leaves_no_trace) {
  int data[16] = {}, other[2] = {};
  ASSERT_TRUE(enter(device_, {item(data, 32, kTo)}).is_ok());
  for (const bool is_first : {false, true}) {
    MapItems items{item(other, sizeof other, kTo), item(data, 16, kTo), item(data, 64, kTo)};
    items[2].name = ";big;f.c;3;4;;";
    Status status = enter(device_, items, is_first);
    ASSERT_FALSE(status.is_ok());
    EXPECT_NE(status.to_string().find("explicit extension not allowed"), std::string::npos);
    EXPECT_EQ(status.failure().about, "in the mapping of big (64 bytes) at f.c:3:4");
    status.consume();
    ASSERT_EQ(size(), 1u);
    EXPECT_EQ(device_.map().snapshot()[0].dynamic_count, 1u);
  }
  remove({item(data, 32, 0)});
}

TEST_P(EnteringTest, a_struct_is_padded_as_its_base_is_aligned) {
  alignas(64) char struct_[64] = {};
  constexpr uint64_t kMember = 1ull << kMemberOfShift;
  const MapItems items{item(struct_, struct_ + 12, 20, 0), item(struct_, struct_ + 12, 4, kTo | kMember, 0),
                       item(struct_, struct_ + 24, 8, kTo | kMember, 0)};
  for (int i = 0; i < 2; ++i) { // the second time others may have been dormant
    ASSERT_TRUE(enter(device_, items).is_ok());
    ASSERT_EQ(size(), 1u);
    EXPECT_EQ(static_cast<uint64_t>(device_.map().snapshot()[0].target_begin) % 16, 12u);
    EXPECT_EQ(device_.map().snapshot()[0].dynamic_count, 1u) << "members are counted with their struct";
    EXPECT_EQ(fake_counts().to_device, 2);
    ASSERT_TRUE(exit(device_, items).is_ok());
    EXPECT_EQ(size(), 0u);
    ASSERT_TRUE(enter(device_, {item(struct_ + 12, 20, 0)}).is_ok());
    ASSERT_TRUE(exit(device_, {item(struct_ + 12, 20, 0)}).is_ok());
    reset_fake_counts();
  }
}

TEST_P(EnteringTest, ranges_that_no_memory_can_have_are_refused_whether_or_not_they_begin_in_present_data) {
  char data[64] = {};
  ASSERT_TRUE(enter(device_, {item(data, sizeof data, kTo)}).is_ok());
  const struct {
    char *begin;
    int64_t size;
    const char *words;
  } cases[] = {{data + 32, -16, "size -16 of host address"},
               {data + 32, INT64_MIN, "is negative"},
               {reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(data) + 4096), -1, "is negative"},
               {data, INT64_MAX, "9223372036854775807 bytes at host address"},
               {data + 32, int64_t{1} << 60, "reach out of the address space"},
               {reinterpret_cast<char *>(UINTPTR_MAX - 7), 16,
                "16 bytes at host address 0xfffffffffffffff8 reach out of the address space"}};
  for (const auto &[begin, size, words] : cases)
    for (const bool is_first : {false, true}) {
      const MapItems items{item(begin, size, kFrom)};
      EXPECT_NE(enter(device_, items, is_first).to_string().find(words), std::string::npos) << words;
      EXPECT_NE(exit(device_, items, is_first).to_string().find(words), std::string::npos) << words;
      Absence absence;
      EXPECT_FALSE(device_.map().find_to_release(host_ptr(begin), size));
      EXPECT_FALSE(device_.map().retain_arrived(host_ptr(begin), size, absence));
      EXPECT_FALSE(device_.map().borrow_arrived(host_ptr(begin), size));
    }
  remove({item(data, sizeof data, 0)});
}

TEST_P(EnteringTest, a_mapper_counts_each_mapping_once_and_its_pointees_too) {
  static char elements[16000], pointee[8];
  MapItems items;
  for (int i = 0; i < 1000; ++i) { // elements of one array, all with the same pointee
    items.push_back(item(elements, elements + 16 * i, i == 0 ? 16000 : 16, static_cast<uint64_t>(i) << kMemberOfShift));
    items.push_back(item(pointee, sizeof pointee, kTo));
    items[items.size() - 2].group = items.back().group = 0;
  }
  ASSERT_TRUE(enter(device_, items).is_ok());
  ASSERT_EQ(size(), 2u);
  EXPECT_EQ(device_.map().snapshot()[0].dynamic_count, 1u);
  EXPECT_EQ(device_.map().snapshot()[1].dynamic_count, 1u);
  Construct exiting(device_);
  ASSERT_TRUE(exiting.start_exit(items, false).is_ok());
  if (GetParam() == FakeKind::kSynchronous) {
    EXPECT_EQ(std::ranges::count_if(exiting.arguments().refs, &ArgumentRef::is_counted), 2);
  }
  ASSERT_TRUE(exiting.complete().is_ok());
  EXPECT_EQ(size(), 0u);
}

/// Runs the test in a process of its own, whose program requires unified shared memory.
void run_in_place(void (*test)(Device &)) {
  const auto run = [&] {
    fake_modules().add_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY, nullptr).consume();
    FakeDevice device{FakeKind::kSynchronous};
    test(device);
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

TEST(InPlaceDeathTest, pointers_with_storage_are_attached_to_data_in_place) {
  run_in_place([](Device &device) {
    int pointee[16] = {};
    int *pointer = pointee;
    const MapItem kinds[][2] = {{item(&pointer, pointee, sizeof pointee, kTo | kPtrAndObj), item(pointee, 0, 0)},
                                {item(pointee, sizeof pointee, kTo), item(&pointer, pointee, 8, kAttach)}};
    for (const auto &items : kinds) {
      ASSERT_TRUE(enter(device, {item(&pointer, sizeof pointer, kClose)}).is_ok());
      ASSERT_TRUE(enter(device, {items[0], items[1]}).is_ok());
      EXPECT_EQ(*on_device(device, &pointer), pointee);
      EXPECT_EQ(device.map().size(), 1u);
      ASSERT_TRUE(exit(device, {item(&pointer, sizeof pointer, kDelete)}).is_ok());
    }
  });
}

TEST(InPlaceDeathTest, data_stay_on_the_host_unless_they_are_to_be_close) {
  run_in_place([](Device &device) {
    int data[3][8] = {};
    const MapItems items{item(data[0], 32, kTo), item(data[1], 32, kTo | kClose), item(data[2], 32, kTo | kPresent)};
    ASSERT_TRUE(enter(device, items).is_ok());
    EXPECT_EQ(device.map().size(), 1u);
    EXPECT_EQ(on_device(device, data[0]), nullptr);
    EXPECT_NE(on_device(device, data[1]), nullptr);
    ASSERT_TRUE(exit(device, items).is_ok());
  });
}

INSTANTIATE_TEST_SUITE_P(, EnteringTest, testing::Values(FakeKind::kSynchronous, FakeKind::kLazy),
                         [](const auto &info) {
                           return info.param == FakeKind::kSynchronous ? "synchronous" : "queueing";
                         });

} // namespace
} // namespace omptarget::test
