// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data that the threads of a random program share. Each thread has cells of its own in them, which only its kernels, or
// it itself on the host, change. All threads map all of the data. So each thread knows what its cells hold on the
// device whenever its kernel runs there.
#pragma once

#include <cstdint>
#include <vector>

#include "program.h"

namespace omptarget::test {

constexpr int kMostThreads = 8;

/// How the threads map data. Each of the data has one form, so that all threads map the same ranges.
enum class Form {
  kArray,   ///< as it is
  kMembers, ///< two neighbouring members of a struct, and the range that holds them
  kPointer, ///< a struct, and what its pointer points to, as clang up to 22 passes them
  kAttach,  ///< the same, as clang 23 passes them
  kInput,   ///< an array that only goes to the device
};
constexpr int kForms = 5;

/// A thread's use of data: bits of the map type of all that is copied.
using Motion = uint64_t;

class SharedData {
public:
  /// memory: for this and nothing else; as many words as words_for says.
  SharedData(Form form, int length, int64_t *memory);
  static int64_t words_for(Form form, int length);

  Form form() const { return form_; }
  bool is_input() const { return form_ == Form::kInput; }
  /// If set, constructs copy back before the last one leaves. Then no thread updates its cells from the device: updates
  /// are not ordered with other threads' copies.
  bool uses_always = false;

  /// Adds the arguments of a construct, whose parameters begin at a number of the body's.
  void add_arguments(Motion motion, bool is_parameter, Arguments &arguments) const;

  bool has_struct() const { return form_ == Form::kPointer || form_ == Form::kAttach; }
  /// The struct without what its pointer points to.
  Argument struct_alone(uint64_t type) const { return data(memory_, (length_ + 1) * 8, type); }
  Argument pointee_alone(uint64_t type) const { return data(pointee(), length_ * 8, type); }

  /// Where a thread's cells are. On the device: by the parameter, which is the address of the array, the first member,
  /// or the struct.
  static constexpr int kMostCells = 2;
  int cell_count() const { return form_ == Form::kArray || form_ == Form::kInput ? 1 : 2; }
  int64_t *host_cell(int thread, int cell) const;
  int64_t *device_cell(void *parameter, int thread, int cell) const;
  /// The cell as an argument of an update.
  Argument cell_argument(int thread, int cell, uint64_t type) const { return data(host_cell(thread, cell), 8, type); }

  /// Returns whether the host's pointer has its own value.
  bool has_host_pointer() const;
  const void *begin() const { return memory_; }
  int64_t bytes() const { return words_for(form_, length_) * 8; }

private:
  int index_of(int thread) const;
  int64_t *array(int number) const { return memory_ + number * length_; }
  int64_t *pointer() const { return memory_ + length_; }
  int64_t *pointee() const { return memory_ + length_ + 1; }

  Form form_;
  int length_;      ///< length of an array, in words
  int64_t *memory_; ///< array; or x, y; or a struct of x and a pointer, and what that points to
};

/// A thread's knowledge of its cells in one of the shared data.
struct Knowledge {
  int64_t value = 0; ///< the value of each cell: on the device, or on the host if the data are not there
  int64_t seen[SharedData::kMostCells] = {0, 0}; ///< on the host, at least; never decreases
};

} // namespace omptarget::test
