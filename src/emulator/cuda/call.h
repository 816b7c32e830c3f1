// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The begin of files that implement the driver's functions.
#pragma once

#include "stand_in_cuda.h"
#include "state.h"

#define STAND_IN_API extern "C" __attribute__((visibility("default")))
/// Counts the call and returns if it shall fail.
#define STAND_IN_ENTER(name)                                                                                           \
  if (const CUresult injected = enter(#name))                                                                          \
  return injected
/// The same for functions in a context.
#define STAND_IN_ENTER_CONTEXT(name)                                                                                   \
  STAND_IN_ENTER(name);                                                                                                \
  Context *context = nullptr;                                                                                          \
  if (const CUresult result = check_context(#name, context))                                                           \
  return result
/// For functions that give something back: they do so even if they shall fail, as a driver that reports an earlier
/// failure does.
#define STAND_IN_ENTER_RELEASE(name)                                                                                   \
  const CUresult injected = enter(#name);                                                                              \
  if (injected == omptarget::cuda::CUDA_ERROR_DEINITIALIZED)                                                           \
    return injected;                                                                                                   \
  Context *context = nullptr;                                                                                          \
  if (const CUresult result = check_context(#name, context))                                                           \
  return result
/// For functions that the stream they get decides the context of: any context will do, as with the driver. With
/// SIM_CUDA_WANTS_OWN_CONTEXT=1 only that of the stream will.
#define STAND_IN_ENTER_STREAM(name, handle)                                                                            \
  STAND_IN_ENTER(name);                                                                                                \
  Context *context = nullptr;                                                                                          \
  if (const CUresult result = context_of_stream(#name, handle, context))                                               \
  return result
