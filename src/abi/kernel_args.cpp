// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "abi/kernel_args.h"

#include <cstring>

namespace omptarget {

namespace {
constexpr size_t kVersion1Size = offsetof(__tgt_kernel_args, Flags);
}

Result<LaunchRequest> read_kernel_args(const void *block, int32_t num_teams, int32_t thread_limit) {
  if (!block)
    return Status::error("the kernel argument block is null");
  uint32_t version;
  std::memcpy(&version, block, sizeof version);
  if (version < 1 || version > 3)
    return Status::error(
        format("the kernel argument block has version %u; this library knows versions 1 to 3 (compilers "
               "up to clang 22)",
               version));
  __tgt_kernel_args args{};
  std::memcpy(&args, block, version == 1 ? kVersion1Size : sizeof args);
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
  if (version >= 2) {
    request.num_teams = num_teams == -1 ? -1 : static_cast<int32_t>(args.NumTeams[0]);
    request.thread_limit = static_cast<int32_t>(args.ThreadLimit[0]);
    for (int i = 0; i < 2; ++i) {
      request.more_teams[i] = args.NumTeams[i + 1];
      request.more_threads[i] = args.ThreadLimit[i + 1];
    }
    request.flags = args.Flags;
    request.dynamic_memory = args.DynCGroupMem;
  }
  request.has_implicit_argument = version >= 3;
  return request;
}

} // namespace omptarget
