// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/kernel_variants.h"

namespace omptarget {

namespace {

size_t constants_of(const jit::LaunchCase &launch) { return launch.values.size() + (launch.has_shape() ? 1 : 0); }

} // namespace

void KernelVariants::add(const jit::LaunchCase &launch, const Kernel &kernel) {
  Variant &variant = variants_.emplace_back();
  variant.launch = launch;
  variant.kernel = kernel;
  variant.kernel.has_shape = launch.has_shape();
}

const KernelVariants::Variant *KernelVariants::choose(const jit::LaunchCase &launch) {
  if (!is_complete_.load(std::memory_order_acquire))
    return nullptr;
  Variant *best = nullptr;
  for (Variant &variant : variants_)
    if (variant.launch.fits(launch) && (!best || constants_of(variant.launch) > constants_of(best->launch)))
      best = &variant;
  const bool is_exact = best && constants_of(best->launch) == constants_of(launch);
  if (is_exact && best->is_noted.load(std::memory_order_relaxed)) // keeps no order: the notes have a lock
    return best;
  if (notes_.add(launch) && is_exact)
    best->is_noted.store(true, std::memory_order_relaxed);
  return best;
}

} // namespace omptarget
