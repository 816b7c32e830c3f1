// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ompt/ompt_trace.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "observe/listeners.h"

namespace omptarget::observe {

namespace {

using ompt::Record;

/// A buffer of the tool's that is being filled.
struct Buffer {
  char *begin = nullptr;
  size_t size = 0;
  size_t used = 0;
};

struct DeviceTrace {
  explicit DeviceTrace(int number) : device(number) {}
  const int device;
  std::mutex mutex; // never held during a callback
  ompt::BufferRequest request = nullptr;
  ompt::BufferComplete complete = nullptr;
  Buffer buffer;
  std::atomic<bool> is_running{false};
  std::atomic<uint64_t> events{0}; // bit per number of a plain callback; set by set_trace_ompt, kept while stopped
};

constinit std::atomic<DeviceTrace *> traces[kMaxDevices] = {};
constinit std::atomic<int> running{0};

constexpr uint64_t kAllEvents = 1u << ompt::kTarget | 1u << ompt::kTargetDataOp | 1u << ompt::kTargetSubmit;

uint64_t bits_of(unsigned event) {
  switch (event) {
  case 0: return kAllEvents;
  case ompt::kTarget:
  case ompt::kTargetEmi: return 1u << ompt::kTarget;
  case ompt::kTargetDataOp:
  case ompt::kTargetDataOpEmi: return 1u << ompt::kTargetDataOp;
  case ompt::kTargetSubmit:
  case ompt::kTargetSubmitEmi: return 1u << ompt::kTargetSubmit;
  default: return 0;
  }
}

void deliver(DeviceTrace &trace, const Buffer &buffer) {
  if (!buffer.begin)
    return;
  // Without a record there is none to begin with.
  const auto begin = buffer.used == 0 ? 0 : reinterpret_cast<ompt::Cursor>(buffer.begin);
  trace.complete(trace.device, buffer.begin, buffer.used, begin, 1);
}

/// Takes the buffer away, so that no other thread writes to it.
Buffer take_buffer(DeviceTrace &trace) {
  std::lock_guard lock(trace.mutex);
  return std::exchange(trace.buffer, Buffer{});
}

DeviceTrace &trace_of(void *handle) { return *static_cast<DeviceTrace *>(handle); }

int get_device_num_procs(void *) { return 1; }
ompt::DeviceTime get_device_time(void *) { return now_ns(); }
double translate_time(void *, ompt::DeviceTime time) { return static_cast<double>(time) * 1e-9; }

int set_trace_ompt(void *handle, unsigned enable, unsigned event) {
  if (!handle)
    return ompt::kSetError;
  const uint64_t bits = bits_of(event);
  if (bits == 0)
    return ompt::kSetNever;
  if (enable)
    trace_of(handle).events.fetch_or(bits);
  else
    trace_of(handle).events.fetch_and(~bits);
  return ompt::kSetAlways;
}

int set_trace_native(void *, int, int) { return ompt::kSetNever; }

int start_trace(void *handle, ompt::BufferRequest request, ompt::BufferComplete complete) {
  if (!handle || !request || !complete)
    return 0;
  DeviceTrace &trace = trace_of(handle);
  {
    std::lock_guard lock(trace.mutex);
    trace.request = request;
    trace.complete = complete;
  }
  if (!trace.is_running.exchange(true) && running.fetch_add(1) == 0)
    set_listener(listener::kTrace, true);
  return 1;
}

int flush_trace(void *handle) {
  if (!handle)
    return 0;
  DeviceTrace &trace = trace_of(handle);
  deliver(trace, take_buffer(trace));
  return 1;
}

bool stop(DeviceTrace &trace) {
  if (!trace.is_running.exchange(false))
    return false;
  if (running.fetch_sub(1) == 1)
    set_listener(listener::kTrace, false);
  return true;
}

int pause_trace(void *handle, int begin_pause) {
  if (!handle)
    return 0;
  DeviceTrace &trace = trace_of(handle);
  if (begin_pause)
    return stop(trace) ? 1 : 0;
  return trace.request ? start_trace(handle, trace.request, trace.complete) : 0;
}

int stop_trace(void *handle) {
  if (!handle)
    return 0;
  const bool was_running = stop(trace_of(handle));
  flush_trace(handle);
  return was_running ? 1 : 0;
}

int advance_buffer_cursor(void *, void *buffer, size_t size, ompt::Cursor current, ompt::Cursor *next) {
  const auto begin = reinterpret_cast<ompt::Cursor>(buffer);
  const ompt::Cursor following = current + sizeof(Record);
  if (!buffer || !next || current < begin || following + sizeof(Record) > begin + size)
    return 0;
  *next = following;
  return 1;
}

int get_record_type(void *, ompt::Cursor current) { return current ? ompt::kRecordOmpt : ompt::kRecordInvalid; }
Record *get_record_ompt(void *, ompt::Cursor current) { return reinterpret_cast<Record *>(current); }
void *get_record_native(void *, ompt::Cursor, ompt::Id *) { return nullptr; }
void *get_record_abstract(void *) { return nullptr; }

struct Named {
  const char *name;
  ompt::AnyFunction function;
};

} // namespace

void *trace_handle(int device) {
  if (device < 0 || device >= kMaxDevices)
    return nullptr;
  DeviceTrace *trace = traces[device].load(std::memory_order_acquire);
  if (!trace) {
    auto *const made = new DeviceTrace(device); // lives as long as the tool may use it
    if (traces[device].compare_exchange_strong(trace, made, std::memory_order_acq_rel))
      return made;
    delete made;
  }
  return trace;
}

bool traces_record(int device, int callback) {
  if (!(listeners() & listener::kTrace) || device < 0 || device >= kMaxDevices)
    return false;
  const DeviceTrace *trace = traces[device].load(std::memory_order_acquire);
  return trace && trace->is_running.load(std::memory_order_relaxed) &&
         (trace->events.load(std::memory_order_relaxed) >> callback & 1) != 0;
}

void add_trace_record(int device, const Record &record) {
  DeviceTrace &trace = *traces[device].load(std::memory_order_acquire);
  for (;;) {
    Buffer full;
    {
      std::lock_guard lock(trace.mutex);
      if (trace.buffer.used + sizeof record <= trace.buffer.size) {
        std::memcpy(trace.buffer.begin + trace.buffer.used, &record, sizeof record);
        trace.buffer.used += sizeof record;
        return;
      }
      full = std::exchange(trace.buffer, Buffer{});
    }
    deliver(trace, full);
    void *memory = nullptr;
    Buffer fresh;
    trace.request(device, &memory, &fresh.size);
    fresh.begin = static_cast<char *>(memory);
    if (!fresh.begin || fresh.size < sizeof record) {
      OMPTARGET_TRACE_DEVICE(Topic::kTool, device, "the tool gives no buffer of at least %zu bytes: a record is lost",
                             sizeof record);
      return;
    }
    Buffer other;
    {
      std::lock_guard lock(trace.mutex);
      other = std::exchange(trace.buffer, fresh);
    }
    deliver(trace, other); // another thread was as fast
  }
}

void end_trace(int device) {
  if (device < 0 || device >= kMaxDevices)
    return;
  if (DeviceTrace *trace = traces[device].load(std::memory_order_acquire))
    stop_trace(trace);
}

ompt::AnyFunction trace_function(const char *name) {
  const Named functions[] = {
      {"ompt_get_device_num_procs", reinterpret_cast<ompt::AnyFunction>(get_device_num_procs)},
      {"ompt_get_device_time", reinterpret_cast<ompt::AnyFunction>(get_device_time)},
      {"ompt_translate_time", reinterpret_cast<ompt::AnyFunction>(translate_time)},
      {"ompt_set_trace_ompt", reinterpret_cast<ompt::AnyFunction>(set_trace_ompt)},
      {"ompt_set_trace_native", reinterpret_cast<ompt::AnyFunction>(set_trace_native)},
      {"ompt_start_trace", reinterpret_cast<ompt::AnyFunction>(start_trace)},
      {"ompt_pause_trace", reinterpret_cast<ompt::AnyFunction>(pause_trace)},
      {"ompt_flush_trace", reinterpret_cast<ompt::AnyFunction>(flush_trace)},
      {"ompt_stop_trace", reinterpret_cast<ompt::AnyFunction>(stop_trace)},
      {"ompt_advance_buffer_cursor", reinterpret_cast<ompt::AnyFunction>(advance_buffer_cursor)},
      {"ompt_get_record_type", reinterpret_cast<ompt::AnyFunction>(get_record_type)},
      {"ompt_get_record_ompt", reinterpret_cast<ompt::AnyFunction>(get_record_ompt)},
      {"ompt_get_record_native", reinterpret_cast<ompt::AnyFunction>(get_record_native)},
      {"ompt_get_record_abstract", reinterpret_cast<ompt::AnyFunction>(get_record_abstract)},
  };
  for (const Named &entry : functions)
    if (std::strcmp(entry.name, name) == 0)
      return entry.function;
  return nullptr;
}

} // namespace omptarget::observe
