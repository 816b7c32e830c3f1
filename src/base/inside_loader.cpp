// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/inside_loader.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <unwind.h>

namespace omptarget {

namespace {

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

/// The memory of the dynamic loader, which the kernel has mapped; empty if it was started as a program itself.
Range range_of_loader() {
  const uintptr_t base = getauxval(AT_BASE);
  if (base == 0)
    return {};
  const auto *const header = reinterpret_cast<const ElfW(Ehdr) *>(base);
  const auto *const segments = reinterpret_cast<const ElfW(Phdr) *>(base + header->e_phoff);
  Range range{base, base};
  for (int i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_LOAD)
      range.end = std::max<uintptr_t>(range.end, base + segments[i].p_vaddr + segments[i].p_memsz);
  return range;
}

struct Search {
  Range range;
  bool is_inside;
};

_Unwind_Reason_Code check_frame(_Unwind_Context *context, void *argument) {
  auto *const search = static_cast<Search *>(argument);
  const uintptr_t code = _Unwind_GetIP(context);
  search->is_inside |= code >= search->range.begin && code < search->range.end;
  return search->is_inside ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

/// The function of the C library that calls main; 0 if it cannot be found.
uintptr_t start_of_program() {
  static const auto start = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "__libc_start_main"));
  return start;
}

_Unwind_Reason_Code find_loader_call(_Unwind_Context *context, void *argument) {
  auto *const nearest = static_cast<LoaderCall *>(argument);
  const uintptr_t function = _Unwind_GetRegionStart(context);
  if (function == reinterpret_cast<uintptr_t>(&std::exit))
    *nearest = LoaderCall::kExit;
  else if (function == reinterpret_cast<uintptr_t>(&dlclose))
    *nearest = LoaderCall::kClose;
  else if (function == reinterpret_cast<uintptr_t>(&dlopen) || function == reinterpret_cast<uintptr_t>(&dlmopen))
    *nearest = LoaderCall::kOpen;
  else if (function == start_of_program())
    *nearest = LoaderCall::kNone;
  return *nearest == LoaderCall::kNotTold ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

} // namespace

LoaderCall nearest_loader_call() {
  LoaderCall nearest = LoaderCall::kNotTold;
  (void)_Unwind_Backtrace(find_loader_call, &nearest);
  return nearest;
}

bool may_be_inside_loader() {
  Search search{range_of_loader(), false};
  if (search.range.begin == 0)
    return true;
  const _Unwind_Reason_Code reason = _Unwind_Backtrace(check_frame, &search);
  return search.is_inside || reason != _URC_END_OF_STACK;
}

bool is_called_from(uintptr_t begin, uintptr_t end) {
  Search search{{begin, end}, false};
  (void)_Unwind_Backtrace(check_frame, &search);
  return search.is_inside;
}

} // namespace omptarget
