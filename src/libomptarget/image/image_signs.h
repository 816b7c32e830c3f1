// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signs in an image of the compilers that made its kernels. Reads untrusted bytes; missing signs stay unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "generations/generations.h"
#include "image/entry.h"

namespace omptarget {

/// The symbols beside a kernel in its image.
struct KernelMark {
  bool has_mode = false;         ///< NAME_exec_mode
  bool has_environment = false;  ///< NAME_kernel_environment
  uint64_t environment_size = 0; ///< bytes of the latter; 0: not known
};

/// The tasks that code for a CPU makes.
enum class TaskKind : uint8_t {
  kNone,
  kUsual,
  kLasting, ///< some may last longer than their makers wait: detached ones, and those with dependences
};

struct ImageSigns {
  Wrapping wrapping = Wrapping::kRaw; ///< how its module holds it
  bool is_for_cpu = false;
  TaskKind tasks = TaskKind::kNone; ///< for a CPU: what it calls libomp for
  uint64_t compilers = 0;           ///< bit N: clang N signed in .comment
  bool has_other_compiler = false;  ///< somebody signed whose generation is not known
  unsigned library = 0;             ///< of which generation's libomptarget it asks for, or 0
  /// The marks by the kernels' names. If the image is no ELF file, a name is any text that ends with the kernel's
  /// name: nothing need separate names there.
  std::unordered_map<std::string, KernelMark> marks;
  bool is_elf = false;

  KernelMark mark_of(std::string_view kernel) const;
  /// Returns the marks that some kernel of the image has.
  KernelMark any_mark() const;
};

ImageSigns read_signs(std::span<const std::byte> image, Wrapping wrapping);

/// Returns whether an image without such an entry of its program cannot be used. Kernels may be missing until one is
/// launched, indirect functions until they are called. GPU images by clang before 18 leave out inline variables that
/// they do not use; in those for CPUs by clang 14 static variables have local symbols, which plugins that use dlsym
/// do not find.
bool needs(const ImageSigns &signs, EntryKind kind);

/// The generations that signed a section .comment, as bits, and whether others did.
struct Signatures {
  uint64_t compilers = 0;
  bool has_other = false;
};
Signatures read_signatures(std::string_view comment);

} // namespace omptarget
