// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C++'s library calls in order to throw, or where an assertion of its own does not hold: the kernel says so and
// stops, as device code has no exceptions. For AMD's GPUs in the unit of the host services.

#include "../gpu/services.h"
#include "libc.h"

namespace omptarget::device_rtl::libc {

/// Says which exception it would have been, and what for; null: the exception says nothing.
[[noreturn]] static __attribute__((noinline)) void fail_by(const char *exception, const char *what) {
  struct {
    const char *exception, *separator, *what;
    uint32_t block, thread;
  } arguments{exception, what ? ": " : "", what ? what : "", gpu::target::block_id(), gpu::target::thread_id()};
  gpu::print("omptarget device RTL: device code cannot throw %s%s%s (block %u, thread %u)\n", &arguments);
  gpu::target::stop();
}

} // namespace omptarget::device_rtl::libc

/// A function of libstdc++ or of the C++ ABI, which another of the program's own may stand for.
#define LIBC_FAILURE [[noreturn]] __attribute__((visibility("hidden"), weak, noinline))

namespace std {

using omptarget::device_rtl::libc::fail_by;

#define LIBC_THROW(name)                                                                                               \
  LIBC_FAILURE void __throw_##name(const char *what) { fail_by("std::" #name, what); }
#define LIBC_THROW_SILENTLY(name)                                                                                      \
  LIBC_FAILURE void __throw_##name() { fail_by("std::" #name, nullptr); }
LIBC_THROW(logic_error)
LIBC_THROW(domain_error)
LIBC_THROW(invalid_argument)
LIBC_THROW(length_error)
LIBC_THROW(out_of_range)
LIBC_THROW(runtime_error)
LIBC_THROW(range_error)
LIBC_THROW(overflow_error)
LIBC_THROW(underflow_error)
LIBC_THROW_SILENTLY(bad_exception)
LIBC_THROW_SILENTLY(bad_alloc)
LIBC_THROW_SILENTLY(bad_array_new_length)
LIBC_THROW_SILENTLY(bad_cast)
LIBC_THROW_SILENTLY(bad_typeid)
LIBC_THROW_SILENTLY(bad_function_call)
LIBC_THROW_SILENTLY(bad_weak_ptr)
LIBC_FAILURE void __throw_system_error(int) { fail_by("std::system_error", nullptr); }
LIBC_FAILURE void __throw_future_error(int) { fail_by("std::future_error", nullptr); }

#if OMPTARGET_RTL_GENERATION >= 19
LIBC_FAILURE void __throw_out_of_range_fmt(const char *format, ...) {
  omptarget::device_rtl::gpu::print("omptarget device RTL: device code cannot throw std::out_of_range: ", nullptr);
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
#if defined(__NVPTX__)
  vprintf(format, arguments);
#else
  __omptarget_service_print(format, arguments, omptarget::device_rtl::libc::kVariadicAlignment);
#endif
  __builtin_va_end(arguments);
  struct {
    uint32_t block, thread;
  } place{omptarget::device_rtl::gpu::target::block_id(), omptarget::device_rtl::gpu::target::thread_id()};
  omptarget::device_rtl::gpu::print(" (block %u, thread %u)\n", &place);
  omptarget::device_rtl::gpu::target::stop();
}
#endif

LIBC_FAILURE void terminate() noexcept { omptarget::device_rtl::gpu::fail("device code called std::terminate"); }
/// With -D_GLIBCXX_ASSERTIONS.
LIBC_FAILURE void __glibcxx_assert_fail(const char *file, int line, const char *function, const char *condition) {
  struct {
    const char *file;
    int32_t line;
    const char *function, *condition;
  } arguments{file, line, function, condition};
  omptarget::device_rtl::gpu::print("%s:%d: %s: Assertion '%s' failed.\n", &arguments);
  omptarget::device_rtl::gpu::target::stop();
}

} // namespace std

extern "C" {
LIBC_FAILURE void __cxa_throw_bad_array_new_length() {
  omptarget::device_rtl::libc::fail_by("std::bad_array_new_length", nullptr);
}
LIBC_FAILURE void __cxa_bad_cast() { omptarget::device_rtl::libc::fail_by("std::bad_cast", nullptr); }
LIBC_FAILURE void __cxa_bad_typeid() { omptarget::device_rtl::libc::fail_by("std::bad_typeid", nullptr); }
LIBC_FAILURE void __cxa_pure_virtual() {
  omptarget::device_rtl::gpu::fail("device code called a pure virtual function");
}
}
