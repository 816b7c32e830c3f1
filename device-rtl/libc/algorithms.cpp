// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <stdlib.h>: integers, sorting, searching, random numbers, and memory beyond malloc and free.

#include "libc.h"

namespace omptarget::device_rtl::libc {

static uint64_t random_states[kStates] = {}; ///< 0: the thread has not asked yet

/// Compares two elements, with or without the caller's argument.
using Compare = int32_t (*)(const void *, const void *);
using CompareWith = int32_t (*)(const void *, const void *, void *);

/// Sorts in place and without recursion, as a GPU's stack is small: heap sort.
template <typename Less> class Sorter {
public:
  Sorter(void *begin, uint64_t count, uint64_t size, Less less)
      : begin_(static_cast<char *>(begin)), count_(count), size_(size), less_(less) {}
  void run() {
    for (uint64_t i = count_ / 2; i > 0; --i)
      sink(i - 1, count_);
    for (uint64_t end = count_; end > 1; --end) {
      swap(0, end - 1);
      sink(0, end - 1);
    }
  }

private:
  char *at(uint64_t index) { return begin_ + index * size_; }
  void swap(uint64_t left, uint64_t right) {
    char *a = at(left), *b = at(right);
    for (uint64_t i = 0; i < size_; ++i) {
      const char byte = a[i];
      a[i] = b[i];
      b[i] = byte;
    }
  }
  /// Lets an element sink below those of its children that are greater.
  void sink(uint64_t index, uint64_t end) {
    for (uint64_t child; (child = 2 * index + 1) < end; index = child) {
      if (child + 1 < end && less_(at(child), at(child + 1)))
        ++child;
      if (!less_(at(index), at(child)))
        return;
      swap(index, child);
    }
  }

  char *begin_;
  uint64_t count_, size_;
  Less less_;
};
template <typename Less> INLINE void sort(void *begin, uint64_t count, uint64_t size, Less less) {
  Sorter<Less>(begin, count, size, less).run();
}

/// One step of a generator of 64 bits, of which the upper ones are good.
INLINE uint64_t next_state(uint64_t state) { return state * 6364136223846793005u + 1442695040888963407u; }
INLINE int32_t random_of(uint64_t state) { return static_cast<int32_t>(state >> 33); }
/// A state for a number, never 0.
INLINE uint64_t state_for(uint64_t number) {
  const uint64_t mixed = next_state(number ^ 0x9e3779b97f4a7c15u);
  return mixed != 0 ? mixed : 1;
}
/// div_t and its relatives.
struct Division {
  int32_t quotient, rest;
};
struct LongDivision {
  long quotient, rest;
};
struct LongLongDivision {
  long long quotient, rest;
};

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC int32_t abs(int32_t value) { return value < 0 ? -value : value; }
LIBC long labs(long value) { return value < 0 ? -value : value; }
LIBC long long llabs(long long value) { return value < 0 ? -value : value; }
LIBC long imaxabs(long value) { return value < 0 ? -value : value; }
LIBC Division div(int32_t value, int32_t by) { return {value / by, value % by}; }
LIBC LongDivision ldiv(long value, long by) { return {value / by, value % by}; }
LIBC LongLongDivision lldiv(long long value, long long by) { return {value / by, value % by}; }
LIBC LongDivision imaxdiv(long value, long by) { return {value / by, value % by}; }

LIBC void qsort(void *begin, uint64_t count, uint64_t size, Compare compare) {
  sort(begin, count, size, [=](const void *left, const void *right) { return compare(left, right) < 0; });
}
LIBC void qsort_r(void *begin, uint64_t count, uint64_t size, CompareWith compare, void *argument) {
  sort(begin, count, size, [=](const void *left, const void *right) { return compare(left, right, argument) < 0; });
}
LIBC void *bsearch(const void *key, const void *begin, uint64_t count, uint64_t size, Compare compare) {
  const auto *first = static_cast<const char *>(begin);
  while (count > 0) {
    const char *const middle = first + count / 2 * size;
    const int32_t order = compare(key, middle);
    if (order == 0)
      return const_cast<char *>(middle);
    if (order > 0) {
      first = middle + size;
      --count;
    }
    count /= 2;
  }
  return nullptr;
}

// A seed gives the same sequence in each thread. Threads without one have sequences of their own.
LIBC void srand(uint32_t seed) { random_states[state_index()] = state_for(seed); }
LIBC int32_t rand() {
  uint64_t &state = random_states[state_index()];
  if (state == 0)
    state = state_for(uint64_t{state_index() + 1} << 32);
  state = next_state(state);
  return random_of(state);
}
LIBC int32_t rand_r(uint32_t *seed) {
  const uint64_t state = next_state(next_state(*seed));
  *seed = static_cast<uint32_t>(state >> 32);
  return random_of(next_state(state));
}

LIBC void *calloc(uint64_t count, uint64_t size) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes))
    return nullptr;
  void *const memory = malloc(bytes);
  if (memory)
    __builtin_memset(memory, 0, bytes);
  return memory;
}
LIBC char *strndup(const char *text, uint64_t most) {
  const uint64_t length = strnlen(text, most);
  auto *const copy = static_cast<char *>(malloc(length + 1));
  if (copy) {
    __builtin_memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}
LIBC char *strdup(const char *text) { return strndup(text, ~uint64_t{0}); }
LIBC char *__strdup(const char *text) { return strndup(text, ~uint64_t{0}); }
