// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two system libraries play the device images: what counts is in which loaded object a return address lies.

#include "indirect/caller_registry.h"

#include <atomic>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace omptarget {
namespace {

using Pairs = std::vector<__omp_offloading_fptr_map_ty>;

uint64_t translate(uint64_t pointer, const void *caller) {
  return reinterpret_cast<uint64_t>(translate_function_pointer(reinterpret_cast<void *>(pointer), caller));
}

Pairs functions(uint64_t count) {
  Pairs pairs;
  for (uint64_t i = 1; i <= count; ++i)
    pairs.push_back({16 * i, 16 * i + (count << 32)});
  return pairs;
}

class CallerRegistry : public testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"libm.so.6", "libresolv.so.2"}) {
      void *library = dlopen(name, RTLD_NOW);
      ASSERT_NE(library, nullptr) << dlerror();
      libraries.push_back(library);
    }
    math = dlsym(libraries[0], "cos");
    resolv = dlsym(libraries[1], "ns_get16");
    ASSERT_TRUE(math && resolv);
  }
  void TearDown() override {
    for (int32_t device = 0; device < 4; ++device) {
      forget_cpu_image(device, math);
      forget_cpu_image(device, resolv);
      publish_function_table(device, {});
    }
    for (void *library : libraries)
      dlclose(library);
  }
  static const void *host() { return &main_module; }
  static constexpr int main_module = 0;
  std::vector<void *> libraries;
  const void *math = nullptr;
  const void *resolv = nullptr;
};

TEST_F(CallerRegistry, each_device_has_functions_of_its_own) {
  EXPECT_TRUE(register_cpu_image(0, math, host()));
  publish_function_table(0, Pairs{{0x10, 0x100}, {0x14, 0x104}});
  publish_function_table(1, Pairs{{0x10, 0x200}});
  EXPECT_TRUE(register_cpu_image(1, resolv, host()));
  EXPECT_EQ(translate(0x10, math), 0x100u);
  EXPECT_EQ(translate(0x14, math), 0x104u);
  EXPECT_EQ(translate(0x12, math), 0x12u);
  EXPECT_EQ(translate(0, math), 0u);
  EXPECT_EQ(translate(0x10, resolv), 0x200u);
  EXPECT_EQ(translate(0x14, resolv), 0x14u);
}

TEST_F(CallerRegistry, host_code_gets_its_pointer_back) {
  register_cpu_image(0, math, host());
  publish_function_table(0, Pairs{{0x10, 0x100}});
  EXPECT_EQ(translate(0x10, host()), 0x10u);
  EXPECT_EQ(translate(0x10, nullptr), 0x10u);
  EXPECT_EQ(translate(0x10, reinterpret_cast<const void *>(UINT64_MAX)), 0x10u);
}

TEST_F(CallerRegistry, a_new_table_replaces_the_former_one) {
  register_cpu_image(2, math, host());
  publish_function_table(2, Pairs{{0x10, 0x100}, {0x20, 0x200}});
  publish_function_table(2, Pairs{{0x10, 0x300}});
  EXPECT_EQ(translate(0x10, math), 0x300u);
  EXPECT_EQ(translate(0x20, math), 0x20u);
  publish_function_table(2, {});
  EXPECT_EQ(translate(0x10, math), 0x10u);
}

TEST_F(CallerRegistry, a_forgotten_image_is_host_code_again) {
  register_cpu_image(0, math, host());
  register_cpu_image(0, resolv, host());
  publish_function_table(0, Pairs{{0x10, 0x100}});
  forget_cpu_image(1, math);
  EXPECT_EQ(translate(0x10, math), 0x100u);
  forget_cpu_image(0, math);
  EXPECT_EQ(translate(0x10, math), 0x10u);
  EXPECT_EQ(translate(0x10, resolv), 0x100u);
  forget_cpu_image(0, math);
}

TEST_F(CallerRegistry, refuses_what_is_no_image_on_a_cpu) {
  EXPECT_FALSE(register_cpu_image(0, reinterpret_cast<const void *>(uint64_t{0x7000}), host()));
  EXPECT_FALSE(register_cpu_image(0, nullptr, host()));
  EXPECT_FALSE(register_cpu_image(0, host(), math)); // the library's own object
  EXPECT_FALSE(register_cpu_image(0, math, math));   // the module's host side
  publish_function_table(0, Pairs{{0x10, 0x100}});
  EXPECT_EQ(translate(0x10, math), 0x10u);
}

TEST_F(CallerRegistry, readers_see_whole_tables_while_these_are_replaced) {
  constexpr uint64_t kFunctions = 200;
  register_cpu_image(0, math, host());
  publish_function_table(0, functions(100));
  std::atomic<bool> stop{false};
  std::atomic<int> started{0};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader)
    readers.emplace_back([&] {
      started.fetch_add(1);
      for (uint64_t i = 0; !stop.load(std::memory_order_relaxed); ++i) {
        const uint64_t pointer = 16 * (1 + i % kFunctions);
        const uint64_t result = translate(pointer, math);
        // A table of n functions maps the first n pointers to pointer + (n << 32), and no others; all have the first
        // 100.
        const uint64_t shift = result - pointer;
        if (shift == 0 ? pointer <= 1600 : (shift >> 32 < pointer / 16 || (shift & 0xffffffff) != 0))
          wrong.fetch_add(1);
      }
    });
  while (started.load() != 2)
    std::this_thread::yield();
  for (uint64_t round = 0; round < 20000; ++round) {
    publish_function_table(0, functions(100 + round * 7 % (kFunctions - 100)));
    if (round % 5 == 0) {
      register_cpu_image(1, resolv, host());
      forget_cpu_image(1, resolv);
    }
  }
  stop = true;
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong.load(), 0u);
}

} // namespace
} // namespace omptarget
