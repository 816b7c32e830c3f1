// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions for tests that each stand-in exports. Included by one file of each, which defines
// STAND_IN_SYMBOL(name), the name with the stand-in's prefix.

#include "driver_calls.h"

namespace emulator {

// violation() is declared with a check of its format in each stand-in's state.h.
void violation(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  calls().report_violation(pattern, arguments);
  va_end(arguments);
}

} // namespace emulator

#define STAND_IN_EXPORT extern "C" __attribute__((visibility("default")))
STAND_IN_EXPORT void STAND_IN_SYMBOL(fail)(const char *what) { emulator::calls().fail(what); }
STAND_IN_EXPORT uint64_t STAND_IN_SYMBOL(calls)(void) { return emulator::calls().total(); }
STAND_IN_EXPORT uint64_t STAND_IN_SYMBOL(failed)(void) { return emulator::calls().failed(); }
STAND_IN_EXPORT const char *STAND_IN_SYMBOL(failed_name)(void) { return emulator::calls().failed_name(); }
STAND_IN_EXPORT uint64_t STAND_IN_SYMBOL(count)(const char *name) { return emulator::calls().count_of(name); }
STAND_IN_EXPORT const char *STAND_IN_SYMBOL(record)(int on) { return emulator::calls().record(on != 0); }
STAND_IN_EXPORT uint64_t STAND_IN_SYMBOL(violations)(void) { return emulator::calls().violations(); }
STAND_IN_EXPORT void STAND_IN_SYMBOL(forget_violations)(void) { emulator::calls().forget_violations(); }
STAND_IN_EXPORT uint64_t STAND_IN_SYMBOL(live_objects)(void) { return emulator::live_objects(); }
STAND_IN_EXPORT uint64_t STAND_IN_SYMBOL(leaked_objects)(void) { return emulator::leaked_objects(); }
STAND_IN_EXPORT void STAND_IN_SYMBOL(hold)(int hold) { emulator::set_hold(hold != 0); }
#undef STAND_IN_EXPORT
