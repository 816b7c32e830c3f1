// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the stand-in for libhsa-runtime64.so.1: agents, memory, signals, executables, queues. One lock guards it
// all; it is never held while kernels or copies run. Objects stay after they were destroyed, so that using one is
// noticed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "amdgpu/hsa_api.h"
#include "amdgpu/metadata.h"
#include "common/elf_image.h"
#include "emulator/code_file.h"
#include "emulator/execute/amdgpu/code_object.h"
#include "emulator/execute/overlaps.h"
#include "stand_in_hsa.h"

namespace emulator {

using namespace omptarget::amdgpu;

struct Agent;
struct Queue;

struct StandInSignal {
  std::atomic<int64_t> value{0};
  std::atomic<uint64_t> start{0}, end{0}; ///< times of the last operation, if it keeps them
  Queue *doorbell_of = nullptr;
  std::atomic<bool> is_destroyed{false};
  /// The operation that it completes, if races between operations are looked for.
  std::atomic<executor::Chain> chain{nullptr};
  std::atomic<uint64_t> number{0};
};

/// Runs work in order on a thread of its own.
class Worker {
public:
  ~Worker() { stop(); }
  void add(std::function<void()> work);
  /// Finishes what can be finished and ends the thread.
  void stop();

private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool stops_ = false;
  std::thread thread_;
};

enum class PoolKind { kFineHost, kCoarseHost, kCoarseDevice, kFineDevice, kGroup };
struct Pool {
  Agent *agent;
  PoolKind kind;
};

struct Agent {
  bool is_gpu = false;
  std::string target;
  uint32_t cpu = 0;       ///< on the machine, from 1; 0 for a GPU
  uint32_t gpu = 0;       ///< the same of GPUs
  uint32_t partition = 0; ///< number of the partition of that GPU
  std::vector<std::unique_ptr<Pool>> pools;
  Worker copies;
  std::atomic<bool> is_lost{false};
};

/// Tells whether kernels of the agent reach memory that they were not given: SIM_HSA_XNACK=1, or XNACK is on in its
/// target.
bool reaches_host_memory(const Agent &agent);

enum class MemoryKind { kPool, kLocked, kGlobal, kImported };
struct Allocation {
  size_t size;
  MemoryKind kind;
  Pool *pool = nullptr;
  std::set<Agent *> access; ///< beside the owner
  int locks = 0;
  void *owner = nullptr; ///< executable of a global
};

struct Reader {
  const void *bytes;
  size_t size;
  bool is_destroyed = false;
};

struct KernelCode {
  struct Executable *executable;
  std::string name;
  void *code;
  bool runs_each_item;
  KernelMetadata metadata;
};

struct ExecutableSymbol {
  KernelCode *kernel = nullptr;
  uint64_t address = 0;
  uint32_t size = 0;
};

struct Executable {
  Agent *agent = nullptr;
  CodeFile code; ///< code of this machine, or
  std::unique_ptr<executor::amdgpu::CodeObject> device_code;
  bool is_frozen = false;
  std::atomic<bool> is_destroyed{false};
  std::string bytes;
  omptarget::ElfImage elf;
  std::map<std::string, std::unique_ptr<KernelCode>> kernels;
  std::map<std::string, std::unique_ptr<ExecutableSymbol>> symbols;
};

struct Queue {
  hsa_queue_t handle{};
  Agent *agent = nullptr;
  StandInSignal doorbell;
  std::vector<char> ring;
  std::atomic<uint64_t> read{0}, write{0};
  uint64_t done = 0; ///< packets handed to the worker, which are the operations of the queue
  std::mutex mutex;  ///< guards ringing
  QueueCallback callback = nullptr;
  void *callback_data = nullptr;
  std::atomic<bool> is_destroyed{false}, is_stopped{false}, keeps_times{false};
  std::vector<std::thread> unordered; ///< kernels without a barrier bit
  Worker worker;
};

struct State {
  std::mutex mutex;
  std::atomic<bool> is_initialised{false}, has_ended{false};
  std::vector<std::shared_ptr<Agent>> agents;
  std::map<uintptr_t, Allocation> memory;
  std::atomic<uint64_t> memory_generation{1}; ///< changes with it
  std::vector<std::unique_ptr<StandInSignal>> signals;
  std::vector<std::unique_ptr<Queue>> queues;
  std::vector<std::unique_ptr<Executable>> executables;
  std::vector<std::unique_ptr<Reader>> readers;
  std::set<uint64_t> kernel_objects;
  EventCallback event_callback = nullptr;
  void *event_data = nullptr;
  std::atomic<bool> copies_keep_times{false};
};

State &state();

/// Counts a call; not 0 if it shall fail.
hsa_status_t enter(const char *name);
/// Counts what tests ask for by sim_hsa_count and what cannot fail.
void count(const char *name);
/// Reports a wrong use.
[[gnu::format(printf, 1, 2)]] void violation(const char *pattern, ...);

/// Null, and a violation, if the handle is none that exists.
/// With SIM_HSA_NO_PEERS=1 no device reaches another's memory.
bool can_reach(const Agent &agent, const Pool &pool);
Agent *find_agent(const char *call, hsa_agent_t agent);
StandInSignal *find_signal(const char *call, hsa_signal_t signal);
Queue *find_queue(const char *call, const hsa_queue_t *queue);

/// The allocation that holds all of the range, or null. State locked.
Allocation *find_memory(uintptr_t address, size_t size, uintptr_t *begin = nullptr);
/// Returns whether the agent reaches all of the range; a violation if it does not. Takes the lock.
bool check_access(const char *call, Agent *agent, const void *address, size_t size);

/// An operation is queued to the chain that waits for the dependencies, and completes a signal unless that is null.
/// Returns null unless races between operations are looked for.
executor::SharedOperation queue_operation(executor::Chain chain, uint64_t number,
                                          const std::vector<StandInSignal *> &dependencies, StandInSignal *completion);
/// The host has seen that the signal is complete.
void learn(const StandInSignal &signal);
/// Wakes up whoever waits for signals.
void signal_changed();
/// Blocks until the signal is less than the value; false if the device is lost meanwhile.
bool wait_less(StandInSignal &signal, int64_t value, const Agent &agent);
void complete(StandInSignal &signal);

/// The clock of the system: it counts as on real machines, and did not begin when the host's did.
inline constexpr uint64_t kTicksPerSecond = 100'000'000;
uint64_t ticks_now();
/// Notes in a signal when an operation ran, from here to the end of the life of this.
class OperationTime {
public:
  OperationTime(StandInSignal *signal, bool keeps_times)
      : signal_(signal), start_(keeps_times ? ticks_now() : 0), keeps_times_(keeps_times) {}
  void end() {
    if (!signal_)
      return;
    signal_->start = start_;
    signal_->end = keeps_times_ ? ticks_now() : 0;
  }

private:
  StandInSignal *const signal_;
  const uint64_t start_;
  const bool keeps_times_;
};
/// The work that was added before this call may start.
void release_work();
/// Blocks while work that was added with this number is held back.
void wait_until_released(uint64_t number);
uint64_t next_work_number();

void ring(Queue &queue, uint64_t index);
/// Unloads an executable's code. State not locked.
void destroy_executable(Executable &executable);

} // namespace emulator

#define STAND_IN_API extern "C" __attribute__((visibility("default")))
/// Counts the call and returns if it shall fail or the runtime was not initialised.
#define STAND_IN_ENTER(name)                                                                                           \
  if (const hsa_status_t injected = ::emulator::enter(#name))                                                          \
  return injected
