// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that look like plugins. The seeds are the files that the build names.

#include "plugin/plugin_file.h"

#include <fstream>
#include <iterator>
#include <memory>

#include "target.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int count, char **arguments) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    require(check_plugin_contents(all.back()).is_ok(), "the seeds are plugins");
  }
  return all;
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  omptarget::Status status = omptarget::check_plugin_contents({reinterpret_cast<const char *>(data), size});
  omptarget::fuzz::require(status.is_ok() || !status.to_string().empty(), "a refused file has a reason");
  return 0;
}
