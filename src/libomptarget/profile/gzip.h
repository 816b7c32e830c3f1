// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compressed files (RFC 1952), by zlib, which is linked into the library. Private to observe/ and the tools. Any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace omptarget::observe {

/// Returns whether a file of this name is written compressed: the name ends in .gz.
bool is_gzip_name(std::string_view path);

/// Compresses. Fails if there is no memory for it.
Result<std::string> compress_gzip(std::string_view bytes);

/// Returns contents that are not compressed as they are, and others decompressed, whatever their file's name is. Fails
/// if they are damaged or cut off, or if they decompress to more than `most_bytes`.
Result<std::string> decompress_gzip(std::string contents, size_t most_bytes);

} // namespace omptarget::observe
