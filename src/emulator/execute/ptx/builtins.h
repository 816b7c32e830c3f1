// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the driver has for PTX: vprintf, malloc, free, __assertfail (CUDA's programming guide: formatted
// output, dynamic allocation, assertions), and those that the executor's libdevice calls.
#pragma once

#include <string>

#include "module.h"

namespace emulator::executor::ptx {

bool is_builtin(const std::string &name);
/// Carries out the call for the lanes that are active.
void call_builtin(Warp &warp, const Call &call);

/// Writes what vprintf has printed. The driver does so when somebody waits for a stream, an event or the context,
/// whatever it is, and not for a query or at the end of the process (an NVIDIA H200, CUDA 13.0). Any thread.
void write_prints();
/// Does so when its scope ends, however it does: taken to hold for a wait that finds an earlier failure, too.
struct WritesPrints {
  WritesPrints() = default;
  WritesPrints(const WritesPrints &) = delete;
  WritesPrints &operator=(const WritesPrints &) = delete;
  ~WritesPrints() { write_prints(); }
};

} // namespace emulator::executor::ptx
