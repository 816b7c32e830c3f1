// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a stand-in that every vendor's has, as tests see them. under_test.h, which includes this, says
// STAND_IN_LIBRARY, the file, STAND_IN_SYMBOL(name), the name with the vendor's prefix, and kUnderTest.
#pragma once

#include "plugin_under_test.h"

namespace emulator_test {

#define STAND_IN_TEXT_2(text) #text
#define STAND_IN_TEXT(text) STAND_IN_TEXT_2(text)
#define STAND_IN_FUNCTION(result, name, parameters)                                                                    \
  decltype(&STAND_IN_SYMBOL(name)) name =                                                                              \
      reinterpret_cast<decltype(&STAND_IN_SYMBOL(name))>(symbol(library, STAND_IN_TEXT(STAND_IN_SYMBOL(name))));

struct StandIn {
  void *library = open_library(STAND_IN_LIBRARY);
#include "emulator/stand_in_functions.def"
};
#undef STAND_IN_FUNCTION

/// A vendor's plugin and stand-in, as far as the tests of all plugins need to know them.
struct UnderTest {
  const char *image;       ///< for device 0
  const char *other_image; ///< for device 1
  const char *libc_image;  ///< for device 0, with code that calls the host
  const char *many_image;  ///< for device 0, with two thousand kernels
  int32_t devices;
  size_t told;                ///< numbers that a tell_... kernel writes
  const char *allocate;       ///< a call that gives memory
  const char *find_kernel;    ///< a call that finds one by its name
  const char *make_queue;     ///< a call that makes what a queue is made of
  const char *no_memory_once; ///< the function that fails if there is no memory once; for ever; and its message
  const char *no_memory;
  const char *no_memory_text;
  uint32_t much_shared_memory; ///< dynamic, which the driver is asked to allow where it has to be
  const char *failures[2];     ///< a failure as such, and one that means more
  const char *fail_variable;
};

} // namespace emulator_test
