// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tests that find only the recording plugins.

#include <cstdlib>
#include <gtest/gtest.h>

#include "policy.h"

namespace omptarget {
int target_offload_policy = 1;
}

/// As libomp has it: 0 disabled, 1 default, 2 mandatory.
extern "C" int __kmpc_get_target_offload(void) { return omptarget::target_offload_policy; }

int main(int count, char **arguments) {
  setenv("LIBOMPTARGET_PLUGIN_PATH", OMPTARGET_RECORDING_PLUGINS, 1);
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
