// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stress_modules [--threads N] [--rounds N] [--minutes N] [--seed N] [--loading in-turn] [--plant FAULT]
//
// Threads register and unregister modules with images, as libraries that are opened and closed do. They use their
// kernels and variables on two devices, with random delays at the scheduling points. Again and again all threads meet:
// nothing of a closed module may be left then. Prints the seed of what failed and ends with 1. The plugin loads and
// unloads images side by side, but with --loading in-turn.

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/sched_point.h"
#include "modules.h"
#include "random_delays.h"

/// Returns libomp's default.
extern "C" int __kmpc_get_target_offload(void) { return 1; }

namespace omptarget::test {
namespace {

constexpr int kMostThreads = 16, kDevices = 2, kMostSize = 64;

void delay(const char *) { delay_some(2, 14); }

/// A part of the address space: modules that come one after the other, of any thread, lie at the same addresses.
struct Place {
  std::atomic<bool> is_taken{false};
  char variable[kMostSize];
  char kernel;
};
Place places[kMostThreads + 1];
char shared_variable[8]; ///< many modules have it

std::atomic<int64_t> failures{0};

void expect(bool condition, const char *what) {
  if (!condition && failures.fetch_add(1) < 20)
    std::fprintf(stderr, "stress_modules: %s\n", what);
}

Device *use(int number) {
  Result<DeviceUse> device = Runtime::get().device(static_cast<DeviceId>(number));
  expect(device.is_ok() && *device, device.is_ok() ? "no device can be used" : device.status().to_string().c_str());
  return device.is_ok() && *device ? device->get() : nullptr;
}

/// One thread.
class Worker {
public:
  Worker(uint64_t seed, int threads) : random_(seed * 0x9E3779B97F4A7C15ull + 1), threads_(threads) {
    delays = random_ ^ 0x5bd1e995;
  }

  void round() {
    Place &place = take_place();
    // Variables of one place overlap, and few begin where another one began.
    const int64_t offset = next(random_) % kMostSize, size = 1 + next(random_) % (kMostSize - offset);
    char *const variable = place.variable + offset;
    Module module("A");
    const std::string kernel = "kernel " + std::to_string(next(random_));
    module.kernel(&place.kernel, kernel);
    module.add(variable, "variable", static_cast<uint64_t>(size));
    if (next(random_) % 2)
      module.variable(shared_variable, "shared");
    expect(module.load().is_ok(), "a module cannot be registered");
    for (uint32_t uses = next(random_) % 3; uses > 0; --uses)
      use_module(place, variable, size, kernel);
    module.unload();
    place.is_taken = false;
    if (next(random_) % 4 == 0) // as long as no module has been there, there is no device
      (void)Runtime::get().device(static_cast<DeviceId>(next(random_) % kDevices));
  }

private:
  Place &take_place() {
    for (;;)
      if (Place &place = places[next(random_) % static_cast<uint32_t>(threads_ + 1)]; !place.is_taken.exchange(true))
        return place;
  }

  void use_module(const Place &place, char *variable, int64_t size, const std::string &kernel) {
    Device *const device = use(static_cast<int>(next(random_) % kDevices));
    if (!device)
      return;
    const Found found = device->map().find(host_ptr(variable), 1);
    expect(found.is_contained, "a module's variable is not present");
    expect(!found.is_contained || (found.begin == host_ptr(variable) && found.end - found.begin == size),
           "the variable of a closed module is still present");
    const Kernel *const found_kernel = device->kernel(&place.kernel);
    expect(found_kernel, "a module's kernel is not there");
    // The plugin's handle of a kernel is its name.
    expect(!found_kernel || kernel == static_cast<const char *>(found_kernel->handle),
           "a module's kernel is one of a closed module");
    const std::shared_ptr<OffloadLibrary> library = Runtime::get().modules().library_of(&place.kernel);
    expect(library && device->load_failure(*library).empty(), "a sound module failed");
  }

  uint64_t random_;
  const int threads_;
};

struct Options {
  int threads = 4;
  int rounds = 400;
  double minutes = 0;
  uint64_t seed = 1;
};

/// Nobody is in a device, and no module is registered.
void expect_nothing(int threads) {
  for (int number = 0; number < kDevices; ++number) {
    const Device *const device = Runtime::get().known_device(number);
    if (!device)
      continue;
    expect(const_cast<Device *>(device)->map().size() == 0, "variables of closed modules stay present");
    for (int i = 0; i <= threads; ++i)
      expect(!device->kernel(&places[i].kernel), "kernels of closed modules stay");
  }
}

/// A module is closed, and another is opened at its address, after a device has unloaded closed modules and before it
/// loads.
void close_and_open_while_loading() {
  Place &place = places[0];
  Module old("A"), fresh("A"), other("A");
  old.add(place.variable, "variable", 16);
  fresh.add(place.variable + 8, "variable", 16);
  other.kernel(&places[1].kernel, "kernel");
  expect(old.load().is_ok() && use(0), "a module cannot be registered");
  expect(other.load().is_ok(), "a module cannot be registered");
  static Module *closed, *opened;
  closed = &old, opened = &fresh;
  sched_point_hook = [](const char *point) {
    if (std::string_view(point) != "load: old ones are gone" || !closed)
      return;
    std::exchange(closed, nullptr)->unload();
    expect(opened->load().is_ok(), "a module cannot be registered");
  };
  for (int uses = 0; uses < 2; ++uses)
    if (Device *const device = use(0); device && uses == 1)
      expect(device->map().find(host_ptr(place.variable + 8), 16).is_contained,
             "the variable of a module that was opened during loading is not present");
  sched_point_hook = nullptr;
  fresh.unload();
  other.unload();
}

int run(const Options &options) {
  close_and_open_while_loading();
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto limit = start + std::chrono::duration<double>(60 * options.minutes);
  sched_point_hook = delay;
  std::atomic<bool> is_over{false};
  int64_t meetings = 0;
  std::barrier meeting(options.threads, [&]() noexcept {
    expect_nothing(options.threads);
    ++meetings;
    is_over = failures.load() != 0 || (options.minutes > 0 ? Clock::now() >= limit : meetings >= options.rounds);
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i)
    threads.emplace_back([&, i] {
      Worker worker(options.seed * kMostThreads + static_cast<uint64_t>(i), options.threads);
      while (!is_over) {
        worker.round();
        worker.round();
        meeting.arrive_and_wait();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const auto seed = static_cast<unsigned long long>(options.seed);
  if (failures.load() != 0) {
    std::fprintf(stderr, "stress_modules: seed %llu, %d threads, meeting %lld, after %.1f s\n", seed, options.threads,
                 static_cast<long long>(meetings), seconds);
    return 1;
  }
  std::printf("stress_modules: %d threads met %lld times from seed %llu, no finding in %.1f s\n", options.threads,
              static_cast<long long>(meetings), seed, seconds);
  return 0;
}

} // namespace
} // namespace omptarget::test

int main(int count, char **words) {
  setenv("LIBOMPTARGET_PLUGIN_PATH", OMPTARGET_RECORDING_PLUGINS, 1);
  setenv("RECORDING_SIDE_BY_SIDE", "1", 1);
  omptarget::test::Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    const char *const value = i + 1 < count ? words[i + 1] : "";
    if (name == "--plant") {
      omptarget::planted_fault = value;
      continue;
    }
    if (name == "--loading" && std::string(value) == "in-turn") {
      unsetenv("RECORDING_SIDE_BY_SIDE");
      continue;
    }
    char *end = nullptr;
    const double number = std::strtod(value, &end);
    const bool is_number = end != value && *end == 0 && number >= 0;
    if (is_number && name == "--threads" && number >= 1 && number <= omptarget::test::kMostThreads)
      options.threads = static_cast<int>(number);
    else if (is_number && name == "--rounds" && number <= 1e9)
      options.rounds = static_cast<int>(number);
    else if (is_number && name == "--minutes")
      options.minutes = number;
    else if (is_number && name == "--seed")
      options.seed = static_cast<uint64_t>(number);
    else {
      std::fprintf(
          stderr,
          "stress_modules: '%s %s' is no option; there are --threads N (1 to 16), --rounds N, --minutes N, --seed N, "
          "--loading in-turn, --plant FAULT\n",
          words[i], value);
      return 2;
    }
  }
  return omptarget::test::run(options);
}
