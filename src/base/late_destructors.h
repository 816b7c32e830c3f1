// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The destructors that the dynamic loader runs at the end of the process, of a library that is not ours.
#pragma once

namespace omptarget {

/// Makes the loader call may_run before it runs the destructors of the library that holds this address. If may_run
/// returns false, the loader leaves all of them out. The library is never closed. Returns false, and changes nothing,
/// if the address lies in the program itself or in no library. For one library of the process; any thread, one at a
/// time.
bool ask_before_destructors(const void *address, bool (*may_run)());

} // namespace omptarget
