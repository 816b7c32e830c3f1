// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/loaded_object.h"

#include <dlfcn.h>
#include <link.h>

namespace omptarget {

LoadedObject LoadedObject::of_handle(void *handle) {
  link_map *map = nullptr;
  return LoadedObject(dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&map)) == 0 ? map : nullptr);
}

LoadedObject LoadedObject::around(const void *address) {
  Dl_info facts{};
  link_map *map = nullptr;
  const int found = dladdr1(address, &facts, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP);
  return LoadedObject(found != 0 ? map : nullptr);
}

void *LoadedObject::find(const char *symbol, std::string *owner) const {
  // A handle of glibc's is the link map.
  void *address = map_ ? dlsym(map_, symbol) : nullptr;
  if (!address)
    return nullptr;
  const LoadedObject found = around(address);
  if (found.map_ == map_)
    return address;
  if (owner)
    *owner = found.map_ ? found.map_->l_name : "another object";
  return nullptr;
}

} // namespace omptarget
