// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of compilers (clang.def) for C++. Data only: every folder and every plugin may include it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace omptarget {

/// How a kernel takes its arguments.
enum class ParameterForm : uint8_t {
  kPlain,    ///< one parameter for each argument
  kLeading,  ///< the implicit parameter, then one for each argument
  kTrailing, ///< one for each argument, then the implicit one
  kCells,    ///< one array: element i is the address of value i, the last that of the implicit one
  kRefused,  ///< not known: the kernel cannot be launched
};

/// How a module's record of an image names it.
enum class Wrapping : uint8_t { kRaw, kContainer };

/// A generation of clang, as clang.def says.
struct Generation {
  unsigned version;
  std::string_view library;
  uint32_t entry;
  uint32_t block;
  Wrapping wrapping;
  ParameterForm parameter;
  ParameterForm cpu_parameter;
  uint32_t environment;
  uint32_t launch_environment;
  bool is_tried; ///< programs of it have run here
};

inline constexpr bool kTried = true;
inline constexpr bool kInferred = false;

#define OMPTARGET_CLANG(version, library, entry, block, wrapping, parameter, cpu_parameter, environment,               \
                        launch_environment, seen)                                                                      \
  Generation{version,                                                                                                  \
             library,                                                                                                  \
             entry,                                                                                                    \
             block,                                                                                                    \
             Wrapping::k##wrapping,                                                                                    \
             ParameterForm::k##parameter,                                                                              \
             ParameterForm::k##cpu_parameter,                                                                          \
             environment,                                                                                              \
             launch_environment,                                                                                       \
             k##seen},
inline constexpr std::array kGenerations{
#include "generations/clang.def"
};
#undef OMPTARGET_CLANG

/// From this one on, offsets of sections that are not contiguous are bytes; before, indices.
inline constexpr unsigned kFirstWithByteOffsets = 23;

inline constexpr unsigned kOldestClang = kGenerations.front().version;
inline constexpr unsigned kNewestClang = kGenerations.back().version;

/// The generation of that version, or null.
constexpr const Generation *generation_of(unsigned version) {
  for (const Generation &generation : kGenerations)
    if (generation.version == version)
      return &generation;
  return nullptr;
}

/// The first version whose kernels for GPUs have an environment beside them. The same release gave up containers and
/// gave kernels an implicit parameter.
inline constexpr unsigned kFirstWithEnvironment = [] {
  for (const Generation &generation : kGenerations)
    if (generation.environment != 0)
      return generation.version;
  return 0u;
}();

/// Returns whether some compiler emits argument blocks of this version.
constexpr bool is_known_block(uint32_t version) {
  for (const Generation &generation : kGenerations)
    if (generation.block == version && version != 0)
      return true;
  return false;
}

/// Returns whether some compiler's kernel environments have this many bytes.
constexpr bool is_known_environment(uint64_t bytes) {
  for (const Generation &generation : kGenerations)
    if (generation.environment == bytes && bytes != 0)
      return true;
  return false;
}

} // namespace omptarget
