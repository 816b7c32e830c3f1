// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process: what it may take, how it reads and writes, how it fails. Nothing of LLVM.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace omptarget::jit_compiler {

/// Prints "omptarget-jit: TEXT" to stderr and ends with 1.
[[noreturn]] void fail(const std::string &text);

/// Bounds memory, the size of files, core files and CPU time (seconds), and closes all files but the standard ones.
void limit_process(unsigned seconds);

/// Returns all that standard input has.
std::string read_input();

/// A file in memory that child processes inherit.
class MemoryFile {
public:
  explicit MemoryFile(const char *name);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  int descriptor() const { return descriptor_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(std::string_view bytes) const;
  std::string contents() const;

private:
  int descriptor_;
};

/// Writes the result to standard output, with the head that tells the reader that it is whole (jit/result_format.h).
void write_result(std::string_view bytes);

} // namespace omptarget::jit_compiler
