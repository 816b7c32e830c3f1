// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that nobody wrote, beside a model that has an entry for each byte. The test sets SIM_EXECUTOR_UNWRITTEN=1.

#include "emulator/execute/unwritten.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace emulator::executor {
namespace {

constexpr size_t kSize = 5 * 4096 + 123;

class Unwritten : public testing::Test {
protected:
  size_t pick(size_t most) { return random_() % (most + 1); }

  // Whole pages and parts of them, and all.
  void pick_range() {
    first_ = pick(2) == 0 ? 0 : pick(kSize - 1);
    size_ = pick(2) == 0 ? std::min<size_t>(kSize - first_, 1 + pick(15)) : 1 + pick(kSize - first_ - 1);
  }

  void change() {
    pick_range();
    uint8_t *const at = &bytes_[first_];
    const auto known = is_written_.begin() + static_cast<std::ptrdiff_t>(first_);
    switch (pick(3)) {
    case 0:
      memory_->add(at, size_);
      std::fill_n(known, size_, false);
      return;
    case 1: memory_->forget(at, size_); break;
    case 2: memory_->write(at, size_, nullptr, 0); break;
    default:
      const size_t from = pick(kSize - size_);
      memory_->copy(at, &bytes_[from], size_);
      const std::vector<bool> copied(is_written_.begin() + static_cast<std::ptrdiff_t>(from),
                                     is_written_.begin() + static_cast<std::ptrdiff_t>(from + size_));
      std::copy(copied.begin(), copied.end(), known);
      return;
    }
    std::fill_n(known, size_, true);
  }

  void compare() {
    std::vector<uint8_t> differences(kSize);
    UnwrittenMemory::Origin origin = 0;
    const bool differs = memory_->read(bytes_.data(), kSize, differences.data(), origin);
    EXPECT_EQ(differs, std::ranges::count(is_written_, false) != 0);
    for (size_t i = 0; i < kSize; ++i)
      ASSERT_EQ(differences[i] == 0, is_written_[i]) << "byte " << i << " of " << first_ << ", " << size_;
  }

  UnwrittenMemory *const memory_ = UnwrittenMemory::find();
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kSize);
  std::vector<bool> is_written_ = std::vector<bool>(kSize, true);
  size_t first_ = 0, size_ = 0;
  std::mt19937 random_{1};
};

TEST_F(Unwritten, KnowsEachByte) {
  ASSERT_NE(memory_, nullptr);
  for (int i = 0; i < 3000 && !HasFatalFailure(); ++i) {
    change();
    compare();
  }
  memory_->forget(bytes_.data(), kSize);
}

TEST_F(Unwritten, FindsPieces) {
  ASSERT_NE(memory_, nullptr);
  memory_->add(bytes_.data(), kSize);
  memory_->write(&bytes_[8192], 4096, nullptr, 0);
  const auto part = memory_->find_in(bytes_.data(), kSize);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->first, 0U);
  EXPECT_EQ(part->last, 8191U);
  EXPECT_EQ(part->pieces, 2U);
  EXPECT_EQ(part->bytes, kSize - 4096);
  memory_->forget(bytes_.data(), kSize);
  EXPECT_FALSE(memory_->find_in(bytes_.data(), kSize));
}

TEST_F(Unwritten, KeepsThePlaceBesideWrittenBytes) {
  ASSERT_NE(memory_, nullptr);
  constexpr UnwrittenMemory::Origin kPlace = 77;
  constexpr std::array<uint8_t, 4> kDiffer = {1, 2, 3, 4};
  uint8_t *const word = &bytes_[16 - reinterpret_cast<uintptr_t>(bytes_.data()) % 8];
  memory_->write(word, 4, kDiffer.data(), kPlace);
  memory_->write(word + 4, 4, nullptr, 0);
  std::array<uint8_t, 8> differences;
  UnwrittenMemory::Origin origin = 0;
  EXPECT_TRUE(memory_->read(word, 8, differences.data(), origin));
  EXPECT_EQ(origin, kPlace);
  memory_->forget(word, 8);
}

TEST_F(Unwritten, TellsResultsFromPadding) {
  ASSERT_NE(memory_, nullptr);
  uint8_t *const first = &bytes_[16 - reinterpret_cast<uintptr_t>(bytes_.data()) % 8];
  constexpr std::array<uint8_t, 2> kDiffer = {0, 0x3B}; // as floats of 16 bits that are small integers
  for (size_t i = 0; i < 32; i += 2)
    memory_->write(first + i, 2, kDiffer.data(), 1);
  const auto part = memory_->find_in(first, 32);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->bytes, 16U);
  memory_->forget(first, 32);
  memory_->add(first, 32); // a char and a short
  for (size_t i = 0; i < 32; i += 4) {
    memory_->write(first + i, 1, nullptr, 0);
    memory_->write(first + i + 2, 2, nullptr, 0);
  }
  EXPECT_FALSE(memory_->find_in(first, 32));
  memory_->forget(first, 32);
}

} // namespace
} // namespace emulator::executor
