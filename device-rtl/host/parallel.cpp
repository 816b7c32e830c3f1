// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions of kernels on a CPU: libomp's (abi: device images, section 6; OpenMP 5.2, 10.1).

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "libomp.h"

namespace {

/// The body of a parallel region as the compiler outlined it, and its arguments.
struct Region {
  void *body;
  void **arguments;
  int64_t count;
};

template <size_t> using Argument = void *;
using Caller = void (*)(const Region &, int32_t *, int32_t *);

template <size_t... Indexes> void call(const Region &region, int32_t *global_thread, int32_t *bound_thread) {
  reinterpret_cast<void (*)(int32_t *, int32_t *, Argument<Indexes>...)>(region.body)(global_thread, bound_thread,
                                                                                      region.arguments[Indexes]...);
}

template <size_t... Indexes> constexpr Caller caller_of(std::index_sequence<Indexes...>) { return call<Indexes...>; }

constexpr int64_t kMostArguments = 64;

template <size_t... Counts> struct Callers {
  static constexpr Caller of[] = {caller_of(std::make_index_sequence<Counts>())...};
};
template <size_t... Counts> Callers<Counts...> callers_of(std::index_sequence<Counts...>);
using AllCallers = decltype(callers_of(std::make_index_sequence<kMostArguments + 1>()));

void enter(int32_t *global_thread, int32_t *bound_thread, const Region *region) {
  AllCallers::of[region->count](*region, global_thread, bound_thread);
}

/// Without a team: the condition of the region is false.
void enter_alone(ident_t *place, int32_t thread, const Region &region) {
  int32_t bound = 0;
  __kmpc_serialized_parallel(place, thread);
  enter(&thread, &bound, &region);
  __kmpc_end_serialized_parallel(place, thread);
}

} // namespace

/// condition: of the clause if. threads, binding: of the clauses num_threads and proc_bind, negative without. The
/// wrapper is for GPUs, and so is whether a number of threads is strict: libomp gives as many as it has.
DEVICE_RTL void __kmpc_parallel_60(ident_t *place, int32_t, int32_t condition, int32_t threads, int32_t binding,
                                   void *body, void *, void **arguments, int64_t count, int32_t) {
  if (count < 0 || count > kMostArguments) {
    std::fprintf(stderr, "omptarget device RTL: a parallel region with %lld arguments; %lld are possible\n",
                 static_cast<long long>(count), static_cast<long long>(kMostArguments));
    std::abort();
  }
  const Region region{body, arguments, count};
  const int32_t thread = __kmpc_global_thread_num(place); // what the compiler passes may be a thread's of a GPU
  if (condition == 0)
    return enter_alone(place, thread, region);
  if (threads > 0)
    __kmpc_push_num_threads(place, thread, threads);
  if (binding >= 0)
    __kmpc_push_proc_bind(place, thread, binding);
  __kmpc_fork_call(place, 1, reinterpret_cast<kmpc_micro>(enter), &region);
}

/// Called by flang and clang before 22.
DEVICE_RTL void __kmpc_parallel_51(ident_t *place, int32_t thread, int32_t condition, int32_t threads, int32_t binding,
                                   void *body, void *wrapper, void **arguments, int64_t count) {
  __kmpc_parallel_60(place, thread, condition, threads, binding, body, wrapper, arguments, count, 0);
}

/// flang 23 makes a wrapper for each region besides, by which the threads of GPUs enter it. It asks for the arguments
/// here. On a CPU nobody calls wrappers.
DEVICE_RTL void __kmpc_get_shared_variables(void ***) {
  std::fputs("omptarget device RTL: the wrapper of a parallel region is called on a CPU\n", stderr);
  std::abort();
}
