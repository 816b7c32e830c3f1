// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-plugin-check: runs every check in a process of its own, so that a plugin that crashes or hangs is found,
// and prints what came out.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text_output.h"
#include "base/version.h"
#include "checks.h"
#include "functions.h"
#include "plugin/plugin_file.h"

namespace omptarget::check {

namespace {

struct CommandLine {
  Options options;
  std::set<std::string> only;
  std::map<std::string, std::string> left_out; ///< check to reason
  bool is_strict = false;
};

enum ExitCode { kPassed = 0, kFailed = 1, kUnusable = 2, kNothingTried = 3 };

void print_usage() {
  std::puts(
      "usage: omptarget-plugin-check [options] libomptarget.rtl.<name>.so\n"
      "Checks that a plugin keeps to the plugin ABI of omptarget.\n"
      "  --image FILE            test image for the plugin's target (check_image.c tells what is in it);\n"
      "                          without it, the one installed for plugins of that name\n"
      "  --only CHECK            run this check; may be repeated\n"
      "  --leave-out CHECK=WHY   do not run this check; the reason is printed\n"
      "  --timeout SECONDS       a check that takes longer hangs (60)\n"
      "  --strict                a check that is left out counts as failed, unless --leave-out names it\n"
      "  --list                  list the checks\n"
      "  --version               which omptarget this is\n"
      "Exit status: 0 all checks passed, 1 some failed, 2 the plugin or the arguments cannot be used, or the\n"
      "output cannot be written, 3 nothing failed and nothing was tried, for example because there is no device.");
}

bool is_check(const std::string &name) {
  for (const Check &check : kChecks)
    if (name == check.name)
      return true;
  std::fprintf(stderr, "omptarget-plugin-check: there is no check '%s'; see --list\n", name.c_str());
  return false;
}

bool add_exclusion(CommandLine &line, const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    std::fprintf(stderr, "omptarget-plugin-check: '--leave-out %s' lacks the reason: CHECK=WHY\n", text.c_str());
    return false;
  }
  line.left_out[text.substr(0, equals)] = text.substr(equals + 1);
  return is_check(text.substr(0, equals));
}

bool take_option(CommandLine &line, const std::string &option, const std::string &value) {
  if (option == "--image") {
    line.options.image = value;
    return true;
  }
  if (option == "--only") {
    line.only.insert(value);
    return is_check(value);
  }
  if (option == "--leave-out")
    return add_exclusion(line, value);
  char *end = nullptr;
  const long seconds = std::strtol(value.c_str(), &end, 10);
  if (*end != '\0' || seconds < 1 || seconds > 86400) {
    std::fprintf(stderr, "omptarget-plugin-check: '--timeout %s' is no number of seconds\n", value.c_str());
    return false;
  }
  line.options.timeout_s = static_cast<int>(seconds);
  return true;
}

bool parse(int count, char **words, CommandLine &line) {
  const std::set<std::string> with_value{"--image", "--only", "--leave-out", "--timeout"};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (with_value.contains(word)) {
      if (i + 1 == count) {
        std::fprintf(stderr, "omptarget-plugin-check: %s needs a value\n", word.c_str());
        return false;
      }
      if (!take_option(line, word, words[++i]))
        return false;
    } else if (word == "--strict") {
      line.is_strict = true;
    } else if (word.compare(0, 1, "-") == 0 || !line.options.plugin.empty()) {
      std::fprintf(stderr, "omptarget-plugin-check: unexpected '%s'\n", word.c_str());
      return false;
    } else {
      line.options.plugin = word;
    }
  }
  if (line.options.plugin.empty())
    std::fprintf(stderr, "omptarget-plugin-check: no plugin is given\n");
  return !line.options.plugin.empty();
}

/// The test image that is installed for plugins of that name; empty if there is none.
std::string installed_image(const std::string &plugin) {
  constexpr std::string_view kPrefix = "libomptarget.rtl.";
  std::string name = std::filesystem::path(plugin).filename();
  if (name.compare(0, kPrefix.size(), kPrefix) != 0)
    return {};
  name = name.substr(kPrefix.size());
  name = name.substr(0, name.find('.'));
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char *folder : {"../share/omptarget/check", "check"}) {
    const std::filesystem::path image = program / folder / (name + ".image");
    if (std::filesystem::exists(image, error))
      return image;
  }
  return {};
}

int64_t now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1000000;
}

/// Reads what the child writes until it ends or time is up.
bool read_lines(int file, int timeout_s, Outcome &outcome) {
  const int64_t end = now_ms() + int64_t{timeout_s} * 1000;
  std::string pending;
  char buffer[4096];
  for (;;) {
    pollfd waiting{file, POLLIN, 0};
    const int64_t left = end - now_ms();
    if (left <= 0 || (poll(&waiting, 1, static_cast<int>(left)) < 0 && errno != EINTR))
      return false;
    if (waiting.revents == 0)
      continue;
    const ssize_t count = ::read(file, buffer, sizeof buffer);
    if (count <= 0)
      return true;
    pending.append(buffer, static_cast<size_t>(count));
    for (size_t newline; (newline = pending.find('\n')) != std::string::npos; pending.erase(0, newline + 1))
      add_line(outcome, pending.substr(0, newline));
  }
}

[[noreturn]] void run_child(const Check &check, const Options &options, int file, int printed) {
  // The plugin's own output is not part of the report.
  if (printed >= 0)
    dup2(printed, STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  Report report(file);
  Session session(options, report);
  check.run(session);
  // A last line tells the end of the check from a plugin that ended the process.
  report.note("done");
  _exit(0);
}

std::string last_tried(const Outcome &outcome) {
  return outcome.tried.empty() ? "before any function was tried"
                               : "after __tgt_rtl_" + outcome.tried.back().first + " began to be tried";
}

/// Warnings of a sanitizer are not the plugin's.
bool is_of_sanitizer(std::string_view line) {
  return line.starts_with("==") && line.find("WARNING: AddressSanitizer") != std::string_view::npos;
}

/// Passes on what a check has printed; returns the first line that is the plugin's.
std::string pass_on(int printed) {
  std::string text;
  char buffer[4096];
  lseek(printed, 0, SEEK_SET);
  for (ssize_t count; (count = ::read(printed, buffer, sizeof buffer)) > 0;) {
    std::fwrite(buffer, 1, static_cast<size_t>(count), stderr);
    text.append(buffer, static_cast<size_t>(count));
  }
  close(printed);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!is_of_sanitizer(line))
      return line;
  return {};
}

/// Plugins of LLVM print their failures, and so does everybody who is asked for a trace.
bool may_print(const Check &check, const Options &options) {
  return check.run == check_information || !exported_functions(options.plugin).contains("abi") ||
         std::getenv("LIBOMPTARGET_DEBUG") || std::getenv("LIBOMPTARGET_INFO");
}

Outcome run(const Check &check, const Options &options) {
  Outcome outcome;
  int files[2];
  if (pipe(files) != 0) {
    outcome.failures.push_back(format("cannot make a pipe: %s", std::strerror(errno)));
    return outcome;
  }
  std::fflush(nullptr);
  const int printed = memfd_create("printed", MFD_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) {
    close(files[0]);
    run_child(check, options, files[1], printed);
  }
  close(files[1]);
  const bool is_in_time = child > 0 && read_lines(files[0], options.timeout_s, outcome);
  close(files[0]);
  if (child < 0) {
    outcome.failures.push_back(format("cannot make a process: %s", std::strerror(errno)));
    return outcome;
  }
  if (!is_in_time)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  const std::string first_line = printed >= 0 ? pass_on(printed) : std::string();
  const bool is_done = !outcome.notes.empty() && outcome.notes.back() == "done";
  if (is_done)
    outcome.notes.pop_back();
  if (!is_in_time)
    outcome.failures.push_back(
        format("the plugin hangs: no end within %d s, %s", options.timeout_s, last_tried(outcome).c_str()));
  else if (WIFSIGNALED(status))
    outcome.failures.push_back(format("the plugin crashes with signal %d (%s), %s", WTERMSIG(status),
                                      strsignal(WTERMSIG(status)), last_tried(outcome).c_str()));
  else if (!is_done)
    outcome.failures.push_back(
        format("the plugin ends the process with status %d, %s", WEXITSTATUS(status), last_tried(outcome).c_str()));
  else if (!first_line.empty() && !may_print(check, options))
    outcome.failures.push_back(format("something is printed, which is not for a plugin to do: %s", first_line.c_str()));
  return outcome;
}

void print(const Check &check, const Outcome &outcome) {
  const char *result = outcome.is_failed() ? "FAILED" : outcome.is_left_out() ? "left out" : "ok";
  std::printf("%-9s %-12s %s\n", result, check.name, check.what);
  for (const std::string &text : outcome.failures)
    std::printf("          failure: %s\n", text.c_str());
  for (const std::string &text : outcome.left_out)
    std::printf("          left out: %s\n", text.c_str());
  for (const std::string &text : outcome.notes)
    std::printf("          note: %s\n", text.c_str());
}

/// The results of all checks.
struct Summary {
  std::map<std::string, std::vector<std::string>> tried; ///< function to what was tried
  std::map<std::string, std::string> untried;            ///< check to why not all of it was done
  int passed = 0;
  int failed = 0;
  int left_out = 0;

  void add(const Check &check, const Outcome &outcome) {
    ++(outcome.is_failed() ? failed : outcome.is_left_out() ? left_out : passed);
    if (outcome.is_failed())
      untried[check.name] = "the check ended before: " + outcome.failures.back();
    else if (!outcome.left_out.empty())
      untried[check.name] = outcome.left_out.front();
    for (const auto &[function, what] : outcome.tried) {
      auto &list = tried[function];
      if (std::find(list.begin(), list.end(), what) == list.end())
        list.push_back(what);
    }
  }
};

/// With what a function was tried, or why not, or what becomes of programs without it.
std::string text_about(const FunctionRow &row, const Summary &summary, bool is_there) {
  if (!is_there)
    return std::string("not there: ") + row.without;
  if (const auto found = summary.tried.find(row.name); found != summary.tried.end()) {
    std::string text = found->second.front();
    for (size_t i = 1; i < found->second.size(); ++i)
      text += "; " + found->second[i];
    return text;
  }
  if (!row.without && summary.tried.contains("launch_kernel"))
    return "not tried: the host library calls launch_kernel";
  const auto reason = summary.untried.find(row.check);
  return format("not tried (%s): %s", row.check,
                reason != summary.untried.end() ? reason->second.c_str() : "there was nothing to try it with");
}

void print_functions(const std::set<std::string> &exported, const Summary &summary) {
  std::puts("\nfunctions:");
  std::set<std::string> unknown = exported;
  const auto print_row = [&](const FunctionRow &row) {
    const bool is_there = unknown.erase(row.name) != 0;
    if (is_there || row.without)
      std::printf("  %-28s %s\n", row.name, text_about(row, summary, is_there).c_str());
  };
  for (const FunctionRow &row : kFunctions)
    print_row(row);
  for (const FunctionRow &row : kOlderFunctions)
    print_row(row);
  for (const std::string &name : unknown)
    std::printf("  %-28s not called: the plugin ABI has no function of that name\n", name.c_str());
}

int check_plugin(const CommandLine &line) {
  const Options &options = line.options;
  std::printf("plugin: %s\nimage: %s\n\n", options.plugin.c_str(),
              options.image.empty() ? "none; what needs one is left out" : options.image.c_str());
  if (Status status = check_plugin_file(options.plugin); !status.is_ok()) {
    std::printf("FAILED    file         the plugin %s\n", status.to_string().c_str());
    return kUnusable;
  }
  std::printf("%-9s %-12s %s\n", "ok", "file", "a shared object of this machine that defines what is required itself");
  Summary summary;
  for (const Check &check : kChecks) {
    if (!line.only.empty() && !line.only.contains(check.name)) {
      summary.untried[check.name] = "--only leaves the check out";
      continue;
    }
    Outcome outcome;
    if (const auto reason = line.left_out.find(check.name); reason != line.left_out.end())
      outcome.left_out.push_back(reason->second);
    else
      outcome = run(check, options);
    print(check, outcome);
    summary.add(check, outcome);
  }
  print_functions(exported_functions(options.plugin), summary);
  std::printf("\n%d passed, %d failed, %d left out\n", summary.passed, summary.failed, summary.left_out);
  const int unasked = summary.left_out - static_cast<int>(line.left_out.size());
  if (unasked > 0)
    std::printf("%d of %d checks were not made%s\n", unasked, summary.passed + summary.failed + summary.left_out,
                options.image.empty() ? ": give a test image by --image (check_image.c tells what is in it)"
                                      : "; the lines 'left out' say why");
  if (summary.failed != 0 || (line.is_strict && unasked > 0))
    return kFailed;
  return summary.passed == 0 ? kNothingTried : kPassed;
}

int check(int count, char **words) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--help")
      return print_usage(), kPassed;
    if (word == "--version")
      return std::printf("omptarget-plugin-check %s\n", omptarget::version_text()), kPassed;
    if (word != "--list")
      continue;
    for (const Check &check : kChecks)
      std::printf("%-12s %s\n", check.name, check.what);
    return kPassed;
  }
  CommandLine line;
  if (!parse(count, words, line)) {
    std::fputs("try --help\n", stderr);
    return kUnusable;
  }
  // dlopen searches for names without a slash elsewhere.
  std::error_code error;
  line.options.plugin = std::filesystem::absolute(line.options.plugin, error);
  if (line.options.image.empty())
    line.options.image = installed_image(line.options.plugin);
  return check_plugin(line);
}

} // namespace
} // namespace omptarget::check

int main(int count, char **words) {
  using namespace omptarget::check;
  return omptarget::status_after_output("omptarget-plugin-check", check(count, words), kUnusable);
}
