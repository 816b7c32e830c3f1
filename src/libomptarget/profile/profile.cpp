// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/profile.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/guarded.h"
#include "base/process_rank.h"
#include "base/result_file.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "observe/current_construct.h"
#include "observe/info.h"
#include "observe/source_text.h"
#include "omptarget/types.h"
#include "profile/gzip.h"
#include "profile/profile_event.h"
#include "profile/profile_file.h"
#include "profile/profile_journal.h"
#include "profile/profile_sums.h"

namespace omptarget::observe {

namespace {

constexpr uint32_t kChunk = 1024;
constexpr uint64_t kMaxEvents = 512u << 10; // a page or a viewer can still show so many

struct Chunk {
  std::atomic<uint32_t> used{0};
  std::atomic<Chunk *> next{nullptr};
  ProfileEvent events[kChunk];
};

/// The events of one thread. Lives for ever: threads end without telling.
struct ThreadLog {
  uint32_t thread;
  Chunk first;
  Chunk *last = &first;
  ThreadLog *next; ///< of the list of all threads
  JournalThread journal{};
  /// Its last kernel, and the construct of that: the name of sums of constructs without a place.
  const char *last_kernel = nullptr;
  uint64_t region_of_kernel = 0;
};

thread_local constinit ThreadLog *own_log = nullptr;
constinit std::atomic<ThreadLog *> logs{nullptr};
constinit std::atomic<uint64_t> chunks{0};
constinit std::atomic<bool> is_written{false};
constinit std::atomic<bool> is_child{false};

ThreadLog &log_of_thread() {
  if (own_log)
    return *own_log;
  auto *const log = new ThreadLog{static_cast<uint32_t>(syscall(SYS_gettid)), {}, nullptr, nullptr};
  log->last = &log->first;
  log->next = logs.load(std::memory_order_relaxed);
  while (!logs.compare_exchange_weak(log->next, log, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *(own_log = log);
}

const std::string *journaled_file();

template <typename Function> void for_each_event(Function function) {
  for (ThreadLog *log = logs.load(std::memory_order_acquire); log; log = log->next)
    for (Chunk *chunk = &log->first; chunk; chunk = chunk->next.load(std::memory_order_acquire)) {
      const uint32_t used = chunk->used.load(std::memory_order_acquire);
      for (uint32_t i = 0; i < used; ++i)
        function(chunk->events[i]);
    }
}

/// The sums of events that are not kept. Null: all are. Those of a process and of its child differ, whatever thread
/// held the lock at the fork.
struct Sums {
  std::mutex mutex;
  EventSums events;
};
constinit std::atomic<Sums *> sums{nullptr};

/// Any thread. The first one makes the sums.
Sums &sums_of_process() {
  if (Sums *const known = sums.load(std::memory_order_acquire))
    return *known;
  auto *const made = new Sums;
  for_each_event([&](const ProfileEvent &event) { made->events.note_kept(event); });
  Sums *known = nullptr;
  if (sums.compare_exchange_strong(known, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return *made;
  delete made;
  return *known;
}

bool is_construct(EventKind kind) { return kind <= EventKind::kUpdate; }

void add_to_sums(ProfileEvent event, const ThreadLog &log) {
  if (is_construct(event.kind) && event.region == log.region_of_kernel && !construct_place(event.place).is_known())
    event.name = log.last_kernel;
  Sums &to = sums_of_process();
  const std::lock_guard lock(to.mutex);
  to.events.add(event, journaled_file());
}

void record(const ProfileEvent &event) {
  ThreadLog &log = log_of_thread();
  if (event.kind == EventKind::kKernel) {
    log.last_kernel = event.name;
    log.region_of_kernel = event.region;
  }
  Chunk *chunk = log.last;
  uint32_t used = chunk->used.load(std::memory_order_relaxed);
  if (used == kChunk) {
    if ((chunks.fetch_add(1, std::memory_order_relaxed) + 1) * kChunk > kMaxEvents) {
      chunks.fetch_sub(1, std::memory_order_relaxed);
      return add_to_sums(event, log);
    }
    log.last = new Chunk;
    chunk->next.store(log.last, std::memory_order_release);
    chunk = log.last;
    used = 0;
  }
  chunk->events[used] = event;
  if (event.thread == 0)
    chunk->events[used].thread = log.thread;
  if (const std::string *const file = journaled_file())
    journal_event(log.journal, chunk->events[used], *file);
  chunk->used.store(used + 1, std::memory_order_release); // the event is complete for whoever reads the count
}

struct MemoryReader {
  DeviceId device;
  ReadDeviceMemory read;
  std::optional<DeviceMemory> kept{}; ///< what was read when the device ended
};
Guarded<std::vector<MemoryReader>> &memory_readers() {
  static auto *const readers = new Guarded<std::vector<MemoryReader>>;
  return *readers;
}

const char *place_of(const ident_t *location) { return location ? location->psource : nullptr; }

ProfileEvent new_event(EventKind kind, DeviceId device, const WorkTimes &times, const EventContext &context) {
  ProfileEvent event{};
  event.kind = kind;
  event.device = raw(device);
  event.begin_ns = times.begin_ns;
  event.end_ns = times.end_ns;
  event.region = context.construct;
  event.place = context.place;
  event.thread = context.thread;
  return event;
}

EventKind kind_of(DataOperationKind kind) {
  switch (kind) {
  case DataOperationKind::kAllocate: return EventKind::kAllocate;
  case DataOperationKind::kToDevice: return EventKind::kToDevice;
  case DataOperationKind::kFromDevice: return EventKind::kFromDevice;
  case DataOperationKind::kDelete: return EventKind::kDelete;
  case DataOperationKind::kAssociate: return EventKind::kAssociate;
  case DataOperationKind::kDisassociate: return EventKind::kDisassociate;
  case DataOperationKind::kBetweenDevices: return EventKind::kBetweenDevices;
  case DataOperationKind::kFill: return EventKind::kFill;
  }
  return EventKind::kAllocate;
}

/// A child of a fork has its own profile, beside its parent's.
void forget_parent() {
  is_child.store(true, std::memory_order_relaxed);
  logs.store(nullptr, std::memory_order_relaxed);
  chunks.store(0, std::memory_order_relaxed);
  sums.store(nullptr, std::memory_order_relaxed);
  is_written.store(false, std::memory_order_relaxed);
  own_log = nullptr;
  leave_journal_to_parent();
}

void warn(Status status) {
  if (!status)
    warn_about_setting(SettingId::kProfile, status.to_string());
  status.consume();
}

Profile collect() {
  Profile profile;
  for_each_event([&](const ProfileEvent &event) { profile.events.push_back(event); });
  std::stable_sort(profile.events.begin(), profile.events.end(),
                   [](const ProfileEvent &a, const ProfileEvent &b) { return a.begin_ns < b.begin_ns; });
  for (const MemoryReader &reader : *memory_readers().lock())
    if (const std::optional<DeviceMemory> memory = reader.kept ? reader.kept : reader.read())
      profile.memory.push_back(*memory);
  if (Sums *const of_process = sums.load(std::memory_order_acquire)) {
    const std::lock_guard lock(of_process->mutex);
    of_process->events.append_to(profile.sums);
  }
  profile.granularity_ns = profile_granularity_ns();
  return profile;
}

/// Copies of names whose modules have gone.
const char *keep(const char *text) {
  static auto *const kept = new std::set<std::string>;
  return kept->insert(text).first->c_str();
}

/// Returns whether the text is a whole number: larger ones than 1 mean "on", too, and no file.
bool is_number(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

/// The setting's text; "-" also for what means "on", and null for what means "off".
const char *profile_setting() {
  const char *const text = setting_text(SettingId::kProfile);
  if (!text)
    return nullptr;
  const std::optional<bool> flag = flag_of(text);
  if (flag)
    return *flag ? "-" : nullptr;
  if (!is_number(text))
    return text;
  return std::string_view(text).find_first_not_of('0') == std::string_view::npos ? nullptr : "-";
}

/// The file for this process, or "-".
std::string file_of_profile(const std::string &setting) {
  return setting == "-" ? setting : file_name_of_rank(setting);
}

/// The lines with the rank before each, if there is one: stderr may be that of several processes.
std::string of_this_rank(const std::string &text) {
  if (!process_rank().rank)
    return text;
  const std::string prefix = format("[%lld@%s] ", static_cast<long long>(*process_rank().rank), machine_name().c_str());
  std::string lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines += prefix + text.substr(begin, end - begin);
    begin = end;
  }
  return lines;
}

/// The file that this process writes, if it writes one: a child of a fork has its own.
std::string own_file(const std::string &name) {
  const bool is_own = !is_child.load(std::memory_order_relaxed) || std::strstr(profile_setting(), "%p");
  return is_own ? name : format("%s.%d", name.c_str(), static_cast<int>(getpid()));
}

/// Null if tables are printed.
const std::string *journaled_file() {
  static const std::string &parent = *new std::string(file_of_profile(profile_setting()));
  if (parent == "-")
    return nullptr;
  if (!is_child.load(std::memory_order_relaxed))
    return &parent;
  static const std::string &child = *new std::string(own_file(file_of_profile(profile_setting())));
  return &child;
}

} // namespace

uint64_t profile_granularity_ns() {
  constexpr int64_t kLongest = int64_t{1} << 40; // microseconds, 12 days
  return static_cast<uint64_t>(setting_in(SettingId::kProfileGranularity, 0, kLongest)) * 1000;
}

namespace {

/// Tells unchanged data from changed ones, most of the time: a bounded number of words, spread evenly, is looked at.
/// Not 0, unless there is too little of it.
uint64_t fingerprint(const void *host, int64_t bytes) {
  constexpr int64_t kWord = sizeof(uint64_t);
  constexpr int64_t kSamples = 64;
  if (!host || bytes < kWord)
    return 0;
  const int64_t words = bytes / kWord;
  const int64_t step = std::max<int64_t>(words / kSamples, 1);
  uint64_t hash = 0xcbf29ce484222325u ^ static_cast<uint64_t>(bytes);
  const auto *const data = static_cast<const char *>(host);
  for (int64_t i = 0; i < words; i += step) {
    uint64_t word;
    std::memcpy(&word, data + i * kWord, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash | 1;
}

bool start_profile() {
  if (!profile_setting())
    return false;
  static std::once_flag once;
  std::call_once(once, [] {
    // Told at once, not after hours.
    if (const std::string path = file_of_profile(profile_setting()); path != "-") {
      Status status = check_result_file(path);
      if (!status.is_ok())
        remove_journal(); // there will be none
      warn(std::move(status));
    }
    pthread_atfork(nullptr, nullptr, forget_parent);
  });
  return true;
}

void record_construct(ConstructRecord &construct, Endpoint endpoint) {
  if (endpoint == Endpoint::kBegin)
    return;
  ProfileEvent event{};
  event.kind = static_cast<EventKind>(construct.facts.kind);
  event.device = raw(construct.facts.device);
  event.begin_ns = construct.begin_ns;
  event.end_ns = now_ns();
  event.region = construct.number;
  event.place = place_of(construct.facts.location);
  record(event);
}

void record_data_operation(const DataOperationRecord &operation, const WorkTimes &times, const EventContext &context,
                           uint64_t known) {
  const DataOperationFacts &facts = operation.facts;
  ProfileEvent event = new_event(kind_of(facts.kind), facts.device, times, context);
  event.bytes = static_cast<uint64_t>(facts.bytes);
  event.host = facts.host;
  event.name = facts.name;
  event.source_device = raw(facts.source_device);
  event.queued_ns = operation.begin_ns;
  if (facts.kind == DataOperationKind::kToDevice || facts.kind == DataOperationKind::kFromDevice)
    event.fingerprint = known != 0 ? known : fingerprint(facts.host, facts.bytes);
  record(event);
}

void record_kernel(const KernelRecord &kernel, const WorkTimes &times, const EventContext &context) {
  ProfileEvent event = new_event(EventKind::kKernel, kernel.facts.device, times, context);
  event.name = kernel.facts.name;
  event.shape = kernel.facts.granted.teams[0] != 0 ? kernel.facts.granted : kernel.facts.requested;
  event.queued_ns = kernel.begin_ns;
  record(event);
}

void record_wait(DeviceId device, uint64_t begin_ns, uint64_t end_ns) {
  record(new_event(EventKind::kWait, device, {begin_ns, end_ns}, event_context()));
}

void record_host_fallback(const ident_t *location, const char *kernel, const char *reason) {
  const uint64_t now = now_ns();
  ProfileEvent event = new_event(EventKind::kHostFallback, DeviceId::kDefault, {now, now}, event_context());
  event.place = place_of(location);
  event.name = kernel;
  event.reason = reason;
  record(event);
}

void read_memory_at_end(DeviceId device, ReadDeviceMemory read) {
  memory_readers().lock()->push_back({device, std::move(read)});
}

void keep_memory(DeviceId device) {
  for (MemoryReader &reader : *memory_readers().lock())
    if (reader.device == device && !reader.kept)
      reader.kept = reader.read();
}

void write_profile() {
  const char *const setting = profile_setting();
  if (!setting || is_written.exchange(true, std::memory_order_acq_rel))
    return;
  const Profile profile = collect();
  const bool forked = is_child.load(std::memory_order_relaxed);
  if (forked && profile.events.empty())
    return;
  const std::string name = file_of_profile(setting);
  if (name == "-") {
    (void)write_all(STDERR_FILENO, of_this_rank(profile_as_text(profile) + "\n"));
    return;
  }
  Result<std::string> contents = contents_of_profile(name, profile_as_json(profile, own_profile_source()));
  Status status = contents ? replace_result_file(own_file(name), *contents) : contents.take_status();
  if (status)
    remove_journal(); // otherwise it has what is not written
  warn(std::move(status));
}

void keep_names(uintptr_t begin, uintptr_t end) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const auto replace = [&](const char *&text) {
    const auto address = reinterpret_cast<uintptr_t>(text);
    if (address >= begin && address < end)
      text = keep(text);
  };
  for_each_event([&](ProfileEvent &event) {
    replace(event.name);
    replace(event.place);
  });
  if (Sums *const of_process = sums.load(std::memory_order_acquire)) {
    const std::lock_guard sums_lock(of_process->mutex);
    of_process->events.replace_names(replace);
  }
}

} // namespace

constinit const Listener profile_listener{.bits = listener::kProfile,
                                          .start = start_profile,
                                          .construct = record_construct,
                                          .data_operation_done = record_data_operation,
                                          .kernel_done = record_kernel,
                                          .fingerprint = fingerprint,
                                          .waited = record_wait,
                                          .host_fallback = record_host_fallback,
                                          .memory_at_end = read_memory_at_end,
                                          .keep_memory = keep_memory,
                                          .forget_names = keep_names,
                                          .write = write_profile};

} // namespace omptarget::observe
