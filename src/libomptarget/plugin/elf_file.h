// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading ELF files of this machine's kind with LLVM Object.
#pragma once

#include <llvm/Object/ELF.h>

#include "base/status.h"

namespace omptarget {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

inline Status elf_failure(llvm::Error error, const char *doing) {
  return Status::error(format("%s: %s", doing, llvm::toString(std::move(error)).c_str()));
}

} // namespace omptarget
