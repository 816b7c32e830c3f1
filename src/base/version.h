// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which omptarget this is, for reports of users.
#pragma once

namespace omptarget {

/// "1.0.0-dev (9c628cb1a2b3)": the version, "-dev" before its release, and the commit that was configured, by git or a
/// file of git archive. Without either, the version alone.
const char *version_text();

} // namespace omptarget
