// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of kernels in a code object's note, and the places of a kernel's implicit arguments. Pure: reads bytes
// that may be damaged, knows nothing of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "common/elf_image.h"

namespace omptarget::amdgpu {

/// Versions of code objects: ELF ABI version + 2.
enum class CodeObjectVersion : uint8_t { kV4 = 4, kV5 = 5, kV6 = 6 };

/// The metadata of one kernel.
struct KernelMetadata {
  uint32_t kernarg_size = 0; ///< bytes of explicit and implicit arguments
  uint32_t kernarg_alignment = 8;
  uint32_t group_size = 0;     ///< bytes of static shared memory of a team
  uint32_t private_size = 0;   ///< bytes of stack of a thread
  uint32_t wavefront_size = 0; ///< 0: not said
  uint32_t max_threads = 0;    ///< threads of a team; 0: not stated
  bool has_dynamic_stack = false;
  /// End of the last argument that the program passes; none if the metadata does not list arguments.
  std::optional<uint32_t> explicit_size;
  /// The implicit arguments that are listed, "hidden_block_count_x" and so on, and their offsets.
  std::map<std::string, uint32_t> hidden;
};

/// Kernels by name, without ".kd".
using CodeObjectMetadata = std::map<std::string, KernelMetadata>;

/// Reads the note of a code object. A code object without such a note has no kernels.
Result<CodeObjectMetadata> read_metadata(const ElfImage &elf);

/// The implicit arguments of a launch.
struct ImplicitValues {
  uint32_t blocks[3];
  uint16_t threads[3];
  uint16_t dimensions;
  uint32_t dynamic_group_size; ///< bytes
  uint64_t queue;              ///< address of the HSA queue
};

/// Where the implicit arguments lie: after the explicit ones, as far as the kernel's arguments reach; the compiler may
/// have cut off the end that the kernel does not use.
struct ImplicitLayout {
  CodeObjectVersion version;
  uint32_t offset; ///< offset of the block in the kernel's arguments
  uint32_t size;   ///< 0: there is none

  static ImplicitLayout of(CodeObjectVersion version, uint32_t kernarg_size, uint32_t explicit_size);
  /// Writes the values that the block has room for; arguments is where the kernel's arguments begin, zeroed.
  void write(void *arguments, const ImplicitValues &values) const;
  /// The offset that an implicit argument of that name has, in the kernel's arguments; none if it is cut off or there
  /// is none of that name.
  std::optional<uint32_t> offset_of(const std::string &name) const;
};

} // namespace omptarget::amdgpu
