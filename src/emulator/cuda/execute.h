// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real PTX: compiled and run by the executor (src/emulator/execute), on the memory that this stand-in knows.
#pragma once

#include <string>
#include <vector>

#include "emulator/operations.h"
#include "state.h"

namespace emulator {

/// Loads PTX; null, and the reason, if the executor cannot or a driver would not.
std::unique_ptr<executor::ptx::Module> compile_ptx(const char *text, int device_sm, std::string &error, bool &is_limit);

struct PtxLaunch {
  const Function *function;
  Stream *stream;
  uint32_t blocks[3], threads[3];
  uint32_t dynamic_shared;
  std::vector<uint8_t> arguments;
};
/// Runs a kernel to its end; what goes wrong is said, and the context is lost as with the driver.
void execute(const PtxLaunch &launch);
/// Copies to device memory, and to the host, where memory that nobody wrote is reported (execute/unwritten.h).
void copy_memory(const MemoryCopy &copy);
/// Carries out an operation of a stream, which is null unless races are looked for.
void run_operation(const executor::SharedOperation &operation, const std::function<void()> &work);
/// Gives back what kernels of the context allocated.
void release_heap(const Context *context);

} // namespace emulator
