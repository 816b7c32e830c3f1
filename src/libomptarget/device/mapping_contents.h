// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_CHECK=mapping: what host and device last had in common of mapped data. From it follow notes on copies
// that are older than the host's data, and on results that are dropped.
#pragma once

#include <mutex>

namespace omptarget {

/// From now on mapped data are followed, if map clauses are checked. Any thread.
void follow_mapped_data();

std::mutex &mapping_contents_mutex_for_fork();

} // namespace omptarget
