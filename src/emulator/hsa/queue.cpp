// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals and queues: packets run when the doorbell rings, in order as far as their headers ask for it.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "emulator/call_code.h"
#include "execute.h"

namespace emulator {

namespace {

thread_local StandInDispatch *current_dispatch = nullptr;
thread_local Queue *current_queue = nullptr;
thread_local bool has_faulted = false;

int bits(uint16_t header, int first, int width) { return header >> first & ((1 << width) - 1); }

void call(void *code, const void *arguments, size_t count) {
  call_code(code, static_cast<const uint64_t *>(arguments), count);
}

bool check_packet(const Queue &queue, const hsa_kernel_dispatch_packet_t &packet) {
  const int acquire = bits(packet.header, HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE, 2);
  const int release = bits(packet.header, HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE, 2);
  if (acquire != HSA_FENCE_SCOPE_SYSTEM || release != HSA_FENCE_SCOPE_SYSTEM)
    violation("a kernel's fences are %d and %d: it does not see what the host wrote, or the host not what it writes",
              acquire, release);
  bool is_kernel = false;
  {
    const std::lock_guard lock(state().mutex);
    is_kernel = state().kernel_objects.count(packet.kernel_object) != 0;
  }
  if (!is_kernel) {
    violation("a packet names no kernel: %#lx", static_cast<unsigned long>(packet.kernel_object));
    return false;
  }
  const KernelCode &kernel = *reinterpret_cast<const KernelCode *>(packet.kernel_object);
  const KernelMetadata &metadata = kernel.metadata;
  const uint32_t threads = uint32_t{packet.workgroup_size_x} * packet.workgroup_size_y * packet.workgroup_size_z;
  if (threads == 0 || threads > 1024 || packet.grid_size_x == 0 || packet.grid_size_y == 0 || packet.grid_size_z == 0)
    violation("kernel %s: %u threads, a grid of %u %u %u", kernel.name.c_str(), threads, packet.grid_size_x,
              packet.grid_size_y, packet.grid_size_z);
  if (metadata.max_threads != 0 && threads > metadata.max_threads)
    violation("kernel %s: %u threads, at most %u", kernel.name.c_str(), threads, metadata.max_threads);
  if (packet.setup < 1 || packet.setup > 3 || packet.reserved0 != 0 || packet.reserved2 != 0)
    violation("kernel %s: setup %u", kernel.name.c_str(), packet.setup);
  if (packet.group_segment_size < metadata.group_size || packet.group_segment_size > 65536)
    violation("kernel %s: %u bytes of shared memory, it needs %u", kernel.name.c_str(), packet.group_segment_size,
              metadata.group_size);
  if (packet.private_segment_size < metadata.private_size)
    violation("kernel %s: %u bytes of stack, it needs %u", kernel.name.c_str(), packet.private_segment_size,
              metadata.private_size);
  if (reinterpret_cast<uintptr_t>(packet.kernarg_address) % 16 != 0)
    violation("kernel %s: arguments at %p", kernel.name.c_str(), packet.kernarg_address);
  return check_access(kernel.name.c_str(), queue.agent, packet.kernarg_address, std::max(1u, metadata.kernarg_size));
}

void run_kernel(Queue &queue, const hsa_kernel_dispatch_packet_t &packet) {
  const KernelCode &kernel = *reinterpret_cast<const KernelCode *>(packet.kernel_object);
  StandInDispatch dispatch{};
  const uint32_t grid[] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  const uint32_t threads[] = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  for (int i = 0; i < 3; ++i) {
    dispatch.threads[i] = threads[i];
    dispatch.blocks[i] = (grid[i] + threads[i] - 1) / threads[i];
  }
  dispatch.dimensions = packet.setup;
  dispatch.group_size = packet.group_segment_size;
  dispatch.private_size = packet.private_segment_size;
  dispatch.arguments = packet.kernarg_address;
  dispatch.queue = &queue.handle;
  current_dispatch = &dispatch;
  current_queue = &queue;
  const size_t count = kernel.metadata.explicit_size ? *kernel.metadata.explicit_size / sizeof(uint64_t)
                                                     : kernel.metadata.kernarg_size / sizeof(uint64_t);
  if (kernel.executable->device_code) {
    execute(queue, kernel, packet);
  } else if (!kernel.runs_each_item) {
    call(kernel.code, packet.kernarg_address, count);
  } else {
    for (uint64_t item = 0; item < uint64_t{grid[0]} * grid[1] * grid[2] && !has_faulted; ++item) {
      const uint64_t at[] = {item % grid[0], item / grid[0] % grid[1], item / grid[0] / grid[1]};
      for (int i = 0; i < 3; ++i) {
        dispatch.block[i] = static_cast<uint32_t>(at[i] / threads[i]);
        dispatch.thread[i] = static_cast<uint32_t>(at[i] % threads[i]);
      }
      call(kernel.code, packet.kernarg_address, count);
    }
  }
  current_dispatch = nullptr;
  current_queue = nullptr;
}

// A lost device completes nothing any more.
void finish_kernel(Queue &queue, const hsa_kernel_dispatch_packet_t &packet) {
  has_faulted = false;
  StandInSignal *const signal =
      packet.completion_signal.handle ? find_signal("packet", packet.completion_signal) : nullptr;
  OperationTime time(signal, queue.keeps_times);
  if (check_packet(queue, packet))
    run_kernel(queue, packet);
  if (has_faulted || queue.agent->is_lost)
    return;
  time.end();
  if (signal)
    complete(*signal);
}

void run_barrier(const Queue &queue, const hsa_barrier_and_packet_t &packet) {
  for (const hsa_signal_t dependency : packet.dep_signal)
    if (dependency.handle)
      if (StandInSignal *signal = find_signal("barrier", dependency))
        if (!wait_less(*signal, 1, *queue.agent))
          return;
  if (packet.completion_signal.handle)
    if (StandInSignal *signal = find_signal("barrier", packet.completion_signal))
      complete(*signal);
}

using PacketBytes = std::array<char, 64>;

executor::SharedOperation queue_packet(const Queue &queue, const PacketBytes &bytes) {
  hsa_barrier_and_packet_t packet; // the completion signal has the same place in all
  std::memcpy(&packet, bytes.data(), sizeof(packet));
  std::vector<StandInSignal *> dependencies;
  if (bits(packet.header, HSA_PACKET_HEADER_TYPE, 8) == HSA_PACKET_TYPE_BARRIER_AND)
    for (const hsa_signal_t dependency : packet.dep_signal)
      if (dependency.handle)
        dependencies.push_back(reinterpret_cast<StandInSignal *>(dependency.handle));
  return queue_operation(&queue, queue.done + 1, dependencies,
                         reinterpret_cast<StandInSignal *>(packet.completion_signal.handle));
}

void run_packet(Queue &queue, const PacketBytes &bytes, uint64_t number) {
  wait_until_released(number);
  queue.read.fetch_add(1); // the place in the ring is free as soon as the packet was taken
  uint16_t header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (bits(header, HSA_PACKET_HEADER_BARRIER, 1)) {
    for (std::thread &thread : queue.unordered)
      thread.join();
    queue.unordered.clear();
  }
  if (!queue.is_stopped && !queue.agent->is_lost) {
    const int type = bits(header, HSA_PACKET_HEADER_TYPE, 8);
    if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
      hsa_kernel_dispatch_packet_t packet;
      std::memcpy(&packet, bytes.data(), sizeof(packet));
      if (bits(header, HSA_PACKET_HEADER_BARRIER, 1))
        finish_kernel(queue, packet);
      else
        queue.unordered.emplace_back([&queue, packet] { finish_kernel(queue, packet); });
    } else if (type == HSA_PACKET_TYPE_BARRIER_AND) {
      hsa_barrier_and_packet_t packet;
      std::memcpy(&packet, bytes.data(), sizeof(packet));
      run_barrier(queue, packet);
    } else {
      violation("a packet of type %d", type);
    }
  }
}

} // namespace

// A packet is taken out of the ring at once; its place counts as free when its turn has come.
void ring(Queue &queue, uint64_t index) {
  const std::lock_guard lock(queue.mutex);
  for (; queue.done <= index; ++queue.done) {
    PacketBytes bytes;
    char *slot = queue.ring.data() + (queue.done & (queue.handle.size - 1)) * bytes.size();
    const uint32_t first = __atomic_load_n(reinterpret_cast<uint32_t *>(slot), __ATOMIC_ACQUIRE);
    if ((first & 0xff) == HSA_PACKET_TYPE_INVALID || queue.done >= queue.write.load()) {
      violation("the doorbell rings for packet %lu, which was not written", static_cast<unsigned long>(queue.done));
      return;
    }
    std::memcpy(bytes.data(), slot, bytes.size());
    const uint16_t invalid = HSA_PACKET_TYPE_INVALID;
    std::memset(slot, 0xEE, bytes.size());
    std::memcpy(slot, &invalid, sizeof(invalid));
    const uint64_t number = next_work_number();
    const auto operation = queue_packet(queue, bytes);
    queue.worker.add(
        [&queue, bytes, number, operation] { run_operation(operation, [&] { run_packet(queue, bytes, number); }); });
  }
}

StandInSignal *find_signal(const char *call, hsa_signal_t handle) {
  StandInSignal *signal = reinterpret_cast<StandInSignal *>(handle.handle);
  if (!signal || signal->is_destroyed) {
    violation("%s: signal %p %s", call, static_cast<void *>(signal), signal ? "is destroyed" : "is none");
    return nullptr;
  }
  return signal;
}

Queue *find_queue(const char *call, const hsa_queue_t *handle) {
  const std::lock_guard lock(state().mutex);
  for (const auto &queue : state().queues)
    if (&queue->handle == handle && !queue->is_destroyed)
      return queue.get();
  violation("%s: no queue %p", call, static_cast<const void *>(handle));
  return nullptr;
}

} // namespace emulator

using namespace emulator;

STAND_IN_API const StandInDispatch *sim_hsa_dispatch(void) { return current_dispatch; }

STAND_IN_API void sim_hsa_memory_fault(uint64_t address, uint32_t reasons) {
  has_faulted = true;
  current_queue->agent->is_lost = true;
  signal_changed();
  hsa_amd_event_t event{};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault = {{reinterpret_cast<uintptr_t>(current_queue->agent)}, address, reasons};
  if (state().event_callback)
    state().event_callback(&event, state().event_data);
}

STAND_IN_API void sim_hsa_queue_error(int status) {
  has_faulted = true;
  current_queue->is_stopped = true;
  current_queue->agent->is_lost = true;
  signal_changed();
  if (current_queue->callback)
    current_queue->callback(status, &current_queue->handle, current_queue->callback_data);
}

STAND_IN_API hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t, const hsa_agent_t *, uint64_t,
                                                hsa_signal_t *handle) {
  STAND_IN_ENTER(hsa_amd_signal_create);
  const std::lock_guard lock(state().mutex);
  state().signals.push_back(std::make_unique<StandInSignal>());
  state().signals.back()->value = value;
  handle->handle = reinterpret_cast<uintptr_t>(state().signals.back().get());
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_signal_destroy(hsa_signal_t handle) {
  STAND_IN_ENTER(hsa_signal_destroy);
  StandInSignal *signal = find_signal("hsa_signal_destroy", handle);
  if (!signal)
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  signal->is_destroyed = true;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t handle) {
  StandInSignal *signal = find_signal("hsa_signal_load_scacquire", handle);
  const int64_t value = signal ? signal->value.load() : 0;
  if (signal && value == 0)
    learn(*signal);
  release_work();
  return value;
}

STAND_IN_API void hsa_signal_store_screlease(hsa_signal_t handle, hsa_signal_value_t value) {
  StandInSignal *signal = find_signal("hsa_signal_store_screlease", handle);
  if (!signal)
    return;
  signal->value.store(value);
  if (signal->doorbell_of)
    ring(*signal->doorbell_of, static_cast<uint64_t>(value));
  else
    signal_changed();
}

STAND_IN_API void hsa_signal_store_relaxed(hsa_signal_t handle, hsa_signal_value_t value) {
  StandInSignal *signal = find_signal("hsa_signal_store_relaxed", handle);
  if (signal && signal->doorbell_of)
    violation("the doorbell rings without releasing what was written");
  if (signal)
    signal->value.store(value);
}

STAND_IN_API hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t handle, int condition, hsa_signal_value_t value,
                                                          uint64_t timeout, int state) {
  count(state == HSA_WAIT_STATE_ACTIVE ? "active wait" : "blocked wait");
  StandInSignal *signal = find_signal("hsa_signal_wait_scacquire", handle);
  if (!signal || condition != HSA_SIGNAL_CONDITION_LT)
    return 0;
  release_work();
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout * (1'000'000'000 / kTicksPerSecond));
  while (signal->value.load() >= value && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  if (signal->value.load() < value)
    learn(*signal);
  return signal->value.load();
}

STAND_IN_API hsa_status_t hsa_queue_create(hsa_agent_t handle, uint32_t size, int type, QueueCallback callback,
                                           void *data, uint32_t, uint32_t, hsa_queue_t **queue_handle) {
  STAND_IN_ENTER(hsa_queue_create);
  Agent *agent = find_agent("hsa_queue_create", handle);
  if (!agent || !agent->is_gpu || size < 4 || size > 4096 || (size & (size - 1)) != 0) {
    violation("hsa_queue_create: %u packets", size);
    return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  }
  auto queue = std::make_unique<Queue>();
  queue->agent = agent;
  queue->callback = callback;
  queue->callback_data = data;
  queue->ring.resize(size_t{size} * 64);
  for (size_t i = 0; i < size; ++i)
    queue->ring[i * 64] = HSA_PACKET_TYPE_INVALID;
  queue->doorbell.doorbell_of = queue.get();
  queue->handle.type = static_cast<uint32_t>(type);
  queue->handle.base_address = queue->ring.data();
  queue->handle.doorbell_signal = {reinterpret_cast<uintptr_t>(&queue->doorbell)};
  queue->handle.size = size;
  *queue_handle = &queue->handle;
  const std::lock_guard lock(state().mutex);
  state().queues.push_back(std::move(queue));
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_queue_destroy(hsa_queue_t *handle) {
  STAND_IN_ENTER(hsa_queue_destroy);
  Queue *queue = find_queue("hsa_queue_destroy", handle);
  if (!queue)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  if (!queue->agent->is_lost && !queue->is_stopped && queue->read.load() != queue->write.load())
    violation("hsa_queue_destroy: %lu packets were not waited for",
              static_cast<unsigned long>(queue->write.load() - queue->read.load()));
  release_work();
  queue->worker.stop();
  for (std::thread &thread : queue->unordered)
    thread.join();
  queue->unordered.clear();
  queue->is_destroyed = true;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t *handle) {
  const Queue *queue = find_queue("hsa_queue_load_read_index_scacquire", handle);
  release_work();
  return queue ? queue->read.load() : 0;
}

STAND_IN_API uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t *handle, uint64_t count) {
  Queue *queue = find_queue("hsa_queue_add_write_index_relaxed", handle);
  return queue ? queue->write.fetch_add(count) : 0;
}

// ---- Times

STAND_IN_API hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *handle, int enable) {
  STAND_IN_ENTER(hsa_amd_profiling_set_profiler_enabled);
  Queue *queue = find_queue("hsa_amd_profiling_set_profiler_enabled", handle);
  if (!queue)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  queue->keeps_times = enable != 0;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable) {
  STAND_IN_ENTER(hsa_amd_profiling_async_copy_enable);
  state().copies_keep_times = enable;
  return HSA_STATUS_SUCCESS;
}

namespace {
hsa_status_t tell_time(const char *call, hsa_signal_t handle, hsa_amd_profiling_time_t *time) {
  const StandInSignal *signal = find_signal(call, handle);
  if (!signal)
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (signal->value.load() != 0)
    violation("%s: the operation is not complete", call);
  *time = {signal->start.load(), signal->end.load()};
  return HSA_STATUS_SUCCESS;
}
} // namespace

STAND_IN_API hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                              hsa_amd_profiling_time_t *time) {
  STAND_IN_ENTER(hsa_amd_profiling_get_dispatch_time);
  const Agent *const found = find_agent("hsa_amd_profiling_get_dispatch_time", agent);
  if (!found || !found->is_gpu)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  return tell_time("hsa_amd_profiling_get_dispatch_time", signal, time);
}

STAND_IN_API hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, hsa_amd_profiling_time_t *time) {
  STAND_IN_ENTER(hsa_amd_profiling_get_async_copy_time);
  return tell_time("hsa_amd_profiling_get_async_copy_time", signal, time);
}
