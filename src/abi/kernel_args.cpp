// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "abi/kernel_args.h"

#include <cstring>

namespace omptarget {

namespace {

constexpr size_t kVersion1Size = offsetof(__tgt_kernel_args, Flags);
constexpr uint64_t kKnownFlags =
    OMPTARGET_KERNEL_NOWAIT | OMPTARGET_KERNEL_GROUP_MEMORY_FALLBACK | OMPTARGET_KERNEL_STRICT;

BlockForm form_of(uint32_t version) {
  switch (version) {
  case 1:
    return BlockForm::kVersion1;
  case 2:
    return BlockForm::kVersion2;
  case 3:
    return BlockForm::kVersion3;
  case 5:
    return BlockForm::kVersion5;
  default:
    return BlockForm::kNone;
  }
}

static_assert(is_known_block(1) && is_known_block(2) && is_known_block(3) && !is_known_block(4) && is_known_block(5) &&
                  !is_known_block(6),
              "the versions that BlockForm names are those of the table");

Status unknown_version(uint32_t version) {
  return Status::error(format("the kernel argument block has version %u; this library knows versions 1, 2, 3 and 5 (clang "
                              "15 to %u): compile with one of these, or use a newer omptarget",
                              version, kNewestClang));
}

Status check_flags(uint64_t flags) {
  if ((flags & ~kKnownFlags) == 0) [[likely]]
    return Status::ok();
  return Status::error(format("the kernel argument block has flags 0x%llx, of which this library does not know 0x%llx: they "
                              "are those of kernel languages other than OpenMP, or of a compiler newer than clang %u",
                              static_cast<unsigned long long>(flags),
                              static_cast<unsigned long long>(flags & ~kKnownFlags), kNewestClang));
}

/// The last argument of a block of version 5 stands for the implicit one.
Status take_off_implicit(MapList &list) {
  constexpr int64_t kImplicit = OMPTARGET_MAP_TARGET_PARAM | OMPTARGET_MAP_LITERAL;
  const int32_t last = list.count - 1;
  if (last < 0 || !list.bases || !list.types)
    return Status::error(format("the kernel argument block has version 5 and %d arguments%s, but its last one must be the "
                                "implicit one",
                                list.count, list.count > 0 ? " without bases or types" : ""));
  if (list.types[last] != kImplicit || list.bases[last])
    return Status::error(format("the kernel argument block has version 5, whose last argument is the implicit one, of type "
                                "0x%llx and without a base; here it has type 0x%llx and base %p",
                                static_cast<unsigned long long>(kImplicit),
                                static_cast<unsigned long long>(list.types[last]), list.bases[last]));
  list.count = last;
  return Status::ok();
}

} // namespace

Result<LaunchRequest> read_kernel_args(const void *block, int32_t num_teams, int32_t thread_limit) {
  if (!block)
    return Status::error("the kernel argument block is null");
  uint32_t version;
  std::memcpy(&version, block, sizeof version);
  const BlockForm form = form_of(version);
  if (form == BlockForm::kNone)
    return unknown_version(version);
  __tgt_kernel_args args{};
  std::memcpy(&args, block, form == BlockForm::kVersion1 ? kVersion1Size : sizeof args);
  LaunchRequest request;
  request.list = {static_cast<int32_t>(args.NumArgs),
                  args.ArgBasePtrs,
                  args.ArgPtrs,
                  args.ArgSizes,
                  args.ArgTypes,
                  args.ArgNames,
                  args.ArgMappers};
  request.trip_count = args.Tripcount;
  request.num_teams = num_teams;
  request.thread_limit = thread_limit;
  request.block = form;
  if (form != BlockForm::kVersion1) {
    OMPTARGET_TRY(check_flags(args.Flags));
    request.num_teams = num_teams == -1 ? -1 : static_cast<int32_t>(args.NumTeams[0]);
    request.thread_limit = static_cast<int32_t>(args.ThreadLimit[0]);
    for (int i = 0; i < 2; ++i) {
      request.more_teams[i] = args.NumTeams[i + 1];
      request.more_threads[i] = args.ThreadLimit[i + 1];
    }
    request.flags = args.Flags;
    request.dynamic_memory = args.DynCGroupMem;
  }
  if (form == BlockForm::kVersion5)
    OMPTARGET_TRY(take_off_implicit(request.list));
  return request;
}

} // namespace omptarget
