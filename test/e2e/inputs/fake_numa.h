// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FAKE_NUMA_H
#define FAKE_NUMA_H

/// The domain that memory was bound to; -1 if it was bound to none.
int fake_numa_domain_of(const void *address);

#endif
