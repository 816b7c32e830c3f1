// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/profile_file.h"

#include <utility>

#include "profile/gzip.h"

namespace omptarget::observe {

Result<std::string> contents_of_profile(std::string_view path, std::string json) {
  const bool is_compressed = is_gzip_name(path);
  if (is_compressed)
    path = path.substr(0, path.rfind('.'));
  if (path.ends_with(".html"))
    json = page_of_profile(json);
  return is_compressed ? compress_gzip(json) : std::move(json);
}

} // namespace omptarget::observe
