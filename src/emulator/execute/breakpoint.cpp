// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See breakpoint.h.

#include "breakpoint.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "at_exit.h"

namespace emulator::executor {

namespace {

std::optional<uint32_t> read_number(std::string_view text) {
  uint32_t value = 0;
  if (text.empty() || text.size() > 9)
    return std::nullopt;
  for (const char one : text) {
    if (one < '0' || one > '9')
      return std::nullopt;
    value = value * 10 + static_cast<uint32_t>(one - '0');
  }
  return value;
}

[[noreturn]] void refuse(const char *variable, const char *text, const char *expected) {
  std::fprintf(stderr, "executor: %s=%s: %s is expected\n", variable, text, expected);
  std::fflush(nullptr);
  _exit(70);
}

const char *setting(const char *variable) {
  const char *text = std::getenv(variable);
  return text && *text ? text : nullptr;
}

std::optional<uint32_t> number_of(const char *variable) {
  const char *text = setting(variable);
  if (!text)
    return std::nullopt;
  const auto value = read_number(text);
  if (!value)
    refuse(variable, text, "a number");
  return value;
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Notes for a message when the process ends.
constexpr uint32_t kNear = 8; ///< lines before and behind the one that is asked for
constinit std::atomic<bool> has_told{false};
constinit std::atomic<uint32_t> near_lines{0}; ///< that have run, a bit each

void tell_that_nothing_was_told() {
  if (has_told.load(std::memory_order_relaxed))
    return;
  const Breakpoint breakpoint = Breakpoint::from_environment();
  std::string text = "executor: no instruction has run where it was to be told (SIM_EXECUTOR_BREAK)";
  std::string lines;
  for (uint32_t bit = 0; bit <= 2 * kNear; ++bit)
    if (near_lines.load(std::memory_order_relaxed) >> bit & 1)
      lines += (lines.empty() ? "" : ", ") + std::to_string(breakpoint.line + bit - kNear);
  if (!lines.empty())
    text += "; lines near " + std::to_string(breakpoint.line) + " that have run: " + lines;
  else if (breakpoint.line != 0)
    text += "; source lines need -gline-tables-only";
  std::fprintf(stderr, "%s\n", text.c_str());
}

} // namespace

Breakpoint Breakpoint::from_environment() {
  Breakpoint result;
  if (const char *text = setting("SIM_EXECUTOR_BREAK")) {
    const std::string_view all(text);
    const size_t colon = all.rfind(':');
    const auto number = read_number(colon == std::string_view::npos ? all : all.substr(colon + 1));
    if (!number || *number == 0 || colon == 0)
      refuse("SIM_EXECUTOR_BREAK", text, "LINE or FILE:LINE");
    result.line = *number;
    result.file = colon == std::string_view::npos ? "" : all.substr(0, colon);
  }
  result.block = number_of("SIM_EXECUTOR_BREAK_BLOCK");
  result.thread = number_of("SIM_EXECUTOR_BREAK_THREAD");
  result.is_set = result.line != 0 || result.block || result.thread;
  static const bool is_awaited = result.is_set && (at_exit(tell_that_nothing_was_told), true);
  static_cast<void>(is_awaited);
  return result;
}

bool Breakpoint::is_at(std::string_view path, uint32_t at) const {
  if (line == 0)
    return true;
  if (at + kNear < line || at > line + kNear || !path.ends_with(file))
    return false;
  if (!file.empty() && path.size() != file.size() && path[path.size() - file.size() - 1] != '/')
    return false;
  near_lines.fetch_or(uint32_t{1} << (at + kNear - line), std::memory_order_relaxed);
  return at == line;
}

std::string register_text(uint64_t value, unsigned bits, bool is_float) {
  char text[64];
  if (is_float && bits == 32)
    std::snprintf(text, sizeof(text), "%.9g",
                  static_cast<double>(__builtin_bit_cast(float, static_cast<uint32_t>(value))));
  else if (is_float && bits == 64)
    std::snprintf(text, sizeof(text), "%.17g", __builtin_bit_cast(double, value));
  else if (bits == 1)
    return value != 0 ? "1" : "0";
  else { // numbers near 0 as such
    const unsigned unused = bits < 64 ? 64 - bits : 0;
    const int64_t number = static_cast<int64_t>(value << unused) >> unused;
    const bool is_near = number > -1000000 && number < 1000000;
    std::snprintf(text, sizeof(text), is_near ? "%lld" : "%#llx",
                  static_cast<long long>(is_near ? number : static_cast<int64_t>(value << unused >> unused)));
  }
  return text;
}

std::string register_change(const std::string &name, const std::string &before, const std::string &now) {
  return " " + name + "=" + before + (before == now ? "" : "->" + now);
}

std::string breakpoint_place(std::string_view path, uint32_t line, uint32_t block, uint32_t thread) {
  has_told.store(true, std::memory_order_relaxed);
  const std::string where = line == 0 ? "no line" : std::string(name_of(path)) + ":" + std::to_string(line);
  return where + ", block " + std::to_string(block) + ", thread " + std::to_string(thread) + ": ";
}

} // namespace emulator::executor
