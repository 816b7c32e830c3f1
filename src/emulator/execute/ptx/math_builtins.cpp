// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-ins that the executor's libdevice calls: the functions of math_functions.h, for lanes.

#include <string>
#include <unordered_map>
#include <utility>

#include "arguments.h"
#include "lanes.h"
#include "math_functions.h"

namespace emulator::executor::ptx {

namespace {

// As many values as the function has parameters.
template <class R, class... A, size_t... index>
R apply(R (*function)(A...), const Arguments &arguments, std::index_sequence<index...>) {
  return function(get<A>(arguments.value(index))...);
}
template <class R, class... A> constexpr size_t count_of(R (*)(A...)) { return sizeof...(A); }

template <auto function> void compute(Warp &, const Arguments &arguments, unsigned) {
  arguments.give(put(apply(function, arguments, std::make_index_sequence<count_of(function)>())));
}

#define ROW(R, name, ...)                                                                                              \
  {#name, count_of(static_cast<R (*)(__VA_ARGS__)>(math::name)), compute<static_cast<R (*)(__VA_ARGS__)>(math::name)>},
#define HOST_1(R, A, name) ROW(R, name, A)
#define HOST_2(R, A, B, name) ROW(R, name, A, B)
#define HOST_3(R, A, B, C, name) ROW(R, name, A, B, C)
#define HOST_4(R, A, B, C, D, name) ROW(R, name, A, B, C, D)
template <class T>
constexpr Builtin kFunctions[] = {
#include "emulator/execute/libdevice/functions.def"
    ROW(T, frexp_mantissa, T) ROW(int, frexp_exponent, T) ROW(int, remquo_quotient, T, T)};
#undef ROW

const std::unordered_map<std::string, const Builtin *> &functions() {
  static const auto &all = *[] {
    auto *table = new std::unordered_map<std::string, const Builtin *>;
    for (const Builtin &one : kFunctions<double>)
      table->emplace(std::string("__executor_") + one.name, &one);
    for (const Builtin &one : kFunctions<float>)
      table->emplace(std::string("__executor_") + one.name + "f", &one);
    return table;
  }();
  return all;
}

} // namespace

const Builtin *find_math_builtin(const std::string &name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : found->second;
}

} // namespace emulator::executor::ptx
