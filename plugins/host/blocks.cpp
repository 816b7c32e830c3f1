// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/blocks.h"

#include <atomic>
#include <cstdlib>
#include <sys/mman.h>

#include "host/image_check.h"
#include "host/mapped_pages.h"

namespace omptarget::host {

namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

void *allocate_aligned(size_t alignment, size_t size) {
  void *memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

/// For memory of the heap, which the user's tools watch.
void *allocate_huge(size_t size) {
  void *const memory = allocate_aligned(kHugePage, size);
  if (memory)
    (void)madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  return memory;
}

/// Pages of the system's, one mapping for each block, so that all of them go back with it. A block begins in the first
/// page behind its size. Its place there differs from one block to the next: arrays in step share no sets of a cache.
class PageSource final : public MemorySource {
public:
  Result<void *> allocate(size_t size) override {
    const size_t offset = kFirst + (count_.fetch_add(1, std::memory_order_relaxed) % kPlaces) * kStep;
    const size_t page = page_size();
    if (size > SIZE_MAX / 2)
      return no_memory(size);
    const size_t bytes = (size + offset + page - 1) / page * page;
    const bool is_huge = size >= static_cast<size_t>(kHugeBlock);
    void *const whole = is_huge ? map_aligned(bytes, kHugePage)
                                : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!whole || whole == MAP_FAILED)
      return no_memory(size);
    if (is_huge) // a system that has none, or does not want to give them, loses nothing
      (void)madvise(whole, bytes, MADV_HUGEPAGE);
    *static_cast<size_t *>(whole) = bytes;
    return static_cast<void *>(static_cast<char *>(whole) + offset);
  }
  Status release(void *block) override {
    void *const whole = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(block) & ~(page_size() - 1));
    munmap(whole, *static_cast<size_t *>(whole));
    return Status::ok();
  }
  static Status no_memory(size_t size) {
    return Status::error(format("no memory for %llu bytes", static_cast<unsigned long long>(size)));
  }
  /// False for most blocks of the heap.
  static bool may_be_its(const void *block) { return reinterpret_cast<uintptr_t>(block) % kStep == kFirst; }

private:
  static constexpr size_t kFirst = kLine;
  static constexpr size_t kStep = 256;
  static constexpr size_t kPlaces = 15;
  std::atomic<size_t> count_{0};
};

constinit std::atomic<KeptBlocks *> all_kept{nullptr};

KeptBlocks &make_kept_blocks() {
  static auto *const made = new KeptBlocks(*new PageSource); // never destroyed
  all_kept.store(made, std::memory_order_release);
  return *made;
}

void *allocate_large(size_t size) {
  if (!may_keep_memory())
    return size < static_cast<size_t>(kHugeBlock) ? allocate_aligned(kLine, size) : allocate_huge(size);
  KeptBlocks *const kept = kept_blocks();
  return (kept ? *kept : make_kept_blocks()).allocate(size);
}

/// Compilers use vectors of 32 and 64 bytes, whose variables they align so.
void *allocate_from_heap(size_t size) {
  constexpr size_t kSmallVector = 32;
  return size < kSmallVector ? std::malloc(size == 0 ? 1 : size) : allocate_aligned(kLine, size);
}

[[gnu::noinline]] void *allocate_small(size_t size) {
  void *block = allocate_from_heap(size);
  KeptBlocks *const kept = kept_blocks();
  if (block || !kept)
    return block;
  kept->trim();
  return allocate_from_heap(size);
}

} // namespace

KeptBlocks *kept_blocks() { return all_kept.load(std::memory_order_acquire); }

void prepare_blocks() {
  if (may_keep_memory())
    make_kept_blocks();
}

void *allocate_block(int64_t size) {
  return size < kKeptBlock ? allocate_small(static_cast<size_t>(size)) : allocate_large(static_cast<size_t>(size));
}

void release_block(void *block) {
  KeptBlocks *const kept = kept_blocks();
  if (!kept || !PageSource::may_be_its(block) || !kept->release(block))
    std::free(block);
}

} // namespace omptarget::host
