// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image without code (cpu_image.cpp).

__attribute__((visibility("default"))) const char omptarget_cpu = 0;
