// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions for tests that each stand-in exports. Included by one file of each, which defines SIM_SYMBOL(name), the
// name with the stand-in's prefix.

#include "calls.h"

namespace emulator {

// violation() is declared with a check of its format in each stand-in's state.h.
void violation(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  calls().report_violation(pattern, arguments);
  va_end(arguments);
}

} // namespace emulator

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))
SIM_EXPORT void SIM_SYMBOL(fail)(const char *what) { emulator::calls().fail(what); }
SIM_EXPORT uint64_t SIM_SYMBOL(calls)(void) { return emulator::calls().total(); }
SIM_EXPORT uint64_t SIM_SYMBOL(failed)(void) { return emulator::calls().failed(); }
SIM_EXPORT const char *SIM_SYMBOL(failed_name)(void) { return emulator::calls().failed_name(); }
SIM_EXPORT uint64_t SIM_SYMBOL(count)(const char *name) { return emulator::calls().count_of(name); }
SIM_EXPORT const char *SIM_SYMBOL(record)(int on) { return emulator::calls().record(on != 0); }
SIM_EXPORT uint64_t SIM_SYMBOL(violations)(void) { return emulator::calls().violations(); }
SIM_EXPORT void SIM_SYMBOL(forget_violations)(void) { emulator::calls().forget_violations(); }
SIM_EXPORT uint64_t SIM_SYMBOL(live_objects)(void) { return emulator::live_objects(); }
SIM_EXPORT uint64_t SIM_SYMBOL(leaked_objects)(void) { return emulator::leaked_objects(); }
SIM_EXPORT void SIM_SYMBOL(hold)(int hold) { emulator::set_hold(hold != 0); }
#undef SIM_EXPORT
