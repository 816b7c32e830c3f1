// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host plugin's checks of an image before the dynamic linker sees it.

#include "files.h"
#include "host/image_check.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int count, char **arguments) { return files(count, arguments); }

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  using namespace omptarget::fuzz;
  Result<host::ImageLayout> layout = host::check_image({reinterpret_cast<const char *>(data), size});
  require(layout.is_ok() ? !layout->segments.empty() : !layout.status().to_string().empty(), "segments or a reason");
  return 0;
}
