// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/launch.h"

#include <array>
#include <ffi.h>
#include <utility>
#include <vector>

namespace omptarget::host {

namespace {

template <size_t> using Argument = void *;
using Caller = void (*)(void *, void **);

template <size_t... Indexes> Caller caller_of(std::index_sequence<Indexes...>) {
  return [](void *kernel, [[maybe_unused]] void **values) {
    reinterpret_cast<void (*)(Argument<Indexes>...)>(kernel)(values[Indexes]...);
  };
}

template <size_t... Counts> constexpr auto make_callers(std::index_sequence<Counts...>) {
  return std::array<Caller, sizeof...(Counts)>{
      [](void *kernel, void **values) { caller_of(std::make_index_sequence<Counts>())(kernel, values); }...};
}

constexpr auto kCallers = make_callers(std::make_index_sequence<kDirect + 1>());

uint32_t gather(const KernelArguments &arguments, void **values) {
  uint32_t count = 0;
  if (arguments.has_implicit)
    values[count++] = launch_internal::implicit_argument();
  for (uint32_t i = 0; i < arguments.count; ++i)
    values[count++] = static_cast<char *>(arguments.values[i]) + arguments.offsets[i];
  return count;
}

Status call_indirectly(void *function, void **values, uint32_t count) {
  std::vector<ffi_type *> types(count, &ffi_type_pointer);
  std::vector<void *> addresses(count);
  for (uint32_t i = 0; i < count; ++i)
    addresses[i] = static_cast<void *>(&values[i]);
  ffi_cif interface;
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, count, &ffi_type_void, types.data()) != FFI_OK)
    return Status::error(format("libffi cannot call a function with %u arguments", count));
  ffi_call(&interface, reinterpret_cast<void (*)()>(function), nullptr, addresses.data());
  return Status::ok();
}

Status call_with_many(void *kernel, const KernelArguments &arguments) {
  if (arguments.count > kMaximumArguments)
    return Status::error(format("a kernel cannot have %u arguments", arguments.count));
  std::vector<void *> values(arguments.count + 1);
  return call_indirectly(kernel, values.data(), gather(arguments, values.data()));
}

} // namespace

Status launch_internal::call_with_arguments(void *kernel, const KernelArguments &arguments) {
  if (arguments.count >= kDirect) [[unlikely]]
    return call_with_many(kernel, arguments);
  void *values[kDirect + 1];
  kCallers[gather(arguments, values)](kernel, values);
  return Status::ok();
}

Status call_with_values(void *function, void **values, uint32_t count) {
  if (count > kDirect) [[unlikely]]
    return call_indirectly(function, values, count);
  kCallers[count](function, values);
  return Status::ok();
}

} // namespace omptarget::host
