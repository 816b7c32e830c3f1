// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/container.h"

#include "target.h"
#include "test/unit/image/container_bytes.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int, char **) {
  std::vector<std::string> all;
  for (const char *arch : {"", "sm_90", "gfx90a:xnack+"}) {
    const std::vector<std::byte> bytes = container_bytes("\x7f"
                                                         "ELF image",
                                                         arch, "nvptx64-nvidia-cuda");
    all.emplace_back(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  return all;
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte *>(data), size);
  (void)is_container(bytes);
  Result<ContainedImage> image = open_container(bytes);
  if (!image.is_ok()) {
    fuzz::require(!image.status().to_string().empty(), "a refused container has a reason");
    return 0;
  }
  const std::span<const std::byte> inside = image->bytes;
  fuzz::require(!inside.empty() && inside.data() >= bytes.data() && inside.size() <= size &&
                    inside.data() + inside.size() <= bytes.data() + size,
                "the image lies in its container");
  return 0;
}
