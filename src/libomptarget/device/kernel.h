// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a loaded image.
#pragma once

#include <cstddef>
#include <vector>

#include "image/image_signs.h"
#include "image/kernel_forms.h"
#include "indirect/function_table.h"
#include "omptarget/types.h"

namespace omptarget {

class KernelVariants;

/// A kernel as it is loaded on one device.
struct Kernel {
  void *handle; ///< the plugin's
  const char *name;
  ParameterForms forms{};            ///< what it wants, by the form of the launch's argument block
  TaskKind tasks = TaskKind::kNone;  ///< that it makes on the thread that launches it
  const ImageSigns *signs = nullptr; ///< what forms was found from; lives as long as the kernel
  /// Indirect functions of its image, where device code calls no others; otherwise null. Lives as long as the kernel.
  const std::vector<FunctionPair> *functions = nullptr;
  /// Its image: the descriptor of the module, and the number there.
  const __tgt_bin_desc *descriptor = nullptr;
  size_t image = 0;
  /// Its variants for some of its launches, or null. Lives as long as the kernel. A variant has none itself.
  KernelVariants *variants = nullptr;
  bool has_shape = false; ///< a variant that was compiled for numbers of teams and threads
};

} // namespace omptarget
