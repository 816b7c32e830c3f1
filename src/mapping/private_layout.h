// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the private and firstprivate variables of a launch lie in one block of device memory, so that one allocation and
// one transfer serve all of them.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "mapping/plan.h"

namespace omptarget {

struct PrivateVariable {
  int32_t item;   ///< index in the items
  int64_t offset; ///< in the block
};

struct PrivateLayout {
  llvm::SmallVector<PrivateVariable, 4> variables;
  int64_t size = 0;        ///< of the block; 0: nothing is private
  int64_t initialised = 0; ///< firstprivate variables lie below this offset, private ones above
};

/// Lays out all items with PRIVATE: firstprivate ones first, each as aligned as its host address is, up to 16 bytes.
PrivateLayout lay_out_private(const MapItems &items);

} // namespace omptarget
