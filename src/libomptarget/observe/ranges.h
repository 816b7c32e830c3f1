// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of time for vendors' tools, named after constructs, kernels and copies: NVIDIA's by NVTX, AMD's by roctx.
// Nothing is loaded unless such a tool is there (LIBOMPTARGET_RANGES). Private to observe/, but for tests.
#pragma once

#include <string>

#include "observe/construct_events.h"

namespace omptarget::observe {

/// Finds the tool; whether there is one. Called once.
bool start_ranges();

/// Begins a range of the calling thread's, which ends with the pop that belongs to it. Only if start_ranges() was true.
void push_range(const std::string &text);
void pop_range();

/// "target a.c:12:1", "kernel main, line 12", "copy to device values".
std::string range_text(const ConstructFacts &facts);
std::string range_text(const KernelFacts &facts);
std::string range_text(const DataOperationFacts &facts);

} // namespace omptarget::observe
