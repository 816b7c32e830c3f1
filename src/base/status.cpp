// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/status.h"

namespace omptarget {

std::string Status::to_string() const {
  if (is_ok())
    return "success";
  std::string text = failure_->fatal;
  for (const FailureLine &line : failure_->lines) {
    if (!text.empty())
      text += "; ";
    text += line.text;
  }
  return text;
}

} // namespace omptarget
