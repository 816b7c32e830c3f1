// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/kept_blocks.h"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>

#include "base/internal_thread.h"
#include "base/settings.h"
#include "base/unbound_thread.h"
#include "host/free_memory.h"

namespace omptarget::host {

namespace {

KeptMemorySettings settings() {
  KeptMemorySettings read = read_kept_memory_settings(free_memory());
  if (!may_keep_memory())
    read.threshold = 0;
  return read;
}

} // namespace

bool may_keep_memory() {
  static const bool may = [] {
    const char *const checks = setting_text(SettingId::kCheck);
    if (checks && *checks != '\0' && std::strcmp(checks, "0") != 0)
      return false;
    if (setting_flag(SettingId::kTrackAllocations) && !setting_is_set(SettingId::kMemoryManagerThreshold))
      return false;
    const char *const preloaded = std::getenv("LD_PRELOAD");
    if (preloaded && std::strstr(preloaded, "/vgpreload_"))
      return false;
    for (const char *sanitizer : {"__asan_init", "__msan_init", "__hwasan_init"})
      if (dlsym(RTLD_DEFAULT, sanitizer))
        return false;
    return true;
  }();
  return may;
}

// A block is given back at the second look that finds it unneeded, so after half the time at least, and at most all.
KeptBlocks::KeptBlocks(MemorySource &source)
    : allocator_(source, settings().threshold, settings().limit), check_ns_(settings().idle_ns / 2) {
  allocator_.give_back_after(check_ns_);
}

void *KeptBlocks::allocate(size_t size) {
  Result<void *> block = allocator_.allocate(size);
  if (block) [[likely]]
    return *block;
  block.take_status().consume();
  return nullptr;
}

bool KeptBlocks::release(void *block) {
  if (allocator_.try_release(block)) [[likely]] {
    if (!has_thread_.load(std::memory_order_relaxed) && check_ns_ != 0) [[unlikely]]
      start_thread();
    return true;
  }
  if (!allocator_.owns(block))
    return false;
  allocator_.release(block).consume(); // sources of this plugin do not fail
  return true;
}

/// Where no thread can be had, memory goes back when some is next released.
void KeptBlocks::start_thread() {
  if (has_thread_.exchange(true, std::memory_order_seq_cst))
    return;
  const auto run = [](void *blocks) -> void * {
    static_cast<KeptBlocks *>(blocks)->give_back_until_empty();
    return nullptr;
  };
  pthread_t thread;
  if (create_internal_thread(thread, run, this, create_unbound_thread) != 0) {
    has_thread_.store(false, std::memory_order_relaxed);
    return;
  }
  pthread_detach(thread);
}

void KeptBlocks::give_back_until_empty() {
  constexpr uint64_t kTick = 10000000; // the allocator's clock is coarse
  constexpr uint64_t kSecond = 1000000000;
  const uint64_t pause = check_ns_ + kTick;
  do {
    do {
      timespec rest{static_cast<time_t>(pause / kSecond), static_cast<long>(pause % kSecond)};
      while (nanosleep(&rest, &rest) != 0) {
      }
      allocator_.give_back_unneeded().consume();
    } while (allocator_.statistics().kept_bytes != 0);
    has_thread_.store(false, std::memory_order_seq_cst);
    // A thread that has released something meanwhile has found this one.
  } while (allocator_.statistics().kept_bytes != 0 && !has_thread_.exchange(true, std::memory_order_seq_cst));
}

} // namespace omptarget::host
