// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begin and end of kernels, and parallel regions (OpenMP 5.2, 10.1; abi: device images, sections 5.2 and 6).
// docs/internals/device-rtl.md has the state machine as a picture.

#include "debugging.h"
#include "environment.h"

#if OMPTARGET_RTL_GENERATION >= 22
RTL void __kmpc_parallel_60(ident_t *, int32_t, int32_t condition, int32_t threads, int32_t, void *body, void *wrapper,
                            void **arguments, int64_t count, int32_t);
#endif
RTL void __kmpc_parallel_51(ident_t *, int32_t, int32_t condition, int32_t threads, int32_t, void *body, void *wrapper,
                            void **arguments, int64_t count);

namespace omptarget::device_rtl::gpu {

/// A region as the compiler made it.
struct Region {
  void *body;    ///< of the thread's number, a 0, and the arguments
  void *wrapper; ///< gets the arguments on its own: for workers
  void **arguments;
  int64_t count;
};

inline constexpr uint32_t kMostLevels = 31;

template <uint64_t...> struct Numbers {};
#if __has_builtin(__make_integer_seq)
template <typename, uint64_t... Values> using NumbersOf = Numbers<Values...>;
template <uint64_t Count> using FirstNumbers = __make_integer_seq<NumbersOf, uint64_t, Count>;
#endif
template <uint64_t> using Argument = void *;

template <uint64_t... Indexes>
INLINE void call_body(const Region &region, int32_t *thread, int32_t *bound, Numbers<Indexes...>) {
  reinterpret_cast<void (*)(int32_t *, int32_t *, Argument<Indexes>...)>(region.body)(thread, bound,
                                                                                      region.arguments[Indexes]...);
}

// One case for each number of arguments, so that a number which is known leaves one plain call.
// clang-format off
#define CASE(n)                                                                                                        \
  case n: return call_body(region, &thread, &bound, FirstNumbers<n>{});
#define CASES(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4) CASE(n + 5) CASE(n + 6) CASE(n + 7)
/// Apart, as a function's frame on NVIDIA's GPUs has room for the arguments of the largest call in it. One copy is for
/// regions where most begin: LLVM knows which bodies come to it, and inlines them.
template <bool IsInner> static void enter_many(void *body, void **arguments, int64_t count, int32_t thread) {
  const Region region{body, nullptr, arguments, count};
  int32_t bound = 0;
  switch (count) {
    CASES(8) CASES(16) CASES(24) CASES(32) CASES(40) CASES(48) CASES(56) CASE(64)
    default: fail("a parallel region has more than 64 arguments");
  }
}
template <bool IsInner> INLINE void enter(const Region &region, uint32_t number) {
  int32_t thread = static_cast<int32_t>(number), bound = 0;
  switch (region.count) {
    CASES(0)
    default: enter_many<IsInner>(region.body, region.arguments, region.count, thread);
  }
}
#undef CASES
#undef CASE
// clang-format on

/// How many regions a thread runs alone, if more than one: rare, so it is in the heap, a list for the block.
struct FurtherLevels {
  FurtherLevels *next;
  uint32_t thread, count;
};
SHARED_VARIABLE SharedList further_list;
static uint32_t any_further = 0; ///< whether any thread of any kernel ever had some

__attribute__((noinline)) uint32_t further_levels() {
  if (!atomics::is_set(any_further))
    return 0;
  uint32_t count = 0;
  with_list<FurtherLevels>(&further_list, [&](FurtherLevels *first) {
    const FurtherLevels *own = find_own(first).at;
    count = own ? own->count : 0;
  });
  return count;
}

/// From one count to another: 0 is without a record.
__attribute__((noinline)) static void change_further_levels(uint32_t from, uint32_t to) {
  FurtherLevels *record = nullptr;
  if (from == 0)
    record = static_cast<FurtherLevels *>(allocate_or_fail(sizeof(FurtherLevels)));
  atomics::store(&any_further, 1u);
  with_list<FurtherLevels>(&further_list, [&](FurtherLevels *&first) {
    if (from == 0) {
      *record = FurtherLevels{first, target::thread_id(), to};
      first = record;
      return;
    }
    const Found<FurtherLevels> found = find_own(first);
    found.at->count = to;
    if (to != 0)
      return;
    record = found.at;
    take_out(first, found);
  });
  if (to == 0)
    release(record);
}

/// Begin and end of a region that the thread runs alone, within so many others.
INLINE void enter_alone(uint32_t outside) {
  atomics::store(&any_own_levels, 1u);
  if (outside != 0)
    return change_further_levels(outside - 1, outside);
  set_thread_bit(alone_bits);
}
INLINE void leave_alone(uint32_t outside) {
  if (outside != 0)
    return change_further_levels(outside, outside - 1);
  clear_thread_bit(alone_bits);
}

/// Runs a region by the calling thread alone: within another region, or because its condition is false.
INLINE void run_alone(const Region &region) {
  const uint32_t outside = own_levels(), all = level();
  if (all == kMostLevels)
    fail("parallel regions are nested more than 31 levels deep");
  const bool is_in_task = gpu::is_in_task();
  if (is_in_task)
    clear_thread_bit(task_bits);
  enter_alone(outside);
  enter<true>(region, 0);
  leave_environments(all + 1);
  leave_alone(outside);
  if (is_in_task)
    set_thread_bit(task_bits);
}
static void run_inner(void *body, void **arguments, int64_t count);
/// Regions within regions, as LLVM has to see them. For NVIDIA's GPUs all calls of the generation's entry point must name
/// their body: then LLVM calls the bodies there by their names and inlines them, although the types of call and body
/// differ. For AMD's the entry point itself must be known to recurse, with any body.
[[maybe_unused]] __attribute__((noinline)) static void run_any(void *body) { run_inner(body, nullptr, 0); }
[[maybe_unused]] INLINE void begin_any(void *body, void **arguments, int64_t count) {
#if OMPTARGET_RTL_GENERATION >= 22
  __kmpc_parallel_60(nullptr, 0, 1, 0, 0, body, nullptr, arguments, count, 0);
#else
  __kmpc_parallel_51(nullptr, 0, 1, 0, 0, body, nullptr, arguments, count);
#endif
}

/// Runs the body of a region in a function that is not inlined. Such a body was called by the caller of this
/// function. As clang says of bodies that none recurses, LLVM would conclude that nothing here does, and for AMD's
/// GPUs count its stack once and keep no registers for its callers.
__attribute__((noinline)) static void run_inner(void *body, void **arguments, int64_t count) {
  MAY_RECURSE(run_any, begin_any(body, arguments, count));
  run_alone({body, nullptr, arguments, count});
}

INLINE uint32_t choose_threads(uint32_t usable, int32_t condition, int32_t wanted) {
  if (condition == 0)
    return 1;
  const ControlVariables own = variables();
  if (own.max_active_levels == 0)
    return 1;
  if (wanted > 0)
    return smaller(usable, static_cast<uint32_t>(wanted));
  return own.threads != 0 ? smaller(usable, own.threads) : usable;
}

/// Runs a region by the first threads of the block.
INLINE void run_in_part(const Region &region, uint32_t threads) {
  const uint32_t thread = target::thread_id();
  if (thread == 0)
    barrier_number = 0;
  if (thread < threads) {
    enter<true>(region, thread);
    leave_environments(1);
    if (thread == 0)
      announce(kIsLast);
    target::barrier_any();
  } else if (target::waits_apart(threads)) {
    wait_for_team();
  }
  target::barrier_any(); // the others have read which barrier was the last
}

INLINE void run_spmd(const Region &region, uint32_t threads, bool by_all) {
  __kmpc_barrier_simple_spmd(nullptr, 0); // nobody is still to write what was before
  spmd_level = 1;
  spmd_size = by_all ? 0 : static_cast<uint16_t>(threads);
  if (!by_all) [[unlikely]] {
    run_in_part(region, threads);
  } else {
    enter<false>(region, target::thread_id());
    leave_environments(1);
    __kmpc_barrier_simple_spmd(nullptr, 0);
  }
  spmd_level = 0;
  spmd_size = 0;
}

INLINE void begin_arguments(uint64_t count) {
  generic_team.arguments = count <= kMaxSharedArguments
                               ? (void **)&generic_team.argument_space[0]
                               : static_cast<void **>(allocate_or_fail(count * sizeof(void *)));
}
INLINE void end_arguments() {
  if (generic_team.arguments != (void **)&generic_team.argument_space[0])
    release(generic_team.arguments);
}

/// Starts the workers and waits for them. Called by the main thread of a generic kernel.
INLINE void run_generic(const Region &region, uint32_t threads) {
  begin_arguments(static_cast<uint64_t>(region.count));
  void **const arguments = generic_team.arguments;
  for (int64_t i = 0; i < region.count; ++i)
    arguments[i] = region.arguments[i];
  if (has_environment()) [[unlikely]] { // the workers inherit
    const ControlVariables own = variables();
    generic_team.variables.threads = own.threads;
    generic_team.variables.max_active_levels = own.max_active_levels;
    generic_team.variables.schedule = own.schedule;
    generic_team.variables.chunk = own.chunk;
    team_allocator = default_allocator();
  }
  generic_team.region = region.wrapper;
  generic_team.size = threads;
  barrier_number = 0;
  target::barrier_any();
  wait_for_team();
  end_arguments();
}

INLINE void run_region(const Region &region, int32_t condition, int32_t threads_wanted) {
  const bool spmd = is_spmd();
  // In an SPMD kernel all threads share every region that is not within another.
  if (is_active() || (!spmd && own_levels() != 0)) [[unlikely]]
    return run_inner(region.body, region.arguments, region.count);
  // One value: that a team has all of the block's threads is then known to the compiler.
  const uint32_t usable = usable_threads(spmd), threads = choose_threads(usable, condition, threads_wanted);
  if (spmd)
    return run_spmd(region, threads, threads == usable);
  if (threads <= 1)
    return run_alone(region);
  run_generic(region, threads);
}

/// Called by all threads of an SPMD kernel before a barrier, and by the main thread of a generic one.
INLINE void begin_lists() {
  begin_list(&further_list);
  begin_environments();
}

/// Initialises the calling thread's state at the begin of a kernel.
INLINE void begin_thread(uint32_t mode, LaunchEnvironment *launch) {
  const bool spmd = (mode & kModeIsSpmd) != 0;
  kernel_is_spmd = spmd;
  kernel_was_generic = (mode & kModeWasGeneric) != 0;
  if (spmd) {
    spmd_level = 0;
    spmd_size = 0;
  }
  kernel_launch = launch;
  alone_bits[warp_id()] = 0;
  waiting_bits[warp_id()] = 0;
  environment_bits[warp_id()] = 0;
  task_bits[warp_id()] = 0;
  if (spmd)
    begin_lists();
  begin_stack();
}

INLINE void begin_main() {
  begin_lists();
  warps_there = 0;
  team_allocator = 0;
  generic_team.variables.threads = kDefaultVariables.threads;
  generic_team.variables.max_active_levels = kDefaultVariables.max_active_levels;
  generic_team.variables.schedule = kDefaultVariables.schedule;
  generic_team.variables.chunk = kDefaultVariables.chunk;
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL uint32_t __kmpc_get_hardware_thread_id_in_block() { return target::thread_id(); }
RTL uint32_t __kmpc_get_hardware_num_threads_in_block() { return target::block_size(); }
RTL uint32_t __kmpc_get_warp_size() { return target::warp_size(); }

/// Returns whether the worker has a part in the region that the main thread began; *region is null when the kernel
/// ends.
RTL bool __kmpc_kernel_parallel(void **region) {
  *region = generic_team.region;
  if (!*region)
    return false;
  const uint32_t threads = generic_team.size;
  if (first_in_warp() >= threads) // no lane of the warp has one
    set_thread_bit(waiting_bits); // until __kmpc_barrier_simple_generic
  return target::thread_id() < threads;
}

RTL void __kmpc_kernel_end_parallel() {
  leave_environments(1);
  if (target::thread_id() == 0)
    announce(kIsLast);
}

namespace omptarget::device_rtl::gpu {

/// The loop of a generic kernel's workers, if the compiler has not made a machine of the same steps itself.
__attribute__((noinline)) static void run_worker() {
  for (;;) {
    __kmpc_barrier_simple_generic(nullptr, 0);
    void *region;
    const bool has_part = __kmpc_kernel_parallel(&region);
    if (!region)
      return;
    if (has_part) {
      reinterpret_cast<void (*)(int16_t, int32_t)>(region)(0, static_cast<int32_t>(target::thread_id()));
      __kmpc_kernel_end_parallel();
    }
    __kmpc_barrier_simple_generic(nullptr, 0);
  }
}

inline constexpr int32_t kRunsUserCode = -1;

INLINE int32_t begin_kernel(uint32_t mode, bool use_own_machine, LaunchEnvironment *launch) {
  begin_thread(mode, launch);
  if ((mode & kModeIsSpmd) != 0) {
    __kmpc_barrier_simple_spmd(nullptr, 0); // for the compiler, as what is behind an aligned barrier it can follow
    return kRunsUserCode;
  }
  const uint32_t thread = __kmpc_get_hardware_thread_id_in_block();
  const uint32_t main = (target::block_size() - 1) & ~(__kmpc_get_warp_size() - 1);
  // The compiler's own machines call these functions, so they must be there when it makes one. This value is not
  // used: clang 16 replaces the call by the constant of a thread_limit clause, which does not count the main thread's
  // warp.
  __asm__ volatile("" : : "r"(__kmpc_get_hardware_num_threads_in_block()));
  if (thread == main) {
    begin_main();
    return kRunsUserCode;
  }
  if (use_own_machine && thread < main)
    run_worker();
  return static_cast<int32_t>(thread);
}

/// Nothing in SPMD kernels, as their threads must be able to end at once: behind a reduction over teams clang leaves
/// one of them alone at a barrier, and here those beside it would wait to meet it. Code that sets variables outside
/// of regions is in generic kernels only.
INLINE void end_kernel() {
  if (is_spmd())
    return;
  leave_environments(0);
  generic_team.region = nullptr;
  target::barrier_any();
}

} // namespace omptarget::device_rtl::gpu

#if OMPTARGET_RTL_GENERATION >= 19
RTL int32_t __kmpc_target_init(KernelEnvironment *kernel, LaunchEnvironment *launch) {
  TRACE;
  return begin_kernel(kernel->mode, kernel->use_generic_state_machine != 0, launch);
}
RTL void __kmpc_target_deinit() {
  TRACE;
  end_kernel();
}
#else
RTL int32_t __kmpc_target_init(ident_t *, int8_t mode, bool use_generic_state_machine) {
  TRACE;
  return begin_kernel(static_cast<uint8_t>(mode), use_generic_state_machine, nullptr);
}
RTL void __kmpc_target_deinit(ident_t *, int8_t) {
  TRACE;
  end_kernel();
}
#endif

#if OMPTARGET_RTL_GENERATION >= 22
RTL void __kmpc_parallel_60(ident_t *, int32_t, int32_t condition, int32_t threads, int32_t, void *body, void *wrapper,
                            void **arguments, int64_t count, int32_t) {
  TRACE;
  run_region({body, wrapper, arguments, count}, condition, threads);
}
// Called by flang 22.
RTL void __kmpc_parallel_51(ident_t *place, int32_t thread, int32_t condition, int32_t threads, int32_t binding,
                            void *body, void *wrapper, void **arguments, int64_t count) {
  __kmpc_parallel_60(place, thread, condition, threads, binding, body, wrapper, arguments, count, 0);
}
#else
RTL void __kmpc_parallel_51(ident_t *, int32_t, int32_t condition, int32_t threads, int32_t, void *body, void *wrapper,
                            void **arguments, int64_t count) {
  TRACE;
  run_region({body, wrapper, arguments, count}, condition, threads);
}
#endif

#if OMPTARGET_RTL_GENERATION >= 19
RTL void __kmpc_parallel_spmd(ident_t *, int32_t threads, void *body, void **arguments, int64_t count) {
#if OMPTARGET_RTL_GENERATION >= 22
  __kmpc_parallel_60(nullptr, 0, 1, threads, 0, body, nullptr, arguments, count, 0);
#else
  __kmpc_parallel_51(nullptr, 0, 1, threads, 0, body, nullptr, arguments, count);
#endif
}
#endif

RTL void __kmpc_begin_sharing_variables(void ***arguments, uint64_t count) {
  begin_arguments(count);
  *arguments = generic_team.arguments;
}
RTL void __kmpc_end_sharing_variables() { end_arguments(); }
RTL void __kmpc_get_shared_variables(void ***arguments) { *arguments = generic_team.arguments; }

RTL int8_t __kmpc_is_spmd_exec_mode() { return kernel_is_spmd != 0; }
RTL uint16_t __kmpc_parallel_level(ident_t *, uint32_t) { return static_cast<uint16_t>(level()); }
RTL int32_t __kmpc_global_thread_num(ident_t *) { return static_cast<int32_t>(thread_number()); }
RTL void __kmpc_push_proc_bind(ident_t *, int32_t, int32_t) {}
RTL void __kmpc_push_num_teams(ident_t *, int32_t, int32_t, int32_t) {}
