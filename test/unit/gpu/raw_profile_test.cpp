// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/raw_profile.h"

#include <cstring>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/profile_file.h"

namespace omptarget::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kIr = uint64_t{1} << 56;

template <typename T> void put(std::string &bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}
std::string words(std::initializer_list<uint64_t> values) {
  return {reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(uint64_t)};
}

/// Two functions of two counters and one, as version 10 has them. The first has a site of a call.
ProfileData sample(uint64_t first = 5) {
  ProfileData data;
  data.version = kIr | 10;
  data.names = {0x100, "two names"};
  data.counters = {0x400, words({first, 6, 7})};
  data.records = {0x800, std::string(128, '\0')};
  put(data.records.bytes, 0, uint64_t{11});                  // hash of the name
  put(data.records.bytes, 16, uint64_t{0x400} - 0x800);      // counters, from here
  put(data.records.bytes, 32, uint64_t{0xabcdef});           // the function's address
  put(data.records.bytes, 48, uint32_t{2});                  // how many
  put(data.records.bytes, 52, uint16_t{1});                  // sites
  put(data.records.bytes, 64, uint64_t{12});                 // the second
  put(data.records.bytes, 64 + 16, uint64_t{0x410} - 0x840); // counters, from there
  put(data.records.bytes, 64 + 48, uint32_t{1});
  return data;
}

std::string problem_of(ProfileData data) {
  Result<RawProfile> profile = make_raw_profile(std::move(data));
  return profile ? "none" : profile.status().to_string();
}

RawProfile profile_of(ProfileData data) {
  Result<RawProfile> profile = make_raw_profile(std::move(data));
  EXPECT_TRUE(profile) << profile.status().to_string();
  return profile ? *profile : RawProfile{};
}

TEST(RawProfile, has_the_functions_with_their_counters) {
  const std::vector<FunctionCounters> functions = functions_of(profile_of(sample()));
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].name_hash, 11u);
  EXPECT_THAT(functions[0].counters, ElementsAre(5, 6));
  EXPECT_THAT(functions[1].counters, ElementsAre(7));
}

TEST(RawProfile, is_laid_out_as_the_format_says) {
  const std::string bytes = profile_of(sample()).bytes;
  // Header, records, counters, names with padding, one kind of values at one site.
  ASSERT_EQ(bytes.size(), 128u + 128 + 24 + 16 + 8 + 16);
  EXPECT_EQ(bytes.substr(0, 24), words({0xff6c70726f667281, kIr | 10, 0}));
  EXPECT_EQ(bytes.substr(24, 24), words({2, 0, 3}));                    // records, padding, counters
  EXPECT_EQ(bytes.substr(72, 16), words({9, uint64_t{0x400} - 0x800})); // bytes of names, counters from records
  EXPECT_EQ(bytes.substr(120, 8), words({2}));                          // the last kind of values
  EXPECT_EQ(bytes.substr(128 + 32, 8), words({0}));                     // no address
  EXPECT_EQ(bytes.substr(256, 24), words({5, 6, 7}));
  EXPECT_EQ(bytes.substr(280, 16), std::string("two names\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(bytes.substr(296), words({24 | uint64_t{1} << 32, uint64_t{1} << 32, 0}));
}

TEST(RawProfile, the_newest_version_has_other_records) {
  ProfileData newest;
  newest.version = kIr | 11;
  newest.names = {0x100, "n"};
  newest.counters = {0x400, words({3})};
  newest.uniform_counters = {0x480, words({2})};
  newest.records = {0x500, std::string(72, '\0')};
  put(newest.records.bytes, 16, uint64_t{0x400} - 0x500);
  put(newest.records.bytes, 24, uint64_t{0x480} - 0x500);
  put(newest.records.bytes, 56, uint32_t{1});
  const RawProfile profile = profile_of(newest);
  EXPECT_EQ(profile.bytes.size(), 152u + 72 + 8 + 8 + 8);
  EXPECT_EQ(profile.counters_size, 16u);
  EXPECT_EQ(profile.bytes.substr(72, 24), words({1, 0, uint64_t{0x480} - 0x500})); // a record of uniform counters
  put(newest.records.bytes, 24, uint64_t{0x488} - 0x500);
  EXPECT_THAT(problem_of(newest), HasSubstr("it points at 1 counters at 0x488, and there are 1 at 0x480"));
}

TEST(RawProfile, says_what_is_wrong) {
  ProfileData data = sample();
  data.version = kIr | 12;
  EXPECT_THAT(problem_of(data), HasSubstr("its format has version 12"));
  data.version = uint64_t{1} << 60 | 10; // counters are bytes
  EXPECT_THAT(problem_of(data), HasSubstr("known are 10 and 11, with counters of 64 bits"));
  data = sample();
  data.names.bytes.clear();
  EXPECT_THAT(problem_of(data), HasSubstr("its section __llvm_prf_names is missing or empty"));
  data = sample();
  data.counters.bytes += "x";
  EXPECT_THAT(problem_of(data), HasSubstr("__llvm_prf_cnts has 25 bytes, which is no multiple of 8"));
  data = sample();
  data.records.bytes.resize(100);
  EXPECT_THAT(problem_of(data), HasSubstr("__llvm_prf_data has 100 bytes, which is no multiple of 64"));
  for (const uint64_t counters : {0x3f8, 0x401, 0x411, 0x420, 0x7fffffff}) {
    data = sample();
    put(data.records.bytes, 64 + 16, counters - 0x840);
    EXPECT_THAT(problem_of(data), HasSubstr("record 1 of 2 in __llvm_prf_data")) << counters;
  }
  data = sample();
  put(data.records.bytes, 64 + 48, uint32_t{0xffffffff});
  EXPECT_THAT(problem_of(data), HasSubstr("it points at 4294967295 counters"));
}

TEST(RawProfile, the_same_code_is_summed_other_code_stands_behind_it) {
  std::string contents;
  ASSERT_TRUE(add_profile(contents, profile_of(sample(5))));
  const size_t size = contents.size();
  ProfileData moved = sample(100);
  put(moved.records.bytes, 32, uint64_t{0x123456}); // loaded elsewhere
  ASSERT_TRUE(add_profile(contents, profile_of(moved)));
  EXPECT_EQ(contents.size(), size);
  EXPECT_EQ(contents.substr(256, 24), words({105, 12, 14}));

  ProfileData other = sample(1);
  other.names.bytes = "2 more...";
  ASSERT_TRUE(add_profile(contents, profile_of(other)));
  EXPECT_EQ(contents.size(), 2 * size);
  ASSERT_TRUE(add_profile(contents, profile_of(other)));
  EXPECT_EQ(contents.size(), 2 * size);
  EXPECT_EQ(contents.substr(256, 24), words({105, 12, 14}));
  EXPECT_EQ(contents.substr(size + 256, 24), words({2, 12, 14}));
  EXPECT_NE(profile_signature(profile_of(other)), profile_signature(profile_of(sample())));
  EXPECT_EQ(profile_signature(profile_of(moved)), profile_signature(profile_of(sample())));
}

TEST(RawProfile, sums_do_not_wrap) {
  std::string contents;
  ASSERT_TRUE(add_profile(contents, profile_of(sample(~uint64_t{0} - 1))));
  ASSERT_TRUE(add_profile(contents, profile_of(sample(5))));
  EXPECT_EQ(contents.substr(256, 8), words({~uint64_t{0}}));
}

TEST(RawProfile, nothing_is_added_to_what_is_none) {
  const RawProfile profile = profile_of(sample());
  for (size_t size = 1; size < profile.bytes.size(); ++size) {
    std::string contents = profile.bytes.substr(0, size);
    EXPECT_FALSE(add_profile(contents, profile)) << size;
    EXPECT_EQ(contents.size(), size);
  }
  for (size_t word = 0; word < 16; ++word) { // a header that is damaged anywhere
    std::string contents = profile.bytes;
    put(contents, word * 8, ~uint64_t{0});
    add_profile(contents, profile).consume();
  }
  std::string contents = profile.bytes + "rubbish";
  ProfileData other = sample();
  other.names.bytes = "2 more...";
  EXPECT_THAT(add_profile(contents, profile_of(other)).to_string(),
              HasSubstr("what it holds at byte 320 is no raw profile that is known here"));
}

std::string path_of(const std::string &pattern, bool merges = false) {
  bool does = !merges;
  const std::string path = profile_path({pattern, "amdgcn-amd-amdhsa", "/tmp", 77}, does);
  EXPECT_EQ(does, merges) << pattern;
  return path;
}

TEST(ProfileName, has_the_target_before_the_name) {
  EXPECT_EQ(path_of("default.profraw"), "amdgcn-amd-amdhsa.default.profraw");
  EXPECT_EQ(path_of("/a/b.c/x"), "/a/b.c/amdgcn-amd-amdhsa.x");
}

TEST(ProfileName, is_made_as_the_hosts_own) {
  const std::string process = std::to_string(::getpid());
  EXPECT_EQ(path_of("%p-%p"), "amdgcn-amd-amdhsa." + process + "-" + process);
  EXPECT_EQ(path_of("%m", true), "amdgcn-amd-amdhsa.77_0");
  EXPECT_EQ(path_of("x%4m", true), "amdgcn-amd-amdhsa.x77_" + std::to_string(::getpid() % 4));
  EXPECT_EQ(path_of("%tx"), "/tmp/amdgcn-amd-amdhsa.x");
  EXPECT_EQ(path_of("%b%c"), "amdgcn-amd-amdhsa.000000000000004d");
  EXPECT_EQ(path_of("100%"), "amdgcn-amd-amdhsa.100%");
  EXPECT_EQ(path_of("%4p %q"), "amdgcn-amd-amdhsa.%4p %q");
}

} // namespace
} // namespace omptarget::gpu
