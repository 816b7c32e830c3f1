// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells at start if calls go by this library to another one.

#include <cstdio>
#include <dlfcn.h>

#include "omptarget/host_code.h"

extern "C" {
void GOMP_target_ext();
void GOMP_target_end_data();
}

namespace {

/// The file that has the function which the program's modules are given; null: this library has it.
const char *other_owner(const char *name, const char *version, void (*own)()) {
  void *const first = dlvsym(RTLD_DEFAULT, name, version);
  Dl_info facts{}, ours{};
  if (!first || first == reinterpret_cast<void *>(own) || dladdr(first, &facts) == 0 ||
      dladdr(reinterpret_cast<void *>(own), &ours) == 0 || facts.dli_fbase == ours.dli_fbase)
    return nullptr;
  return facts.dli_fname;
}

[[gnu::constructor]] void check_order() {
  const char *other = other_owner("GOMP_target_ext", "GOMP_4.5", GOMP_target_ext);
  if (!other)
    other = other_owner("GOMP_target_end_data", "GOMP_4.0", GOMP_target_end_data);
  if (!other)
    return;
  char text[512];
  std::snprintf(text, sizeof text,
                "%s comes before omptarget's libgomp.so.1 in this process and takes constructs of GCC's programs away "
                "from it; LD_PRELOAD of that file puts it first",
                other);
  __omptarget_warn(text);
}

} // namespace
