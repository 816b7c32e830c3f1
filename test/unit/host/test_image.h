// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test image, and describing it as the host library would.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "omptarget/types.h"

namespace omptarget::host {

inline std::string read_test_image() {
  std::ifstream file(OMPTARGET_TEST_IMAGE, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

/// An image with entries; keeps what the description points to.
struct DescribedImage {
  explicit DescribedImage(std::string contents) : bytes(std::move(contents)) {}
  void add(const char *name, size_t size = 0, int32_t flags = 0, const void *address = nullptr) {
    entries.push_back({const_cast<void *>(address), const_cast<char *>(name), size, flags, 0});
  }
  __tgt_device_image description() {
    return {bytes.data(), bytes.data() + bytes.size(), entries.data(), entries.data() + entries.size()};
  }
  std::string bytes;
  std::vector<__tgt_offload_entry> entries;
};

} // namespace omptarget::host
