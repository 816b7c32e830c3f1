// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/last_error.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "common/thread_text.h"

namespace omptarget::plugin {

void set_last_error(std::string text) {
  OMPTARGET_TRACE(Topic::kPlugin, "failure: %s", text.c_str());
  set_thread_text(std::move(text));
}

int32_t finish(Status status) {
  if (status.is_ok()) [[likely]]
    return 0;
  set_last_error(status.to_string());
  return -1;
}

size_t copy_last_error(char *buffer, size_t size) { return copy_text(thread_text(), buffer, size); }

size_t copy_text(const std::string &text, char *buffer, size_t size) {
  if (buffer && size != 0) {
    const size_t count = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), count);
    buffer[count] = '\0';
  }
  return text.size();
}

} // namespace omptarget::plugin
