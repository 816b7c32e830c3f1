// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GCC's programs bring nothing for the CPU as a device, as their regions are host code. This is an image without code,
// for which the host library takes its plugin for the CPU.

#include <atomic>
#include <pthread.h>

#include "gomp/core.h"
#include "omptarget/compiler.h"

__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "omptarget_cpu_image: .incbin \"" OMPTARGET_CPU_IMAGE "\"\n"
        "omptarget_cpu_image_end:\n"
        ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern char omptarget_cpu_image[], omptarget_cpu_image_end[];
}

namespace omptarget::gomp {

void register_cpu() {
  static constinit std::atomic<bool> is_done{false};
  if (is_done.load(std::memory_order_acquire)) [[likely]]
    return;
  static constinit pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    static __tgt_device_image image{omptarget_cpu_image, omptarget_cpu_image_end, nullptr, nullptr};
    static __tgt_bin_desc descriptor{1, &image, nullptr, nullptr};
    __tgt_register_lib(&descriptor);
    is_done.store(true, std::memory_order_release);
  });
}

} // namespace omptarget::gomp
