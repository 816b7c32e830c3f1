// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a lookup of an indirect function among 1 to 1,000,000: random functions, all of them known. Latency: each
// lookup waits for the one before; throughput: they may overlap, as those of independent calls do.

#include <algorithm>
#include <benchmark/benchmark.h>
#include <memory>
#include <random>
#include <vector>

#include "device-rtl/search.h"
#include "device-rtl/targets/host.h"
#include "indirect/caller_registry.h"
#include "indirect/function_table.h"
#include "indirect/lookup_table.h"

namespace omptarget {
namespace {

using Pairs = std::vector<FunctionPair>;

/// Functions of 16 to 256 bytes, as compilers align them.
Pairs make_pairs(size_t count) {
  std::mt19937_64 random(1);
  Pairs pairs(count);
  uint64_t address = 0x555555550000;
  for (FunctionPair &pair : pairs) {
    address += 16 * (1 + random() % 16);
    pair = {address, address + 0x100000000000};
  }
  return pairs;
}

std::vector<uint64_t> make_keys(const Pairs &pairs) {
  std::mt19937_64 random(2);
  std::vector<uint64_t> keys(1 << 16);
  for (uint64_t &key : keys)
    key = pairs[random() % pairs.size()].host_ptr;
  return keys;
}

uint64_t lower_bound(const Pairs &pairs, uint64_t key) {
  const auto found = std::lower_bound(pairs.begin(), pairs.end(), key,
                                      [](const FunctionPair &pair, uint64_t value) { return pair.host_ptr < value; });
  return found != pairs.end() && found->host_ptr == key ? found->tgt_ptr : key;
}

/// Behaves as LLVM 19's lookup does for functions that are there: range first, then halving until one is left. (For
/// others that one does not end.)
uint64_t like_llvm_19(const Pairs &pairs, uint64_t key) {
  if (key < pairs.front().host_ptr || key > pairs.back().host_ptr)
    return key;
  uint64_t left = 0;
  uint64_t right = pairs.size();
  while (left != right) {
    const uint64_t middle = left + (right - left) / 2;
    if (pairs[middle].host_ptr == key)
      return pairs[middle].tgt_ptr;
    if (pairs[middle].host_ptr < key)
      left = middle + 1;
    else
      right = middle;
  }
  return key;
}

uint64_t sorted_pairs(const Pairs &pairs, uint64_t key) {
  return device_rtl::translate<device_rtl::HostTarget>(pairs.data(), pairs.size(), key);
}

/// Two loops, so that the compiler cannot make one lookup wait for another where it need not.
template <typename Find> void measure(benchmark::State &state, const Pairs &pairs, Find &&find) {
  const std::vector<uint64_t> keys = make_keys(pairs);
  const size_t mask = keys.size() - 1;
  size_t next = 0;
  uint64_t last = 0;
  if (state.range(1) != 0)
    for (auto _ : state) // a target's top bit is never set, but the processor does not know
      benchmark::DoNotOptimize(last = find(keys[next++ & mask] + (last >> 63)));
  else
    for (auto _ : state)
      benchmark::DoNotOptimize(find(keys[next++ & mask]));
}

template <uint64_t (*Find)(const Pairs &, uint64_t)> void search(benchmark::State &state) {
  const Pairs pairs = make_pairs(static_cast<size_t>(state.range(0)));
  measure(state, pairs, [&](uint64_t key) { return Find(pairs, key); });
}

void hashed(benchmark::State &state) {
  const Pairs pairs = make_pairs(static_cast<size_t>(state.range(0)));
  const std::unique_ptr<uint64_t[]> memory(new uint64_t[LookupTable::bytes(pairs.size()) / 8]());
  const LookupTable *table = LookupTable::fill(memory.get(), pairs);
  measure(state, pairs, [&](uint64_t key) { return table->find(key); });
}

/// All that a call of device code to libomptarget.so does, but the call itself.
void by_caller(benchmark::State &state) {
  const Pairs pairs = make_pairs(static_cast<size_t>(state.range(0)));
  void *const code = reinterpret_cast<void *>(&std::malloc);
  publish_function_table(0, pairs);
  if (!register_cpu_image(0, code, nullptr))
    state.SkipWithError("libc is not accepted as an image");
  measure(state, pairs, [&](uint64_t key) {
    return reinterpret_cast<uint64_t>(translate_function_pointer(reinterpret_cast<void *>(key), code));
  });
  forget_cpu_image(0, code);
}

void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->ArgNames({"functions", "dependent"});
  for (int dependent : {0, 1})
    for (int size : {1, 10, 100, 1000, 10000, 100000, 1000000})
      benchmark->Args({size, dependent});
}
BENCHMARK(search<lower_bound>)->Apply(sizes);
BENCHMARK(search<like_llvm_19>)->Apply(sizes);
BENCHMARK(search<sorted_pairs>)->Apply(sizes);
BENCHMARK(hashed)->Apply(sizes);
BENCHMARK(by_caller)->Apply(sizes);

/// Pairs in random order, by so many modules: collected, sorted, merged.
void build_table(benchmark::State &state) {
  const Pairs pairs = make_pairs(static_cast<size_t>(state.range(0)));
  const auto modules = static_cast<size_t>(state.range(1));
  std::vector<Pairs> parts(modules);
  for (size_t i = 0; i < pairs.size(); ++i)
    parts[i * modules / pairs.size()].push_back(pairs[i]);
  for (Pairs &part : parts)
    std::shuffle(part.begin(), part.end(), std::mt19937_64(3));
  for (auto _ : state) {
    FunctionTable table;
    for (const Pairs &part : parts)
      table.add(&part, part);
    std::vector<FunctionConflict> conflicts;
    benchmark::DoNotOptimize(table.build(conflicts).data());
  }
}
BENCHMARK(build_table)
    ->ArgNames({"functions", "modules"})
    ->Args({1000000, 1})
    ->Args({1000000, 100})
    ->Unit(benchmark::kMillisecond);

/// The host library's own copy.
void publish_table(benchmark::State &state) {
  const Pairs pairs = make_pairs(static_cast<size_t>(state.range(0)));
  for (auto _ : state)
    publish_function_table(0, pairs);
}
BENCHMARK(publish_table)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace omptarget
