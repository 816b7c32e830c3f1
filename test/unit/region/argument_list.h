// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items as a compiler passes them.
#pragma once

#include <vector>

#include "mapping/map_arguments.h"
#include "region/expansion.h"

namespace omptarget::test {

class ArgumentList {
public:
  template <typename Items> explicit ArgumentList(const Items &items) {
    for (const MapItem &one : items) {
      bases_.push_back(raw(one.base));
      begins_.push_back(raw(one.begin));
      sizes_.push_back(one.size);
      types_.push_back(static_cast<int64_t>(one.type));
      names_.push_back(const_cast<char *>(one.name));
    }
    list_ = {static_cast<int32_t>(bases_.size()),
             bases_.data(),
             begins_.data(),
             sizes_.data(),
             types_.data(),
             names_.data(),
             nullptr};
  }
  ArgumentList(const ArgumentList &) = delete;
  ArgumentList &operator=(const ArgumentList &) = delete;
  /// Lives as long as this.
  const MapList &list() const { return list_; }

private:
  std::vector<void *> bases_, begins_, names_;
  std::vector<int64_t> sizes_, types_;
  MapList list_;
};

/// The arguments of a construct that gets these items; what mappers push comes as items with groups.
class TestArguments {
public:
  template <typename Items>
  explicit TestArguments(const Items &items, bool is_exit = false) : list_(items), arguments_(list_.list()) {
    for (const MapItem &one : items)
      if (one.group >= 0) {
        expand(MapItems(items.begin(), items.end()), arguments_, is_exit);
        break;
      }
  }
  MapArguments &get() { return arguments_; }

private:
  ArgumentList list_;
  MapArguments arguments_;
};

} // namespace omptarget::test
