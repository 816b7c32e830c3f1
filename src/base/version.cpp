// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/version.h"

namespace omptarget {

const char *version_text() { return OMPTARGET_VERSION_TEXT; }

} // namespace omptarget
