// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host library's checks of images for plugins of LLVM, and of images that are loaded.

#include <dlfcn.h>

#include "files.h"
#include "image/image_facts.h"
#include "image/own_entries.h"
#include "plugin/plugin_image.h"

namespace omptarget::fuzz {

static const void *inside_loaded; // an address in the image of the first seed, whose segments most changed images have

std::vector<std::string> seeds(int count, char **arguments) {
  if (void *const loaded = count > 0 ? dlopen(arguments[0], RTLD_NOW | RTLD_LOCAL) : nullptr)
    inside_loaded = dlsym(loaded, "variable");
  return files(count, arguments);
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  using namespace omptarget::fuzz;
  auto *const begin = const_cast<uint8_t *>(data);
  const __tgt_device_image image{begin, begin + size, nullptr, nullptr};
  Status status = check_image_is_whole(image);
  require(status.is_ok() || !status.to_string().empty(), "a refused image has a reason");
  status.consume();
  (void)maker_without_leading_parameter(image);
  (void)is_for_this_machine(image);
  (void)dynamic_symbols(image);
  (void)own_entry_count(image);
  (void)own_entries({reinterpret_cast<const std::byte *>(data), size}, inside_loaded);
  (void)image_facts({reinterpret_cast<const std::byte *>(data), size});
  return 0;
}
