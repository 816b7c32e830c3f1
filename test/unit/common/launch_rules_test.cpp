// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/launch_rules.h"

#include <cstdlib>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

namespace omptarget {
namespace {

KernelTraits environment(ExecMode mode, int32_t min_threads = 0, int32_t max_threads = 0) {
  KernelTraits traits;
  traits.source = KernelTraits::Source::kEnvironment;
  traits.exec_mode = mode;
  traits.min_threads = min_threads;
  traits.max_threads = max_threads;
  return traits;
}

KernelTraits old(ExecMode mode) {
  KernelTraits traits;
  traits.source = KernelTraits::Source::kExecModeByte;
  traits.exec_mode = mode;
  return traits;
}

LaunchShape shape(const KernelTraits &traits, int32_t teams, int32_t threads, uint64_t trips,
                  const LaunchLimits &limits = {}) {
  return choose_launch_shape(traits, limits, {traits.exec_mode, teams, threads, trips});
}

TEST(LaunchRules, defaults_without_any_wish) {
  const LaunchShape chosen = shape(environment(ExecMode::kSpmd), 0, 0, 0);
  EXPECT_EQ(chosen.teams, 3200u);
  EXPECT_EQ(chosen.threads, 128u);
}

TEST(LaunchRules, threads_follow_wish_kernel_and_device) {
  EXPECT_EQ(shape(environment(ExecMode::kSpmd, 256, 512), 0, 0, 0).threads, 256u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd, 0, 64), 0, 0, 0).threads, 64u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd, 0, 512), 0, 1000, 0).threads, 512u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 0, 2000, 0).threads, 1024u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 0, 1, 0).threads, 1u);
}

TEST(LaunchRules, generic_mode_gets_a_warp_more) {
  EXPECT_EQ(shape(environment(ExecMode::kGeneric), 0, 32, 0).threads, 64u);
  EXPECT_EQ(shape(environment(ExecMode::kGeneric), 0, 1024, 0).threads, 1024u);
  EXPECT_EQ(shape(environment(ExecMode::kGenericSpmd), 0, 32, 0).threads, 32u);
  EXPECT_EQ(shape(environment(ExecMode::kGeneric), 0, 2147483647, 0).threads, 1024u);
}

TEST(LaunchRules, a_bare_kernel_gets_what_it_asks_for) {
  const LaunchShape chosen = shape(environment(ExecMode::kBare), 100000, 4096, 5);
  EXPECT_EQ(chosen.teams, 100000u);
  EXPECT_EQ(chosen.threads, 4096u);
}

TEST(LaunchRules, wished_teams_count_up_to_the_device) {
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 17, 0, 1000000).teams, 17u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 100000, 0, 0).teams, 100000u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 2147483647, 0, 0).teams, 2147483647u);
  // A device that counts threads instead.
  LaunchLimits limits;
  limits.max_items = UINT32_MAX;
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 2147483647, 256, 0, limits).teams, UINT32_MAX / 256);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 2147483647, 1, 0, limits).teams, 2147483647u);
}

TEST(LaunchRules, loops_fill_the_device_first) {
  const KernelTraits traits = environment(ExecMode::kSpmd);
  // trips, teams, threads
  const uint64_t expected[][3] = {{1, 1, 32},          {32, 1, 32},         {33, 2, 32},
                                  {102399, 3200, 32},  {102400, 3200, 32},  {102401, 1601, 64},
                                  {204801, 1601, 128}, {409600, 3200, 128}, {1000000000, 3200, 128}};
  for (const auto &[trips, teams, threads] : expected) {
    const LaunchShape chosen = shape(traits, 0, 0, trips);
    EXPECT_EQ(chosen.teams, teams) << trips;
    EXPECT_EQ(chosen.threads, threads) << trips;
  }
}

TEST(LaunchRules, a_thread_limit_is_not_lowered_for_short_loops) {
  const LaunchShape chosen = shape(environment(ExecMode::kSpmd), 0, 128, 1000);
  EXPECT_EQ(chosen.threads, 128u);
  EXPECT_EQ(chosen.teams, 8u);
}

TEST(LaunchRules, kernels_of_older_compilers_keep_their_threads) {
  const LaunchShape chosen = shape(old(ExecMode::kSpmd), 0, 0, 1000);
  EXPECT_EQ(chosen.threads, 128u);
  EXPECT_EQ(chosen.teams, 8u);
}

TEST(LaunchRules, generic_loops_get_a_team_for_each_trip) {
  EXPECT_EQ(shape(environment(ExecMode::kGeneric), 0, 0, 70).teams, 70u);
  EXPECT_EQ(shape(environment(ExecMode::kGenericSpmd), 0, 0, 70).teams, 70u);
  EXPECT_EQ(shape(environment(ExecMode::kGeneric), 0, 0, 7000).teams, 3200u);
}

TEST(LaunchRules, without_reuse_every_chunk_is_a_team) {
  LaunchLimits limits;
  limits.reuse_blocks = false;
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 0, 0, 1000000, limits).teams, 7813u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 0, 0, uint64_t{1} << 40, limits).teams, 2147483647u);
}

TEST(LaunchRules, a_kernel_without_loop_covers_all_trips) {
  EXPECT_EQ(shape(environment(ExecMode::kSpmdNoLoop), 0, 0, 10000000).teams, 78125u);
}

TEST(LaunchRules, strict_numbers_are_used_as_they_are) {
  LaunchLimits limits;
  limits.max_threads = 64;
  limits.max_teams = 100;
  const KernelTraits traits = environment(ExecMode::kGeneric);
  const LaunchShape strict = choose_launch_shape(traits, limits, {ExecMode::kGeneric, 200, 96, 0, true});
  EXPECT_EQ(strict.teams, 200u);
  EXPECT_EQ(strict.threads, 96u);
  const LaunchShape usual = choose_launch_shape(traits, limits, {ExecMode::kGeneric, 200, 96, 0});
  EXPECT_EQ(usual.teams, 100u);
  EXPECT_EQ(usual.threads, 64u);
}

TEST(LaunchRules, nothing_is_ever_empty) {
  LaunchLimits limits;
  limits.max_threads = 0;
  limits.default_teams = 0;
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 0, 0, 10, limits).threads, 1u);
  EXPECT_EQ(shape(environment(ExecMode::kSpmd), 0, 0, 0, limits).teams, 1u);
}

TEST(LaunchRules, settings_lower_the_limits) {
  setenv("OMP_NUM_TEAMS", "100", 1);
  setenv("OMP_TEAMS_THREAD_LIMIT", "64", 1);
  LaunchLimits limits;
  apply_launch_settings(limits);
  unsetenv("OMP_NUM_TEAMS");
  unsetenv("OMP_TEAMS_THREAD_LIMIT");
  const KernelTraits traits = environment(ExecMode::kSpmd);
  for (const ShapeRequest &request : {ShapeRequest{ExecMode::kSpmd, 0, 0, 0}, {ExecMode::kSpmd, 200, 96, 0}}) {
    const LaunchShape chosen = choose_launch_shape(traits, limits, request);
    EXPECT_EQ(chosen.teams, 100u);
    EXPECT_EQ(chosen.threads, 64u);
  }
  EXPECT_EQ(default_threads_of(traits, limits), 64u);
}

TEST(LaunchRules, bounds_of_the_request_go_before_settings) {
  LaunchLimits limits;
  limits.most_teams = 8;
  limits.most_threads = 32;
  ShapeRequest request{ExecMode::kSpmd, 50, 96, 1000000};
  request.bounds_teams = request.bounds_threads = true;
  LaunchShape chosen = choose_launch_shape(environment(ExecMode::kSpmd), limits, request);
  EXPECT_EQ(chosen.teams, 50u);
  EXPECT_EQ(chosen.threads, 96u);
  request.trip_count = 40; // they are no wishes
  chosen = choose_launch_shape(environment(ExecMode::kSpmd), limits, request);
  EXPECT_EQ(chosen.teams, 2u);
  EXPECT_EQ(chosen.threads, 32u);
  request.exec_mode = ExecMode::kGeneric; // one more warp has the main thread
  request.thread_limit = 64;
  EXPECT_EQ(choose_launch_shape(environment(ExecMode::kGeneric), limits, request).threads, 96u);
}

class Symbols {
public:
  template <typename T> void add(const std::string &name, const T &value) {
    all_[name] = std::string(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  Result<KernelTraits> read(const std::string &kernel) const {
    return read_kernel_traits(kernel, [this](const std::string &name, void *bytes, size_t size) -> Result<bool> {
      const auto found = all_.find(name);
      if (found == all_.end() || found->second.size() < size)
        return false;
      std::memcpy(bytes, found->second.data(), size);
      return true;
    });
  }

private:
  std::map<std::string, std::string> all_;
};

struct RawEnvironment {
  uint8_t bytes[4];
  int32_t numbers[6];
  int32_t padding;
  uint64_t pointers[2];
};
static_assert(sizeof(RawEnvironment) == kKernelEnvironmentSize);

TEST(KernelTraits, the_environment_is_read) {
  Symbols symbols;
  symbols.add("k_kernel_environment", RawEnvironment{{0, 1, 2, 0}, {1, 128, -1, -1, 4, 1024}, 0, {1, 2}});
  Result<KernelTraits> traits = symbols.read("k");
  ASSERT_TRUE(traits);
  EXPECT_EQ(traits->exec_mode, ExecMode::kSpmd);
  EXPECT_EQ(traits->max_threads, 128);
  EXPECT_EQ(traits->reduction_buffer_size(3), 4096u);
}

TEST(KernelTraits, the_size_of_the_environment_tells_its_layout) {
  const RawEnvironment raw{{0, 1, 2, 0}, {1, 128, -1, -1, 4, 1024}, 0, {1, 2}};
  std::array<unsigned char, 64> bytes{};
  std::memcpy(bytes.data(), &raw, sizeof(raw));
  const auto read = [&](size_t size) {
    return read_kernel_traits("k", [&](const std::string &name, void *destination, size_t wanted) -> Result<bool> {
      if (name != "k_kernel_environment" || size < wanted)
        return false;
      std::memcpy(destination, bytes.data(), wanted);
      return true;
    });
  };
  Result<KernelTraits> trailing = read(40);
  ASSERT_TRUE(trailing);
  EXPECT_EQ(trailing->max_threads, 128);
  EXPECT_EQ(trailing->reduction_buffer_length, 0u); // a pointer lies there
  EXPECT_EQ(trailing->reduction_buffer_size(3), 12u);
  EXPECT_EQ(read(48)->reduction_buffer_size(3), 4096u);
  for (const size_t size : {1, 39, 41, 47, 49, 56, 64})
    EXPECT_NE(read(size).status().to_string().find("bytes; known are 48 (clang 18 to 22) and 40 (clang 23): a newer"),
              std::string::npos)
        << size;
}

TEST(KernelTraits, the_byte_is_read_and_nothing_means_something) {
  Symbols symbols;
  symbols.add("k_exec_mode", uint8_t{3});
  EXPECT_EQ(symbols.read("k")->mode_for(2), ExecMode::kGenericSpmd);
  EXPECT_EQ(symbols.read("other")->mode_for(2), ExecMode::kSpmd);
  EXPECT_EQ(symbols.read("other")->mode_for(3), ExecMode::kBare);
}

TEST(KernelTraits, nonsense_is_refused) {
  Symbols symbols;
  symbols.add("a_exec_mode", uint8_t{77});
  symbols.add("b_kernel_environment", RawEnvironment{{0, 0, 5, 0}, {}, 0, {}});
  symbols.add("c_kernel_environment", RawEnvironment{{0, 0, 2, 0}, {0, 0, 0, 0, -4, 10}, 0, {}});
  for (const char *kernel : {"a", "b", "c"})
    EXPECT_FALSE(symbols.read(kernel)) << kernel;
}

} // namespace
} // namespace omptarget
