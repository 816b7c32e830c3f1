// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/no_memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/uio.h>
#include <unistd.h>

namespace omptarget {

#ifdef OMPTARGET_OWN_CXX_LIBRARY

namespace {

constinit std::atomic<const char *> owner_of_notes{nullptr};

iovec part(const char *text) { return {const_cast<char *>(text), std::strlen(text)}; }

/// Allocates nothing.
void end() {
  const iovec parts[] = {part("omptarget fatal error 1: no host memory is left for the records of "),
                         part(owner_of_notes.load(std::memory_order_relaxed)), part("\n")};
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts, 3);
  std::abort();
}

} // namespace

void end_without_memory(const char *owner) {
  owner_of_notes.store(owner, std::memory_order_relaxed);
  std::set_new_handler(end);
}

#else

void end_without_memory(const char *) {}

#endif

} // namespace omptarget
