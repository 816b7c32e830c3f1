// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole device RTL as one unit: shared memory and helpers are its own, and the compiler sees through all of it.

#include "allocators.cpp"
#include "api.cpp"
#include "dispatch.cpp"
#include "environment.cpp"
#include "loops.cpp"
#include "memory.cpp"
#include "parallel.cpp"
#include "reduction.cpp"
#include "services.cpp"
#include "synchronisation.cpp"
#include "tasks.cpp"

#include "../translate.cpp"

#if defined(__NVPTX__)
// The plugin recognises an image with this RTL by this variable: all else of it may be gone or have no name.
extern "C" RTL_PLUGIN_VARIABLE const char __omptarget_device_rtl = OMPTARGET_RTL_GENERATION;
#endif
