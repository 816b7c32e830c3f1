// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/infinite_count.h"

#include <cinttypes>

#include "base/format.h"
#include "mapping/mapping.h"
#include "mapping/variable_name.h"
#include "observe/info.h"

namespace omptarget {

void warn_of_infinite_count(const char *name, HostPtr begin, int64_t size) {
  const std::string variable = variable_text(name, size);
  print_line(format("omptarget warning: host address 0x%016" PRIxPTR " (%" PRIu64
                    " bytes) has %u references: they are no longer counted, and the data stay on the device%s%s",
                    static_cast<uintptr_t>(begin), size, MappingState::kInfinite, variable.empty() ? "" : ": ",
                    variable.c_str()));
}

} // namespace omptarget
