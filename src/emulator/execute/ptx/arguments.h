// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and result of a call of a built-in function, of one lane: in the caller's part of its stack.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "warp.h"

namespace emulator::executor::ptx {

class Arguments {
public:
  Arguments(Warp &warp, const Call &call, unsigned lane) : warp_(warp), call_(call), lane_(lane) {}
  uint64_t value(size_t index) const {
    uint64_t result = 0;
    const Parameter &parameter = call_.arguments[index];
    std::memcpy(&result, place(parameter), std::min<size_t>(parameter.size, 8));
    return result;
  }
  void give(uint64_t value) const {
    if (!call_.results.empty())
      std::memcpy(place(call_.results[0]), &value, std::min<size_t>(call_.results[0].size, 8));
  }

  /// The result depends on memory that nobody wrote if an argument does.
  void follow() const {
    UnwrittenMemory &memory = *warp_.launch().unwritten;
    std::array<uint8_t, sizeof(uint64_t)> differences{};
    UnwrittenMemory::Origin origin = 0;
    bool is_unwritten = false;
    for (const Parameter &parameter : call_.arguments)
      is_unwritten = is_unwritten ||
                     memory.read(place(parameter), std::min<size_t>(parameter.size, 8), differences.data(), origin);
    if (call_.results.empty())
      return;
    differences.fill(static_cast<uint8_t>(is_unwritten ? 0xFF : 0));
    memory.write(place(call_.results[0]), std::min<size_t>(call_.results[0].size, 8), differences.data(), origin);
  }

private:
  uint8_t *place(const Parameter &parameter) const {
    return warp_.stack(lane_, warp_.frame().stack + parameter.offset);
  }
  Warp &warp_;
  const Call &call_;
  unsigned lane_;
};

struct Builtin {
  const char *name;
  size_t arguments;
  void (*call)(Warp &, const Arguments &, unsigned lane);
};

/// One of libdevice/functions.def, whose name begins with __executor_; null if there is none.
const Builtin *find_math_builtin(const std::string &name);

} // namespace emulator::executor::ptx
