// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-profile: what can be done with files that LIBOMPTARGET_PROFILE has written.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "base/format.h"
#include "base/result_file.h"
#include "base/text_output.h"
#include "base/version.h"
#include "profile/gzip.h"
#include "profile/profile_file.h"
#include "profile/profile_journal.h"
#include "tools/profile/merge.h"

using namespace omptarget;
using namespace omptarget::profile_tool;

namespace {

constexpr const char *kUsage =
    "usage: omptarget-profile merge [--align] -o RESULT PROFILE...\n"
    "       omptarget-profile summary [--json] PROFILE\n"
    "       omptarget-profile recover [-o RESULT] JOURNAL\n"
    "Works on profiles that LIBOMPTARGET_PROFILE has written.\n"
    "merge makes one profile of those of many processes, each written with LIBOMPTARGET_PROFILE=name.%r.json.\n"
    "It is a page for a browser if RESULT ends in .html, otherwise Chrome's trace-event format.\n"
    "summary prints the tables of one profile, or of a merged one, as comma-separated values: a line for each row,\n"
    "with the table's name first, times in nanoseconds.\n"
    "recover makes the profile of a process that was killed or has crashed, of its journal RESULT.journal: as RESULT,\n"
    "or as its name says without -o.\n"
    "A RESULT that ends in .gz is compressed. Profiles that are read may be.\n"
    "  -o RESULT  the name of the result; - is stdout\n"
    "  --json     the tables as JSON\n"
    "  --align    all processes begin at 0; without it, the clocks of the nodes are taken as they are\n"
    "  --help     this text\n"
    "  --version  which omptarget this is\n";

int print_failure(const std::string &text) {
  write_error_line("omptarget-profile: " + text);
  return 1;
}

int misused(const std::string &text) {
  print_failure(text);
  std::fputs(kUsage, stderr);
  return 2;
}

/// Bytes of the largest profile that is read: several times what the runtime writes.
constexpr size_t kMostBytes = size_t{1} << 30;

Status too_large(const char *path) {
  return Status::error(format("%s has more than %zu bytes, the most that a profile has", path, kMostBytes));
}

/// A regular file's contents, decompressed.
Result<std::string> read_file(const char *path) {
  struct stat facts{};
  if (::stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
    return Status::error(format("%s is no regular file", path));
  if (facts.st_size > static_cast<off_t>(kMostBytes))
    return too_large(path);
  std::FILE *file = std::fopen(path, "rbe");
  if (!file)
    return Status::error(format("cannot read %s: %s", path, std::strerror(errno)));
  std::string text;
  char buffer[65536];
  size_t count = 0;
  while (text.size() <= kMostBytes && (count = std::fread(buffer, 1, sizeof buffer, file)) > 0)
    text.append(buffer, count);
  const bool has_failed = std::ferror(file) != 0;
  std::fclose(file);
  if (has_failed)
    return Status::error(format("cannot read %s", path));
  if (text.size() > kMostBytes)
    return too_large(path);
  Result<std::string> contents = observe::decompress_gzip(std::move(text), kMostBytes);
  return contents ? std::move(contents) : Status::error(format("%s %s", path, contents.status().to_string().c_str()));
}

/// Returns the input that the result would replace, or null.
const char *replaced_profile(const std::string &result, const std::vector<const char *> &paths) {
  struct stat there{}, profile{};
  if (::stat(result.c_str(), &there) != 0)
    return nullptr;
  for (const char *path : paths)
    if (::stat(path, &profile) == 0 && profile.st_dev == there.st_dev && profile.st_ino == there.st_ino)
      return path;
  return nullptr;
}

/// Writes a profile to stdout (-) as JSON, or to a file as its name says.
int write_profile(const std::string &result, std::string json) {
  if (result == "-") {
    std::fwrite(json.data(), 1, json.size(), stdout);
    return status_after_output("omptarget-profile", 0, 1);
  }
  Result<std::string> contents = observe::contents_of_profile(result, std::move(json));
  Status status = contents ? replace_result_file(result, *contents) : contents.take_status();
  return status.is_ok() ? 0 : print_failure(status.to_string());
}

int summarise(const std::vector<const char *> &words) {
  bool as_json = false;
  const char *path = nullptr;
  for (const char *word : words) {
    if (std::strcmp(word, "--json") == 0)
      as_json = true;
    else if (path || word[0] == '-')
      return misused(format("unexpected %s", word));
    else
      path = word;
  }
  if (!path)
    return misused("no profile is given");
  Result<std::string> text = read_file(path);
  if (!text.is_ok())
    return print_failure(text.take_status().to_string());
  Result<std::string> summary = summary_of_profile({path, std::move(*text)}, as_json);
  if (!summary.is_ok())
    return print_failure(summary.take_status().to_string());
  std::fwrite(summary->data(), 1, summary->size(), stdout);
  return status_after_output("omptarget-profile", 0, 1);
}

int recover(const std::vector<const char *> &words) {
  std::string result;
  const char *path = nullptr;
  for (size_t i = 0; i < words.size(); ++i) {
    if (std::strcmp(words[i], "-o") == 0 && i + 1 < words.size())
      result = words[++i];
    else if (path || words[i][0] == '-')
      return misused(format("unexpected %s", words[i]));
    else
      path = words[i];
  }
  if (!path)
    return misused("no journal is given");
  if (result.empty() && std::string_view(path).ends_with(".journal"))
    result = std::string(path).substr(0, std::strlen(path) - std::strlen(".journal"));
  if (result.empty())
    return misused(format("%s does not end in .journal: the result's name is missing: -o RESULT", path));
  Result<std::string> contents = read_file(path);
  if (!contents.is_ok())
    return print_failure(contents.take_status().to_string());
  Result<observe::ReadJournal> journal = observe::read_journal(*contents, path);
  if (!journal.is_ok())
    return print_failure(journal.take_status().to_string());
  if (const char *const replaced = replaced_profile(result, {path}))
    return print_failure(format("the result would take the place of %s", replaced));
  const int status = write_profile(result, profile_as_json(journal->profile, journal->source));
  if (status != 0 || result == "-")
    return status;
  std::printf("%s: %zu events of process %lld, %s on %s\n", result.c_str(), journal->profile.events.size(),
              static_cast<long long>(journal->source.pid), printable_name(journal->source.program).c_str(),
              printable_name(journal->source.node).c_str());
  return status_after_output("omptarget-profile", 0, 1);
}

int merge(const std::string &result, const std::vector<const char *> &paths, Timeline timeline) {
  if (const char *const profile = replaced_profile(result, paths))
    return print_failure(format("the result %s would take the place of %s, which is to be merged: give it another name",
                                result.c_str(), profile));
  std::vector<ProfileText> profiles;
  for (const char *path : paths) {
    Result<std::string> text = read_file(path);
    if (!text.is_ok())
      return print_failure(text.take_status().to_string());
    profiles.push_back({path, std::move(*text)});
  }
  Result<std::string> merged = merge_profiles(profiles, timeline);
  if (!merged.is_ok())
    return print_failure(merged.take_status().to_string());
  return write_profile(result, std::move(*merged));
}

} // namespace

int main(int count, char **arguments) {
  for (int i = 1; i < count; ++i) // also behind a command
    if (std::strcmp(arguments[i], "--help") == 0 || std::strcmp(arguments[i], "-h") == 0) {
      std::fputs(kUsage, stdout);
      return status_after_output("omptarget-profile", 0, 1);
    }
  if (count == 2 && std::strcmp(arguments[1], "--version") == 0) {
    std::printf("omptarget-profile %s\n", version_text());
    return status_after_output("omptarget-profile", 0, 1);
  }
  if (count >= 2 && std::strcmp(arguments[1], "summary") == 0)
    return summarise({arguments + 2, arguments + count});
  if (count >= 2 && std::strcmp(arguments[1], "recover") == 0)
    return recover({arguments + 2, arguments + count});
  if (count < 2 || std::strcmp(arguments[1], "merge") != 0)
    return misused(count < 2 ? std::string("what is to be done?") : format("there is no command %s", arguments[1]));
  std::string result;
  std::vector<const char *> paths;
  Timeline timeline = Timeline::kClocks;
  for (int i = 2; i < count; ++i) {
    if (std::strcmp(arguments[i], "-o") == 0 && i + 1 < count)
      result = arguments[++i];
    else if (std::strcmp(arguments[i], "--align") == 0)
      timeline = Timeline::kAligned;
    else if (arguments[i][0] == '-')
      return misused(format("there is no option %s, or its value is missing", arguments[i]));
    else
      paths.push_back(arguments[i]);
  }
  if (result.empty() || paths.empty())
    return misused(result.empty() ? "the result's name is missing: -o RESULT" : "no profile is given");
  return merge(result, paths, timeline);
}
