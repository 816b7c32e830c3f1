// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes of the launches of an image's kernels, which are kept in the cache. A later process compiles variants of the
// kernels for what they say. Wrong notes cost time, never results: a launch takes a variant only if it fits.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "image/image_copy.h"
#include "jit/cache.h"
#include "jit/launch_case.h"

namespace omptarget::jit {

/// Adds a case to those of one kernel. Once there are `most`, the last one is what it and all further ones have in
/// common. Returns whether anything has changed.
bool add_case(std::vector<LaunchCase> &cases, LaunchCase launch, size_t most);

/// Returns the text of notes, and the cases of such a text: none if it is damaged.
std::string text_of(const std::vector<LaunchCase> &cases);
std::vector<LaunchCase> cases_of(std::string_view text);

/// The launches of one kernel of an image in this process. Any thread. Nobody waits for another thread, which the child
/// of a fork may not have: then a launch is not noted.
class KernelNotes {
public:
  explicit KernelNotes(size_t most) : most_(most) {}
  /// Returns whether the launch is noted.
  bool add(const LaunchCase &launch);
  std::vector<LaunchCase> cases();

private:
  std::mutex mutex_;
  std::vector<LaunchCase> cases_; // guarded by it
  const size_t most_;
};

/// The notes of an image. One thread, unless stated otherwise.
class LaunchNotes {
public:
  /// Reads what earlier processes have kept. Null if LIBOMPTARGET_JIT_VARIANTS asks for no variants, or there is no
  /// folder to keep anything in. image: of bitcode.
  static std::unique_ptr<LaunchNotes> read(const ImageCopy &image, const std::string &device_arch);

  /// Returns the cases to compile variants for, in an order that depends on nothing else.
  std::vector<LaunchCase> cases() const;
  /// The notes of the kernel, which live as long as this object.
  KernelNotes &of_kernel(const std::string &name);
  /// Adds what this process has noted to what other processes have kept meanwhile.
  void keep();

private:
  LaunchNotes(const Key &key, size_t most) : key_(key), most_(most) {}

  const Key key_;
  const size_t most_; ///< variants of a kernel
  std::vector<LaunchCase> earlier_;
  std::map<std::string, std::unique_ptr<KernelNotes>> kernels_;
};

} // namespace omptarget::jit
