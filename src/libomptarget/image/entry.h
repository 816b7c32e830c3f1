// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An offload entry in the inner form, whichever generation of compilers emitted it.
#pragma once

#include <cstdint>

#include "base/address.h"
#include "omptarget/types.h"

namespace omptarget {

enum class EntryKind : uint8_t {
  kKernel,
  kVariable,        ///< declare target enter
  kLinkVariable,    ///< declare target link: the address is that of the host's pointer to the variable
  kConstructor,     ///< kernel to run once after loading
  kDestructor,      ///< kernel to run once before unloading
  kIndirect,        ///< clang's declare target indirect: the device has a global of that name that holds the address
  kFunctionPointer, ///< the RFC's OMP_DECLARE_TARGET_FPTR: the device table's own entry holds the address
  kVtable,          ///< C++ vtable: the device has a global of that name that holds its address
};

/// Returns whether device code finds it by its host address.
constexpr bool is_indirect(EntryKind kind) {
  return kind == EntryKind::kIndirect || kind == EntryKind::kFunctionPointer || kind == EntryKind::kVtable;
}

/// For messages and reports.
inline const char *kind_name(EntryKind kind) {
  switch (kind) {
  case EntryKind::kKernel: return "kernel";
  case EntryKind::kVariable: return "global";
  case EntryKind::kLinkVariable: return "global (link)";
  case EntryKind::kConstructor: return "constructor";
  case EntryKind::kDestructor: return "destructor";
  case EntryKind::kIndirect: return "indirect function";
  case EntryKind::kFunctionPointer: return "function pointer";
  case EntryKind::kVtable: return "vtable";
  }
  return "?";
}

/// One entry. The name lives as long as the module.
struct Entry {
  HostPtr address;
  const char *name;
  uint64_t size;  ///< bytes
  uint32_t flags; ///< as emitted
  EntryKind kind;
};

} // namespace omptarget
