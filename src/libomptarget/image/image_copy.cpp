// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/image_copy.h"

#include <cstring>

#include "observe/device_events.h"

namespace omptarget {

ImageCopy::ImageCopy(const DeviceImage &image)
    : bytes_(new std::byte[image.size()]), size_(image.size()), arch_(image.arch), wrapping_(image.wrapping),
      number_(image.number), entries_(image.entries) {
  if (size_ > 0)
    std::memcpy(bytes_.get(), image.begin, size_);
  for (const Entry &entry : entries_)
    names_size_ += std::strlen(entry.name) + 1;
  names_.reset(new char[names_size_]);
  char *next = names_.get();
  records_.reserve(entries_.size());
  for (Entry &entry : entries_) {
    const size_t bytes = std::strlen(entry.name) + 1;
    std::memcpy(next, entry.name, bytes);
    entry.name = next;
    records_.push_back({raw(entry.address), next, entry.size, static_cast<int32_t>(entry.flags), 0});
    next += bytes;
  }
}

ImageCopy::~ImageCopy() {
  const auto begin = reinterpret_cast<uintptr_t>(names_.get());
  if (names_)
    observe::forget_names(begin, begin + names_size_);
}

/// Its host address is that of its name: no other kernel has it.
void ImageCopy::add_kernel(std::string name) {
  char *const text = added_.emplace_back(std::move(name)).data();
  records_.push_back({text, text, 0, 0, 0});
}

__tgt_device_image ImageCopy::record() {
  return {bytes_.get(), bytes_.get() + size_, records_.data(), records_.data() + records_.size()};
}

} // namespace omptarget
