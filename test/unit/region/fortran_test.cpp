// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that flang 19 and 22 pass for allocatables, derived types, sections and common blocks. The argument arrays
// are recorded from their programs, with addresses relative to the variables'. Neither passes private variables: flang
// 22 (with -mmlir --enable-delayed-privatization-staging) maps those that have descriptors like allocatables, and
// copies in the kernel.

#include <cstring>
#include <gtest/gtest.h>

#include "constructs.h"
#include "fake_device.h"
#include "region/data_update.h"
#include "region/expansion.h"

namespace omptarget::test {
namespace {

/// Where a recorded address lies: in the variable, or in what its descriptor points to.
enum class In { kVariable, kData };
struct MapRow {
  int64_t base;
  In begin_in;
  int64_t begin;
  int64_t size;
  uint64_t type;
};
using Rows = std::vector<MapRow>;
constexpr uint64_t kM1 = 0x1000000000000;

// real(8), allocatable :: x(:) of 5: its descriptor has 48 bytes.
const Rows kAllocatable19 = {
    {0, In::kVariable, 0, 48, 0x20}, {0, In::kVariable, 0, 48, kM1 | 0x1}, {0, In::kData, 0, 40, kM1 | 0x13}};
const Rows kAllocatable22 = {{0, In::kVariable, 0, 48, 0x20},
                             {0, In::kVariable, 0, 0, kM1 | 0x5},
                             {0, In::kVariable, 8, 40, kM1 | 0x5},
                             {0, In::kVariable, 0, 8, kM1 | 0x3},
                             {0, In::kData, 0, 40, kM1 | 0x13}};

// real(8), allocatable :: y(:,:) of 5 by 5: enter data map(to:), update from, exit data map(from:). 72 bytes.
struct DataRows {
  Rows enter, update, exit;
};
const DataRows kMatrix19 = {
    {{0, In::kVariable, 0, 72, 0x0}, {0, In::kVariable, 0, 72, kM1 | 0x1}, {0, In::kData, 0, 200, kM1 | 0x11}},
    {{0, In::kVariable, 0, 72, 0x0}, {0, In::kVariable, 0, 72, kM1 | 0x1}, {0, In::kData, 0, 200, kM1 | 0x12}},
    {{0, In::kVariable, 0, 72, 0x0}, {0, In::kVariable, 0, 72, kM1 | 0x1}, {0, In::kData, 0, 200, kM1 | 0x12}}};
const DataRows kMatrix22 = {{{0, In::kVariable, 0, 72, 0x0},
                             {0, In::kVariable, 0, 0, kM1 | 0x5},
                             {0, In::kVariable, 8, 64, kM1 | 0x5},
                             {0, In::kVariable, 0, 8, kM1 | 0x1},
                             {0, In::kData, 0, 200, kM1 | 0x11}},
                            {{0, In::kVariable, 0, 72, 0x0},
                             {0, In::kVariable, 0, 72, kM1 | 0x2},
                             {0, In::kVariable, 0, 8, kM1 | 0x2},
                             {0, In::kData, 0, 200, kM1 | 0x12}},
                            {{0, In::kVariable, 0, 72, 0x0},
                             {0, In::kVariable, 0, 0, kM1 | 0x2},
                             {0, In::kVariable, 8, 64, kM1 | 0x2},
                             {0, In::kVariable, 0, 8, kM1 | 0x2},
                             {0, In::kData, 0, 200, kM1 | 0x12}}};

// Items that flang 22's mapper for type(t) with an integer and an allocatable component of 5 pushes.
const Rows kDerivedType22 = {{0, In::kVariable, 0, 56, 0x20},
                             {0, In::kVariable, 0, 4, kM1 | 0x203},
                             {0, In::kVariable, 8, 48, kM1 | 0x205},
                             {0, In::kVariable, 8, 8, kM1 | 0x203},
                             {8, In::kData, 0, 40, kM1 | 0x213}};

struct Descriptor {
  double *address;
  int64_t rest[8];
};

class Fortran : public testing::TestWithParam<FakeKind> {
protected:
  Fortran() : device_(GetParam()) {
    for (int i = 0; i < 25; ++i)
      data_[i] = i;
    for (int i = 0; i < 8; ++i)
      y_.rest[i] = 100 + i;
    y_.address = data_;
  }

  MapItems items(const Rows &rows, void *variable) {
    MapItems result;
    auto *begin = static_cast<char *>(variable);
    for (const MapRow &row : rows) {
      void *at = row.begin_in == In::kVariable ? begin + row.begin : reinterpret_cast<char *>(data_) + row.begin;
      const auto parent = static_cast<int32_t>(row.type >> 48) - 1;
      result.push_back({host_ptr(begin + row.base), host_ptr(at), row.size, row.type, nullptr, 0, parent});
    }
    return result;
  }
  template <typename T> T *on_device(T *host) {
    return static_cast<T *>(raw(device_.map().find(host_ptr(host), sizeof(T)).ref.mapping->target_of(host_ptr(host))));
  }

  FakeDevice device_;
  double data_[25];
  Descriptor y_;
};

TEST_P(Fortran, allocatables_as_kernel_arguments) {
  for (const Rows *rows : {&kAllocatable19, &kAllocatable22}) {
    Construct work(device_);
    MapItems list = items(*rows, &y_);
    ASSERT_TRUE(work.enter(list).is_ok());
    ASSERT_TRUE(work.queue().wait().is_ok());
    Descriptor copy;
    std::memcpy(&copy, on_device(reinterpret_cast<char *>(&y_)), 48);
    EXPECT_EQ(copy.address, on_device(&data_[0]));
    EXPECT_EQ(copy.rest[4], 104);
    copy.address[1] = 1000;
    ASSERT_TRUE(work.start_exit(list, true).is_ok());
    ASSERT_TRUE(work.complete().is_ok());
    EXPECT_EQ(data_[1], 1000);
    EXPECT_EQ(y_.address, data_) << "the device's address reached the host";
    EXPECT_EQ(y_.rest[0], 100);
    EXPECT_EQ(device_.map().size(), 0u);
    data_[1] = 1;
  }
}

TEST_P(Fortran, matrices_stay_and_are_updated) {
  for (const DataRows *rows : {&kMatrix19, &kMatrix22}) {
    Construct work(device_);
    MapItems list = items(rows->enter, &y_);
    ASSERT_TRUE(work.enter(list).is_ok());
    ASSERT_TRUE(work.complete().is_ok());
    EXPECT_EQ(device_.map().size(), 2u);
    EXPECT_EQ(on_device(&y_)->address, on_device(&data_[0]));
    EXPECT_EQ(on_device(&y_)->rest[7], 107);
    on_device(&data_[0])[24] = 77;
    DataUpdate update(device_);
    ASSERT_TRUE(update.start(items(rows->update, &y_), true).is_ok());
    ASSERT_TRUE(update.finish().is_ok());
    EXPECT_EQ(data_[24], 77);
    EXPECT_EQ(y_.address, data_);
    EXPECT_EQ(on_device(&y_)->address, on_device(&data_[0])) << "an update to the host's descriptor changes no pointer";
    list = items(rows->exit, &y_);
    ASSERT_TRUE(work.start_exit(list, false).is_ok());
    ASSERT_TRUE(work.complete().is_ok());
    EXPECT_EQ(device_.map().size(), 0u);
    EXPECT_EQ(y_.address, data_);
    EXPECT_EQ(y_.rest[7], 107);
    data_[24] = 24;
  }
}

TEST_P(Fortran, derived_types_with_allocatable_components) {
  struct {
    int k;
    Descriptor a;
  } v = {4, y_};
  MapItems list = items(kDerivedType22, &v);
  for (MapItem &item : list) {
    item.group = 0;
    item.parent = -1;
  }
  Construct work(device_);
  ASSERT_TRUE(work.enter(list).is_ok());
  ASSERT_TRUE(work.queue().wait().is_ok());
  EXPECT_EQ(*on_device(&v.k), 4);
  EXPECT_EQ(*on_device(&v.a.address), on_device(&data_[0]));
  *on_device(&v.k) = 7;
  ASSERT_TRUE(work.start_exit(list, true).is_ok());
  ASSERT_TRUE(work.complete().is_ok());
  EXPECT_EQ(v.k, 7);
  EXPECT_EQ(v.a.address, data_);
  EXPECT_EQ(device_.map().size(), 0u);
}

// Sections (z(2:10): base before begin) and common blocks are as C's arrays: 0x23.
TEST_P(Fortran, a_section_starts_after_its_base) {
  int z[20] = {};
  z[1] = 3;
  Construct work(device_);
  MapItems list{{host_ptr(z), host_ptr(z + 1), 36, 0x23, nullptr, 0, -1}};
  ASSERT_TRUE(work.enter(list).is_ok());
  ASSERT_TRUE(work.queue().wait().is_ok());
  EXPECT_EQ(raw(work.arguments().refs[0].mapping->target_of(host_ptr(z + 1))), on_device(&z[1]));
  *on_device(&z[1]) = 5;
  ASSERT_TRUE(work.start_exit(list, true).is_ok());
  ASSERT_TRUE(work.complete().is_ok());
  EXPECT_EQ(z[1], 5);
}

INSTANTIATE_TEST_SUITE_P(, Fortran, testing::Values(FakeKind::kSynchronous, FakeKind::kLazy), [](const auto &info) {
  return info.param == FakeKind::kSynchronous ? "synchronous" : "queueing";
});

} // namespace
} // namespace omptarget::test
