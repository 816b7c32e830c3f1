// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/block_teams.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <dlfcn.h>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/guarded.h"
#include "base/service_threads.h"
#include "base/text_output.h"
#include "host/launch.h"
#include "host/makeable_threads.h"
#include "host/openmp_function.h"
#include "omptarget/types.h"

namespace omptarget::host {

namespace {

constexpr int32_t kMostThreads = 1024; ///< of a team, as on GPUs

using Microtask = void (*)(int32_t *, int32_t *, ...);

/// Functions of the OpenMP runtime; the image that calls them needs one that has them.
struct Runtime {
  int32_t (*const thread)(ident_t *) = openmp_function<int32_t(ident_t *)>("__kmpc_global_thread_num");
  void (*const push_teams)(ident_t *, int32_t, int32_t, int32_t) =
      openmp_function<void(ident_t *, int32_t, int32_t, int32_t)>("__kmpc_push_num_teams");
  void (*const push_threads)(ident_t *, int32_t,
                             int32_t) = openmp_function<void(ident_t *, int32_t, int32_t)>("__kmpc_push_num_threads");
  void (*const fork_teams)(ident_t *, int32_t, Microtask,
                           ...) = openmp_function<void(ident_t *, int32_t, Microtask, ...)>("__kmpc_fork_teams");
  void (*const fork_call)(ident_t *, int32_t, Microtask,
                          ...) = openmp_function<void(ident_t *, int32_t, Microtask, ...)>("__kmpc_fork_call");
  void (*const serialized_parallel)(ident_t *,
                                    int32_t) = openmp_function<void(ident_t *, int32_t)>("__kmpc_serialized_parallel");
  int (*const team_num)() = openmp_function<int()>("omp_get_team_num");
  int (*const num_teams)() = openmp_function<int()>("omp_get_num_teams");
  int (*const thread_limit)() = openmp_function<int()>("omp_get_thread_limit");
  int (*const max_threads)() = openmp_function<int()>("omp_get_max_threads");
  int (*const processors)() = openmp_function<int()>("omp_get_num_procs");
  int (*const level)() = openmp_function<int()>("omp_get_level");
  int (*const team_size)(int) = openmp_function<int(int)>("omp_get_team_size");
  int (*const num_threads)() = openmp_function<int()>("omp_get_num_threads");
  void (*const set_threads)(int) = openmp_function<void(int)>("omp_set_num_threads");
  void (*const set_dynamic)(int) = openmp_function<void(int)>("omp_set_dynamic");
  void (*const set_blocktime)(int) = openmp_function<void(int)>("kmp_set_blocktime");
  size_t (*const stack_size)() = openmp_function<size_t()>("kmp_get_stacksize_s");
  void (*const schedule)(int *, int *) = openmp_function<void(int *, int *)>("omp_get_schedule");
  void (*const set_schedule)(int, int) = openmp_function<void(int, int)>("omp_set_schedule");
};

constinit ident_t compilers_place{0, 2, 0, 0, ";unknown;unknown;0;0;;"}; ///< 2: of a call that a compiler makes

const Runtime &runtime() {
  static const Runtime instance;
  return instance;
}

/// The numbers of a construct's clauses; 0: it has none.
struct Wish {
  int32_t teams = 0, threads = 0;
};

/// One team of a kernel. Its threads see it.
struct Team {
  const char *kernel;
  int32_t number, count;
  int32_t limit; ///< thread_limit; 0: none
};

constinit thread_local const Team *own_team = nullptr;
/// What the next teams construct, or parallel region, of this thread has asked for.
constinit thread_local Wish pushed{};
constinit thread_local int32_t pushed_threads = 0;
constinit thread_local const void *pushing_code = nullptr;

struct KnownImage {
  AddressRange range;
  CodeMap *code;
};
Guarded<std::vector<KnownImage>> &images() {
  static auto *const instance = new Guarded<std::vector<KnownImage>>(); // never destroyed: as kernels
  return *instance;
}

CodeMap::Uses uses_of(Microtask microtask) {
  const auto *const function = reinterpret_cast<const void *>(microtask);
  auto known = images().lock();
  for (const KnownImage &image : *known)
    if (image.range.contains(function))
      return image.code->uses_of(function);
  return {};
}

/// Returns the name of the kernel that calls from this place.
const char *name_of_caller(const void *place) {
  Dl_info facts{};
  return dladdr(place, &facts) != 0 && facts.dli_sname ? facts.dli_sname : "of the CPU";
}

/// The first time only.
void warn(const char *kernel, int32_t wanted, int32_t made, const std::string &reason) {
  static std::atomic<bool> is_told{false};
  if (is_told.exchange(true, std::memory_order_relaxed))
    return;
  write_error_line(format("omptarget warning: kernel %s asks for teams of %d threads, which wait for one another at "
                          "barriers; its teams have %d: %s. If it takes thread_limit for the number of threads, its "
                          "results are wrong; run it with omptarget-run, whose GPUs have such teams",
                          kernel, wanted, made, reason.c_str()));
}

/// A function of the image that libomp is to call, and its arguments.
struct Outlined {
  Microtask function;
  std::vector<void *> arguments;

  void call(int32_t *thread, int32_t *number) const {
    constexpr size_t kFew = 32;
    void *few[kFew + 2];
    std::vector<void *> many(arguments.size() > kFew ? arguments.size() + 2 : 0);
    void **const values = many.empty() ? few : many.data();
    values[0] = thread;
    values[1] = number;
    std::copy(arguments.begin(), arguments.end(), values + 2);
    Status status =
        call_with_values(reinterpret_cast<void *>(function), values, static_cast<uint32_t>(arguments.size() + 2));
    status.consume(); // the number of arguments is that of a function which was compiled with them
  }
};

// As libomp, which takes a list of that type.
Outlined read_outlined(Microtask function, int32_t count, va_list list) {
  Outlined outlined{function, {}};
  for (int32_t i = 0; i < count; ++i)
    outlined.arguments.push_back(va_arg(list, void *));
  return outlined;
}

void run_outlined(int32_t *thread, int32_t *number, const Outlined *outlined) { outlined->call(thread, number); }

/// A parallel region of a team.
struct Parallel {
  const Outlined &outlined;
  const Team *team;
  int32_t wanted; ///< threads; 0: any number
  bool has_room;  ///< the process may have as many
};

void run_parallel(int32_t *thread, int32_t *number, const Parallel *parallel) {
  const Team *const outer = own_team;
  own_team = parallel->team;
  if (*number == 0 && parallel->wanted > 0 && runtime().num_threads() < parallel->wanted)
    warn(parallel->team->kernel, parallel->wanted, runtime().num_threads(),
         parallel->has_room ? "libomp makes no more" : "the process may have no more");
  parallel->outlined.call(thread, number);
  own_team = outer;
}

void do_nothing(int32_t *, int32_t *) {}

/// Not held over a fork: libomp's own handlers come in between.
std::mutex &making_team() {
  static auto *const mutex = new std::mutex;
  return *mutex;
}

/// libomp ends the program if it cannot make a thread. Returns how many of the wanted threads a team of the calling
/// thread can have. Those are libomp's then, before another thread asks.
int32_t threads_with_room(int32_t wanted) {
  constinit static thread_local int32_t most = 0; // that the calling thread's team has had
  constinit static thread_local bool has_room = true;
  if (wanted <= most || !has_room)
    return std::min(wanted, most);
  constexpr size_t kMoreStack = size_t{128} << 10; // libomp shifts the stacks of its threads
  const std::lock_guard lock(making_team());
  const Runtime &openmp = runtime();
  const int32_t possible = makeable_threads(wanted, openmp.stack_size ? openmp.stack_size() + kMoreStack : 0);
  openmp.push_threads(&compilers_place, openmp.thread(&compilers_place), possible);
  openmp.fork_call(&compilers_place, 0, reinterpret_cast<Microtask>(do_nothing));
  has_room = possible == wanted;
  most = std::max(most, possible);
  return std::min(wanted, most);
}

/// The teams of one kernel.
struct Teams {
  const Outlined &outlined;
  const char *kernel;
  Wish wish;
  int schedule = 0, chunk = 0;
};

/// libomp warns, too, if it is asked for more threads than OMP_THREAD_LIMIT has.
int32_t possible_threads(const Teams &teams) {
  const int32_t most = std::min(runtime().thread_limit(), kMostThreads);
  if (teams.wish.threads > most)
    warn(teams.kernel, teams.wish.threads, most,
         most == kMostThreads ? "that is the most of a team" : "OMP_THREAD_LIMIT");
  return std::min(teams.wish.threads, most);
}

/// In an initial thread of its own. Its threads sleep while they wait: there are more than processors.
void run_teams(const Teams &teams) {
  const Runtime &openmp = runtime();
  int32_t thread = openmp.thread(&compilers_place);
  int32_t number = 0;
  openmp.set_dynamic(0);
  openmp.set_schedule(teams.schedule, teams.chunk);
  if (openmp.set_blocktime)
    openmp.set_blocktime(0);
  const int32_t threads = possible_threads(teams);
  const int32_t usual = openmp.max_threads();
  const int32_t count = std::max(teams.wish.teams, 1);
  for (int32_t i = 0; i < count; ++i) {
    const Team team{teams.kernel, i, count, threads};
    own_team = &team;
    openmp.set_threads(threads > 0 ? threads : usual);
    teams.outlined.call(&thread, &number);
  }
  own_team = nullptr;
  openmp.set_threads(usual); // the thread is kept
}

/// Never ended: libomp ends its hidden helper threads when any initial thread ends.
ServiceThreads &threads() {
  static auto *const all = new ServiceThreads("omp-blocks");
  return *all;
}

/// Returns false if there is no thread.
bool run_apart(Teams &teams) {
  runtime().schedule(&teams.schedule, &teams.chunk);
  return threads().run([&] { run_teams(teams); }) == 0;
}

/// Returns whether libomp makes smaller teams than the construct asks for, and the kernel's threads wait for one
/// another.
bool is_cut(const Wish &wish, Microtask microtask) {
  const int32_t teams = std::max(wish.teams, 1);
  const int32_t processors = runtime().processors();
  if (wish.threads != 0 && wish.threads <= runtime().max_threads() && wish.threads <= processors / teams)
    return false;
  const CodeMap::Uses uses = uses_of(microtask);
  return uses.barrier && (wish.threads > 1 || (wish.threads == 0 && uses.num_threads));
}

// What images call in place of libomp's functions (abi: kmp.h of LLVM).

void push_num_teams(ident_t *, int32_t, int32_t teams, int32_t threads) {
  pushed = {teams, threads};
  pushing_code = __builtin_return_address(0);
}

void push_num_teams_51(ident_t *, int32_t, int32_t, int32_t most_teams, int32_t threads) {
  pushed = {most_teams, threads};
  pushing_code = __builtin_return_address(0);
}

/// The limit of a team is that of all its threads, also of those in parallel regions inside of others (OpenMP 5.2,
/// 10.1.1). Each thread has the same share. Without a limit returns what is wanted.
int32_t share_of_limit(int32_t wanted) {
  if (!own_team || own_team->limit <= 0)
    return wanted;
  int32_t share = own_team->limit;
  for (int32_t level = runtime().level(); level > 0; --level)
    share /= std::max(runtime().team_size(level), 1);
  return std::clamp(wanted, 1, std::max(share, 1));
}

void push_num_threads(ident_t *place, int32_t thread, int32_t threads) {
  threads = share_of_limit(threads);
  pushed_threads = threads;
  runtime().push_threads(place, thread, threads);
}

void serialized_parallel(ident_t *place, int32_t thread) {
  pushed_threads = 0;
  runtime().serialized_parallel(place, thread);
}

void fork_teams(ident_t *place, int32_t count, Microtask microtask, ...) {
  va_list list;
  va_start(list, microtask);
  const Outlined outlined = read_outlined(microtask, count, list);
  va_end(list);
  const Wish wish = std::exchange(pushed, {});
  if (is_cut(wish, microtask)) {
    const bool has_clauses = wish.teams != 0 || wish.threads != 0;
    Teams teams{outlined, name_of_caller(has_clauses ? pushing_code : __builtin_return_address(0)), wish};
    if (run_apart(teams))
      return;
    warn(teams.kernel, wish.threads, 1, "no thread can be made");
  }
  if (wish.teams != 0 || wish.threads != 0)
    runtime().push_teams(place, runtime().thread(place), wish.teams, wish.threads);
  runtime().fork_teams(place, 1, reinterpret_cast<Microtask>(run_outlined), &outlined);
}

void fork_call(ident_t *place, int32_t count, Microtask microtask, ...) {
  va_list list;
  va_start(list, microtask);
  const Outlined outlined = read_outlined(microtask, count, list);
  va_end(list);
  const int32_t asked = std::exchange(pushed_threads, 0);
  if (!own_team)
    return runtime().fork_call(place, 1, reinterpret_cast<Microtask>(run_outlined), &outlined);
  const int32_t wanted = asked > 0 ? asked : share_of_limit(runtime().max_threads());
  const bool is_outermost = runtime().level() == 0;
  const int32_t possible = is_outermost ? threads_with_room(wanted) : wanted;
  runtime().push_threads(place, runtime().thread(place), possible);
  const Parallel parallel{outlined, own_team, is_outermost ? wanted : 0, possible == wanted};
  runtime().fork_call(place, 1, reinterpret_cast<Microtask>(run_parallel), &parallel);
}

int get_team_num() { return own_team ? own_team->number : runtime().team_num(); }
int get_num_teams() { return own_team ? own_team->count : runtime().num_teams(); }
int get_thread_limit() { return own_team && own_team->limit > 0 ? own_team->limit : runtime().thread_limit(); }

/// The share of one team in the iterations of `distribute`, as libomp divides them (OpenMP 5.2, 11.6).
template <typename Number, typename Signed> struct Loop {
  static_assert(sizeof(Number) == sizeof(Signed));
  using Unsigned = std::make_unsigned_t<Number>;
  static constexpr int32_t kModifiers = 3 << 29, kFirst = 91, kChunked = 91, kLast = 97;
  using Init = void(ident_t *, int32_t, int32_t, int32_t *, Number *, Number *, Signed *, Signed, Signed);

  /// The number of iterations, of which there is one at least.
  static Unsigned trips(Number lower, Number upper, Signed step) {
    const auto low = static_cast<Unsigned>(lower), high = static_cast<Unsigned>(upper);
    return step > 0 ? (high - low) / static_cast<Unsigned>(step) + 1
                    : (low - high) / (Unsigned{0} - static_cast<Unsigned>(step)) + 1;
  }

  static void share(const Team &team, bool is_chunked, int32_t *last, Number *lower, Number *upper, Signed *stride,
                    Signed step, Signed chunk) {
    if (step > 0 ? *upper < *lower : *lower < *upper) {
      *last = 0;
      *stride = step;
      return;
    }
    const Unsigned count = trips(*lower, *upper, step), teams = static_cast<Unsigned>(team.count),
                   number = static_cast<Unsigned>(team.number), by = static_cast<Unsigned>(step);
    const Unsigned size = is_chunked ? static_cast<Unsigned>(std::max<Signed>(chunk, 1)) : count / teams;
    const Unsigned rest = is_chunked ? 0 : count % teams;
    const Unsigned first = number * size + std::min(number, rest);
    const Unsigned own = size + (number < rest ? 1 : 0);
    const auto begin = static_cast<Unsigned>(*lower);
    *last = is_chunked ? (count - 1) / size % teams == number : own != 0 && first + own == count;
    *lower = static_cast<Number>(begin + first * by);
    *upper = static_cast<Number>(begin + (first + own) * by - by);
    *stride = static_cast<Signed>(is_chunked ? size * teams * by : count * by);
  }

  template <const char *const &Name>
  static void init(ident_t *place, int32_t thread, int32_t schedule, int32_t *last, Number *lower, Number *upper,
                   Signed *stride, Signed step, Signed chunk) {
    static const auto libomp = openmp_function<Init>(Name);
    const int32_t kind = schedule & ~kModifiers;
    if (own_team && kind >= kFirst && kind <= kLast)
      return share(*own_team, kind == kChunked, last, lower, upper, stride, step, chunk);
    libomp(place, thread, schedule, last, lower, upper, stride, step, chunk);
  }
};

constexpr const char *kInit4 = "__kmpc_for_static_init_4", *kInit4u = "__kmpc_for_static_init_4u",
                     *kInit8 = "__kmpc_for_static_init_8", *kInit8u = "__kmpc_for_static_init_8u";

struct Replacement {
  std::string_view name;
  const void *function;
};

template <typename Function> const void *address_of(Function *function) {
  return reinterpret_cast<const void *>(function);
}

const std::vector<Replacement> &replacements() {
  static const auto *const all = new std::vector<Replacement>{
      {"__kmpc_push_num_teams", address_of(push_num_teams)},
      {"__kmpc_push_num_teams_51", address_of(push_num_teams_51)},
      {"__kmpc_push_num_threads", address_of(push_num_threads)},
      {"__kmpc_serialized_parallel", address_of(serialized_parallel)},
      {"__kmpc_fork_teams", address_of(fork_teams)},
      {"__kmpc_fork_call", address_of(fork_call)},
      {"omp_get_team_num", address_of(get_team_num)},
      {"omp_get_num_teams", address_of(get_num_teams)},
      {"omp_get_thread_limit", address_of(get_thread_limit)},
      {kInit4, address_of(Loop<int32_t, int32_t>::init<kInit4>)},
      {kInit4u, address_of(Loop<uint32_t, int32_t>::init<kInit4u>)},
      {kInit8, address_of(Loop<int64_t, int64_t>::init<kInit8>)},
      {kInit8u, address_of(Loop<uint64_t, int64_t>::init<kInit8u>)},
  };
  return *all;
}

} // namespace

const void *BlockTeamCalls::function_for(std::string_view name) {
  // Of loops that libomp divides among its own teams; no clang for CPUs calls these.
  constexpr std::string_view kOthers[] = {"__kmpc_dist_", "__kmpc_team_", "__kmpc_fork_call_if"};
  for (const std::string_view other : kOthers)
    has_others_ = has_others_ || name.substr(0, other.size()) == other;
  has_teams_ = has_teams_ || name == "__kmpc_fork_teams";
  has_barriers_ = has_barriers_ || name == "__kmpc_barrier" || name == "__kmpc_cancel_barrier";
  for (const Replacement &replacement : replacements())
    if (replacement.name == name)
      return replacement.function;
  return nullptr;
}

void add_block_teams(AddressRange image, CodeMap &code) { images().lock()->push_back({image, &code}); }

void forget_block_teams(AddressRange image) {
  std::erase_if(*images().lock(), [&](const KnownImage &known) { return known.range.begin == image.begin; });
}

void lock_block_teams_for_fork() {
  images().mutex_for_fork().lock();
  threads().mutex_for_fork().lock();
}

void unlock_block_teams_after_fork(bool is_child) {
  threads().mutex_for_fork().unlock();
  images().mutex_for_fork().unlock();
  if (is_child) {
    threads().forget();
    new (&making_team()) std::mutex;
  }
}

} // namespace omptarget::host
