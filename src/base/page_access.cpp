// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/page_access.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace omptarget {

constinit NotedPages writable_pages, readable_pages;

namespace {

constexpr uintptr_t kWordSize = sizeof(uint32_t);

/// The aligned word that holds the byte.
uint32_t *word_of(const void *address) {
  return reinterpret_cast<uint32_t *>(reinterpret_cast<uintptr_t>(address) / kWordSize * kWordSize);
}

/// The system writes the byte once more. It belongs to data that are about to be written, so no other thread may write
/// it meanwhile.
bool is_byte_writable(const void *address) {
  const int error = errno;
  unsigned char value = 0;
  const iovec own{&value, 1}, place{const_cast<void *>(address), 1};
  const pid_t process = ::getpid();
  bool is_done = ::process_vm_readv(process, &own, 1, &place, 1, 0) == 1;
  is_done = is_done && ::process_vm_writev(process, &own, 1, &place, 1, 0) == 1;
  const bool is_refused = !is_done && errno == EFAULT;
  errno = error;
  return is_done || (!is_refused && is_page_writable(address));
}

} // namespace

/// The system adds 0 to the word, in one step. Nobody waits for the other word, and the comparison never holds for what
/// lies here, so that no thread wakes.
bool is_page_writable(const void *address) {
  constexpr int kAddNothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_LT, -2048);
  const int error = errno;
  uint32_t nobody = 0;
  const bool is_refused =
      ::syscall(SYS_futex, &nobody, FUTEX_WAKE_OP_PRIVATE, 0, nullptr, word_of(address), kAddNothing) == -1 &&
      errno == EFAULT;
  errno = error;
  return !is_refused;
}

/// The system reads the word, and waits for no time at all if it is 0.
bool is_page_readable(const void *address) {
  const int error = errno;
  const timespec now{};
  const bool is_refused =
      ::syscall(SYS_futex, word_of(address), FUTEX_WAIT_PRIVATE, 0, &now, nullptr, 0) == -1 && errno == EFAULT;
  errno = error;
  return !is_refused;
}

bool handles_refused_accesses() {
  struct sigaction action{};
  return ::sigaction(SIGSEGV, nullptr, &action) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool find_writable(const void *begin, size_t size) {
  const auto first = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t word = (first + kWordSize - 1) / kWordSize * kWordSize, page = first / kSmallestPage;
  const bool has_word = word + kWordSize <= first + size && word / kSmallestPage == page;
  if (has_word ? !is_page_writable(reinterpret_cast<const void *>(word)) : !is_byte_writable(begin))
    return false;
  writable_pages.note(page);
  readable_pages.note(page);
  return true;
}

bool find_readable(const void *begin) {
  if (!is_page_readable(begin))
    return handles_refused_accesses();
  readable_pages.note(reinterpret_cast<uintptr_t>(begin) / kSmallestPage);
  return true;
}

} // namespace omptarget
