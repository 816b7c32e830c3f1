// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out if a device takes an image of LLVM bitcode once it is compiled. Plugins know nothing of bitcode: they are
// asked about the head of the image that omptarget-jit would make.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "image/image_facts.h"
#include "omptarget/plugin.h"

namespace omptarget::jit {

/// The head of the image that bitcode becomes: for PTX its first lines, for code objects and shared objects their ELF
/// header. Empty if the image is no bitcode, its target is not known, or nothing here compiles it.
class CompiledHead {
public:
  CompiledHead(const ImageFacts &facts, const std::string &device_arch);

  explicit operator bool() const { return !bytes_.empty(); }
  /// The record to ask a plugin with; valid as long as this object. The entries are those of the given record.
  __tgt_device_image record(const __tgt_device_image &image);

private:
  std::vector<std::byte> bytes_;
};

/// How a plugin takes an image.
enum class Taken { kNot, kAsItIs, kCompiled };

/// accepts(record): whether the plugin, or one device of it, takes such an image. device_arch: as the plugin tells it.
/// Any thread.
template <typename Accepts>
Taken how_taken(const __tgt_device_image &image, const std::string &device_arch, const Accepts &accepts) {
  const auto *const begin = static_cast<const std::byte *>(image.ImageStart);
  CompiledHead head(image_facts({begin, static_cast<const std::byte *>(image.ImageEnd)}), device_arch);
  if (head && accepts(head.record(image)))
    return Taken::kCompiled;
  return accepts(image) ? Taken::kAsItIs : Taken::kNot;
}

/// Returns the processor to compile bitcode for: the one that it names ("gfx90a" without features). Bitcode without
/// kernels may name none: then that of the device. Empty for a CPU, and if there is none.
std::string processor_for(const ImageFacts &facts, const std::string &device_arch);

/// Returns advice on an image of bitcode that nothing here compiles, to stand behind its description; otherwise empty.
std::string advice_on(const ImageFacts &facts);

} // namespace omptarget::jit
