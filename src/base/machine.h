// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that this library is built for, the host's: what its ELF files have (the psABI supplement of each
// processor), and where its systems keep libraries. All that the project knows of one processor stands here.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/format.h"

namespace omptarget {

/// Kinds of relocations that the dynamic linker carries out in shared objects, by their numbers: <elf.h> and LLVM's
/// headers exclude one another.
struct Relocations {
  uint32_t none;
  uint32_t absolute;                                   ///< address of a symbol
  uint32_t glob_dat;                                   ///< the same in the table of addresses
  uint32_t jump_slot;                                  ///< the same for a call
  uint32_t relative;                                   ///< address within the object
  uint32_t resolved;                                   ///< what a function of the object returns (IRELATIVE)
  uint32_t thread_module, thread_offset, thread_place; ///< of a variable of threads
  uint32_t thread_descriptor;                          ///< two words
  std::array<uint32_t, 2> other_words;                 ///< further kinds that write 8 bytes; 0: none
  std::array<uint32_t, 3> halves;                      ///< kinds that write 4 bytes; 0: none
};

/// The table of calls in shared objects (DT_PLTGOT).
struct CallTable {
  uint64_t linker_begin, linker_end; ///< bytes that the dynamic linker fills for itself
  bool has_ways_back; ///< each call that is not bound yet has the address that has it bound; else the linker knows it
};

struct Machine {
  const char *name;       ///< as in target triples, plugins' names and `arch` traits
  const char *log_prefix; ///< of its plugin
  uint16_t elf_machine;
  const char *triple; ///< of Debian's folders
  const char *dynamic_linker;
  int32_t cache_kind; ///< of 64-bit libraries in /etc/ld.so.cache
  CallTable calls;
  Relocations relocations;
};

#if defined(__x86_64__)
inline constexpr Machine kMachine = {"x86_64",
                                     "TARGET X86_64 RTL",
                                     62,
                                     "x86_64-linux-gnu",
                                     "/lib64/ld-linux-x86-64.so.2",
                                     0x0303,
                                     {8, 24, true},
                                     {0, 1, 6, 7, 8, 37, 16, 17, 18, 36, {33, 38}, {10, 2, 32}}};
#elif defined(__aarch64__)
inline constexpr Machine kMachine = {"aarch64",
                                     "TARGET AARCH64 RTL",
                                     183,
                                     "aarch64-linux-gnu",
                                     "/lib/ld-linux-aarch64.so.1",
                                     0x0a03,
                                     {8, 24, true},
                                     {0, 257, 1025, 1026, 1027, 1032, 1028, 1029, 1030, 1031, {}, {}}};
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
inline constexpr Machine kMachine = {"ppc64le",
                                     "TARGET PPC64LE RTL",
                                     21,
                                     "powerpc64le-linux-gnu",
                                     "/lib64/ld64.so.2",
                                     0x0503,
                                     {0, 16, false},
                                     {0, 38, 20, 21, 22, 248, 68, 78, 73, 0, {43}, {}}};
#else
#error "src/base/machine.h has no row for this processor"
#endif

/// The name of a CPU by its number in ELF headers, for messages; those that nobody offloads to have none.
inline std::string machine_name(uint16_t elf_machine) {
  switch (elf_machine) {
  case 62: return "x86_64";
  case 183: return "aarch64";
  case 21: return "ppc64le";
  default: return format("ELF machine %u", static_cast<unsigned>(elf_machine));
  }
}

} // namespace omptarget
