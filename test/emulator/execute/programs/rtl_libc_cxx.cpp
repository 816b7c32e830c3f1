// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers and algorithms of C++'s library in regions compute what they compute on the host. No check finds a fault.
// What would throw says so and stops the kernel. Strings need C++20: before that, their members are compiled in
// libstdc++.
// Clang 16 for AMD's GPUs has no variadic function, which std::vector::at calls.
// REQUIRES: rtl-ours
// UNSUPPORTED: clang-16
// Clang 19 has no atomic loads for NVIDIA's GPUs as shared_ptr has them: its linker ends.
// RUN: %clangxx -std=c++20 -Xarch_device -fno-threadsafe-statics -O2 %s -o %t %if clang-19 && emulator-cuda %{ -DUNSHARED %} && %run %t
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_STRICT_BARRIERS=1 %t 2>&1 | %FileCheck %s
// RUN: %expect-abort %t at 2>&1 | %FileCheck %s --check-prefix=AT
// RUN: %expect-abort %t length 2>&1 | %FileCheck %s --check-prefix=LENGTH
// RUN: %expect-abort %t function 2>&1 | %FileCheck %s --check-prefix=FUNCTION

// CHECK-NOT: {{.}}
// CHECK: ok
// CHECK-NOT: {{.}}
// AT: device code cannot throw std::out_of_range: vector::_M_range_check: __n (which is 7) >= this->size() (which is 3)
// LENGTH: device code cannot throw std::length_error: {{.*}}reserve
// FUNCTION: device code cannot throw std::bad_function_call

#include "check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#pragma omp begin declare target
struct alignas(64) Aligned {
  int value;
};
struct Shape {
  virtual int sides() const = 0;
  virtual ~Shape() = default;
};
struct Square final : Shape {
  int sides() const override { return 4; }
};

static unsigned next(unsigned &state) { return (state = state * 1664525u + 1013904223u) >> 16; }

static long ordered(unsigned state) {
  std::map<int, int> map;
  std::set<unsigned> set;
  for (int i = 0; i < 60; i++) {
    const int key = (int)(next(state) % 25);
    if (next(state) % 3)
      map[key] = i;
    else
      map.erase(key);
    set.insert(next(state) % 100);
  }
  long sum = (long)set.size();
  for (const auto &[key, value] : map)
    sum = sum * 31 + key * 100 + value;
  for (auto at = set.rbegin(); at != set.rend(); ++at)
    sum = sum * 7 + *at;
  return sum;
}

static long hashed(unsigned state) {
  std::unordered_map<int, int> numbers;
  std::unordered_map<std::string, int> names;
  for (int i = 0; i < 40; i++) {
    numbers[(int)(next(state) % 30)] += i;
    names["a longer name than fits " + std::string(1, (char)('a' + next(state) % 8))] += i;
  }
  long sum = (long)(numbers.size() * 100 + names.size());
  for (const auto &[key, value] : numbers)
    sum += (long)key * value;
  for (const auto &[key, value] : names)
    sum += (long)key.back() * value;
  return sum * 3 + (long)(std::hash<std::string>()("hash") % 1000);
}

static long sequences(unsigned state) {
  std::vector<int> numbers;
  for (int i = 0; i < 50; i++)
    numbers.push_back((int)(next(state) % 1000));
  std::sort(numbers.begin(), numbers.end());
  std::list<int> list(numbers.begin(), numbers.begin() + 10);
  list.reverse();
  list.splice(list.end(), std::list<int>{1, 2, 3});
  list.remove(2);
  std::array<int, 4> array = {1, 2, 3, numbers.at(2)};
  std::string text = "x";
  for (int i = 0; i < 5; i++)
    text += "some text";
  text.insert(3, "inserted");
  long sum = std::accumulate(numbers.begin(), numbers.end(), 0l) + array.at(3) + (long)text.find("me", 12);
  for (const int one : list)
    sum = sum * 5 + one;
  for (const char letter : text)
    sum = sum * 3 + letter;
  return sum;
}

#ifdef UNSHARED
static long shared_objects(unsigned) { return 0; }
#else
static long shared_objects(unsigned state) {
  auto shared = std::make_shared<int>((int)next(state));
  const std::weak_ptr<int> weak = shared;
  auto copy = shared;
  const long sum = *copy + shared.use_count() * 10;
  shared.reset();
  return sum * 10 + weak.use_count();
}
#endif

static long objects(unsigned state) {
  const auto shape = std::unique_ptr<Shape>(new Square);
  auto *const aligned = new Aligned{3};
  auto *const many = new Aligned[3];
  long sum = shared_objects(state) + shape->sides() + ((uintptr_t)aligned % 64 == 0) * 100 +
             ((uintptr_t)many % 64 == 0) * 1000;
  delete aligned;
  delete[] many;
  const std::function<int(int)> add = [&](int value) { return value + (int)sum; };
  std::optional<int> maybe;
  maybe = add(5);
  const std::variant<int, double> one = 2.5;
  return sum * 10 + maybe.value() + (long)(std::get<double>(one) * 2);
}

static long all(unsigned state) {
  return ordered(state) + hashed(state) * 3 + sequences(state) * 5 + objects(state) * 7;
}

static long fail(int way) {
  std::vector<int> numbers = {1, 2, 3};
  if (way == 1)
    return numbers.at(7);
  if (way == 2)
    numbers.reserve(~(size_t)0 / 2);
  const std::function<int(int)> none;
  return none(way);
}
#pragma omp end declare target

int main(int argc, char **argv) {
  if (argc > 1) {
    const int way = strcmp(argv[1], "at") == 0 ? 1 : strcmp(argv[1], "length") == 0 ? 2 : 3;
    long result = 0;
#pragma omp target map(from : result)
    result = fail(way);
    return (int)result;
  }
  constexpr int kCount = 24;
  static long found[kCount];
#pragma omp target teams distribute parallel for thread_limit(32) map(from : found)
  for (int i = 0; i < kCount; i++)
    found[i] = all((unsigned)i * 77);
  for (int i = 0; i < kCount; i++)
    CHECK_EQ(found[i], all((unsigned)i * 77));
  return finish();
}
