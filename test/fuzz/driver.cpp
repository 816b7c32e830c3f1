// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fuzz_NAME RUNS [ARGUMENT...]: runs the target on its seeds and on RUNS mutations of them, the same in every run.
// fuzz_NAME --write FOLDER [ARGUMENT...]: writes the seeds into the folder, for libFuzzer.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>

#include "target.h"

namespace omptarget::fuzz {
namespace {

using Random = std::mt19937_64;

constexpr uint64_t kInteresting[] = {
    0,      1,          7,          8,         0x7f,       0xff,           0x1000,           0x7fffffff,
    kPlace, kPlace + 8, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 7, uint64_t{1} << 63};

size_t below(Random &random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

void set_word(Random &random, std::string &input, size_t size) {
  if (input.size() < size)
    return;
  const uint64_t value = random() % 3 == 0 ? random() : kInteresting[below(random, std::size(kInteresting))];
  const size_t at = below(random, input.size() - size + 1) / (random() % 4 == 0 ? 1 : size) * size;
  if (at + size <= input.size())
    std::memcpy(input.data() + at, &value, size);
}

void mutate(Random &random, std::string &input, const std::vector<std::string> &seeds) {
  switch (below(random, 8)) {
  case 0: input.resize(below(random, input.size() + 1)); break;
  case 1:
    input.insert(below(random, input.size() + 1), std::string(below(random, 64), static_cast<char>(random())));
    break;
  case 2:
    if (const std::string &other = seeds[below(random, seeds.size())]; !other.empty() && !input.empty()) {
      const size_t from = below(random, other.size());
      input.replace(below(random, input.size()), 32, other, from, 32);
    }
    break;
  case 3:
    if (!input.empty())
      input[below(random, input.size())] = static_cast<char>(random());
    break;
  case 4:
    if (!input.empty())
      input[below(random, input.size())] ^= static_cast<char>(1u << below(random, 8));
    break;
  case 5: set_word(random, input, 2); break;
  case 6: set_word(random, input, 4); break;
  default: set_word(random, input, 8);
  }
}

/// A copy of exactly this size, so that sanitizers see each byte too far.
void run(const std::string &input) {
  const auto copy = std::make_unique<uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), copy.get());
  (void)LLVMFuzzerTestOneInput(copy.get(), input.size());
}

int write_seeds(const std::string &folder, const std::vector<std::string> &all) {
  for (size_t i = 0; i < all.size(); ++i)
    if (!(std::ofstream(folder + "/seed_" + std::to_string(i), std::ios::binary) << all[i]))
      return 1;
  return 0;
}

int main(int count, char **arguments) {
  const bool writes = count > 2 && std::strcmp(arguments[1], "--write") == 0;
  const int used = writes ? 3 : 2;
  if (count < used) {
    std::fprintf(stderr, "usage: %s RUNS | --write FOLDER [ARGUMENT...]\n", arguments[0]);
    return 2;
  }
  const std::vector<std::string> all = seeds(count - used, arguments + used);
  require(!all.empty(), "there are seeds");
  if (writes)
    return write_seeds(arguments[2], all);
  for (const std::string &seed : all)
    run(seed);
  Random random(2024);
  const long runs = std::atol(arguments[1]);
  for (long i = 0; i < runs; ++i) {
    std::string input = all[below(random, all.size())];
    for (size_t changes = 1 + below(random, 6); changes > 0; --changes)
      mutate(random, input, all);
    run(input);
  }
  std::printf("%zu seeds, %ld mutations\n", all.size(), runs);
  return 0;
}

} // namespace
} // namespace omptarget::fuzz

int main(int count, char **arguments) { return omptarget::fuzz::main(count, arguments); }
