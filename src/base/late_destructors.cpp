// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/late_destructors.h"

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace omptarget {

namespace {

using Destructor = void (*)();

/// A word of the library that holds the address of a destructor, less the offset.
struct Slot {
  ElfW(Addr) * place;
  ElfW(Addr) offset;
};

/// Never destroyed: it is needed after our own destructors.
struct Guard {
  bool (*may_run)();
  std::vector<Destructor> destructors; ///< in the order in which the loader calls
  size_t called = 0;
  bool is_running = false;
};
constinit Guard *guard = nullptr;

/// The loader calls this in place of each destructor.
void run_next() {
  if (guard->called == 0)
    guard->is_running = guard->may_run();
  const Destructor next = guard->destructors[guard->called++];
  if (guard->is_running)
    next();
}

/// The loader calls those of DT_FINI_ARRAY from the last to the first, then that of DT_FINI.
std::vector<Slot> slots_of(const link_map &library) {
  ElfW(Addr) *array = nullptr;
  size_t size = 0;
  ElfW(Addr) *last = nullptr;
  for (ElfW(Dyn) *entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FINI_ARRAY)
      array = reinterpret_cast<ElfW(Addr) *>(library.l_addr + entry->d_un.d_ptr);
    if (entry->d_tag == DT_FINI_ARRAYSZ)
      size = entry->d_un.d_val / sizeof(ElfW(Addr));
    if (entry->d_tag == DT_FINI)
      last = &entry->d_un.d_ptr;
  }
  std::vector<Slot> slots;
  for (size_t i = array ? size : 0; i > 0; --i)
    slots.push_back({&array[i - 1], 0});
  if (last)
    slots.push_back({last, library.l_addr});
  return slots;
}

/// The loader has made these words read-only.
bool make_writable(const Slot &slot) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(slot.place) & ~(page - 1);
  return mprotect(reinterpret_cast<void *>(begin), page, PROT_READ | PROT_WRITE) == 0;
}

} // namespace

bool ask_before_destructors(const void *address, bool (*may_run)()) {
  if (guard)
    return true;
  Dl_info facts{};
  link_map *library = nullptr;
  if (::dladdr1(address, &facts, reinterpret_cast<void **>(&library), RTLD_DL_LINKMAP) == 0 || !library ||
      !library->l_prev)
    return false;
  const std::vector<Slot> slots = slots_of(*library);
  auto *const made = new Guard{may_run, {}};
  for (const Slot &slot : slots) {
    if (!make_writable(slot)) {
      delete made;
      return false;
    }
    made->destructors.push_back(reinterpret_cast<Destructor>(*slot.place + slot.offset));
  }
  guard = made;
  for (const Slot &slot : slots)
    *slot.place = reinterpret_cast<ElfW(Addr)>(&run_next) - slot.offset;
  return true;
}

} // namespace omptarget
