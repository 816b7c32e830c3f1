// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared object in this process, and the symbols that it has itself: what dlsym finds may also belong to a library
// that the object needs.
#pragma once

#include <string>

struct link_map;

namespace omptarget {

/// Only valid while the object is loaded.
class LoadedObject {
public:
  /// The object that dlopen returned; the handle of no object if it is null.
  static LoadedObject of_handle(void *handle);
  /// The object in which the address lies.
  static LoadedObject around(const void *address);

  explicit operator bool() const { return map_ != nullptr; }
  /// The address of a symbol of the object's own; null if there is none. owner: the other object that has one.
  void *find(const char *symbol, std::string *owner = nullptr) const;

private:
  explicit LoadedObject(link_map *map) : map_(map) {}
  link_map *map_;
};

} // namespace omptarget
