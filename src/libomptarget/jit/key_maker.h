// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes keys of the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <llvm/Support/BLAKE3.h>
#include <span>
#include <string_view>

#include "jit/cache.h"

namespace omptarget::jit {

/// A hash of texts, each with its length. Used by one thread.
class KeyMaker {
public:
  void add(std::string_view text) {
    const uint64_t size = text.size();
    hash_.update(llvm::StringRef(reinterpret_cast<const char *>(&size), sizeof size));
    hash_.update(llvm::StringRef(text.data(), text.size()));
  }
  void add(std::span<const std::byte> bytes) {
    add(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  }
  Key key() {
    const auto result = hash_.final();
    Key key;
    std::copy(result.begin(), result.end(), key.begin());
    return key;
  }

private:
  llvm::BLAKE3 hash_;
};

} // namespace omptarget::jit
