// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items as a compiler passes them.
#pragma once

#include <vector>

#include "mapping/plan.h"

namespace omptarget::test {

class ArgumentList {
public:
  template <typename Items> explicit ArgumentList(const Items &items) {
    for (const MapItem &one : items) {
      bases_.push_back(raw(one.base));
      begins_.push_back(raw(one.begin));
      sizes_.push_back(one.size);
      types_.push_back(static_cast<int64_t>(one.type));
    }
  }
  /// Lives as long as this.
  MapList list() {
    return {static_cast<int32_t>(bases_.size()),
            bases_.data(),
            begins_.data(),
            sizes_.data(),
            types_.data(),
            nullptr,
            nullptr};
  }

private:
  std::vector<void *> bases_, begins_;
  std::vector<int64_t> sizes_, types_;
};

} // namespace omptarget::test
