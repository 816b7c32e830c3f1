// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/protected_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <memory>

namespace omptarget {

namespace {

constexpr int64_t kLargestPiece = 1 << 20;

/// How many bytes, of at most size, lie in the page of the address.
int64_t rest_of_page(const std::byte *address, int64_t size) {
  const auto offset = static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) % kSmallestPage);
  return std::min(size, static_cast<int64_t>(kSmallestPage) - offset);
}

Status cannot_be_written(const std::byte *address, bool is_readable) {
  return Status::error(format(is_readable ? "host address 0x%016" PRIxPTR " cannot be written, and the device holds "
                                            "another value of it"
                                          : "host address 0x%016" PRIxPTR " can be neither read nor written",
                              reinterpret_cast<uintptr_t>(address)));
}

/// Both lie in one page. A program that handles refused accesses may make the page writable then.
Status write_changes(std::byte *host, const std::byte *values, int64_t size) {
  const auto count = static_cast<size_t>(size);
  const bool is_readable = is_page_readable(host);
  const std::byte *const difference = is_readable ? std::mismatch(host, host + count, values).first : host;
  if (difference == host + count)
    return Status::ok();
  if (!is_page_writable(host) && !handles_refused_accesses())
    return cannot_be_written(difference, is_readable);
  std::memcpy(host, values, count);
  return Status::ok();
}

} // namespace

Status retrieve_changes(const Device &device, void *host, const void *source, int64_t size) {
  const auto buffer = std::make_unique<std::byte[]>(static_cast<size_t>(std::min(size, kLargestPiece)));
  auto *const begin = static_cast<std::byte *>(host);
  for (int64_t done = 0; done < size;) {
    const int64_t piece = std::min(size - done, kLargestPiece);
    OMPTARGET_TRY(device.plugin_device().data_retrieve(buffer.get(), static_cast<const std::byte *>(source) + done,
                                                       piece, nullptr));
    for (int64_t i = 0; i < piece;) {
      const int64_t part = rest_of_page(begin + done + i, piece - i);
      OMPTARGET_TRY(write_changes(begin + done + i, buffer.get() + i, part));
      i += part;
    }
    done += piece;
  }
  return Status::ok();
}

static Status cannot_be_read(const void *host, int64_t size) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(host), last = first + static_cast<uintptr_t>(size) - 1;
  const uintptr_t refused = is_page_readable(host) ? last / kSmallestPage * kSmallestPage : first;
  return Status::error(format("host address 0x%016" PRIxPTR " cannot be read", refused));
}

Status internal::ask_for_readable(const void *host, int64_t size, bool is_copied_back) {
  const auto bytes = static_cast<size_t>(size);
  const bool is_there = (is_copied_back && is_writable(host, bytes)) || is_readable(host, bytes);
  return is_there ? Status::ok() : cannot_be_read(host, size);
}

} // namespace omptarget
