// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/devices.h"

#include <dlfcn.h>
#include <pthread.h>

#include "gomp/core.h"
#include "gomp/system_libgomp.h"

namespace omptarget::gomp {

namespace {

/// In a region the default device is the region's own, with this mark. libgomp hands it on to the threads and tasks.
constexpr int kMark = 0x6f000000, kMarkMask = 0x7f000000;

constexpr int kDefault = -1;

int marked(int device) { return kMark | device; }
bool is_marked(int number) { return number >= 0 && (number & kMarkMask) == kMark; }

/// The default device in a runtime that is no libgomp, if modules of GCC have their teams and tasks there. libomp has
/// libgomp's functions for these, and may come first. Null: there is none.
struct OtherRuntime {
  int (*get)();
  void (*set)(int);
};
constinit OtherRuntime other{};

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

const OtherRuntime &other_runtime() {
  static constinit pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_other);
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

// libgomp 13 and later have a negative one if they see no device of their own.
int default_device() {
  const int number = default_device_of_task();
  if (is_marked(number))
    return number & ~kMarkMask;
  return number < 0 ? 0 : number;
}

int current_device() {
  if (const int number = system::get_default_device(); is_marked(number))
    return number & ~kMarkMask;
  const OtherRuntime &runtime = other_runtime();
  const int number = runtime.get ? runtime.get() : 0;
  return is_marked(number) ? number & ~kMarkMask : kHost;
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

int resolve(int device) {
  const int count = device_count();
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
