// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a stand-in that every vendor's has, as tests see them. under_test.h, which includes this, says SIM_LIBRARY,
// the file, and SIM_SYMBOL(name), the name with the vendor's prefix.
#pragma once

#include "plugin_under_test.h"

namespace sim_test {

#define SIM_TEXT_2(text) #text
#define SIM_TEXT(text) SIM_TEXT_2(text)
#define SIM_FUNCTION(name)                                                                                             \
  decltype(&SIM_SYMBOL(name)) name = reinterpret_cast<decltype(&SIM_SYMBOL(name))>(                                    \
      symbol(library, SIM_TEXT(SIM_SYMBOL(name))));

struct StandIn {
  void *library = open_library(SIM_LIBRARY);
  SIM_FUNCTION(fail)
  SIM_FUNCTION(calls)
  SIM_FUNCTION(failed)
  SIM_FUNCTION(failed_name)
  SIM_FUNCTION(count)
  SIM_FUNCTION(record)
  SIM_FUNCTION(violations)
  SIM_FUNCTION(forget_violations)
  SIM_FUNCTION(live_objects)
  SIM_FUNCTION(leaked_objects)
  SIM_FUNCTION(hold)
};

} // namespace sim_test
