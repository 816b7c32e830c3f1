// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of omptarget-replay.
#pragma once

#include <string>

#include "record/recording.h"
#include "tools/replay/replay.h"

namespace omptarget::replay {

/// Returns what the file holds (--info).
std::string describe(const record::Recording &recording);

/// "variable a at f.c:3:7 (mapped)", or the block's number.
std::string name_of(const record::Recording &recording, size_t block);

/// One line about a block whose bytes differ.
std::string describe(const record::Recording &recording, const Difference &difference);

} // namespace omptarget::replay
