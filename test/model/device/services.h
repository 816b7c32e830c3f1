// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The services that the device's side of the mailbox offers to others: see atomics.h.
#pragma once

#include "atomics.h"

RTL uint64_t omptarget_call_host(uint32_t number, void *data, uint64_t size);
RTL void *__omptarget_service_allocate(uint64_t size);
