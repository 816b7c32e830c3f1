// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's side of host services (docs/use/host-services.md): text, memory, the end of the program, functions of
// the user's. A unit of its own in the archives that programs are linked with: an image has it if something calls it,
// and by its variable the plugin knows.
//
// A lane has a port to itself from its first packet to the last answer, and lanes of a warp come one after the other:
// a lane that waits for the host never waits for a lane beside it. No variable of the other unit's is here: linkers
// would take this one for it.

#include "arguments.h"
#include "locks.h"
#include "omptarget/service_protocol.h"
#include "services.h"

/// The locks are this side's only, in memory of the device, as few hosts can do atomic operations for devices.
using ServiceClient = __omptarget_service_client_data;
RTL_PLUGIN_VARIABLE ServiceClient __omptarget_service_client = {{OMPTARGET_SERVICE_VERSION, 0, 0}, {}, {}};

namespace omptarget::device_rtl::gpu {

using Port = __omptarget_service_port;

INLINE ServiceClient &client() { return __omptarget_service_client; }
INLINE bool is_served() { return client().head.ports != 0; }

// Words that the host writes or reads.
#if __has_builtin(__scoped_atomic_load_n)
INLINE uint32_t load_of_host(uint32_t *word) {
  return __scoped_atomic_load_n(word, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}
INLINE void store_for_host(uint32_t *word, uint32_t value) {
  __scoped_atomic_store_n(word, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}
#else
INLINE uint32_t load_of_host(uint32_t *word) { return *static_cast<volatile uint32_t *>(word); }
INLINE void store_for_host(uint32_t *word, uint32_t value) { *static_cast<volatile uint32_t *>(word) = value; }
#endif

/// A call of the host by one lane.
class Call {
public:
  Call(uint32_t operation, uint64_t argument)
      : index_(take_port()), port_(reinterpret_cast<Port *>(client().head.mailbox) + index_) {
    packet().operation = operation;
    packet().argument = argument;
    packet().block = target::block_id();
    packet().thread = target::thread_id();
  }
  /// Gives the port back. All that was sent is answered.
  INLINE void end() { unlock(&client().locks[index_]); }

  INLINE __omptarget_service_packet &packet() { return port_->packet; }
  /// Bytes of data so far.
  uint64_t size() const { return size_; }

  void put(uint8_t byte) {
    if (used_ == OMPTARGET_SERVICE_PAYLOAD)
      send(false);
    packet().payload[used_++] = byte;
    ++size_;
  }
  template <typename T> void put_value(uint8_t kind, T value) {
    put(kind);
    for (uint32_t i = 0; i < sizeof(T); ++i)
      put(static_cast<uint8_t>(value >> (8 * i)));
  }

  /// Waits for the answer. The packet is this side's again on return.
  void send(bool is_last) {
    packet().size = used_;
    packet().is_last = is_last;
    const uint32_t next = load_of_host(&port_->answered) + 1;
    if (!OMPTARGET_PLANTED("mailbox_packet_unfenced"))
      target::fence_system();
    store_for_host(&port_->asked, next);
    while (load_of_host(&port_->answered) != next)
      target::pause();
    if (!OMPTARGET_PLANTED("mailbox_answer_unfenced"))
      target::fence_system();
    used_ = 0;
    if (!is_last)
      packet().operation = OMPTARGET_SERVICE_CONTINUE;
  }
  uint64_t finish() {
    send(true);
    return packet().result;
  }

private:
  static uint32_t take_port() {
    const uint32_t ports = client().head.ports;
    uint32_t index = (target::block_id() + target::thread_id() / 32) % ports;
    while (!try_lock(&client().locks[index])) {
      index = index + 1 == ports ? 0 : index + 1;
      target::pause();
    }
    return index;
  }

  uint32_t index_;
  Port *port_;
  uint32_t used_ = 0;
  uint64_t size_ = 0;
};

/// A call without data.
static uint64_t ask(uint32_t operation, uint64_t argument) {
  if (!is_served())
    return 0;
  uint64_t result = 0;
  one_lane_at_a_time([&] {
    Call call(operation, argument);
    result = call.finish();
    call.end();
  });
  return result;
}

INLINE bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
static bool is_one_of(char letter, const char *set) {
  for (; *set; ++set)
    if (*set == letter)
      return true;
  return false;
}

/// Sends the value of each conversion of a format. Where it finds none that it knows it stops; the host says what is
/// wrong.
class Printer {
public:
  Printer(Call &call, const char *format, Arguments arguments) : call_(call), at_(format), arguments_(arguments) {}

  void run() {
    while (*at_)
      if (*at_++ == '%' && !convert())
        return;
  }

private:
  void put_int() { call_.put_value(OMPTARGET_SERVICE_VALUE_INT32, arguments_.next32()); }

  /// A width or a precision: its value, or all ones.
  uint32_t number() {
    uint32_t value = ~0u;
    if (*at_ == '*') {
      ++at_;
      value = arguments_.next32();
      call_.put_value(OMPTARGET_SERVICE_VALUE_INT32, value);
      return value;
    }
    for (; is_digit(*at_); ++at_)
      value = (value == ~0u ? 0 : value * 10) + static_cast<uint32_t>(*at_ - '0');
    return value;
  }

  void put_string(uint64_t address, uint64_t most) {
    const char *text = reinterpret_cast<const char *>(address);
    if (!text)
      return call_.put(OMPTARGET_SERVICE_VALUE_NULL);
    call_.put(OMPTARGET_SERVICE_VALUE_STRING);
    const uint64_t left =
        OMPTARGET_SERVICE_MOST_BYTES / 2 > call_.size() ? OMPTARGET_SERVICE_MOST_BYTES / 2 - call_.size() : 0;
    for (uint64_t i = 0; i < smaller(most, left) && text[i]; ++i)
      call_.put(static_cast<uint8_t>(text[i]));
    call_.put(0);
  }

  bool convert() {
    while (is_one_of(*at_, "-+ #0'"))
      ++at_;
    number();
    uint64_t precision = ~uint64_t{0};
    if (*at_ == '.') {
      ++at_;
      const uint32_t given = number();
      precision = static_cast<int32_t>(given) >= 0 ? given : at_[-1] == '*' ? ~uint64_t{0} : 0;
    }
    bool is_long = false;
    for (; is_one_of(*at_, "hljztqL"); ++at_)
      is_long = is_long || is_one_of(*at_, "ljztq");
    const char letter = *at_;
    if (letter)
      ++at_;
    if (letter == '%')
      return true;
    if (is_one_of(letter, "diouxXbBc"))
      is_long ? call_.put_value(OMPTARGET_SERVICE_VALUE_INT64, arguments_.next64()) : put_int();
    else if (is_one_of(letter, "aAeEfFgG"))
      call_.put_value(OMPTARGET_SERVICE_VALUE_DOUBLE, arguments_.next64());
    else if (letter == 's' && !is_long)
      put_string(arguments_.next64(), precision);
    else if (letter == 'p')
      call_.put_value(OMPTARGET_SERVICE_VALUE_INT64, arguments_.next64());
    else
      return false;
    return true;
  }

  Call &call_;
  const char *at_;
  Arguments arguments_;
};

/// Prints to a stream of the host's.
static int32_t print_to(uint32_t stream, const char *format, const void *arguments, uint32_t most) {
  if (!is_served())
    return -1;
  int32_t result = -1;
  one_lane_at_a_time([&] {
    Call call(OMPTARGET_SERVICE_PRINT, stream);
    for (const char *at = format; *at; ++at)
      call.put(static_cast<uint8_t>(*at));
    call.put(0);
    Printer(call, format, Arguments(arguments, most)).run();
    result = static_cast<int32_t>(call.finish());
    call.end();
  });
  return result;
}

/// A call with bytes that do not come back. Returns all ones if nobody serves or there are too many.
static uint64_t send_bytes(uint32_t operation, uint64_t argument, const void *data, uint64_t size) {
  if (!is_served() || size > OMPTARGET_SERVICE_MOST_BYTES)
    return ~uint64_t{0};
  const auto *const bytes = static_cast<const uint8_t *>(data);
  uint64_t result = 0;
  one_lane_at_a_time([&] {
    Call call(operation, argument);
    for (uint64_t i = 0; i < size; ++i)
      call.put(bytes[i]);
    result = call.finish();
    call.end();
  });
  return result;
}

[[noreturn]] static void end_program(uint32_t operation, uint64_t argument) {
  ask(operation, argument);
  target::stop();
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL int32_t __omptarget_service_print(const char *format, const void *arguments, uint32_t most) {
  return print_to(OMPTARGET_SERVICE_STDOUT, format, arguments, most);
}

RTL void *__omptarget_service_allocate(uint64_t size) {
  return reinterpret_cast<void *>(ask(OMPTARGET_SERVICE_ALLOCATE, size));
}
RTL void __omptarget_service_release(void *memory) {
  ask(OMPTARGET_SERVICE_RELEASE, reinterpret_cast<uint64_t>(memory));
}
RTL uint64_t __omptarget_service_size_of(void *memory) {
  const uint64_t size = ask(OMPTARGET_SERVICE_SIZE_OF, reinterpret_cast<uint64_t>(memory));
  return size != ~uint64_t{0} ? size : 0;
}

// The user's names.
RTL_WEAK __attribute__((noreturn)) void abort() { end_program(OMPTARGET_SERVICE_ABORT, 0); }
RTL_WEAK __attribute__((noreturn)) void exit(int32_t status) {
  end_program(OMPTARGET_SERVICE_EXIT, static_cast<uint32_t>(status));
}
RTL_WEAK __attribute__((noreturn)) void _Exit(int32_t status) { exit(status); }

/// include/omptarget/host_call.h.
RTL uint64_t omptarget_call_host(uint32_t number, void *data, uint64_t size) {
  if (!is_served() || size > OMPTARGET_SERVICE_MOST_BYTES)
    return ~uint64_t{0};
  auto *const bytes = static_cast<uint8_t *>(data);
  uint64_t result = 0;
  one_lane_at_a_time([&] {
    Call call(OMPTARGET_SERVICE_CALL, number);
    for (uint64_t i = 0; i < size; ++i)
      call.put(bytes[i]);
    result = call.finish();
    // The first of what comes back is here.
    for (uint64_t done = 0; done < size && call.packet().status == OMPTARGET_SERVICE_DONE;) {
      const uint64_t part = smaller<uint64_t>(size - done, OMPTARGET_SERVICE_PAYLOAD);
      for (uint64_t i = 0; i < part; ++i)
        bytes[done + i] = call.packet().payload[i];
      done += part;
      if (done == size)
        break;
      call.packet().operation = OMPTARGET_SERVICE_FETCH;
      call.send(true);
    }
    call.end();
  });
  return result;
}

#if OMPTARGET_RTL_GENERATION >= 19
/// LLVM's: calls a function of the host with a copy of the data, which does not come back.
RTL_WEAK unsigned long long __llvm_omp_host_call(void *function, void *data, uint64_t size) {
  return send_bytes(OMPTARGET_SERVICE_CALL_ADDRESS, reinterpret_cast<uint64_t>(function), data, size);
}
#endif

#if defined(__AMDGCN__)
RTL_WEAK void *malloc(uint64_t size) { return allocate(size); }
RTL_WEAK void free(void *memory) { release(memory); }
#if OMPTARGET_RTL_GENERATION >= 22
/// The compiler packs variadic arguments at multiples of 4 bytes.
RTL_WEAK int32_t printf(const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int32_t result = __omptarget_service_print(format, arguments, 4);
  __builtin_va_end(arguments);
  return result;
}
#endif
#include "../libc/cxx_failures.cpp"
#include "../libc/output.cpp"
#include "messages.cpp"
#endif
#if defined(__AMDGCN__) || defined(__NVPTX__)
#include "../libc/calendar.cpp"
#include "../libc/essentials.cpp"
#include "../libc/streams.cpp"
#endif
