// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/devices.h"

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

#include "gomp/core.h"
#include "gomp/system_libgomp.h"

namespace omptarget::gomp {

namespace {

constexpr int kDefault = -1;
constexpr int kInitial = -1; ///< as a default device, from libgomp 13 on

/// Some numbers as default devices are this library's. In a region the default device is the region's own, as a mark,
/// which libgomp hands on to the threads and tasks. If the program sets one of these numbers itself, another of them
/// stands for it.
constexpr int kMarks = 0x800, kStandIns = 0x100;
/// The first of them. The program's numbers have priority: OMP_DEFAULT_DEVICE may have one of them.
constexpr int kFirst = 0x6f000000, kOtherFirst = 0x6e000000;
constinit std::atomic<int> first_own{0};
constinit std::atomic<int> stood_for[kStandIns] = {}; ///< 0: not used

int marked(int device) { return first_own.load(std::memory_order_relaxed) + device; }
int place_in_own(int number) {
  return static_cast<int>(static_cast<unsigned>(number) -
                          static_cast<unsigned>(first_own.load(std::memory_order_relaxed)));
}
bool is_marked(int number) { return static_cast<unsigned>(place_in_own(number)) < kMarks; }
bool is_stand_in(int number) {
  return static_cast<unsigned>(place_in_own(number)) - static_cast<unsigned>(kMarks) < kStandIns;
}

/// The number that is set for a number of the program's. If all stand-ins are used, it is the last one: like the others
/// it is the number of no device.
int stand_in_for(int number) {
  int i = 0;
  for (; i < kStandIns - 1; ++i) {
    int found = 0;
    if (stood_for[i].compare_exchange_strong(found, number, std::memory_order_acq_rel) || found == number)
      break;
  }
  return first_own.load(std::memory_order_relaxed) + kMarks + i;
}

/// The default device in a runtime that is no libgomp, if modules of GCC have their teams and tasks there. libomp has
/// libgomp's functions for these, and may come first. Null: there is none.
struct OtherRuntime {
  int (*get)();
  void (*set)(int);
};
constinit OtherRuntime other{};

void choose_own(int number) {
  const bool is_programs = static_cast<unsigned>(number - kFirst) < kMarks + kStandIns;
  first_own.store(is_programs ? kOtherFirst : kFirst, std::memory_order_release);
}

void find_other() {
  void *const system = dlopen(OMPTARGET_SYSTEM_LIBGOMP, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  void *const first = dlvsym(RTLD_DEFAULT, "GOMP_parallel", "GOMP_4.0");
  Dl_info facts{};
  if (!first || (system && first == dlvsym(system, "GOMP_parallel", "GOMP_4.0")) || dladdr(first, &facts) == 0)
    return;
  void *const library = dlopen(facts.dli_fname, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (!library)
    return;
  other = {reinterpret_cast<int (*)()>(dlsym(library, "omp_get_default_device")),
           reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_default_device"))};
  if (!other.get || !other.set)
    other = {};
}

/// Called before anything of this library sets a default device.
void prepare() {
  static constinit pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    find_other();
    choose_own(other.get ? other.get() : system::get_default_device());
  });
}

const OtherRuntime &other_runtime() {
  if (first_own.load(std::memory_order_acquire) == 0) [[unlikely]]
    prepare();
  return other;
}

/// That of the runtime in which the program sets it.
int default_device_of_task() {
  const OtherRuntime &runtime = other_runtime();
  return runtime.get ? runtime.get() : system::get_default_device();
}

} // namespace

int device_count() {
  register_cpu();
  return omptarget_core_number_of_devices();
}

/// Returns the number that the program has set, or the region's device, from the number that libgomp keeps. From 13 on
/// libgomp keeps -4 if it sees no device of its own.
static int meaning_of(int number) {
  if (is_marked(number))
    return place_in_own(number);
  if (is_stand_in(number)) [[unlikely]]
    return stood_for[place_in_own(number) - kMarks].load(std::memory_order_acquire);
  return number < 0 && number != kInitial ? 0 : number;
}

int default_device() { return meaning_of(default_device_of_task()); }

void set_default_device(int number) {
  if (current_device() != kHost)
    return; // the region's mark stays
  const int set = is_marked(number) || is_stand_in(number) ? stand_in_for(number) : number;
  const OtherRuntime &runtime = other_runtime();
  runtime.set ? runtime.set(set) : system::set_default_device(set);
}

int current_device() {
  const OtherRuntime &runtime = other_runtime();
  if (const int number = system::get_default_device(); is_marked(number))
    return place_in_own(number);
  if (!runtime.get) [[likely]]
    return kHost;
  const int number = runtime.get();
  return is_marked(number) ? place_in_own(number) : kHost;
}

Where where(int device) {
  const OtherRuntime &runtime = other_runtime();
  int number = system::get_default_device();
  if (!is_marked(number) && runtime.get) [[unlikely]]
    number = runtime.get();
  if (is_marked(number))
    return {place_in_own(number), true};
  return {resolve(device == kDefault ? meaning_of(number) : device), false};
}

// libgomp forgets what is set here with the region's task.
OnDevice::OnDevice(int device) {
  system::set_default_device(marked(device));
  if (const OtherRuntime &runtime = other_runtime(); runtime.set) {
    before_ = runtime.get();
    runtime.set(marked(device));
  }
}

OnDevice::~OnDevice() {
  if (other.set)
    other.set(before_);
}

/// Numbers below it are devices: it grows only.
static constinit std::atomic<int> known_count{0};

int resolve(int device) {
  if (device >= 0 && device < known_count.load(std::memory_order_relaxed)) [[likely]]
    return device;
  const int count = device_count();
  known_count.store(count, std::memory_order_relaxed);
  const int number = device == kDefault ? default_device() : device;
  if (count == 0 && (device == kDefault || device >= 0))
    return 0;                                             // the core says what that means
  return number >= 0 && number != count ? number : kHost; // the core says what one above means
}

int resolve_for_routine(int device) {
  const int count = device_count();
  return device == kDefault || device == kHost ? count : device;
}

} // namespace omptarget::gomp
