// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the argument block of a launch.
#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>

#include "base/status.h"
#include "omptarget/types.h"
#include "region/launch.h"

namespace omptarget {

namespace kernel_args_internal {
inline constexpr uint64_t kKnownFlags =
    OMPTARGET_KERNEL_NOWAIT | OMPTARGET_KERNEL_GROUP_MEMORY_FALLBACK | OMPTARGET_KERNEL_STRICT;
/// From there on a block has what the plugin gets as it is.
inline constexpr size_t kSettings = offsetof(__tgt_kernel_args, Tripcount);
/// The forms of blocks, by version.
inline constexpr BlockForm kForms[] = {BlockForm::kNone,     BlockForm::kVersion1, BlockForm::kVersion2,
                                       BlockForm::kVersion3, BlockForm::kNone,     BlockForm::kVersion5};
Status unreadable(const void *block);
Status unknown_flags(uint64_t flags);
Status take_off_implicit(MapList &list);
} // namespace kernel_args_internal

/// Reads the block as far as its version goes, and nothing else, into a request without host_id; num_teams and
/// thread_limit are the call's. Fails, naming the version, for blocks of versions that no compiler of
/// generations/clang.def emits. The last argument of a version 5 block, the implicit one, is dropped.
inline Status read_kernel_args(const void *block, int32_t num_teams, int32_t thread_limit, LaunchRequest &request) {
  using namespace kernel_args_internal;
  uint32_t version = 0;
  if (block)
    std::memcpy(&version, block, sizeof version);
  request.block = version < std::size(kForms) ? kForms[version] : BlockForm::kNone;
  if (request.block == BlockForm::kNone)
    return unreadable(block);
  const auto &args = *static_cast<const __tgt_kernel_args *>(block);
  request.list = {static_cast<int32_t>(args.NumArgs),
                  args.ArgBasePtrs,
                  args.ArgPtrs,
                  args.ArgSizes,
                  args.ArgTypes,
                  args.ArgNames,
                  args.ArgMappers};
  constexpr int32_t kNoTeams = -1;
  if (request.block == BlockForm::kVersion1) { // ends before the flags
    request.args = {};
    request.args.Tripcount = args.Tripcount;
    request.args.NumTeams[0] = num_teams == kNoTeams ? 1 : static_cast<uint32_t>(num_teams);
    request.args.ThreadLimit[0] = static_cast<uint32_t>(thread_limit);
    return Status::ok();
  }
  if (args.Flags & ~kKnownFlags)
    return unknown_flags(args.Flags);
  std::memset(&request.args, 0, kSettings);
  std::memcpy(reinterpret_cast<char *>(&request.args) + kSettings, static_cast<const char *>(block) + kSettings,
              sizeof request.args - kSettings);
  if (num_teams == kNoTeams)
    request.args.NumTeams[0] = 1;
  return request.block == BlockForm::kVersion5 ? take_off_implicit(request.list) : Status::ok();
}

} // namespace omptarget
