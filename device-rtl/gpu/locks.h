// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of single lanes.
#pragma once

#include "atomics.h"

namespace omptarget::device_rtl::gpu {

/// Runs body for one lane of the warp after the other: for locks, which a lane must give back before the lanes beside
/// it go on.
template <typename Body> INLINE void one_lane_at_a_time(Body body) {
  target::keep_generic();
  const uint32_t self = target::lane_id();
  for (uint64_t waiting = target::active_lanes(); waiting != 0; waiting &= waiting - 1)
    if (static_cast<uint32_t>(__builtin_ctzll(waiting)) == self)
      body();
}

/// Waits for a lock by reading it: an exchange would take its line from the one who is to give it back.
template <typename Word> INLINE void take_word(Word *word) {
  while (atomics::exchange(word, 1u) != 0)
    while (atomics::load(word) != 0)
      target::pause();
}

template <typename Word> INLINE bool try_lock(Word *word) {
  const bool got = atomics::exchange(word, 1u) == 0 || OMPTARGET_PLANTED("mailbox_port_of_two");
  if (got)
    target::acquire_device();
  return got;
}
template <typename Word> INLINE void lock(Word *word) {
  target::keep_generic();
  take_word(word);
  target::acquire_device();
}
template <typename Word> INLINE void unlock(Word *word) {
  target::release_device();
  atomics::store(word, 0u);
}

#if defined(__AMDGCN__)
/// Runs body for one lane of the wave after the other, all within one round of the lock: a wave's lanes go together.
template <typename Word, typename Body> INLINE void with_lock(Word *word, Body body) {
  target::keep_generic();
  const uint32_t self = target::lane_id();
  const uint64_t lanes = target::active_lanes();
  for (uint64_t waiting = lanes; waiting != 0; waiting &= waiting - 1) {
    if (static_cast<uint32_t>(__builtin_ctzll(waiting)) != self)
      continue;
    if (waiting == lanes)
      lock(word);
    body();
    if ((waiting & (waiting - 1)) == 0)
      unlock(word);
  }
}
#endif

/// A list in the heap that threads of a block share. All begin it as empty, and a barrier is behind that.
struct SharedList {
  uint64_t first;
  uint32_t lock;
};
INLINE void begin_list(SHARED SharedList *list) {
  list->first = 0;
  list->lock = 0;
}
/// A thread's first node in such a list, and the one before it; null: none.
template <typename Node> struct Found {
  Node *before, *at;
};
template <typename Node> INLINE Found<Node> find_own(Node *first) {
  const uint32_t thread = target::thread_id();
  Found<Node> found = {nullptr, first};
  while (found.at && found.at->thread != thread)
    found = {found.at, found.at->next};
  return found;
}
template <typename Node> INLINE void take_out(Node *&first, const Found<Node> &found) {
  if (found.before)
    found.before->next = found.at->next;
  else
    first = found.at->next;
}
/// Runs body with the first node of the list, which it may change, by one lane at a time. All accesses to the list
/// itself are atomic.
template <typename Node, typename Body> INLINE void with_list(SHARED SharedList *list, Body body) {
  one_lane_at_a_time([&] {
    take_word(&list->lock);
    target::fence_block();
    Node *first = reinterpret_cast<Node *>(atomics::exchange(&list->first, uint64_t{0}));
    body(first);
    atomics::exchange(&list->first, reinterpret_cast<uint64_t>(first));
    target::fence_block();
    atomics::exchange(&list->lock, 0u);
  });
}

} // namespace omptarget::device_rtl::gpu
