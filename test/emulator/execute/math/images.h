// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernels.c as code of a GPU, linked with a library of its vendor, and run by the executor.
#pragma once

#include <memory>
#include <string>

#include "emulator/execute/amdgpu/launch.h"
#include "emulator/execute/ptx/launch.h"

namespace emulator::executor::math {

/// A kernel's data, and nothing else of this process.
class DataMemory final : public DeviceMemory, public ptx::DeviceHeap {
public:
  std::optional<MemoryRange> find(uint64_t address) override;
  uint64_t generation() override { return generation_; }
  uint64_t allocate(uint64_t) override { return 0; }
  bool release(uint64_t) override { return false; }
  void set(void *data, size_t size);

  const void *pointer = nullptr; ///< to the data, which is the argument
  const ptx::Module *module = nullptr;
  const amdgpu::CodeObject *object = nullptr;

private:
  size_t size_ = 0;
  uint64_t generation_ = 1;
};

class Image {
public:
  virtual ~Image() = default;
  /// Runs the kernel with one block of so many threads; empty, or what went wrong.
  virtual std::string run(const std::string &kernel, void *data, size_t size, uint32_t threads) = 0;
};

/// The text for sm_80; empty after a failure that is gtest's.
std::string compile_to_ptx(const std::string &clang, const std::string &options);
/// Returns clang's image with these options; null after a failure that is gtest's. The library: a file of bitcode.
std::unique_ptr<Image> make_ptx_image(const std::string &options, const std::string &library);
/// With ocml, for gfx90a or gfx1100.
std::unique_ptr<Image> make_amd_image(const std::string &options, const std::string &processor);

} // namespace emulator::executor::math
