// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, copies, queues, events.

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/clock.h"
#include "checks.h"

namespace omptarget::check {

namespace {

std::vector<unsigned char> pattern(size_t size, unsigned seed) {
  std::vector<unsigned char> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    seed = seed * 1103515245u + 12345u;
    bytes[i] = static_cast<unsigned char>(seed >> 16);
  }
  return bytes;
}

/// Waits by asking; a plugin that never completes is stopped with its process.
bool wait_by_query(Session &session, int32_t device, Queue &queue) {
  for (;;) {
    Result<bool> done = session.plugin().query(device, queue);
    if (!session.expect(done.take_status(), "asking whether a queue is complete"))
      return false;
    if (done.value())
      return true;
  }
}

constexpr int64_t kMuch = 8 << 20;

/// Work that takes a while: the last of many copies counts.
void queue_much(Session &session, const Session::Memory &memory, const std::vector<unsigned char> &noise,
                const std::vector<unsigned char> &last, Queue &queue) {
  for (int i = 0; i < 12; ++i)
    session.expect(session.plugin().data_submit(0, memory.get(), noise.data(), kMuch, &queue), "queueing a copy");
  session.expect(session.plugin().data_submit(0, memory.get(), last.data(), kMuch, &queue), "queueing a copy");
}

/// Leaves the check out if the plugin queues nothing.
bool has_queues(Session &session) {
  if (session.plugin().is_asynchronous())
    return true;
  session.report().leave_out("the plugin has no queues (data_submit_async, data_retrieve_async and synchronize)");
  return false;
}

} // namespace

void check_memory(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  Plugin &plugin = session.plugin();
  report.tries("data_alloc", "1 byte to 64 MiB of the default kind, alignment, a thousand at once, 2^60 bytes");
  Result<void *> byte = plugin.data_alloc(0, 1, nullptr, OMPTARGET_ALLOC_DEVICE);
  report.tries("data_delete", "all of them");
  if (session.expect(byte.take_status(), "allocating"))
    session.expect(plugin.data_delete(0, byte.value(), OMPTARGET_ALLOC_DEVICE), "freeing");
  for (const int64_t size : {1, 15, 64, 4097, 1 << 20, 64 << 20}) {
    Session::Memory memory(session, 0, size, OMPTARGET_ALLOC_DEFAULT);
    if (reinterpret_cast<uintptr_t>(memory.get()) % 16 != 0)
      report.fail("%lld bytes are at %p, which is not aligned to 16", static_cast<long long>(size), memory.get());
  }
  std::vector<void *> blocks;
  for (int i = 0; i < 1000; ++i) {
    Result<void *> block = plugin.data_alloc(0, 100, nullptr, OMPTARGET_ALLOC_DEVICE);
    if (!session.expect(block.take_status(), "allocating"))
      break;
    blocks.push_back(block.value());
  }
  std::vector<void *> sorted = blocks;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i)
    if (static_cast<char *>(sorted[i]) - static_cast<char *>(sorted[i - 1]) < 100) {
      report.fail("two blocks of 100 bytes overlap: %p and %p", sorted[i - 1], sorted[i]);
      break;
    }
  for (void *block : blocks)
    session.expect(plugin.data_delete(0, block, OMPTARGET_ALLOC_DEVICE), "freeing");
  Result<void *> huge = plugin.data_alloc(0, int64_t{1} << 60, nullptr, OMPTARGET_ALLOC_DEVICE);
  if (huge.is_ok())
    report.fail("2^60 bytes are said to be at %p", huge.value());
  for (const int32_t kind : {OMPTARGET_ALLOC_HOST, OMPTARGET_ALLOC_SHARED}) {
    Result<void *> memory = plugin.data_alloc(0, 4096, nullptr, kind);
    if (!memory.is_ok()) {
      report.note("no memory of kind %d: %s", kind, memory.status().to_string().c_str());
      continue;
    }
    report.tries("data_alloc", kind == OMPTARGET_ALLOC_HOST ? "pinned host memory, written by the host"
                                                            : "memory that migrates, written by the host");
    std::memset(memory.value(), 5, 4096);
    session.expect(plugin.data_delete(0, memory.value(), kind), "freeing");
  }
}

void check_copies(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  Plugin &plugin = session.plugin();
  report.tries("data_submit", "0 bytes to 16 MiB, at odd addresses; the bytes around stay");
  report.tries("data_retrieve", "the same");
  constexpr int64_t kMargin = 13;
  for (const int64_t size : {0, 1, 3, 8, 4095, 65536, 16 << 20}) {
    const size_t whole = static_cast<size_t>(size + 2 * kMargin);
    Session::Memory memory(session, 0, static_cast<int64_t>(whole));
    if (!memory.get())
      return;
    std::vector<unsigned char> around = pattern(whole, 1);
    std::vector<unsigned char> data = pattern(static_cast<size_t>(size) + 1, 2);
    session.expect(plugin.data_submit(0, memory.get(), around.data(), static_cast<int64_t>(whole), nullptr), "copying");
    session.expect(plugin.data_submit(0, memory.at(kMargin), data.data(), size, nullptr), "copying");
    std::memcpy(around.data() + kMargin, data.data(), static_cast<size_t>(size));
    std::vector<unsigned char> back(whole + 1, 0xee);
    session.expect(plugin.data_retrieve(0, back.data(), memory.get(), static_cast<int64_t>(whole), nullptr),
                   "copying back");
    if (std::memcmp(back.data(), around.data(), whole) != 0)
      report.fail("%lld bytes at an odd address do not come back as they were", static_cast<long long>(size));
    if (back[whole] != 0xee)
      report.fail("data_retrieve writes behind the %zu bytes it was asked for", whole);
  }
}

void check_queues(Session &session) {
  Report &report = session.report();
  if (!session.open_device() || !has_queues(session))
    return;
  Plugin &plugin = session.plugin();
  report.tries("data_submit_async", "a hundred in one queue, to the same place");
  report.tries("data_retrieve_async", "after them in the same queue");
  report.tries("synchronize", "then the queue is empty and everything has arrived");
  Session::Memory memory(session, 0, 1 << 16);
  if (!memory.get())
    return;
  std::vector<std::vector<unsigned char>> sources;
  sources.reserve(100);
  for (unsigned i = 0; i < 100; ++i)
    sources.push_back(pattern(1 << 16, i));
  for (const bool by_query : {false, true}) {
    Queue queue;
    std::vector<unsigned char> back(1 << 16);
    for (const auto &source : sources)
      session.expect(plugin.data_submit(0, memory.get(), source.data(), 1 << 16, &queue), "queueing a copy");
    session.expect(plugin.data_retrieve(0, back.data(), memory.get(), 1 << 16, &queue), "queueing a copy back");
    if (by_query && session.has("query_async")) {
      report.tries("query_async", "until it says that the queue is complete");
      wait_by_query(session, 0, queue);
    } else {
      session.expect(plugin.synchronize(0, queue), "waiting for a queue");
    }
    if (queue.is_busy())
      report.fail("after its work is complete the queue is not null");
    if (back != sources.back())
      report.fail("the queue's copies did not run in order, or are not complete after %s",
                  by_query ? "query_async" : "synchronize");
  }
  if (session.has("init_async_info")) {
    report.tries("init_async_info", "a queue of its own, used and released");
    Result<__tgt_async_info *> info = plugin.init_async_info(0);
    if (!info.is_ok()) {
      report.note("no queues for interop: %s", info.status().to_string().c_str());
      return;
    }
    if (!info.value())
      report.fail("__tgt_rtl_init_async_info succeeds and gives nothing");
    if (session.has("release_async_info")) {
      report.tries("release_async_info", "the queue of init_async_info");
      session.expect(plugin.release_async_info(0, info.value()), "releasing a queue");
    }
  }
}

void check_fill(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  if (!session.has("data_fill")) {
    report.leave_out("the plugin has no __tgt_rtl_data_fill; the host library copies instead");
    return;
  }
  report.tries("data_fill", "1 byte to 1 MiB at odd addresses, with and without a queue");
  Plugin &plugin = session.plugin();
  for (const int64_t size : {1, 7, 4096, 1 << 20})
    for (const bool in_queue : {false, true}) {
      const size_t whole = static_cast<size_t>(size) + 10;
      Session::Memory memory(session, 0, static_cast<int64_t>(whole));
      std::vector<unsigned char> bytes = pattern(whole, 3);
      session.expect(plugin.data_submit(0, memory.get(), bytes.data(), static_cast<int64_t>(whole), nullptr),
                     "copying");
      Queue queue;
      session.expect(plugin.data_fill(0, memory.at(5), 0xc3, size, in_queue ? &queue : nullptr), "filling");
      session.expect(plugin.synchronize(0, queue), "waiting");
      std::memset(bytes.data() + 5, 0xc3, static_cast<size_t>(size));
      std::vector<unsigned char> back(whole);
      session.expect(plugin.data_retrieve(0, back.data(), memory.get(), static_cast<int64_t>(whole), nullptr),
                     "copying back");
      if (back != bytes)
        report.fail("%lld bytes are not filled as asked", static_cast<long long>(size));
    }
  report.tries("data_fill", "between copies of one queue");
  Session::Memory memory(session, 0, kMuch);
  std::vector<unsigned char> bytes = pattern(kMuch, 9);
  std::vector<unsigned char> back(kMuch);
  Queue queue;
  queue_much(session, memory, back, bytes, queue);
  session.expect(plugin.data_fill(0, memory.at(100), 0x5a, kMuch / 2, &queue), "queueing a fill");
  session.expect(plugin.data_retrieve(0, back.data(), memory.get(), kMuch, &queue), "queueing a copy back");
  session.expect(plugin.synchronize(0, queue), "waiting");
  std::memset(bytes.data() + 100, 0x5a, kMuch / 2);
  if (back != bytes)
    report.fail("a fill does not run in order with the copies of its queue");
}

namespace {

/// Fills memory of one device, copies it to another one, and looks at what arrived; in one queue if in_queue.
void exchange(Session &session, int32_t source, int32_t destination, bool in_queue, unsigned seed) {
  Plugin &plugin = session.plugin();
  constexpr int64_t kSize = 1 << 20;
  Session::Memory from(session, source, kSize);
  Session::Memory to(session, destination, kSize);
  const std::vector<unsigned char> bytes = pattern(kSize, seed);
  std::vector<unsigned char> back(kSize, 0);
  session.expect(plugin.data_submit(destination, to.get(), back.data(), kSize, nullptr), "copying");
  Queue queue;
  Queue *const used = in_queue ? &queue : nullptr;
  session.expect(plugin.data_submit(source, from.get(), bytes.data(), kSize, used), "copying");
  session.expect(plugin.data_exchange(source, from.get(), destination, to.get(), kSize, used),
                 "copying between devices");
  session.expect(plugin.synchronize(source, queue), "waiting");
  session.expect(plugin.data_retrieve(destination, back.data(), to.get(), kSize, nullptr), "copying back");
  if (back != bytes)
    session.report().fail("the data that arrived on device %d differ from those of device %d%s", destination, source,
                          in_queue ? "; it was copied there by the same queue before" : "");
}

/// Small copies one after another, so that two threads that do this meet.
void exchange_often(Session &session, int32_t source, int32_t destination) {
  Session::Memory from(session, source, 4096);
  Session::Memory to(session, destination, 4096);
  bool is_ok = true;
  for (int round = 0; round < 5000 && is_ok; ++round)
    is_ok = session.expect(session.plugin().data_exchange(source, from.get(), destination, to.get(), 4096, nullptr),
                           "copying between devices");
}

} // namespace

void check_exchange(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  Plugin &plugin = session.plugin();
  if (session.has("is_data_exchangable"))
    report.uses("is_data_exchangable", "every pair of the first three devices");
  const int32_t count = std::min(plugin.number_of_devices(), 3);
  for (int32_t device = 1; device < count; ++device)
    if (!session.open_device(device))
      return;
  bool is_tried = false;
  for (int32_t source = 0; source < count; ++source)
    for (int32_t destination = 0; destination < count; ++destination) {
      if (!plugin.can_exchange(source, destination))
        continue;
      is_tried = true;
      report.tries("data_exchange", "1 MiB between the first three devices, in both directions and within each");
      exchange(session, source, destination, false, 4);
      if (session.has("data_exchange_async") && plugin.is_asynchronous()) {
        report.tries("data_exchange_async", "the same, behind a copy to the source in its queue");
        exchange(session, source, destination, true, 5);
      }
    }
  if (count > 1 && plugin.can_exchange(0, 1) && plugin.can_exchange(1, 0)) {
    report.tries("data_exchange", "two threads at once, in opposite directions");
    std::thread other([&] { exchange_often(session, 1, 0); });
    exchange_often(session, 0, 1);
    other.join();
  }
  if (!is_tried)
    report.leave_out("the plugin does not copy between its devices; the host library goes by way of the host");
}

namespace {

/// One queue records behind much work; many others wait for it before they read; the host waits as well.
void check_waiting_queues(Session &session, void *event, unsigned round) {
  Plugin &plugin = session.plugin();
  constexpr int64_t kPart = 4096;
  Session::Memory memory(session, 0, kMuch);
  const std::vector<unsigned char> noise = pattern(kMuch, 100 + round);
  const std::vector<unsigned char> last = pattern(kMuch, 200 + round);
  Queue first;
  // Its first target is replaced below.
  session.expect(plugin.data_submit(0, memory.get(), noise.data(), kPart, &first), "queueing a copy");
  session.expect(plugin.record_event(0, event, first), "recording an event");
  queue_much(session, memory, noise, last, first);
  session.expect(plugin.record_event(0, event, first), "recording an event again");
  std::vector<Queue> waiting(32);
  std::vector<std::vector<unsigned char>> parts(waiting.size(), std::vector<unsigned char>(kPart));
  for (size_t i = 0; i < waiting.size(); ++i) {
    session.expect(plugin.wait_event(0, event, waiting[i]), "making a queue wait");
    session.expect(plugin.data_retrieve(0, parts[i].data(), memory.at(kMuch - kPart), kPart, &waiting[i]),
                   "queueing a copy back");
  }
  session.expect(plugin.sync_event(0, event), "waiting for an event");
  std::vector<unsigned char> seen(kPart);
  session.expect(plugin.data_retrieve(0, seen.data(), memory.at(kMuch - kPart), kPart, nullptr), "copying back");
  const auto is_last = [&](const std::vector<unsigned char> &part) {
    return std::memcmp(part.data(), last.data() + kMuch - kPart, kPart) == 0;
  };
  if (!is_last(seen))
    session.report().fail("sync_event returns before the work is complete that came before the last record_event");
  bool are_all = true;
  for (size_t i = 0; i < waiting.size(); ++i) {
    session.expect(plugin.synchronize(0, waiting[i]), "waiting for a queue that waits");
    are_all &= is_last(parts[i]);
  }
  if (!are_all)
    session.report().fail("a queue did not wait for the event of another one");
  session.expect(plugin.synchronize(0, first), "waiting for the first queue");
}

} // namespace

void check_events(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  Plugin &plugin = session.plugin();
  if (!plugin.has_events()) {
    report.leave_out("the plugin has no events (create, record, wait, sync and destroy_event, with queues)");
    return;
  }
  report.tries("create_event", "one, and one that is never recorded");
  report.tries("record_event", "behind 100 MiB of copies, for the second time");
  report.tries("wait_event", "32 queues that read what was copied");
  report.tries("sync_event", "the host reads what was copied; an event that was never recorded");
  Result<void *> event = plugin.create_event(0);
  Result<void *> unused = plugin.create_event(0);
  if (!session.expect(event.take_status(), "creating an event") ||
      !session.expect(unused.take_status(), "creating an event"))
    return;
  session.expect(plugin.sync_event(0, unused.value()), "waiting for an event that was never recorded");
  for (unsigned round = 0; round < 4; ++round)
    check_waiting_queues(session, event.value(), round);
  report.tries("destroy_event", "both");
  plugin.destroy_event(0, unused.value());
  plugin.destroy_event(0, event.value());
}

void check_times(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  Plugin &plugin = session.plugin();
  if (!plugin.has_timing()) {
    report.leave_out("the plugin has no times (start_timing, stop_timing and read_timing, with queues)");
    return;
  }
  report.tries("start_timing", "two copies one after the other in one queue, and one whose time nobody reads");
  report.tries("stop_timing", "the same");
  report.tries("read_timing", "in order, and within a minute of the host's clock; null pointers");
  constexpr uint64_t kMinute = 60'000'000'000;
  Session::Memory memory(session, 0, kMuch);
  const std::vector<unsigned char> bytes = pattern(kMuch, 9);
  Queue queue;
  void *timings[3] = {};
  const uint64_t before = now_ns();
  for (void *&timing : timings) {
    Result<void *> started = plugin.start_timing(0, queue);
    if (!session.expect(started.take_status(), "beginning to take the time"))
      return;
    timing = started.value();
    session.expect(plugin.data_submit(0, memory.get(), bytes.data(), kMuch, &queue), "queueing a copy");
    session.expect(plugin.stop_timing(0, queue, timing), "ending to take the time");
  }
  session.expect(plugin.synchronize(0, queue), "waiting");
  const uint64_t after = now_ns();
  plugin.drop_timing(0, timings[2]);
  Result<Plugin::Times> first = plugin.read_timing(0, timings[0]), second = plugin.read_timing(0, timings[1]);
  if (!session.expect(first.take_status(), "reading the time") ||
      !session.expect(second.take_status(), "reading the time"))
    return;
  if (first->begin_ns > first->end_ns || second->begin_ns > second->end_ns || first->end_ns > second->end_ns)
    report.fail("two copies one after the other are said to have run from %llu to %llu and from %llu to %llu",
                static_cast<unsigned long long>(first->begin_ns), static_cast<unsigned long long>(first->end_ns),
                static_cast<unsigned long long>(second->begin_ns), static_cast<unsigned long long>(second->end_ns));
  if (first->begin_ns + kMinute < before || second->end_ns > after + kMinute)
    report.fail("by the host's clock the copies ran between %llu and %llu; read_timing says between %llu and %llu",
                static_cast<unsigned long long>(before), static_cast<unsigned long long>(after),
                static_cast<unsigned long long>(first->begin_ns), static_cast<unsigned long long>(second->end_ns));
}

void check_pinning(Session &session) {
  Report &report = session.report();
  if (!session.has("data_lock") || !session.has("data_unlock")) {
    report.leave_out("the plugin has no data_lock and data_unlock");
    return;
  }
  if (!session.open_device())
    return;
  report.tries("data_lock", "a host array, from which is copied");
  report.tries("data_unlock", "the same");
  Plugin &plugin = session.plugin();
  std::vector<unsigned char> bytes = pattern(1 << 20, 6);
  Result<void *> accessible = plugin.data_lock(0, bytes.data(), 1 << 20);
  if (!session.expect(accessible.take_status(), "pinning host memory"))
    return;
  if (!accessible.value())
    report.fail("__tgt_rtl_data_lock succeeds and gives no address");
  Session::Memory memory(session, 0, 1 << 20);
  std::vector<unsigned char> back(1 << 20);
  Queue queue;
  session.expect(plugin.data_submit(0, memory.get(), bytes.data(), 1 << 20, &queue), "copying from pinned memory");
  session.expect(plugin.synchronize(0, queue), "waiting");
  session.expect(plugin.data_retrieve(0, back.data(), memory.get(), 1 << 20, nullptr), "copying back");
  if (back != bytes)
    report.fail("pinned memory does not arrive as it was");
  session.expect(plugin.data_unlock(0, bytes.data()), "unpinning host memory");
}

void check_mapped(Session &session) {
  Report &report = session.report();
  if (!session.has("data_notify_mapped") || !session.has("data_notify_unmapped")) {
    report.leave_out("the plugin has no data_notify_mapped and data_notify_unmapped");
    return;
  }
  if (!session.open_device())
    return;
  report.tries("data_notify_mapped", "two host arrays, one of them twice as large, from which is copied");
  report.tries("data_notify_unmapped", "the same, in the other order");
  Plugin &plugin = session.plugin();
  std::vector<unsigned char> small = pattern(1 << 16, 7);
  std::vector<unsigned char> large = pattern(1 << 17, 8);
  session.expect(plugin.data_notify_mapped(0, small.data(), 1 << 16), "telling that memory is mapped");
  session.expect(plugin.data_notify_mapped(0, large.data(), 1 << 17), "telling that memory is mapped");
  for (const auto *mapped : {&small, &large}) {
    const std::vector<unsigned char> &bytes = *mapped;
    const int64_t size = static_cast<int64_t>(bytes.size());
    Session::Memory memory(session, 0, size);
    std::vector<unsigned char> back(bytes.size());
    Queue queue;
    session.expect(plugin.data_submit(0, memory.get(), bytes.data(), size, &queue), "copying from mapped memory");
    session.expect(plugin.data_retrieve(0, back.data(), memory.get(), size, &queue), "copying back");
    session.expect(plugin.synchronize(0, queue), "waiting");
    if (back != bytes)
      report.fail("%lld bytes of mapped memory do not arrive as they were", static_cast<long long>(size));
  }
  session.expect(plugin.data_notify_unmapped(0, large.data()), "telling that memory is not mapped any more");
  session.expect(plugin.data_notify_unmapped(0, small.data()), "telling that memory is not mapped any more");
}

} // namespace omptarget::check
