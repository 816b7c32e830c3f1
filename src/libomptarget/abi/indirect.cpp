// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lookups of indirect functions, for device code that runs on this CPU: which device is calling follows from
// where the call returns to.

#include "indirect/caller_registry.h"
#include "omptarget/compiler.h"

void *__kmpc_target_translate_fptr(void *pointer) {
  return omptarget::translate_function_pointer(pointer, __builtin_return_address(0));
}

void *__llvm_omp_indirect_call_lookup(void *pointer) {
  return omptarget::translate_function_pointer(pointer, __builtin_return_address(0));
}
