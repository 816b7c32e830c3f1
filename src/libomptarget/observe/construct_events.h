// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events during constructs, reported once at well-named places and passed on to the listeners: LIBOMPTARGET_INFO,
// LIBOMPTARGET_PROFILE and OMPT tools. Callers never ask who listens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>

#include "base/address.h"
#include "observe/listeners.h"

struct ident_t;

namespace omptarget::observe {

namespace internal {
inline bool wants_times(uint32_t listeners) { return (listeners & (listener::kProfile | listener::kTrace)) != 0; }
} // namespace internal

/// Kinds of constructs; the values are OMPT's.
enum class ConstructKind : uint8_t { kTarget = 1, kEnterData = 2, kExitData = 3, kUpdate = 4 };
/// Returns "target", "target enter data" and so on.
const char *construct_name(ConstructKind kind);

/// A construct as its entry point knows it. Its pointees outlive the construct.
struct ConstructFacts {
  ConstructKind kind;
  bool is_nowait;
  DeviceId device;
  const ident_t *location; ///< may be null
  const void *code;        ///< return address in the user's code
};

/// The arguments as the compiler passes them; names may be null.
struct ConstructArguments {
  int32_t count;
  const int64_t *sizes;
  const int64_t *types;
  void *const *names;
};

/// The record of a running construct. Private to observe/.
struct ConstructRecord {
  ConstructFacts facts;
  ConstructRecord *outer;
  uint64_t number; ///< of the construct in this process, from 1
  uint64_t begin_ns;
  uint64_t target_data; ///< the OMPT tool's word for the region
  void *task_data;      ///< OMPT's words of the encountering and of the target task
  void *target_task_data;
  uint32_t listeners; ///< who learned of the begin, and learns of the end
};

/// From begin to end of a construct, on the thread that carries it out. Constructs nest. Its thread
/// suspends one that goes on after its call has returned; some thread resumes it before it ends.
class Construct {
public:
  Construct(const ConstructFacts &facts, const ConstructArguments &arguments) : is_reported_(listeners() != 0) {
    if (is_reported_)
      begin(facts, arguments);
  }
  ~Construct() {
    if (is_reported_)
      end();
  }
  /// The thread's next actions do not belong to the construct. For the innermost construct only.
  void suspend() {
    if (is_reported_)
      suspend_reported();
  }
  /// The thread's next actions belong to the construct, also if it began on another thread.
  void resume() {
    if (is_reported_)
      resume_reported();
  }
  Construct(const Construct &) = delete;
  Construct &operator=(const Construct &) = delete;
  bool is_reported() const { return is_reported_; }

private:
  void begin(const ConstructFacts &facts, const ConstructArguments &arguments);
  void end();
  void suspend_reported();
  void resume_reported();
  const bool is_reported_;
  union {
    ConstructRecord record_; // alive only while is_reported_
  };
};

/// When work was done, by the clock of profiles.
struct WorkTimes {
  uint64_t begin_ns;
  uint64_t end_ns;
};

/// The context of an event, wherever its times come from later.
struct EventContext {
  uint64_t construct = 0;      ///< its number; 0: none
  const char *place = nullptr; ///< of the construct
  uint64_t target_data = 0;    ///< the construct's word for the OMPT tool
  uint32_t thread = 0;         ///< that queued the work; 0: the calling one
};

class LateReport;

enum class DataOperationKind : uint8_t {
  kAllocate,
  kToDevice,
  kFromDevice,
  kDelete,
  kAssociate,
  kDisassociate,
  kBetweenDevices,
  kFill,
};

struct DataOperationFacts {
  DataOperationKind kind;
  DeviceId device;
  const void *host; ///< host address; of kBetweenDevices: the source, on source_device
  void *target;     ///< device address; null while unknown
  int64_t bytes;
  const char *name;                            ///< of the variable, ";name;file;line;column;;" or plain; or null
  DeviceId source_device = DeviceId::kDefault; ///< of kBetweenDevices
  const void *code = nullptr;                  ///< filled when it begins: the construct's or the API routine's
};

/// The calling thread is about to carry out an API routine that was called from this code.
void note_api_call(const void *code);

struct DataOperationRecord {
  DataOperationFacts facts;
  uint64_t begin_ns;
  uint64_t host_op_id; ///< OMPT's
  uint32_t listeners;
  bool is_late; ///< its times come later
};

/// Numbers of teams, and of the threads of one, by dimension. 0: not known.
struct LaunchShape {
  uint32_t teams[3];
  uint32_t threads[3];
  /// Returns the teams of all dimensions.
  uint32_t all_teams() const { return teams[0] * std::max(teams[1], 1u) * std::max(teams[2], 1u); }
};

/// Returns whether somebody wants to know which shape a kernel is launched with, not only which one is requested.
inline bool wants_granted_shape() { return (listeners() & (listener::kProfile | listener::kTrace)) != 0; }

struct KernelFacts {
  DeviceId device;
  const char *name; ///< lives as long as the module
  LaunchShape requested;
  LaunchShape granted; ///< known only if it is wanted, and if the plugin tells
};

struct KernelRecord {
  KernelFacts facts;
  uint64_t begin_ns;
  uint64_t host_op_id;
  uint32_t listeners;
  bool is_late;
};

/// From begin to end of work on a device. Does nothing unless somebody listened when it began. Used by one thread.
template <typename Record> class ReportedWork {
public:
  using Facts = decltype(Record::facts);
  explicit ReportedWork(const Facts &facts) : is_reported_(listeners() != 0) {
    if (is_reported_)
      begin(facts);
  }
  ~ReportedWork() {
    if (is_reported_)
      end();
  }
  ReportedWork(const ReportedWork &) = delete;
  ReportedWork &operator=(const ReportedWork &) = delete;
  /// Returns whether somebody wants to know when the work itself was done, not only the call.
  bool wants_times() const { return is_reported_ && internal::wants_times(record_.listeners); }
  /// The work goes on after the call, and its times become known later.
  LateReport postpone();

private:
  void begin(const Facts &facts);
  void end();

protected:
  const bool is_reported_;
  union {
    Record record_; // alive only while is_reported_
  };
};
extern template class ReportedWork<DataOperationRecord>;
extern template class ReportedWork<KernelRecord>;

/// An operation on device data.
class DataOperation : public ReportedWork<DataOperationRecord> {
public:
  using ReportedWork::ReportedWork;
  /// The address that was allocated.
  void set_target(void *target) {
    if (is_reported_)
      record_.facts.target = target;
  }
};

/// The launch of a kernel, to its end or to the end of putting it into a queue.
using KernelLaunch = ReportedWork<KernelRecord>;

/// A report on an operation whose call has returned, for the profile and device traces.
class LateReport {
public:
  explicit LateReport(const DataOperationRecord &record);
  explicit LateReport(const KernelRecord &record);
  /// Once, when the work is complete, by any thread. null: the device does not tell when that was, so that the call's
  /// times are known.
  void publish(const WorkTimes *times) const;

private:
  std::variant<DataOperationRecord, KernelRecord> record_;
  EventContext context_;
  uint64_t begin_ns_;    ///< of the call
  uint64_t returned_ns_; ///< the call
  uint64_t fingerprint_ = 0;
};

/// Waiting for a device's queue.
class Wait {
public:
  explicit Wait(DeviceId device)
      : begin_ns_(listeners() & (listener::kProfile | listener::kLines) ? begin(device) : 0), device_(device) {}
  ~Wait() {
    if (begin_ns_ != 0)
      end();
  }
  Wait(const Wait &) = delete;
  Wait &operator=(const Wait &) = delete;

private:
  static uint64_t begin(DeviceId device);
  void end() const;
  const uint64_t begin_ns_;
  const DeviceId device_;
};

/// The change of a mapping's counts by a construct.
enum class CountChange : uint8_t {
  kIncremented,
  kSuppressed, ///< looked up only
  kDecremented,
  kLastDecremented, ///< it is removed, unless somebody enters it meanwhile
  kLastReset,
};

/// A mapping as a construct meets it.
struct MappingFacts {
  HostPtr base;
  HostPtr begin;
  DevicePtr target;
  int64_t size;
  uint32_t dynamic_count; ///< UINT32_MAX: infinite
  uint32_t hold_count;
  const char *name;
};

namespace internal {
void mapping_missing(const char *name);
void host_fallback(const ConstructFacts &facts, const char *kernel, const char *reason);
} // namespace internal

/// Returns whether the functions for mappings would do something: ask before gathering their facts.
inline bool reports_mappings() { return (listeners() & (listener::kInfo | listener::kContents)) != 0; }

/// Data are present already; is_hold: the hold count is meant (ompx_hold). All functions below report for the running
/// construct of this thread.
void mapping_entered(const MappingFacts &facts, CountChange change, bool is_hold, bool is_implicit);
void mapping_released(const MappingFacts &facts, CountChange change, bool is_hold);
/// A routine has found data on this device.
void mapping_looked_up(DeviceId device, const MappingFacts &facts);
/// Data are used where they are, in unified shared memory.
void mapping_on_host(HostPtr begin, int64_t size);
/// A mapping was made, and its storage is allocated; and it was removed.
void mapping_created(const MappingFacts &facts, DevicePtr allocation);
void mapping_removed(const MappingFacts &facts);
/// A pointer to data of size 0 (or unmapped data) is passed as it is.
inline void mapping_missing(const char *name) {
  if (listeners() != 0)
    internal::mapping_missing(name);
}

/// The map items of the running construct after its data are in place: OMPT's map event.
struct MappedItem {
  HostPtr host;
  DevicePtr target;
  int64_t bytes;
  uint64_t type; ///< map type bits of the compiler
};
bool reports_map_items();
void map_items(std::span<const MappedItem> items);

/// Returns whether host_fallback would do something: ask before gathering its arguments.
inline bool reports_host_fallback() { return (listeners() & (listener::kProfile | listener::kTool)) != 0; }
/// A target region is about to be run by the host's version, which nobody tells the end of. facts.device: the initial
/// device; reason is static.
inline void host_fallback(const ConstructFacts &facts, const char *kernel, const char *reason) {
  if (reports_host_fallback())
    internal::host_fallback(facts, kernel, reason);
}

/// One line of a mapping table.
struct TableRow {
  HostPtr host;
  DevicePtr target;
  int64_t size;
  uint32_t dynamic_count;
  uint32_t hold_count;
  const char *name;
};
/// Prints a device's table after a construct; location null: at the end of the program.
void print_table(DeviceId device, const char *place, std::span<const TableRow> rows);

} // namespace omptarget::observe
