// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that come and go.

#include "abi/boundary.h"
#include "base/no_memory.h"
#include "device/default_device.h"
#include "device/runtime.h"
#include "observe/info.h"
#include "omptarget/compiler.h"

using namespace omptarget;

namespace {

/// A module that cannot be registered does not offload; contradicting requirements are fatal, as for LLVM's runtime.
void finish_registration(const Status &status, const Call &call) {
  if (status.is_ok())
    return;
  if (!status.failure().fatal.empty())
    return finish(status, call);
  for (const FailureLine &line : status.failure().lines)
    print_error(line.text);
}

} // namespace

void __tgt_register_lib(__tgt_bin_desc *desc) {
  end_without_memory("the library");
  const Call call{"registration", nullptr, -1, __builtin_return_address(0)};
  finish_registration(Runtime::get().register_library(desc), call);
  choose_default_device();
}

void __tgt_unregister_lib(__tgt_bin_desc *desc) { Runtime::get().unregister_library(desc); }

void __tgt_register_requires(int64_t flags) {
  const Call call{"requires", nullptr, -1, __builtin_return_address(0)};
  finish_registration(Runtime::get().modules().add_requires(flags, call.code), call);
}

void __tgt_init_all_rtls(void) {
  const Call call{"initialisation of all devices", nullptr, -1, __builtin_return_address(0)};
  finish(Runtime::get().initialise_all(), call);
}

void __tgt_rtl_init(void) {}
void __tgt_rtl_deinit(void) {}
