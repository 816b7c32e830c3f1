// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU: what was loaded and allocated on it. Nothing of the driver's is created before init(). The functions are
// those of the plugin ABI without its conventions; plugin.cpp adds these. The virtual functions are the
// driver's.
//
// Order of locks: none of the locks here and in the parts below is held while another one is taken; where a vendor's
// are, its own header says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "common/allocation_traces.h"
#include "common/launch_log.h"
#include "common/launch_rules.h"
#include "gpu/device_services.h"
#include "gpu/devices.h"
#include "gpu/function_maps.h"
#include "gpu/heap_pools.h"
#include "gpu/image.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/queue.h"
#include "gpu/staging.h"
#include "gpu/vendor.h"
#include "omptarget/plugin.h"

namespace omptarget::gpu {

class Device;
class Scope;

/// How kernels reach memory of the host that nobody allocated for them, as OMPTARGET_HOST_MEMORY_..., and a text
/// about it that goes on after "the device reaches".
struct HostMemoryAccess {
  int32_t how = OMPTARGET_HOST_MEMORY_NOT_REACHED;
  const char *text = "";
};

/// The device's rates, for the device environment of an image.
struct DeviceRates {
  uint64_t clock_frequency;      ///< ticks per second of the clock that kernels read
  uint64_t hardware_parallelism; ///< warps that can be resident
};

/// Any thread, but init() and deinit() of a device by one thread at a time.
class Device {
public:
  virtual ~Device() = default;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Its number among the plugin's devices.
  int32_t id() const { return id_; }
  /// Its number in the program.
  int32_t number() const;
  void set_number(int32_t number) { number_.store(number, std::memory_order_relaxed); }
  bool reaches_host_memory() const { return host_memory_access().how != OMPTARGET_HOST_MEMORY_NOT_REACHED; }
  /// Returns whether mapped data is to be used where it lies. Does not change while the device is open.
  bool uses_zero_copy() const { return is_ready() ? is_zero_copy_ : wants_zero_copy(); }
  /// Returns whether kernels may use any memory of the host at any time: copies must keep their place among them.
  bool kernels_use_host_memory() const { return is_zero_copy_ || uses_unified_shared_memory(); }
  bool is_ready() const { return is_ready_.load(std::memory_order_acquire); }
  const LaunchLimits &limits() const { return limits_; }
  /// Ready, not failed, and in the process that opened the driver.
  bool is_usable() const { return is_ready() && !fault_.happened() && !is_forked(); }
  /// The same; a failure says why it is not.
  Status check_usable() { return is_usable() ? Status::ok() : why_unusable(); }

  /// Creates what the settings ask for in advance. Called once, without a Scope.
  Status init();
  /// Runs destructors and releases everything. Not ready afterwards. Does nothing if it is not ready.
  Status deinit();

  // Everything below: is_ready(), and inside of a Scope of this device.

  Result<__tgt_target_table *> load_image(const __tgt_device_image &image);
  Status unload_image(const __tgt_target_table *table);
  Status set_image_functions(const __tgt_target_table *table, const __tgt_image_functions &functions);

  /// Without a queue the work is complete on return.
  Status submit(uint64_t target, const void *host, size_t size, const Caller &caller);
  Status retrieve(void *host, uint64_t target, size_t size, const Caller &caller);
  Status fill(uint64_t target, uint8_t value, size_t size, const Caller &caller);
  Status copy_to(Device &other, uint64_t destination, uint64_t source, size_t size, const Caller &caller);
  Status launch(const Launch &launch, const Caller &caller);
  /// Finds out in which shape it would be launched. Fails for a kernel that has a grid of its own.
  Status shape_of(const Launch &launch, __tgt_launch_shape &shape);
  /// Gives the driver back what is kept for later.
  Status trim_memory();
  /// Runs a kernel without arguments with one thread, to the end.
  Status run_single(Kernel &kernel);

  QueueSet &queues() { return queues_; }
  Memory &memory() { return memory_; }
  FunctionMaps &functions() { return functions_; }
  LaunchLog &launches() { return launches_; }
  AllocationTraces &allocations() { return allocations_; }
  DeviceServices &services() { return services_; }
  const std::vector<std::unique_ptr<Image>> &images() const { return images_; }

  /// The device can no longer be used: the fault is that of the kernels under way. address: what they accessed, if the
  /// driver tells. Any thread, also one of the driver's.
  void lose(const std::string &what, std::optional<uint64_t> address = std::nullopt);
  const Fault &fault() const { return fault_; }
  /// After a failure, before the program learns of it, which it may answer by abort: what kernels printed is written
  /// out. A fault may be found by a call that has nothing to do with the kernel's queue. Any thread of the program's.
  void show_last_prints();

  // ---- What a driver does: of the device, in any state

  /// "sm_90", "gfx90a:sramecc+:xnack-".
  virtual std::string architecture() const = 0;
  /// The driver's text for the very device, or empty.
  virtual std::string uid() const = 0;
  /// "0000:3b:00.0", as the kernel names it, or empty.
  virtual std::string pci_address() const = 0;
  /// Prints what a user learns of it.
  virtual void print_info() const = 0;
  /// Fills in the device's part of an interoperability object.
  virtual void describe(__tgt_device_info &info) const = 0;
  /// Returns whether it reaches the other one's memory.
  virtual bool can_copy_to(const Device &) const { return true; }
  virtual HostMemoryAccess host_memory_access() const = 0;
  /// Returns whether device and CPU share one memory, so that copying is in vain wherever kernels reach what the host
  /// has.
  virtual bool shares_memory_with_cpu() const { return false; }
  /// Bytes of shared memory that a team can have.
  virtual uint32_t shared_memory_limit() const = 0;
  virtual std::unique_ptr<Image> make_image(std::unique_ptr<ImageTarget> target) = 0;
  virtual std::unique_ptr<StagingBuffer> make_staging_buffer() = 0;

  // ---- What a driver does: inside of a Scope

  /// Bytes of its memory that nobody uses.
  virtual Result<uint64_t> free_memory() const = 0;
  /// Waits until all kernels launched so far are complete.
  virtual Status wait_for_kernels() = 0;
  /// Memory for device code that is running and waits for it; freed by memory().release().
  virtual Result<void *> allocate_for_kernel(uint64_t size) = 0;

protected:
  Device(int32_t id, Memory &memory, QueueSet &queues)
      : id_(id), memory_(memory), queues_(queues), staging_(*this), functions_(*this), services_(*this) {}

  // ---- What a driver does: life. The others are inside of a Scope.

  /// Before everything else, without a Scope, and after all of it.
  virtual Status open() { return Status::ok(); }
  virtual Status close() { return Status::ok(); }
  /// The state of a thread that enters, with which leave() restores it.
  struct Entry {
    void *thread = nullptr; ///< state of the thread that the driver's part keeps
    alignas(void *) std::byte before[3 * sizeof(void *)];
  };
  /// From here on the thread's calls concern this device, until it leaves. Calls nothing of the driver's that can
  /// wait until something else is called.
  virtual void enter(Entry &) {}
  virtual void leave(const Entry &) {}
  /// Fails if the driver cannot be called from here: then nothing can be given back.
  virtual Status check_entered() { return Status::ok(); }
  /// Sets the device's limits and preferences, before the settings.
  virtual void set_limits(LaunchLimits &limits) const = 0;
  virtual DeviceRates rates() const = 0;
  /// Returns whether device runtimes for it take their memory from a pool of ours. Otherwise the driver has a heap.
  virtual bool has_heap_pools() const { return false; }
  /// Creates and releases what only this driver has; before, and after, memory, staging and queues.
  virtual Status create_own() { return Status::ok(); }
  virtual Status release_own() { return Status::ok(); }
  /// Returns a text on a ready device, for the trace.
  virtual std::string summary() const = 0;

  // ---- What a driver does: work on a stream

  virtual Status copy_in(Stream &stream, uint64_t target, const void *host, size_t size) = 0;
  virtual Status copy_out(Stream &stream, void *host, uint64_t target, size_t size) = 0;
  virtual Status fill_on(Stream &stream, uint64_t target, uint8_t value, size_t size) = 0;
  struct DeviceCopy {
    Device &other; ///< may be this one
    uint64_t destination;
    uint64_t source;
    size_t size;
  };
  virtual Status copy_between(Stream &stream, const DeviceCopy &copy) = 0;
  /// Before each copy to another device: lets them reach what is copied.
  virtual Status connect(const DeviceCopy &copy) = 0;
  /// Fails if the device cannot run it.
  virtual Status check_launch(const Launch &launch, const Grid &grid) = 0;
  /// Launches a kernel and notes it in launches().
  virtual Status start(Stream &stream, const Launch &launch, const LaunchPlan &plan) = 0;

  /// Tells the user of a launch, and remembers it, as far as that is asked for.
  void announce(const Stream &stream, const Launch &launch, const Grid &grid);
  Staging &staging() { return staging_; }
  /// The device was opened again after a fault.
  void forget_fault();

private:
  friend class Scope;
  Status why_unusable();
  void tell_traces(std::optional<uint64_t> address);
  bool wants_zero_copy() const;
  /// Tells what becomes of memory of the host, and warns where more is asked for than there is.
  void report_host_memory() const;
  std::string unified_memory_problem() const;
  Status create_contents();
  Status release_contents();
  Result<Image *> find_image(const __tgt_target_table *table) const;
  Status close_image(Image &image);
  Status write_environment(Image &image);
  Status give_services(Image &image);
  void report_memory_pool(Image &image);
  /// Runs an operation on the stream of the queue, or on one of its own to the end.
  template <typename Operation> Status on_stream(const Caller &caller, Operation operation) {
    Stream *stream = queues_.stream_at_hand(caller);
    if (!stream) [[unlikely]] {
      OMPTARGET_TRY_ASSIGN(stream, queues_.take_for(caller));
    }
    Status status = operation(*stream);
    if (!caller.async)
      wait_alone(*stream, status);
    return status;
  }
  /// Waits for a stream of no queue, also if the operation has failed: earlier work uses the caller's memory. status:
  /// that of the operation, and then the first failure.
  void wait_alone(Stream &stream, Status &status);
  Status make_plan(const Launch &launch, LaunchPlan &plan);
  Status start_planned(Stream &stream, const Launch &launch, const LaunchPlan &plan);
  Status plan_and_start(Stream &stream, const Launch &launch);
  Status start_serving(Stream &stream, const Launch &launch, const LaunchPlan &plan);

  const int32_t id_;
  std::atomic<int32_t> number_{-1}; ///< told on its own
  LaunchLimits limits_;
  std::atomic<bool> is_ready_{false};
  bool is_zero_copy_ = false;
  bool is_lost_ = false;    ///< it could not be entered to give everything back
  uint32_t debug_kind_ = 0; ///< LIBOMPTARGET_DEVICE_RTL_DEBUG
  Fault fault_;
  LaunchLog launches_;
  AllocationTraces allocations_;
  std::atomic<bool> has_told_launches_{false}; ///< of this fault
  std::atomic<bool> has_told_address_{false};
  Memory &memory_;
  QueueSet &queues_;
  Staging staging_;
  FunctionMaps functions_;
  std::vector<std::unique_ptr<Image>> images_; ///< loading and unloading are serialised by the caller
  HeapPools heap_pools_;
  DeviceServices services_;
};

/// Lives as long as a call that concerns a device. Used by one thread.
class Scope {
public:
  explicit Scope(Device &device) : device_(device) { device.enter(entry_); }
  ~Scope() { device_.leave(entry_); }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  /// Returns the state of the calling thread that the driver's part keeps.
  void *thread() const { return entry_.thread; }

private:
  Device &device_;
  Device::Entry entry_;
};

} // namespace omptarget::gpu
