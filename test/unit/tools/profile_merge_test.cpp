// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/profile/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/Support/JSON.h>

namespace omptarget::profile_tool {
namespace {

using testing::HasSubstr;

std::string profile(int rank, int64_t start_ns, int kernel_ns) {
  return format(R"({"displayTimeUnit":"ns","traceEvents":[
    {"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"host"}},
    {"ph":"X","pid":1,"tid":7,"ts":0,"dur":2.5,"name":"target","cat":"target","args":{}},
    {"ph":"s","pid":1,"tid":7,"ts":1,"id":1,"name":"work","cat":"flow"}],
    "otherData":{"producer":"omptarget","rank":%d,"node":"n","startNs":%lld,"lostEvents":2,
    "memory":[{"device":0,"allocations":3}],
    "summary":{"kernels":[{"name":"k","place":"p","detail":"","count":1,"ns":%d,"longest":%d,"bytes":0}],"waitNs":5}}})",
                rank, static_cast<long long>(start_ns), kernel_ns, kernel_ns);
}

std::string failure_of(const std::vector<ProfileText> &profiles) {
  Result<std::string> merged = merge_profiles(profiles, Timeline::kClocks);
  return merged.is_ok() ? "merged" : merged.take_status().to_string();
}

TEST(MergeProfiles, adds_up_and_shifts) {
  Result<std::string> merged =
      merge_profiles({{"b", profile(1, 5000, 40)}, {"a", profile(0, 2000, 30)}}, Timeline::kClocks);
  ASSERT_TRUE(merged.is_ok());
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*merged);
  ASSERT_TRUE(static_cast<bool>(value));
  const llvm::json::Object &root = *value->getAsObject();
  const llvm::json::Array &events = *root.getArray("traceEvents");
  ASSERT_EQ(events.size(), 6u);
  const auto event = [&](size_t i) -> const llvm::json::Object & { return *events[i].getAsObject(); };
  EXPECT_EQ(event(0).getObject("args")->getString("name"), "rank 0 (n), host");
  EXPECT_EQ(event(3).getObject("args")->getString("name"), "rank 1 (n), host");
  EXPECT_EQ(event(1).getNumber("ts"), 0.0);
  EXPECT_EQ(event(4).getNumber("ts"), 3.0);
  EXPECT_NE(event(1).getInteger("pid"), event(4).getInteger("pid"));
  EXPECT_NE(event(2).getInteger("id"), event(5).getInteger("id"));
  const llvm::json::Object &other = *root.getObject("otherData");
  EXPECT_EQ(other.getInteger("lostEvents"), 4);
  EXPECT_EQ(other.getArray("memory")->size(), 2u);
  const llvm::json::Object &summary = *other.getObject("summary");
  EXPECT_EQ(summary.getInteger("waitNs"), 10);
  const llvm::json::Object &kernel = *(*summary.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel.getInteger("count"), 2);
  EXPECT_EQ(kernel.getInteger("ns"), 70);
  EXPECT_EQ(kernel.getInteger("longest"), 40);
  EXPECT_EQ(summary.getArray("ranks")->size(), 2u);
}

TEST(MergeProfiles, one_process_does_not_count_twice) {
  const auto of_process = [](int pid, int64_t start_ns) {
    std::string text = profile(0, start_ns, 30);
    return text.replace(text.find("\"rank\""), 0, format("\"pid\":%d,", pid));
  };
  EXPECT_EQ(failure_of({{"a", of_process(7, 1)}, {"b", of_process(8, 1)}, {"c", of_process(7, 2)}}), "merged");
  EXPECT_EQ(failure_of({{"a", of_process(7, 1)}, {"b", of_process(8, 1)}, {"a", of_process(7, 1)}}),
            "a is given twice");
  EXPECT_EQ(failure_of({{"a", of_process(7, 1)}, {"b", of_process(7, 1)}}),
            "a and b are profiles of one process, 7 on n: give one of them");
}

TEST(MergeProfiles, events_end_where_their_values_do) {
  std::string text = profile(0, 2000, 30);
  const std::string name = "\"name\":\"target\"";
  text.replace(text.find(name), name.size(), R"("name":"a,b]}\"},{[\\")");
  text.insert(1, R"("first":["traceEvents",{"traceEvents":[1,2]}],)");
  Result<std::string> merged = merge_profiles({{"a", text}}, Timeline::kClocks);
  ASSERT_TRUE(merged.is_ok()) << merged.status().to_string();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*merged);
  ASSERT_TRUE(static_cast<bool>(value));
  const llvm::json::Array &events = *value->getAsObject()->getArray("traceEvents");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].getAsObject()->getString("name"), "a,b]}\"},{[\\");
  text.replace(text.find("\"ph\":\"s\""), 4, "nonsense");
  EXPECT_THAT(failure_of({{"a", text}}), HasSubstr("a: is no JSON"));
}

TEST(MergeProfiles, may_begin_at_0) {
  Result<std::string> merged =
      merge_profiles({{"a", profile(0, 2000, 30)}, {"b", profile(1, 5000, 40)}}, Timeline::kAligned);
  ASSERT_TRUE(merged.is_ok());
  EXPECT_EQ(merged->find("\"ts\":3"), std::string::npos);
}

TEST(MergeProfiles, damaged_ones_are_named) {
  const std::string good = profile(0, 1, 1);
  for (const std::string &bad : {std::string(), std::string("{}"), std::string("[]"), std::string("\xff\xfe"),
                                 good.substr(0, good.size() / 2), std::string(1 << 20, '['), std::string(1 << 20, '{'),
                                 std::string(R"({"traceEvents":[],"otherData":{"producer":"omptarget"}})")})
    EXPECT_THAT(failure_of({{"good", good}, {"the bad one", bad}}), HasSubstr("the bad one: "));
}

TEST(MergeProfiles, numbers_stay_finite) {
  const auto with = [](const std::string &from, const std::string &to) {
    std::string text = profile(0, 1, 1);
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(failure_of({{"a", with("\"dur\":2.5", "\"dur\":1e999")}}),
            "a: is no profile: one of its numbers is too large");
  EXPECT_EQ(failure_of({{"a", with("\"allocations\":3", "\"allocations\":[-1e999]")}}),
            "a: is no profile: one of its numbers is too large");
  const std::string largest = "\"ts\":1.7976931348623157e308,\"dur\":1.7976931348623157e308";
  Result<std::string> merged = merge_profiles(
      {{"a", profile(0, INT64_MIN, 1)}, {"b", with("\"ts\":0,\"dur\":2.5", largest)}, {"c", profile(2, INT64_MAX, 1)}},
      Timeline::kClocks);
  ASSERT_TRUE(merged.is_ok());
  EXPECT_EQ(merged->find("inf"), std::string::npos);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*merged);
  EXPECT_TRUE(static_cast<bool>(value));
}

TEST(MergeProfiles, fields_of_other_types_are_survived) {
  std::string odd = profile(0, 1, 1);
  for (const char *number : {"\"ts\":0", "\"pid\":1", "\"dur\":2.5", "\"count\":1", "\"id\":1"}) {
    const size_t at = odd.find(number);
    odd.replace(at, std::string(number).size(), std::string(number).substr(0, std::string(number).find(':')) + ":[{}]");
  }
  EXPECT_EQ(failure_of({{"odd", odd}, {"good", profile(1, 9, 9)}}), "merged");
}

} // namespace
} // namespace omptarget::profile_tool
