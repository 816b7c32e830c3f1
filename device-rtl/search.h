// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for a host function in the table of indirect functions: written once, for every device. Freestanding C++;
// how memory is read comes from the target (targets/*.h). The table is sorted pairs, as the device ABI has them.
#pragma once

#include "omptarget/types.h"

namespace omptarget::device_rtl {

using FunctionPair = __omp_offloading_fptr_map_ty;

/// Keeps the part of pairs[0..length) that holds the last host_ptr <= key, given that pairs[0] has one. Ways - 1
/// independent loads and no branch: the way taken depends on the length only, so lanes of a warp stay together.
template <typename Target, unsigned Ways>
[[gnu::always_inline]] inline void narrow(const FunctionPair *&pairs, typename Target::Length &length, uint64_t key) {
  const typename Target::Length step = length / Ways;
  typename Target::Length below = 0;
#pragma GCC unroll 16
  for (unsigned way = 1; way < Ways; ++way)
    below += Target::opaque(Target::load(&pairs[way * step].host_ptr) <= key);
  pairs += below * step;
  length -= (Ways - 1) * step; // the last way's length, which no way exceeds
}

/// The device function of the host function, or host_ptr itself if the table does not have it. The table: count
/// pairs, ascending by host_ptr, no host_ptr twice; pairs may be null if count is 0. Ends for every input; an
/// unsorted table only makes it miss.
template <typename Target>
[[gnu::always_inline]] inline uint64_t translate(const FunctionPair *pairs, uint64_t count, uint64_t host_ptr) {
  if (host_ptr == 0 || count == 0 || pairs == nullptr)
    return host_ptr;
  const uint64_t first = Target::load(&pairs[0].host_ptr); // both loads under way before one is looked at
  const uint64_t last = Target::load(&pairs[count - 1].host_ptr);
  if ((host_ptr < first) | (host_ptr > last))
    return host_ptr;
  auto length = static_cast<typename Target::Length>(count);
  while (length >= Target::kWays)
    narrow<Target, Target::kWays>(pairs, length, host_ptr);
  while (length > 1)
    narrow<Target, 2>(pairs, length, host_ptr);
  const FunctionPair found = Target::load_pair(pairs);
  return found.host_ptr == host_ptr ? found.tgt_ptr : host_ptr;
}

} // namespace omptarget::device_rtl
