// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory that other processes may map, as drivers give it to libraries of MPI. SIM_IPC=1 makes all of it such.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "base/own_file.h"

namespace emulator {

/// The name of an allocation for other processes of the same user, in the bytes of the driver's own handle.
struct IpcHandle {
  uint64_t mark;
  int process;
  int file; ///< file descriptor of that process
  uint64_t size;
};

/// Any thread.
class IpcMemory {
public:
  static constexpr uint64_t kMark = 0x7a6d6974742d6970;

  static bool is_on() {
    const char *text = std::getenv("SIM_IPC");
    return text && *text == '1';
  }
  /// Null if the machine has none.
  void *allocate(size_t size) {
    const int file = omptarget::above_standard_files(memfd_create("device memory", MFD_CLOEXEC));
    if (file < 0)
      return nullptr;
    void *memory = ftruncate(file, static_cast<off_t>(size)) == 0 ? map(file, size) : nullptr;
    return memory ? note(memory, {file, size}) : (::close(file), nullptr);
  }
  /// Gives back what allocate or open gave; false if neither did.
  bool release(void *memory) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(memory);
    if (found == blocks_.end())
      return false;
    munmap(memory, found->second.size);
    ::close(found->second.file);
    blocks_.erase(found);
    return true;
  }
  /// False unless the address is the first of what allocate gave.
  bool name(void *memory, IpcHandle &handle) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(memory);
    if (found == blocks_.end())
      return false;
    handle = {kMark, getpid(), found->second.file, found->second.size};
    return true;
  }
  /// Maps what another process named. Null if it is no such handle, or that process gave it back.
  void *open(const IpcHandle &handle) {
    if (handle.mark != kMark)
      return nullptr;
    const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
    const int file = omptarget::above_standard_files(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file < 0)
      return nullptr;
    void *memory = map(file, handle.size);
    return memory ? note(memory, {file, handle.size}) : (::close(file), nullptr);
  }

private:
  struct Block {
    int file;
    size_t size;
  };
  static void *map(int file, size_t size) {
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }
  void *note(void *memory, Block block) {
    const std::lock_guard lock(mutex_);
    blocks_[memory] = block;
    return memory;
  }

  std::mutex mutex_;
  std::map<void *, Block> blocks_;
};

/// Never destroyed.
inline IpcMemory &ipc_memory() {
  static IpcMemory &the_memory = *new IpcMemory;
  return the_memory;
}

} // namespace emulator
