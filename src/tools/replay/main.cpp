// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-replay: runs one launch of a kernel again that LIBOMPTARGET_RECORD has recorded.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/format.h"
#include "base/mapped_file.h"
#include "base/text_output.h"
#include "base/version.h"
#include "tools/replay/replay.h"
#include "tools/replay/report.h"

using namespace omptarget;
using namespace omptarget::replay;

namespace {

constexpr const char *kUsage =
    "usage: omptarget-replay [OPTION...] FILE\n"
    "Runs one launch of a kernel again that LIBOMPTARGET_RECORD has recorded, on the device that its image is for:\n"
    "the CPU, a GPU, or a GPU on the CPU with omptarget-run --device=NAME omptarget-replay FILE. A recording holds\n"
    "code that is run: replay only those of people you trust.\n"
    "  --info             what the file holds; nothing is run\n"
    "  --verify           compares the memory afterwards with the recorded one, byte by byte\n"
    "  --repetitions=N    launches N times, each from the recorded memory, and prints the median time; 1\n"
    "  --teams=N,...      another number of teams; 0 leaves it to the device\n"
    "  --threads=N,...    another limit of threads per team; 0 leaves it to the device\n"
    "  --tune             tries numbers of teams and threads, those of --teams and --threads if they are given,\n"
    "                     verifies each, and prints a table and the fastest that is right\n"
    "  --device=N         the number of the device, of those that take the image; 0\n"
    "  --libomp=FILE      the libomp that code for CPUs calls; else the recorded program's\n"
    "  --version          which omptarget this is\n"
    "Exit status: 0, 1 if something differs, cannot be read or run, 2 for wrong arguments. If the kernel itself\n"
    "fails, the process ends with SIGABRT, as the program does.\n";

int print_failure(const std::string &text) {
  write_error_line("omptarget-replay: " + text);
  return 1;
}

int misused(const std::string &text) {
  print_failure(text);
  std::fputs(kUsage, stderr);
  return 2;
}

struct Options {
  bool only_informs = false, verifies = false, tunes = false;
  uint32_t repetitions = 1, device = 0;
  std::vector<uint32_t> teams, threads;
  std::string libomp;
  const char *path = nullptr;
};

bool parse_number(const char *text, uint32_t least, uint32_t &number) {
  constexpr unsigned long kMost = 1u << 30;
  char *end = nullptr;
  const unsigned long value = *text >= '0' && *text <= '9' ? std::strtoul(text, &end, 10) : kMost + 1;
  number = static_cast<uint32_t>(value);
  return end && *end == '\0' && value >= least && value <= kMost;
}

bool parse_numbers(const std::string &text, std::vector<uint32_t> &numbers) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    uint32_t number = 0;
    if (!parse_number(text.substr(begin, end - begin).c_str(), 0, number))
      return false;
    numbers.push_back(number);
    begin = end + 1;
  }
  return true;
}

/// The value of an option NAME=VALUE, or null.
const char *value_of(const char *argument, const char *name) {
  const size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : nullptr;
}

/// False: the argument makes no sense.
bool parse_option(const char *argument, Options &options) {
  if (const char *value = value_of(argument, "--repetitions"))
    return parse_number(value, 1, options.repetitions);
  if (const char *value = value_of(argument, "--device"))
    return parse_number(value, 0, options.device);
  if (const char *value = value_of(argument, "--teams"))
    return parse_numbers(value, options.teams);
  if (const char *value = value_of(argument, "--threads"))
    return parse_numbers(value, options.threads);
  if (const char *value = value_of(argument, "--libomp")) {
    options.libomp = value;
    return !options.libomp.empty();
  }
  const std::string_view word = argument;
  options.only_informs = options.only_informs || word == "--info";
  options.verifies = options.verifies || word == "--verify";
  options.tunes = options.tunes || word == "--tune";
  if (word == "--info" || word == "--verify" || word == "--tune")
    return true;
  if (word.starts_with("-") || options.path)
    return false;
  options.path = argument;
  return true;
}

std::string time_text(uint64_t ns) {
  constexpr double kMilli = 1e6;
  return format("%.3f ms", static_cast<double>(ns) / kMilli);
}

struct Outcome {
  std::vector<uint64_t> times; ///< ascending
  std::vector<Difference> differences;
  uint64_t median() const { return times[times.size() / 2]; }
};

/// Launches as often as wanted, each time from the recorded memory.
Result<Outcome> run(Replay &replay, const Options &options, const Shape &shape, bool verifies) {
  Outcome outcome;
  for (uint32_t i = 0; i < options.repetitions; ++i) {
    OMPTARGET_TRY(replay.restore());
    OMPTARGET_TRY_ASSIGN(const uint64_t time, replay.launch(shape));
    outcome.times.push_back(time);
    if (verifies && outcome.differences.empty()) {
      OMPTARGET_TRY_ASSIGN(outcome.differences, replay.compare());
    }
  }
  std::sort(outcome.times.begin(), outcome.times.end());
  return outcome;
}

std::string shape_text(const std::optional<uint32_t> &count) {
  return !count ? "recorded" : *count == 0 ? "default" : std::to_string(*count);
}

/// Numbers to try: the recorded one, and powers of two.
std::vector<std::optional<uint32_t>> candidates(const std::vector<uint32_t> &given, uint32_t first, uint32_t last) {
  std::vector<std::optional<uint32_t>> all;
  for (const uint32_t count : given)
    all.emplace_back(count);
  if (!given.empty())
    return all;
  all.emplace_back(std::nullopt);
  for (uint32_t count = first; count <= last; count *= 2)
    all.emplace_back(count);
  return all;
}

Status tune(Replay &replay, const Options &options, bool is_for_cpu) {
  constexpr uint32_t kMostTeams = 4096, kMostThreads = 1024, kLeastTeams = 32, kLeastThreads = 32;
  const auto cpus = static_cast<uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  std::optional<uint64_t> best;
  std::string best_text;
  std::printf("%10s %10s %14s  result\n", "teams", "threads", "median");
  for (const auto &teams : candidates(options.teams, is_for_cpu ? 1 : kLeastTeams, is_for_cpu ? 2 * cpus : kMostTeams))
    for (const auto &threads :
         candidates(options.threads, is_for_cpu ? 1 : kLeastThreads, is_for_cpu ? cpus : kMostThreads)) {
      OMPTARGET_TRY_ASSIGN(const Outcome outcome, run(replay, options, {teams, threads}, true));
      const bool is_right = outcome.differences.empty();
      std::printf("%10s %10s %14s  %s\n", shape_text(teams).c_str(), shape_text(threads).c_str(),
                  time_text(outcome.median()).c_str(), is_right ? "as recorded" : "differs");
      std::fflush(stdout);
      if (!is_right || (best && *best <= outcome.median()))
        continue;
      best = outcome.median();
      best_text = format("teams %s, threads %s, %s", shape_text(teams).c_str(), shape_text(threads).c_str(),
                         time_text(*best).c_str());
    }
  if (!best)
    return Status::error("no numbers of teams and threads lead to the recorded results");
  std::printf("fastest: %s\n", best_text.c_str());
  return Status::ok();
}

/// Returns whether everything was as recorded, as far as that was asked for.
Result<bool> replay_recording(const record::Recording &recording, const Options &options) {
  const bool is_cpu = is_for_cpu(recording);
  if ((options.verifies || options.tunes) && !recording.has_result)
    return Status::error("it has no results to compare with: the recorded launch has not ended");
  OMPTARGET_TRY_ASSIGN(const Library library,
                       load_library(options.libomp, std::string(recording.fact("libomp")), is_cpu));
  Replay replay(library, recording);
  OMPTARGET_TRY(replay.prepare(static_cast<int>(options.device)));
  uint64_t bytes = 0;
  for (const record::Block &block : recording.blocks)
    bytes += block.size;
  std::printf("kernel: %s\nmemory: %llu bytes in %zu blocks, %s\n", printable_name(recording.kernel()->name).c_str(),
              static_cast<unsigned long long>(bytes), recording.blocks.size(),
              replay.is_in_place() ? "where they were recorded" : "at other addresses than recorded");
  if (!replay.is_in_place() && recording.unknown_pointers != 0)
    std::printf("note: %llu words in them look like addresses of recorded memory; they stay as they are\n",
                static_cast<unsigned long long>(recording.unknown_pointers));
  if (const std::string words(recording.fact(record::kProgramAddresses)); !words.empty())
    std::printf("note: %s words in them are addresses of the recorded program, which is not here; a kernel that "
                "follows one fails\n",
                printable_name(words).c_str());
  std::fflush(stdout);
  if (options.tunes) {
    OMPTARGET_TRY(tune(replay, options, is_cpu));
    return true;
  }
  Shape shape;
  if (!options.teams.empty())
    shape.teams = options.teams.front();
  if (!options.threads.empty())
    shape.threads = options.threads.front();
  OMPTARGET_TRY_ASSIGN(const Outcome outcome, run(replay, options, shape, options.verifies));
  std::printf("time: %s median of %zu, %s to %s\n", time_text(outcome.median()).c_str(), outcome.times.size(),
              time_text(outcome.times.front()).c_str(), time_text(outcome.times.back()).c_str());
  for (const Difference &difference : outcome.differences)
    std::puts(printable_name(describe(recording, difference)).c_str());
  if (options.verifies)
    std::puts(outcome.differences.empty() ? "verified: the memory is as recorded" : "verified: the memory differs");
  return outcome.differences.empty();
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--help" || word == "-h") {
      std::fputs(kUsage, stdout);
      return status_after_output("omptarget-replay", 0, 1);
    }
    if (word == "--version") {
      std::printf("omptarget-replay %s\n", version_text());
      return status_after_output("omptarget-replay", 0, 1);
    }
    if (!parse_option(arguments[i], options))
      return misused(format("%s: there is no such option, or its value makes no sense", arguments[i]));
  }
  if (!options.path)
    return misused("no recording is given");
  if (!options.tunes && (options.teams.size() > 1 || options.threads.size() > 1))
    return misused("several numbers of teams or threads are for --tune");
  MappedFile file;
  if (Status status = file.open(options.path); !status)
    return print_failure(format("%s: %s", options.path, status.to_string().c_str()));
  Result<record::Recording> recording = record::read_recording(file.contents());
  if (!recording.is_ok())
    return print_failure(format("%s: %s", options.path, recording.take_status().to_string().c_str()));
  if (options.only_informs) {
    std::fputs(describe(*recording).c_str(), stdout);
    return status_after_output("omptarget-replay", 0, 1);
  }
  Result<bool> is_right = replay_recording(*recording, options);
  if (!is_right.is_ok())
    return print_failure(format("%s: %s", options.path, is_right.take_status().to_string().c_str()));
  return status_after_output("omptarget-replay", *is_right ? 0 : 1, 1);
}
