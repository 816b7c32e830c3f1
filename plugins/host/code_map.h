// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a loaded image, as far as it tells which functions refer to which: finds the functions in which threads
// of a team wait for one another. Reads machine code of x86-64 only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/image_check.h"

namespace omptarget::host {

class CodeMap {
public:
  /// The properties of a function, together with those of the functions that it refers to.
  struct Uses {
    bool barrier = false;     ///< waits at a barrier that the program has written (`#pragma omp barrier`)
    bool num_threads = false; ///< says how many threads a parallel region has
  };

  /// base: where the image is loaded.
  CodeMap(uintptr_t base, const ImageLayout &layout);

  /// Returns what a function of the image uses. If its code cannot be found, what the image uses. One thread at a time.
  Uses uses_of(const void *function);

private:
  struct Function {
    uintptr_t begin, end;
  };
  /// Code that is read, and what it has led to so far.
  struct Search {
    std::vector<uintptr_t> to_read;
    std::vector<bool> is_known; ///< one for each function
    Uses uses;
  };

  bool read_functions();
  uintptr_t end_of(uintptr_t begin, uintptr_t record, uintptr_t next) const;
  const Function *function_at(uintptr_t begin) const;
  void visit(uintptr_t function, Search &search) const;
  void read_code(const Function &function, Search &search) const;
  void follow(uintptr_t target, Search &search) const;
  void follow_slot(uintptr_t slot, Search &search) const;
  bool is_barrier(uintptr_t place) const;
  const Segment *segment_of(uintptr_t address, uint64_t size) const;

  const uintptr_t base_;
  const ImageLayout &layout_;
  uintptr_t begin_ = 0, end_ = 0;   ///< of the image
  std::vector<Function> functions_; ///< ascending
  std::unordered_map<uintptr_t, uint64_t> slots_;
  std::unordered_map<const void *, Uses> known_;
  bool has_num_threads_ = false; ///< some function does
  bool is_readable_;
};

} // namespace omptarget::host
