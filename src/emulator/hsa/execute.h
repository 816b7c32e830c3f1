// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real code objects: loaded and run by the executor (src/emulator/execute), on the memory that this stand-in knows.
#pragma once

#include <functional>

#include "emulator/operations.h"
#include "state.h"

namespace emulator {

/// Returns whether an image is code that a compiler makes for an AMD GPU; otherwise it is code of this machine that
/// only says so.
bool is_device_code(const omptarget::ElfImage &elf, const CodeObjectMetadata &metadata);
/// Loads it; false, and a message, if the executor cannot.
bool load_device_code(Executable &executable);
/// Copies memory; to the host, memory that nobody wrote is reported (execute/unwritten.h).
void copy_memory(const MemoryCopy &copy);
/// Carries out a packet or a copy; the operation is null unless races are looked for.
void run_operation(const executor::SharedOperation &operation, const std::function<void()> &work);
/// Runs a kernel to its end; what goes wrong is said and sent as the device would. Queue and dispatch are current.
void execute(Queue &queue, const KernelCode &kernel, const hsa_kernel_dispatch_packet_t &packet);

} // namespace emulator
