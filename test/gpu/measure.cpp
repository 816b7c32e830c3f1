// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures omptarget beside the bare driver, on one GPU, in one process: empty launches, copies, mapping, lookups of
// indirect functions, a few kernels. Prints one JSON object; times are medians in microseconds. libcuda.so.1 is opened
// by hand for the driver's own figures, in the same primary context; without it there are none.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <vector>

#include <omp.h>

#include "omptarget/indirect.h"
#include "omptarget/plugin.h"

// LLVM's own lookup, in images whose device RTL has it: it reads the same table through the device environment.
#ifdef MEASURE_LLVM_LOOKUP
inline void *llvm_lookup(void *pointer) { return pointer; }
#pragma omp begin declare variant match(device = {kind(nohost)})
extern "C" void *__llvm_omp_indirect_call_lookup(void *);
inline void *llvm_lookup(void *pointer) { return __llvm_omp_indirect_call_lookup(pointer); }
#pragma omp end declare variant
#endif

namespace {

bool first_figure = true;
// Copies of less than 1 MiB are asked for: all is small and seldom repeated, as on an emulated device. Such figures say
// nothing.
bool is_rehearsal = false;

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median_us(int rounds, const std::function<void()> &work) {
  std::vector<double> times;
  rounds = is_rehearsal ? 2 : rounds;
  work();
  for (int i = 0; i < rounds; ++i) {
    const double start = now_us();
    work();
    times.push_back(now_us() - start);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void figure(const std::string &name, double us) {
  std::printf("%s\n  \"%s\": %.3f", first_figure ? "" : ",", name.c_str(), us);
  std::fflush(stdout);
  first_figure = false;
}

const char kEmptyPtx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n";

/// The driver's functions that are compared with.
struct Driver {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename F> F get(const char *name) {
    return reinterpret_cast<F>(library ? dlsym(library, name) : nullptr);
  }
  int (*init)(unsigned) = get<int (*)(unsigned)>("cuInit");
  int (*retain)(void **, int) = get<int (*)(void **, int)>("cuDevicePrimaryCtxRetain");
  int (*set_current)(void *) = get<int (*)(void *)>("cuCtxPushCurrent_v2");
  int (*load)(void **, const void *, unsigned, int *, void **) = get<decltype(load)>("cuModuleLoadDataEx");
  int (*function)(void **, void *, const char *) = get<int (*)(void **, void *, const char *)>("cuModuleGetFunction");
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                void **) = get<decltype(launch)>("cuLaunchKernel");
  int (*stream)(void **, unsigned) = get<int (*)(void **, unsigned)>("cuStreamCreate");
  int (*wait)(void *) = get<int (*)(void *)>("cuStreamSynchronize");
  int (*alloc)(uint64_t *, size_t) = get<int (*)(uint64_t *, size_t)>("cuMemAlloc_v2");
  int (*free)(uint64_t) = get<int (*)(uint64_t)>("cuMemFree_v2");
  int (*alloc_host)(void **, size_t, unsigned) = get<int (*)(void **, size_t, unsigned)>("cuMemHostAlloc");
  int (*free_host)(void *) = get<int (*)(void *)>("cuMemFreeHost");
  int (*to_device)(uint64_t, const void *, size_t,
                   void *) = get<int (*)(uint64_t, const void *, size_t, void *)>("cuMemcpyHtoDAsync_v2");
  int (*to_host)(void *, uint64_t, size_t,
                 void *) = get<int (*)(void *, uint64_t, size_t, void *)>("cuMemcpyDtoHAsync_v2");
  void *context = nullptr, *the_stream = nullptr, *empty = nullptr;

  bool open() {
    void *module = nullptr;
    const bool ready =
        library && init(0) == 0 && retain(&context, 0) == 0 && set_current(context) == 0 && stream(&the_stream, 1) == 0;
    if (ready && load(&module, kEmptyPtx, 0, nullptr, nullptr) == 0)
      function(&empty, module, "empty");
    return ready;
  }
};

void measure_launches(Driver &driver) {
  constexpr int kRounds = 2000;
  figure("launch.omptarget", median_us(kRounds, [] {
#pragma omp target teams num_teams(1) thread_limit(32)
           {
           }
         }));
  if (driver.empty)
    figure("launch.driver", median_us(kRounds, [&] {
             driver.launch(driver.empty, 1, 1, 1, 32, 1, 1, 0, driver.the_stream, nullptr, nullptr);
             driver.wait(driver.the_stream);
           }));
}

void measure_copy(Driver &driver, size_t size, bool pinned) {
  const int rounds = size > (size_t{64} << 20) ? 5 : size > (size_t{1} << 20) ? 20 : 200;
  void *host = nullptr;
  if (pinned ? driver.alloc_host(&host, size, 0) != 0 : (host = std::malloc(size)) == nullptr)
    return;
  std::fill_n(static_cast<char *>(host), size, 1);
  void *device = omp_target_alloc(size, 0);
  uint64_t own = 0;
  const int here = omp_get_initial_device();
  if (device) {
    const bool has_own = driver.context && driver.alloc(&own, size) == 0;
    const std::string suffix = std::string(pinned ? ".pinned." : ".pageable.") + std::to_string(size);
    figure("to_device.omptarget" + suffix,
           median_us(rounds, [&] { omp_target_memcpy(device, host, size, 0, 0, 0, here); }));
    if (has_own)
      figure("to_device.driver" + suffix, median_us(rounds, [&] {
               driver.to_device(own, host, size, driver.the_stream);
               driver.wait(driver.the_stream);
             }));
    figure("to_host.omptarget" + suffix,
           median_us(rounds, [&] { omp_target_memcpy(host, device, size, 0, 0, here, 0); }));
    if (has_own)
      figure("to_host.driver" + suffix, median_us(rounds, [&] {
               driver.to_host(host, own, size, driver.the_stream);
               driver.wait(driver.the_stream);
             }));
    if (has_own)
      driver.free(own);
  }
  omp_target_free(device, 0);
  if (pinned)
    driver.free_host(host);
  else
    std::free(host);
}

void measure_mapping() {
  static char small[64];
  std::vector<char> large(size_t{1} << 20);
  char *data = large.data();
  figure("map.alloc_64", median_us(2000, [] {
#pragma omp target enter data map(alloc : small)
#pragma omp target exit data map(release : small)
         }));
  figure("map.tofrom_1M", median_us(200, [=] {
#pragma omp target enter data map(to : data[0 : 1 << 20])
#pragma omp target exit data map(from : data[0 : 1 << 20])
         }));
#pragma omp target enter data map(alloc : small)
  figure("map.present_launch", median_us(2000, [] {
#pragma omp target map(tofrom : small)
           small[0] = 1;
         }));
#pragma omp target exit data map(release : small)
}

void measure_kernels() {
  const int width = is_rehearsal ? 16 : 2048, size = width * width;
  std::vector<double> a(size, 1.0), b(size, 2.0);
  double *x = a.data(), *y = b.data(), sum = 0;
#pragma omp target data map(to : x[0 : size]) map(tofrom : y[0 : size])
  {
    figure("kernel.axpy_4M", median_us(50, [=] {
#pragma omp target teams distribute parallel for
             for (int i = 0; i < size; ++i)
               y[i] += 0.5 * x[i];
           }));
    figure("kernel.dot_4M", median_us(50, [=, &sum] {
             double local = 0;
#pragma omp target teams distribute parallel for reduction(+ : local)
             for (int i = 0; i < size; ++i)
               local += x[i] * y[i];
             sum = local;
           }));
    figure("kernel.stencil_2k", median_us(50, [=] {
#pragma omp target teams distribute parallel for collapse(2)
             for (int i = 1; i < width - 1; ++i)
               for (int j = 1; j < width - 1; ++j)
                 y[i * width + j] = 0.25 * (x[(i - 1) * width + j] + x[(i + 1) * width + j] + x[i * width + j - 1] +
                                            x[i * width + j + 1]);
           }));
  }
  if (sum == 0)
    std::fprintf(stderr, "measure: a sum is 0\n");
}

// ---- Indirect functions

constexpr int kLookups = 256; // by each thread of kLookupTeams times kLookupThreads
constexpr int kLookupTeams = 128, kLookupThreads = 128;
constexpr uint64_t kFirstKey = 0x10000000, kKeyStep = 16;

// Pseudorandom keys of a table of this size; each depends on what was found before, as calls through loaded pointers
// do.
template <typename Lookup> double lookups_us(uint64_t count, Lookup lookup) {
  uint64_t found = 0;
  const int teams = is_rehearsal ? 1 : kLookupTeams, threads = teams * (is_rehearsal ? 32 : kLookupThreads);
  const int lookups = is_rehearsal ? 4 : kLookups;
  const double us = median_us(20, [&] {
    uint64_t sum = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(kLookupThreads) reduction(+ : sum)
    for (int thread = 0; thread < threads; ++thread) {
      uint64_t state = static_cast<uint64_t>(thread) * 0x9e3779b97f4a7c15u + 1;
      for (int i = 0; i < lookups; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint64_t key = kFirstKey + (state >> 33) % count * kKeyStep;
        const uint64_t function = lookup(key);
        sum += function;
        state ^= function;
      }
    }
    found = sum;
  });
  if (found == 0)
    std::fprintf(stderr, "measure: lookups found nothing\n");
  return us;
}

// The table is made up and handed to the plugin, since no compiler takes 100,000 functions. A figure is the time of a
// kernel in which every thread looks up 256 keys.
void measure_indirect() {
  using SetMap = int32_t (*)(int32_t, uint64_t, __omp_offloading_fptr_map_ty *);
  void *plugin = dlopen("libomptarget.rtl.cuda.so", RTLD_NOW | RTLD_NOLOAD);
  if (!plugin)
    plugin = dlopen("libomptarget.rtl.amdgpu.so", RTLD_NOW | RTLD_NOLOAD);
  const SetMap set_map = reinterpret_cast<SetMap>(plugin ? dlsym(plugin, "__tgt_rtl_set_function_ptr_map") : nullptr);
  if (!set_map)
    return;
  for (const uint64_t count : {10u, 100u, 1000u, 10000u, 100000u}) {
    std::vector<__omp_offloading_fptr_map_ty> table(count);
    for (uint64_t i = 0; i < count; ++i)
      table[i] = {kFirstKey + i * kKeyStep, i + 1};
    if (set_map(0, count, table.data()) != 0) {
      std::fprintf(stderr, "measure: the plugin takes no table of %lu functions\n", static_cast<unsigned long>(count));
      return;
    }
    const std::string suffix = "." + std::to_string(count);
    figure("indirect.no_lookup" + suffix, lookups_us(count, [](uint64_t key) { return key; }));
    figure("indirect.omptarget" + suffix, lookups_us(count, [](uint64_t key) {
             return reinterpret_cast<uint64_t>(omptarget_translate_pointer(reinterpret_cast<void *>(key)));
           }));
#ifdef MEASURE_LLVM_LOOKUP
    figure("indirect.llvm" + suffix, lookups_us(count, [](uint64_t key) {
             return reinterpret_cast<uint64_t>(llvm_lookup(reinterpret_cast<void *>(key)));
           }));
#endif
  }
  set_map(0, 0, nullptr);
}

} // namespace

int main(int argc, char **argv) {
  const size_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : size_t{1} << 30;
  int on_host = 1;
  is_rehearsal = most < size_t{1} << 20;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  Driver driver;
  if (on_host) {
    std::fprintf(stderr, "measure: no device\n");
    return 1;
  }
  const bool has_driver = driver.open();
  Dl_info library{};
  dladdr(dlsym(RTLD_DEFAULT, "__tgt_register_lib"), &library);
  std::printf("{\n  \"library\": \"%s\"", library.dli_fname ? library.dli_fname : "unknown");
  first_figure = false;
  measure_launches(driver);
  for (const bool pinned : {false, true})
    for (size_t size = 1024; size <= most && (has_driver || !pinned); size *= 32)
      measure_copy(driver, size, pinned);
  measure_mapping();
  measure_kernels();
  measure_indirect();
  std::printf("\n}\n");
  return 0;
}
