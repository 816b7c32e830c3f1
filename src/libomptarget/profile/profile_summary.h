// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Summary of a profile: the tables of LIBOMPTARGET_PROFILE=- and of its page. Private to observe/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile_event.h"

namespace omptarget::observe {

/// Events that belong together.
struct SummaryRow : EventTotals {
  std::string name;
  std::string place;  ///< "file:line:column", or empty
  std::string detail; ///< direction of a copy, reason of a fallback
};

struct Summary {
  std::vector<SummaryRow> regions; ///< constructs by place
  std::vector<SummaryRow> kernels;
  std::vector<SummaryRow> transfers; ///< by direction and device
  std::vector<SummaryRow> variables; ///< copies by variable
  std::vector<SummaryRow> repeated;  ///< variables with copies of unchanged data
  std::vector<SummaryRow> fallbacks;
  uint64_t wait_ns = 0;
};

/// All tables, each by falling time (repeated: by bytes; fallbacks: by number).
Summary summarise(const Profile &profile);

/// "1.25 ms", "3.2 GB/s", "40 B".
std::string time_text(uint64_t ns);
std::string bytes_text(uint64_t bytes);
std::string rate_text(uint64_t bytes, uint64_t ns);

const char *event_kind_name(EventKind kind);

} // namespace omptarget::observe
