// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variants of one kernel (LIBOMPTARGET_JIT_VARIANTS), and which one a launch may take. They are in the kernel's own
// image, so they use the same globals and functions.
#pragma once

#include <atomic>
#include <deque>

#include "device/kernel.h"
#include "jit/launch_notes.h"

namespace omptarget {

class KernelVariants {
public:
  /// notes: of the kernel, which live longer.
  explicit KernelVariants(jit::KernelNotes &notes) : notes_(notes) {}
  KernelVariants(const KernelVariants &) = delete;
  KernelVariants &operator=(const KernelVariants &) = delete;

  struct Variant {
    jit::LaunchCase launch;
    Kernel kernel;
    std::atomic<bool> is_noted{false}; ///< a launch of just this case is in the notes
  };

  /// While the image is loaded, by one thread. Launches of other threads find no variant before complete().
  void add(const jit::LaunchCase &launch, const Kernel &kernel);
  void complete() { is_complete_.store(true, std::memory_order_release); } // what was added is seen with it

  /// Returns the variant that has the most constants of those that fit the launch, or null. Notes the launch, whose
  /// case has no kernel's name. Any thread.
  const Variant *choose(const jit::LaunchCase &launch);

private:
  jit::KernelNotes &notes_;
  std::deque<Variant> variants_;
  std::atomic<bool> is_complete_{false};
};

} // namespace omptarget
