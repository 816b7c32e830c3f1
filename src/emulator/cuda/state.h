// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the stand-in for libcuda.so.1: contexts, memory, modules, streams. One lock guards it all, except for
// the work of streams, which have their own. No thread holds it while work runs or is waited for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "cuda/cuda_api.h"
#include "emulator/code_file.h"
#include "emulator/execute/overlaps.h"
#include "emulator/execute/ptx/module.h"

namespace emulator {

using omptarget::cuda::CUdeviceptr;
using omptarget::cuda::CUresult;

struct Context;

/// How devices reach memory of the host that they were not given: not at all, by page faults (SIM_CUDA_HMM=1), or by
/// the CPU's page tables (SIM_CUDA_ATS=1).
enum class HostMemory { kUnreached, kHmm, kAts };
HostMemory host_memory();

/// Runs work in order on a thread of its own.
class Stream {
public:
  explicit Stream(Context &context) : context_(context) {}
  Context &context() { return context_; }

  uint64_t enqueue(std::function<void()> work);
  /// Work that is queued from now on comes after that of the other stream.
  void enqueue_wait(Stream &other, uint64_t ticket);
  /// Waits, as the host.
  void wait(uint64_t ticket);
  void wait_all();
  /// Returns whether all work is complete. Work that is held back is let go.
  bool query();
  bool is_complete(uint64_t ticket);
  uint64_t last_ticket();
  /// Finishes the work and ends the thread.
  void finish();
  bool is_destroyed = false; // under the lock of the state

private:
  void run();
  void wait_in_stream(uint64_t ticket);
  /// The host knows that all this is complete.
  void learn(uint64_t ticket) const;

  Context &context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  struct Work {
    std::function<void()> run;
    executor::SharedOperation operation; ///< null unless races are looked for
  };
  std::deque<Work> work_;
  uint64_t enqueued_ = 0, done_ = 0, released_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

struct Event {
  Context *context;
  Stream *stream = nullptr; ///< that it was recorded on
  uint64_t ticket = 0;
  bool has_time = false;
  std::atomic<uint64_t> time_ns{0}; ///< when the stream came to it
  bool is_destroyed = false;
};

enum class MemoryKind { kDevice, kManaged, kHost, kRegistered, kGlobal, kImported };

struct Allocation {
  size_t size;
  MemoryKind kind;
  Context *context;
  void *owner = nullptr; ///< module of a global
};

struct Function {
  struct Module *module;
  std::string name;
  void *code;
  // Looked up with the function: a launch waits for no lock of the dynamic loader's.
  uint32_t parameters, max_threads;
  bool runs_each_thread;
  uint32_t stack;                                      ///< bytes that a thread takes and no compiler knows of
  const executor::ptx::Function *kernel = nullptr;     ///< of PTX
  static constexpr int kPlainSharedMemory = 48 * 1024; ///< bytes of a block, unless an attribute allows more
  int dynamic_shared_memory = kPlainSharedMemory;
};

struct Module {
  Context *context;
  CodeFile code;
  std::unique_ptr<executor::ptx::Module> device_code; ///< instead of code: PTX
  std::map<std::string, std::unique_ptr<Function>> functions;
  bool is_destroyed = false;
};

struct Context {
  int device;
  int retained = 0;
  bool is_destroyed = false;
  std::atomic<CUresult> error{0};
  std::vector<Context *> peers;
  std::map<int, size_t> limits; ///< that were set

  /// State locked.
  size_t limit(int which) const {
    const auto found = limits.find(which);
    return found != limits.end()                                 ? found->second
           : which == omptarget::cuda::CU_LIMIT_STACK_SIZE       ? kStackLimit
           : which == omptarget::cuda::CU_LIMIT_MALLOC_HEAP_SIZE ? kHeapLimit
                                                                 : 0;
  }
  static constexpr size_t kStackLimit = 1024, kHeapLimit = size_t{8} << 20; ///< limits of a new context
};

/// A device as the driver shows it: a GPU, or an instance that one is split into (MIG).
struct ShownDevice {
  int sm;
  int gpu;
  int instance = -1; ///< number of the instance of a split GPU
};

struct State {
  std::mutex mutex;
  std::vector<ShownDevice> devices;
  std::atomic<bool> initialised{false}, deinitialised{false};
  std::atomic<unsigned> context_flags{0}; ///< chosen for the devices' contexts
  int process = 0;                        ///< that initialised it
  std::map<int, Context *> primary;
  std::map<uintptr_t, Allocation> memory;
  std::atomic<uint64_t> memory_generation{1}; ///< changes with memory and modules
  // Objects stay after they were destroyed, so that using one is noticed.
  std::vector<std::unique_ptr<Context>> contexts;
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> events;
  uint64_t leaked = 0;
};

State &state();
bool holds_work();
/// The same although somebody asks whether it is done.
bool holds_work_when_asked();

/// Counts a call; not 0 if it shall fail.
CUresult enter(const char *name);
/// Reports a wrong use.
[[gnu::format(printf, 1, 2)]] void violation(const char *pattern, ...);

/// The current context of the thread or null.
Context *current_context();
/// 0 if there is a current context without error.
CUresult check_context(const char *call, Context *&context);

/// 0 if there is some current context and the one of the stream has no error; that one.
CUresult context_of_stream(const char *call, omptarget::cuda::CUstream stream, Context *&context);

/// The allocation that holds all of the range; null, and a violation, if there is none. State locked.
Allocation *find_memory(const char *call, uintptr_t address, size_t size);
/// Returns whether the range is pinned host memory. State locked.
bool is_pinned(uintptr_t address);
/// Gives memory back to the process.
void free_memory(void *memory);
/// All streams of a context.
std::vector<Stream *> streams_of(Context *context);
void wait_for_context(Context *context);
/// Takes down what is left of a context. State not locked.
void destroy_context(Context *context);
uint64_t live_objects();

} // namespace emulator
