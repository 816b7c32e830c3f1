// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See builtins.h.

#include "builtins.h"

#include <cstdio>
#include <cstring>
#include <mutex>

#include "../progress.h"
#include "arguments.h"

namespace emulator::executor::ptx {

namespace {

// A string of device memory; false after a fault.
bool read_string(Warp &warp, uint64_t address, unsigned lane, std::string &text) {
  text.clear();
  while (true) {
    const uint8_t *const letter = warp.reach(Space::kGeneric, address++, 1, Access::kRead, lane);
    if (!letter)
      return false;
    if (*letter == 0)
      return true;
    text += static_cast<char>(*letter);
  }
}

// The arguments of CUDA's printf: a format, and values in a buffer, each aligned to its size.
class Printer {
public:
  Printer(Warp &warp, unsigned lane, uint64_t buffer) : warp_(warp), lane_(lane), at_(buffer) {}

  bool print(const std::string &format, std::string &text) {
    for (size_t i = 0; i < format.size();) {
      if (format[i] != '%') {
        text += format[i++];
        continue;
      }
      size_t end = i + 1;
      while (end < format.size() && std::strchr("-+ #0123456789.*lhzjtL", format[end]))
        ++end;
      if (end == format.size())
        return text += format.substr(i), true;
      if (!convert(format.substr(i, end - i), format[end], text))
        return false;
      i = end + 1;
    }
    return true;
  }

private:
  template <class T> bool next(T &value) {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const uint8_t *const bytes = warp_.reach(Space::kGeneric, at_, sizeof(T), Access::kRead, lane_);
    if (bytes)
      std::memcpy(&value, bytes, sizeof(T));
    at_ += sizeof(T);
    return bytes != nullptr;
  }

  template <class T> void format(const std::string &pattern, T value, std::string &text) {
    const int length = std::snprintf(nullptr, 0, pattern.c_str(), value);
    if (length < 0)
      return;
    const size_t before = text.size();
    text.resize(before + static_cast<size_t>(length) + 1); // with the NUL
    std::snprintf(text.data() + before, static_cast<size_t>(length) + 1, pattern.c_str(), value);
    text.pop_back();
  }

  bool convert(std::string flags, char letter, std::string &text) {
    for (size_t star = flags.find('*'); star != std::string::npos; star = flags.find('*')) {
      int32_t width = 0;
      if (!next(width))
        return false;
      flags.replace(star, 1, std::to_string(width));
    }
    const bool is_long = flags.find_first_of("lzjt") != std::string::npos;
    const std::string plain = flags.substr(0, flags.find_first_of("lhzjtL"));
    if (letter == '%')
      return text += '%', true;
    if (std::strchr("eEfFgGaA", letter)) {
      double value = 0;
      return next(value) && (format(plain + letter, value, text), true);
    }
    if (letter == 's' || letter == 'p' || is_long) {
      uint64_t value = 0;
      std::string string;
      if (!next(value) || (letter == 's' && !read_string(warp_, value, lane_, string)))
        return false;
      if (letter == 's')
        format(plain + "s", string.c_str(), text);
      else
        letter == 'p' ? format("%#llx", value, text) : format(plain + "ll" + letter, value, text);
      return true;
    }
    int32_t value = 0;
    return next(value) && (format(flags + letter, value, text), true);
  }

  Warp &warp_;
  unsigned lane_;
  uint64_t at_;
};

std::mutex printed_mutex;
std::string &printed() { // by all kernels; never destroyed
  static std::string &text = *new std::string;
  return text;
}

void print(Warp &warp, const Arguments &arguments, unsigned lane) {
  std::string format, text;
  if (!read_string(warp, arguments.value(0), lane, format) ||
      !Printer(warp, lane, arguments.value(1)).print(format, text))
    return;
  {
    const std::lock_guard lock(printed_mutex);
    printed() += text;
  }
  arguments.give(0);
}

void allocate(Warp &warp, const Arguments &arguments, unsigned) {
  const uint64_t address = warp.launch().heap.allocate(arguments.value(0));
  if (const auto &uses = warp.block().block().global_uses; uses && address != 0)
    uses->forget(address, arguments.value(0));
  arguments.give(address);
}

void release(Warp &warp, const Arguments &arguments, unsigned lane) {
  const uint64_t address = arguments.value(0);
  char text[96];
  std::snprintf(text, sizeof(text), "free of %#llx, which malloc did not return or was freed before",
                static_cast<unsigned long long>(address));
  if (address != 0 && !warp.launch().heap.release(address))
    warp.fail(FaultKind::kMemory, text, static_cast<int>(lane), address);
}

// message, file, line, function, size of a character
void fail_assertion(Warp &warp, const Arguments &arguments, unsigned lane) {
  std::string message, file;
  if (read_string(warp, arguments.value(0), lane, message) && read_string(warp, arguments.value(1), lane, file))
    warp.fail(FaultKind::kProgram,
              "assertion '" + message + "' failed, " + file + ":" +
                  std::to_string(static_cast<uint32_t>(arguments.value(2))),
              static_cast<int>(lane));
}

constexpr Builtin kBuiltins[] = {
    {"vprintf", 2, print}, {"malloc", 1, allocate}, {"free", 1, release}, {"__assertfail", 5, fail_assertion}};

const Builtin *find(const std::string &name) {
  for (const Builtin &one : kBuiltins)
    if (name == one.name)
      return &one;
  return find_math_builtin(name);
}

} // namespace

bool is_builtin(const std::string &name) { return find(name) != nullptr; }

void call_builtin(Warp &warp, const Call &call) {
  const Builtin *const builtin = find(call.name);
  if (!builtin || call.arguments.size() != builtin->arguments)
    return warp.fail(FaultKind::kUnsupported,
                     call.name + " with " + std::to_string(call.arguments.size()) + " parameters");
  for_lanes(warp.active(), [&](unsigned lane) {
    if (warp.has_failed())
      return;
    const Arguments arguments(warp, call, lane);
    builtin->call(warp, arguments, lane);
    if (warp.follows())
      arguments.follow();
  });
}

void write_prints() {
  const ProgressPause pause;
  const std::lock_guard lock(printed_mutex);
  std::fwrite(printed().data(), 1, printed().size(), stdout);
  printed().clear();
}

} // namespace emulator::executor::ptx
