// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// translate.cpp itself, as a warp of a GPU would run it.

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "omptarget/types.h"
#include "warp.h"

extern "C" {
extern __omp_offloading_fptr_map_ty *__omp_offloading_fptr_map_p;
extern uint64_t __omp_offloading_fptr_map_size;
void *__kmpc_target_translate_fptr(void *);
void *__llvm_omp_indirect_call_lookup(void *);
}

namespace omptarget::device_rtl {
namespace {

constexpr unsigned kLanes = 32;

class Interpreter : public testing::Test {
protected:
  void set_table(uint64_t size) {
    pairs.resize(size);
    for (uint64_t i = 0; i < size; ++i)
      pairs[i] = {0x1000 + 16 * i, 0x900000 + i};
    __omp_offloading_fptr_map_p = pairs.data();
    __omp_offloading_fptr_map_size = size;
  }
  void TearDown() override {
    __omp_offloading_fptr_map_p = nullptr;
    __omp_offloading_fptr_map_size = 0;
  }
  /// Each lane's result for its pointer.
  std::vector<uint64_t> translate(const std::vector<uint64_t> &pointers) {
    std::vector<uint64_t> results(pointers.size());
    steps = run_warp(static_cast<unsigned>(pointers.size()), [&](unsigned lane) {
      results[lane] =
          reinterpret_cast<uint64_t>(__kmpc_target_translate_fptr(reinterpret_cast<void *>(pointers[lane])));
    });
    return results;
  }
  uint64_t key(uint64_t index) const { return pairs[index].host_ptr; }
  std::vector<__omp_offloading_fptr_map_ty> pairs;
  std::vector<WarpStep> steps;
};

TEST_F(Interpreter, without_a_table_every_pointer_comes_back) {
  EXPECT_EQ(translate({0, 1, 0x1000}), (std::vector<uint64_t>{0, 1, 0x1000}));
  EXPECT_EQ(steps[0].addresses.size(), 2u); // null reads nothing
  EXPECT_EQ(steps.size(), 2u);              // the two globals
}

TEST_F(Interpreter, lanes_with_different_pointers_get_their_own_functions) {
  std::mt19937_64 random(11);
  for (uint64_t size : {1u, 2u, 3u, 7u, 64u, 1000u}) {
    set_table(size);
    std::vector<uint64_t> pointers(kLanes), expected(kLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const uint64_t index = random() % size;
      const uint64_t kind = random() % 4; // a key, null, between two keys, or behind all
      pointers[lane] = kind == 0 ? 0 : kind == 1 ? key(index) + 4 : kind == 2 ? key(size - 1) + 100 : key(index);
      expected[lane] = kind == 3 ? pairs[index].tgt_ptr : pointers[lane];
    }
    EXPECT_EQ(translate(pointers), expected) << size;
  }
}

TEST_F(Interpreter, lanes_that_search_stay_together) {
  set_table(1000);
  std::vector<uint64_t> pointers(kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    pointers[lane] = key(lane * 31);
  translate(pointers);
  for (const WarpStep &step : steps)
    EXPECT_EQ(step.addresses.size(), kLanes);
}

TEST_F(Interpreter, lanes_with_one_pointer_read_one_line_a_step) {
  set_table(1000);
  translate(std::vector<uint64_t>(kLanes, key(777)));
  for (const WarpStep &step : steps)
    EXPECT_EQ(step.lines(32), 1u);
}

TEST_F(Interpreter, the_steps_to_a_million_functions_are_few) {
  set_table(1000000);
  translate(std::vector<uint64_t>(kLanes, key(123456)));
  // Two globals, two for the range, three independent loads for each of nine or ten quarterings, one or two halvings,
  // the pair. The loads that wait for one another are a third of that.
  EXPECT_LE(steps.size(), 2u + 2u + 3u * 10u + 2u + 1u);
}

TEST_F(Interpreter, lanes_without_a_search_leave_it_to_the_others) {
  set_table(100);
  std::vector<uint64_t> pointers(kLanes, 0);
  pointers[5] = key(42);
  std::vector<uint64_t> expected = pointers;
  expected[5] = pairs[42].tgt_ptr;
  EXPECT_EQ(translate(pointers), expected);
  for (const WarpStep &step : steps)
    EXPECT_EQ(step.addresses.size(), 1u);
}

TEST_F(Interpreter, both_names_do_the_same) {
  set_table(10);
  for (uint64_t pointer = key(0) - 2; pointer < key(9) + 2; ++pointer)
    EXPECT_EQ(__llvm_omp_indirect_call_lookup(reinterpret_cast<void *>(pointer)),
              __kmpc_target_translate_fptr(reinterpret_cast<void *>(pointer)));
}

} // namespace
} // namespace omptarget::device_rtl
