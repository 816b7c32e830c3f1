// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/copies.h"

#include <algorithm>
#include <cinttypes>

#include "mapping/variable_name.h"

namespace omptarget {

Status no_such_range(HostPtr begin, int64_t size, const char *name) {
  return Status::error(format(size < 0 ? "size %" PRId64 " of host address 0x%016" PRIxPTR " is negative"
                                       : "%" PRId64 " bytes at host address 0x%016" PRIxPTR
                                         " reach out of the address space",
                              size, static_cast<uintptr_t>(begin)))
      .about(variable_text(name, size));
}

std::string missing_text(HostPtr begin, int64_t size, const char *modifier) {
  return format("device mapping required by 'present' %s does not exist for host address 0x%016" PRIxPTR " (%" PRIu64
                " bytes)",
                modifier, static_cast<uintptr_t>(begin), size);
}

Status missing_present(HostPtr begin, int64_t size, const char *name, const char *modifier) {
  return Status::message(missing_text(begin, size, modifier)).about(variable_text(name, size));
}

bool extend(Copy &last, const Copy &copy) {
  const HostPtr begin = std::min(last.host, copy.host);
  const HostPtr end = std::max(last.host + last.size, copy.host + copy.size);
  if (last.mapping != copy.mapping || end - begin > last.size + copy.size)
    return false;
  last.host = begin;
  last.size = end - begin;
  if (!last.needed_by)
    last.needed_by = copy.needed_by;
  return true;
}

void add_copy(llvm::SmallVectorImpl<Copy> &copies, const Copy &copy) {
  if (copies.empty() || !extend(copies.back(), copy))
    copies.push_back(copy);
}

} // namespace omptarget
