// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <llvm/Support/JSON.h>
#include <unistd.h>

#include "profile/profile_file.h"
#include "profile/profile_journal.h"
#include "profile/profile_summary.h"
#include "profile/profile_sums.h"

namespace omptarget::observe {
namespace {

ProfileEvent event(EventKind kind, uint64_t begin, uint64_t end) {
  ProfileEvent event{};
  event.kind = kind;
  event.begin_ns = begin;
  event.end_ns = end;
  event.region = 1;
  event.thread = 7;
  event.place = ";a.c;main;3;5;;";
  return event;
}

ProfileEvent copy(uint64_t begin, uint64_t fingerprint, EventKind kind = EventKind::kToDevice) {
  static int host;
  ProfileEvent result = event(kind, begin, begin + 10);
  result.host = &host;
  result.bytes = 100;
  result.name = ";x;a.c;1;2;;";
  result.fingerprint = fingerprint;
  return result;
}

TEST(Profile, copies_count_as_repeated_only_if_their_data_had_not_changed) {
  Profile profile;
  profile.events = {copy(0, 1),  copy(20, 1), copy(40, 2), copy(60, 2, EventKind::kFromDevice),
                    copy(80, 0), copy(100, 0)};
  const Summary summary = summarise(profile);
  ASSERT_EQ(summary.variables.size(), 2u);
  ASSERT_EQ(summary.repeated.size(), 2u);
  EXPECT_EQ(summary.repeated[0].detail, "to device");
  EXPECT_EQ(summary.repeated[0].unchanged_count, 1u);
  EXPECT_EQ(summary.repeated[0].count, 5u);
  EXPECT_EQ(summary.repeated[1].unchanged_count, 1u);
}

TEST(Profile, tables_are_ordered_by_time_and_count_everything) {
  Profile profile;
  profile.granularity_ns = 1000000;
  ProfileEvent first = event(EventKind::kKernel, 0, 10), second = event(EventKind::kKernel, 20, 220);
  first.name = "__omp_offloading_fe00_a78905_main_l10";
  second.name = "__omp_offloading_fe00_a78905__ZN1a4workEi_l20";
  profile.events = {first, second, first};
  const Summary summary = summarise(profile);
  ASSERT_EQ(summary.kernels.size(), 2u);
  EXPECT_EQ(summary.kernels[0].name, "a::work(int), line 20");
  EXPECT_EQ(summary.kernels[1].name, "main, line 10");
  EXPECT_EQ(summary.kernels[1].count, 2u);
  EXPECT_EQ(summary.kernels[1].place, "a.c:3:5");
  EXPECT_EQ(profile_as_json(profile, own_profile_source()).find("\"ph\":\"X\""), std::string::npos)
      << "shorter than the granularity";
}

TEST(Profile, sums_count_as_the_events_would) {
  std::vector<ProfileEvent> events;
  for (uint64_t i = 0; i < 60; ++i) {
    ProfileEvent region = event(EventKind::kTarget, i * 100, i * 100 + 50 + i % 7);
    ProfileEvent kernel = event(EventKind::kKernel, i * 100 + 20, i * 100 + 20 + i);
    kernel.name = i % 3 ? "__omp_offloading_fe00_a78905_main_l10" : "__omp_offloading_fe00_a78905_main_l20";
    ProfileEvent wait = event(EventKind::kWait, i * 100 + 30, i * 100 + 40);
    events.insert(events.end(), {region, copy(i * 100 + 1, i / 5 + 1), kernel, wait,
                                 copy(i * 100 + 60, i / 2 + 1, EventKind::kFromDevice)});
  }
  Profile all;
  all.events = events;
  const std::string wanted = profile_as_text(all);
  EXPECT_NE(wanted.find("omptarget profile: 300 events"), std::string::npos);
  for (const size_t kept : {size_t{0}, size_t{1}, size_t{137}, size_t{299}}) {
    EventSums sums;
    Profile profile;
    for (size_t i = 0; i < events.size(); ++i)
      if (i < kept) {
        profile.events.push_back(events[i]);
        sums.note_kept(events[i]);
      } else {
        sums.add(events[i], nullptr);
      }
    sums.append_to(profile.sums);
    EXPECT_EQ(profile.summed(), events.size() - kept);
    EXPECT_EQ(profile_as_text(profile), wanted);
  }
}

TEST(Profile, sums_keep_names_of_modules_that_go) {
  EventSums sums;
  ProfileEvent kernel = event(EventKind::kKernel, 0, 10);
  const std::string going = "__omp_offloading_fe00_a78905_going_l10";
  kernel.name = going.c_str();
  sums.add(kernel, nullptr);
  sums.replace_names([&](const char *&text) { text = text == going.c_str() ? "kept" : text; });
  sums.add(kernel, nullptr); // another module is at the address now
  std::vector<EventSum> result;
  sums.append_to(result);
  ASSERT_EQ(result.size(), 2u);
  EXPECT_STREQ(result[0].event.name, "kept");
  EXPECT_EQ(result[1].event.name, going.c_str());
}

TEST(Profile, names_cannot_break_out_of_the_page) {
  Profile profile;
  ProfileEvent bad = event(EventKind::kKernel, 0, 10);
  bad.name = "</script><script>alert(1)</script>\xff";
  profile.events = {bad};
  const std::string page = page_of_profile(profile_as_json(profile, own_profile_source()));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>"), std::string::npos);
}

/// Returns the text in the script element of that name.
std::string element_of(const std::string &page, const std::string &id) {
  const std::string begin = "id=\"" + id + "\">";
  const size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find("</script>", at) - at);
}

TEST(Profile, names_of_marks_are_names_in_the_page) {
  Profile profile;
  ProfileEvent bad = copy(0, 1);
  bad.name = ";@TRACE@;a.c;1;2;;";
  ProfileEvent worse = event(EventKind::kKernel, 20, 30);
  worse.name = "@SUMMARY@";
  profile.events = {bad, worse};
  const std::string page = page_of_profile(profile_as_json(profile, own_profile_source()));
  auto value = llvm::json::parse(element_of(page, "trace"));
  EXPECT_TRUE(static_cast<bool>(value)) << (value ? "" : llvm::toString(value.takeError()));
  EXPECT_NE(element_of(page, "trace").find("@TRACE@"), std::string::npos);
}

TEST(Profile, names_cannot_control_the_terminal) {
  Profile profile;
  ProfileEvent bad = event(EventKind::kKernel, 0, 10);
  bad.name = "\x1b[2Jkernel\n  forged row";
  profile.events = {bad};
  const std::string text = profile_as_text(profile);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[2Jkernel\\x0a  forged row"), std::string::npos) << text;
}

TEST(Profile, tables_have_names_that_are_short_and_tell_rows_apart) {
  const std::pair<const char *, const char *> kernels[] = {
      {"__omp_offloading_fe00_a78905__ZN1a4workEi_l10", ";a.c;main;10;5;;"},
      {"__omp_offloading_fe00_a78905__Z1fIiEvT__l20", ";a.c;f;20;5;;"},
      {"__omp_offloading_fe00_a78905__Z1fIdEvT__l20", ";a.c;f;20;5;;"},
      {"__omp_offloading_fe00_a78905__Z1gi_l30", ""},
      {"__omp_offloading_fe00_a78905__Z1gd_l30", ""},
  };
  Profile profile;
  for (const auto &[name, place] : kernels) {
    profile.events.push_back(event(EventKind::kKernel, 0, 10));
    profile.events.back().name = name;
    profile.events.back().place = place;
  }
  const std::string text = profile_as_text(profile);
  for (const char *const name : {"  a::work, line 10  ", "  f<int>, line 20 ", "  f<double>, line 20 ",
                                 "  g(int), line 30 ", "  g(double), line 30 "})
    EXPECT_NE(text.find(name), std::string::npos) << text;
}

TEST(Profile, kernels_have_their_shape_in_the_timeline) {
  Profile profile;
  ProfileEvent kernel = event(EventKind::kKernel, 0, 10);
  kernel.shape = {{2, 4, 6}, {128, 0, 0}};
  profile.events = {kernel};
  const std::string json = profile_as_json(profile, own_profile_source());
  EXPECT_NE(json.find("\"teams\":\"[2,4,6]\",\"threads\":\"128\""), std::string::npos) << json;
}

TEST(Profile, an_empty_profile_is_valid) {
  EXPECT_NE(profile_as_json({}, own_profile_source()).find("\"traceEvents\":[]"), std::string::npos);
  EXPECT_EQ(profile_as_text({}), "omptarget profile: 0 events");
}

TEST(Profile, sizes_and_times_are_readable) {
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(1500), "1.50 us");
  EXPECT_EQ(time_text(2500000000), "2.50 s");
  EXPECT_EQ(bytes_text(80000), "80.00 kB");
  EXPECT_EQ(rate_text(2000, 1000), "2.00 GB/s");
  EXPECT_EQ(rate_text(2000, 0), "-");
}

std::string contents_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(Profile, a_journal_has_all_events_and_no_damage_does_harm) {
  const std::string path = ::testing::TempDir() + "journal-" + std::to_string(getpid());
  JournalThread thread;
  constexpr uint64_t kMany = 300; // more than a block has
  for (uint64_t i = 0; i < kMany; ++i) {
    ProfileEvent one = event(EventKind::kKernel, i, 2 * i);
    one.name = i % 2 ? "kernel" : nullptr;
    journal_event(thread, one, path);
  }
  const EventSum sum{{1, 2, 3, 4, 5, 6}, event(EventKind::kTarget, 0, 0)};
  JournalSum *const place = journal_sum(sum, path);
  ASSERT_NE(place, nullptr);
  update_journal_sum(*place, sum);
  const std::string contents = contents_of(path + ".journal");
  Result<ReadJournal> read = read_journal(contents, "journal");
  ASSERT_TRUE(read.is_ok());
  ASSERT_EQ(read->profile.events.size(), kMany);
  EXPECT_EQ(read->source.pid, getpid());
  EXPECT_STREQ(read->profile.events[7].name, "kernel");
  EXPECT_EQ(read->profile.events[8].name, nullptr);
  EXPECT_EQ(read->profile.events[299].end_ns, 598u);
  ASSERT_EQ(read->profile.sums.size(), 1u);
  const EventSum &told = read->profile.sums[0];
  EXPECT_EQ(told.event.kind, EventKind::kTarget);
  EXPECT_STREQ(told.event.place, sum.event.place);
  EXPECT_EQ(
      (std::tuple{told.count, told.total_ns, told.longest_ns, told.bytes, told.unchanged_count, told.unchanged_bytes}),
      (std::tuple{1u, 2u, 3u, 4u, 5u, 6u}));
  const auto is_harmless = [](const std::string &damaged) {
    Result<ReadJournal> result = read_journal(damaged, "journal");
    if (result.is_ok())
      EXPECT_FALSE(profile_as_json(result->profile, result->source).empty());
    else
      EXPECT_NE(result.take_status().to_string().find("journal"), std::string::npos);
  };
  for (size_t i = 0; i < 8000; i += 1) {
    std::string damaged = contents.substr(0, 40000);
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    is_harmless(damaged);
    damaged[i] = '\xff';
    is_harmless(damaged);
  }
  for (size_t i = 62000; i < 62700; ++i) { // the sum
    std::string damaged = contents.substr(0, 64000);
    damaged[i] = '\xff';
    is_harmless(damaged);
  }
  for (size_t size = 0; size < 40000; size += 97)
    is_harmless(contents.substr(0, size));
  remove_journal();
  EXPECT_TRUE(contents_of(path + ".journal").empty());
}

} // namespace
} // namespace omptarget::observe
