// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/deferred.h"

#include <cstdlib>
#include <cstring>

#include "gomp/devices.h"
#include "gomp/kinds.h"
#include "gomp/system_libgomp.h"

namespace omptarget::gomp {

namespace {

constexpr unsigned kHasDependences = 8;

bool is_copied(const Entries &entries, size_t i) { return (entries.kinds[i] & 0xff) == kind::kFirstprivate; }
size_t alignment_of(const Entries &entries, size_t i) { return size_t{1} << (entries.kinds[i] >> 8); }

size_t round_up(size_t size, size_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

size_t length_of(void **arguments) {
  size_t length = 0;
  for (; arguments && arguments[length]; ++length)
    if (reinterpret_cast<uintptr_t>(arguments[length]) & kValueFollows)
      ++length;
  return length + 1;
}

/// A block that has copies of the arrays, and of the variables that are firstprivate.
class Copies {
public:
  Copies(const Entries &entries, void **arguments) {
    const size_t count = entries.count, words = arguments ? length_of(arguments) : 0;
    const size_t head = (2 * count + words) * sizeof(void *) + count * sizeof(unsigned short);
    size_t size = head, alignment = alignof(void *);
    for (size_t i = 0; i < count; ++i)
      if (is_copied(entries, i)) {
        alignment = alignment_of(entries, i) > alignment ? alignment_of(entries, i) : alignment;
        size = round_up(size, alignment_of(entries, i)) + entries.sizes[i];
      }
    auto *const block = static_cast<char *>(std::aligned_alloc(alignment, round_up(size, alignment)));
    if (!block)
      std::abort();
    block_ = block;
    entries_ = {count, reinterpret_cast<void **>(block), reinterpret_cast<size_t *>(block) + count,
                reinterpret_cast<unsigned short *>(block + (2 * count + words) * sizeof(void *))};
    arguments_ = arguments ? reinterpret_cast<void **>(block) + 2 * count : nullptr;
    copy_words(entries_.addresses, entries.addresses, count);
    copy(entries_.sizes, entries.sizes, count * sizeof(size_t));
    copy(entries_.kinds, entries.kinds, count * sizeof(unsigned short));
    copy_words(arguments_, arguments, words);
    copy_variables(entries, head);
  }

  char *block() const { return block_; }
  const Entries &entries() const { return entries_; }
  void **arguments() const { return arguments_; }

private:
  static void copy(void *to, const void *from, size_t size) {
    if (size != 0)
      std::memcpy(to, from, size);
  }
  static void copy_words(void **to, void *const *from, size_t count) {
    for (size_t i = 0; i < count; ++i)
      to[i] = from[i];
  }
  void copy_variables(const Entries &entries, size_t at) {
    for (size_t i = 0; i < entries.count; ++i)
      if (is_copied(entries, i)) {
        at = round_up(at, alignment_of(entries, i));
        copy(block_ + at, entries.addresses[i], entries.sizes[i]);
        entries_.addresses[i] = block_ + at;
        at += entries.sizes[i];
      }
  }

  char *block_ = nullptr;
  Entries entries_{};
  void **arguments_ = nullptr;
};

template <typename Call> struct Task {
  Call call;
  char *block;
};

void run(const TargetCall &call) { run_target(call); }
void run(const DataCall &call) { run_data(call); }

/// The task's data are a pointer, as libgomp may run the task when the caller has gone.
template <typename Call> void make_task(Task<Call> *task, void **depend) {
  GOMP_task(
      [](void *data) {
        auto *const own = *static_cast<Task<Call> **>(data);
        run(own->call);
        std::free(own->block);
        delete own;
      },
      static_cast<void *>(&task), nullptr, sizeof(void *), alignof(void *), true, depend ? kHasDependences : 0, depend,
      0, nullptr);
}

} // namespace

void defer(const TargetCall &call, void **depend) {
  const Copies copies(call.entries, call.arguments);
  make_task(new Task<TargetCall>{{call.device, call.function, copies.entries(), copies.arguments(), call.code},
                                 copies.block()},
            depend);
}

void defer(const DataCall &call, void **depend) {
  const Copies copies(call.entries, nullptr);
  make_task(new Task<DataCall>{{call.device, call.construct, copies.entries(), call.code}, copies.block()}, depend);
}

} // namespace omptarget::gomp
