// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all parts of the device RTL use: see atomics.h.
#pragma once

#include "atomics.h"
