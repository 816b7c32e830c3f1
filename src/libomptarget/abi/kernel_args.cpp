// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "abi/kernel_args.h"

namespace omptarget::kernel_args_internal {

static_assert(is_known_block(1) && is_known_block(2) && is_known_block(3) && !is_known_block(4) && is_known_block(5) &&
                  !is_known_block(6),
              "the versions that BlockForm names are those of the table");

Status unreadable(const void *block) {
  if (!block)
    return Status::error("the kernel argument block is null");
  uint32_t version;
  std::memcpy(&version, block, sizeof version);
  return Status::error(
      format("the kernel argument block has version %u; this library knows versions 1, 2, 3 and 5 (clang "
             "15 to %u): compile with one of these, or use a newer omptarget",
             version, kNewestClang));
}

Status unknown_flags(uint64_t flags) {
  return Status::error(format(
      "the kernel argument block has flags 0x%llx, of which this library does not know 0x%llx: they "
      "are those of kernel languages other than OpenMP, or of a compiler newer than clang %u",
      static_cast<unsigned long long>(flags), static_cast<unsigned long long>(flags & ~kKnownFlags), kNewestClang));
}

/// The last argument of a block of version 5 stands for the implicit one.
Status take_off_implicit(MapList &list) {
  constexpr int64_t kImplicit = OMPTARGET_MAP_TARGET_PARAM | OMPTARGET_MAP_LITERAL;
  if (list.count <= 0 || !list.bases || !list.types)
    return Status::error(
        format("the kernel argument block has version 5 and %d arguments%s, but its last one must be the "
               "implicit one",
               list.count, list.count > 0 ? " without bases or types" : ""));
  const int32_t last = list.count - 1;
  if (list.types[last] != kImplicit || list.bases[last])
    return Status::error(
        format("the kernel argument block has version 5, whose last argument is the implicit one, of type "
               "0x%llx and without a base; here it has type 0x%llx and base %p",
               static_cast<unsigned long long>(kImplicit), static_cast<unsigned long long>(list.types[last]),
               list.bases[last]));
  list.count = last;
  return Status::ok();
}

} // namespace omptarget::kernel_args_internal
