// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system's libgomp, which is loaded behind this library. Functions that both define are asked for here. Others are
// called by name, so that they are those of the host runtime that the program's modules use.
#pragma once

#include <atomic>
#include <cstddef>

extern "C" {
void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, bool if_,
               unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskwait_depend(void **depend);
}

namespace omptarget::gomp {

/// The function of that name and version in the system's libgomp; ends the process if it has none.
void *find_in_system(const char *name, const char *version);

/// A function of the system's libgomp, found at its first call. Works before constructors have run.
template <typename Function> class SystemFunction {
public:
  constexpr SystemFunction(const char *name, const char *version) : name_(name), version_(version) {}
  template <typename... Arguments> auto operator()(Arguments... arguments) const {
    void *function = found_.load(std::memory_order_relaxed);
    if (!function) [[unlikely]]
      found_.store(function = find_in_system(name_, version_), std::memory_order_relaxed);
    return reinterpret_cast<Function *>(function)(arguments...);
  }

private:
  const char *name_, *version_;
  mutable std::atomic<void *> found_{nullptr};
};

namespace system {
extern SystemFunction<void(int, void (*)(void *), size_t, void **, size_t *, unsigned short *, unsigned, void **,
                           void **)>
    target;
extern SystemFunction<void(int, void (*)(void *), const void *, size_t, void **, size_t *, unsigned char *)> old_target;
extern SystemFunction<void(unsigned, const void *, int, const void *)> register_images, unregister_images;
extern SystemFunction<void(const void *, int, const void *)> old_register_images, old_unregister_images;
extern SystemFunction<int()> get_default_device;
extern SystemFunction<void(int)> set_default_device;
extern SystemFunction<int(int)> pause_resource_all;
} // namespace system

} // namespace omptarget::gomp
