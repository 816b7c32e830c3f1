// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ompt/ompt.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "base/atomic_wait.h"
#include "base/clock.h"
#include "base/log.h"
#include "generations/map_bits.h"
#include "observe/current_construct.h"
#include "observe/device_events.h"
#include "ompt/ompt_trace.h"

namespace omptarget::observe {

namespace {

using ompt::Data;

/// The callbacks that the tool has registered. Written once, before kTool is set.
struct Callbacks {
  ompt::TargetEmi target_emi;
  ompt::Target target;
  ompt::TargetDataOpEmi data_op_emi;
  ompt::TargetDataOp data_op;
  ompt::TargetSubmitEmi submit_emi;
  ompt::TargetSubmit submit;
  ompt::TargetMapEmi map_emi;
  ompt::TargetMap map;
  ompt::DeviceInitialize device_initialize;
  ompt::DeviceFinalize device_finalize;
  ompt::DeviceLoad device_load;
  ompt::DeviceUnload device_unload;
};
constinit Callbacks callbacks{};
using HostNumber = int32_t (*)();
constinit HostNumber initial_device = nullptr;
using BeforeEnd = void (*)();
constinit BeforeEnd before_tool_ends = nullptr;
constinit bool has_active_tool = false;

using GetCallback = int (*)(int which, ompt::AnyFunction *out);
using GetData = Data *(*)();
constinit GetCallback get_callback = nullptr;
constinit GetData get_task_data = nullptr;
constinit GetData get_target_task_data = nullptr;

template <typename Function> void fetch(int which, Function &out) {
  ompt::AnyFunction found = nullptr;
  if (get_callback(which, &found) != 0 && found)
    out = reinterpret_cast<Function>(found);
}

/// The tool's word for an operation that belongs to no construct, from its begin to its end.
thread_local constinit uint64_t no_target_data = 0;

Data *target_data_of(ConstructRecord *construct) {
  return reinterpret_cast<Data *>(construct ? &construct->target_data : &no_target_data);
}
Data *target_task_data_of(ConstructRecord *construct) {
  return construct ? static_cast<Data *>(construct->target_task_data) : nullptr;
}

/// The number by which records and plain callbacks name a region: the tool's own, if it has given one.
uint64_t target_id_of(uint64_t target_data, uint64_t number) {
  return callbacks.target_emi && target_data ? target_data : number;
}
uint64_t target_id_of(const ConstructRecord *construct) {
  return construct ? target_id_of(construct->target_data, construct->number) : 0;
}

uint64_t thread_number() { return static_cast<uint64_t>(syscall(SYS_gettid)); }

struct Ends {
  void *source;
  int source_device;
  void *destination;
  int destination_device;
};

int number_of(const ConstructFacts &facts) {
  return static_cast<int>(facts.kind) + (facts.is_nowait ? ompt::kNowaitDistance : 0);
}

/// OpenMP 5.1 has no operations for the last two: a copy between devices comes from a device, a fill goes to one.
int number_of(DataOperationKind kind) {
  switch (kind) {
  case DataOperationKind::kAllocate: return ompt::kDataAlloc;
  case DataOperationKind::kToDevice:
  case DataOperationKind::kFill: return ompt::kDataToDevice;
  case DataOperationKind::kFromDevice:
  case DataOperationKind::kBetweenDevices: return ompt::kDataFromDevice;
  case DataOperationKind::kDelete: return ompt::kDataDelete;
  case DataOperationKind::kAssociate: return ompt::kDataAssociate;
  case DataOperationKind::kDisassociate: return ompt::kDataDisassociate;
  }
  return 0;
}

/// LLVM 19 reports for a deletion no destination and the device -1.
Ends ends_of(const DataOperationFacts &facts) {
  void *host = const_cast<void *>(facts.host);
  const int device = raw(facts.device);
  switch (facts.kind) {
  case DataOperationKind::kFromDevice: return {facts.target, device, host, initial_device()};
  case DataOperationKind::kDelete: return {facts.target, device, nullptr, -1};
  case DataOperationKind::kBetweenDevices: return {host, raw(facts.source_device), facts.target, device};
  case DataOperationKind::kAllocate:
  case DataOperationKind::kToDevice:
  case DataOperationKind::kFill:
  case DataOperationKind::kAssociate:
  case DataOperationKind::kDisassociate: break;
  }
  return {host, initial_device(), facts.target, device};
}

size_t bytes_of(const DataOperationFacts &facts) {
  return facts.kind == DataOperationKind::kDelete ? 0 : static_cast<size_t>(facts.bytes);
}

ompt::Record new_record(int callback, uint64_t time, const EventContext &context) {
  ompt::Record record{};
  record.type = callback;
  record.time = time;
  record.thread_id = context.thread != 0 ? context.thread : thread_number();
  record.target_id = target_id_of(context.target_data, context.construct);
  return record;
}

int connect_from_libomp(ompt::Lookup lookup, int, Data *) { return ompt_connect(lookup); }
/// libomp calls it before it ends the tool.
void disconnect(Data *) {
  if (before_tool_ends)
    before_tool_ends();
  set_listener(listener::kTool, false);
  has_active_tool = false;
}

void connect_to_libomp() {
  using Connect = void (*)(ompt::StartToolResult *);
  const auto connect = reinterpret_cast<Connect>(dlsym(RTLD_DEFAULT, "ompt_libomp_connect"));
  if (!connect) {
    OMPTARGET_TRACE(Topic::kTool, "the OpenMP runtime of this process has no ompt_libomp_connect: no tool");
    return;
  }
  // libomp keeps the address.
  static ompt::StartToolResult own{connect_from_libomp, disconnect, {0}};
  connect(&own);
}

} // namespace

bool has_tool() { return has_active_tool; }

int ompt_connect(ompt::Lookup lookup) {
  get_callback = reinterpret_cast<GetCallback>(lookup("ompt_get_callback"));
  get_task_data = reinterpret_cast<GetData>(lookup("ompt_get_task_data"));
  get_target_task_data = reinterpret_cast<GetData>(lookup("ompt_get_target_task_data"));
  if (!get_callback)
    return 0;
  fetch(ompt::kTargetEmi, callbacks.target_emi);
  fetch(ompt::kTarget, callbacks.target);
  fetch(ompt::kTargetDataOpEmi, callbacks.data_op_emi);
  fetch(ompt::kTargetDataOp, callbacks.data_op);
  fetch(ompt::kTargetSubmitEmi, callbacks.submit_emi);
  fetch(ompt::kTargetSubmit, callbacks.submit);
  fetch(ompt::kTargetMapEmi, callbacks.map_emi);
  fetch(ompt::kTargetMap, callbacks.map);
  fetch(ompt::kDeviceInitialize, callbacks.device_initialize);
  fetch(ompt::kDeviceFinalize, callbacks.device_finalize);
  fetch(ompt::kDeviceLoad, callbacks.device_load);
  fetch(ompt::kDeviceUnload, callbacks.device_unload);
  has_active_tool = true;
  const bool has_constructs = callbacks.target_emi || callbacks.target || callbacks.data_op_emi || callbacks.data_op ||
                              callbacks.submit_emi || callbacks.submit || callbacks.map_emi || callbacks.map;
  set_listener(listener::kTool, has_constructs);
  OMPTARGET_TRACE(Topic::kTool, "a tool is active and %s callbacks of target constructs",
                  has_constructs ? "has" : "has no");
  return 0;
}

void connect_tool(HostNumber host_number, BeforeEnd before_end) {
  enum Progress { kNotBegun, kUnderWay, kDone };
  static std::atomic<int> progress{kNotBegun};
  static thread_local bool is_connecting = false;
  int found = progress.load(std::memory_order_acquire);
  if (found == kDone || is_connecting)
    return;
  if (found == kUnderWay || !progress.compare_exchange_strong(found, kUnderWay, std::memory_order_acquire)) {
    wait_while_equal(progress, int{kUnderWay}); // the thread of another device connects
    return;
  }
  initial_device = host_number;
  before_tool_ends = before_end;
  is_connecting = true;
  connect_to_libomp();
  is_connecting = false;
  progress.exchange(kDone, std::memory_order_acq_rel);
  notify_waiters(progress);
}

namespace {

void tell_construct(ConstructRecord &construct, Endpoint endpoint) {
  const ConstructFacts &facts = construct.facts;
  const int kind = number_of(facts);
  const int end = static_cast<int>(endpoint);
  // Asked for at the end, too: another thread may end what this one began.
  construct.task_data = get_task_data ? get_task_data() : nullptr;
  construct.target_task_data = get_target_task_data ? get_target_task_data() : nullptr;
  auto *const task_data = static_cast<Data *>(construct.task_data);
  if (callbacks.target_emi)
    callbacks.target_emi(kind, end, raw(facts.device), task_data, target_task_data_of(&construct),
                         target_data_of(&construct), facts.code);
  else if (callbacks.target)
    callbacks.target(kind, end, raw(facts.device), task_data, construct.number, facts.code);
  if (!traces_record(raw(facts.device), ompt::kTarget))
    return;
  ompt::Record record = new_record(ompt::kTarget, now_ns(), {});
  record.target_id = target_id_of(&construct);
  record.record.target = {kind, end, raw(facts.device), task_data ? task_data->value : 0, record.target_id, facts.code};
  add_trace_record(raw(facts.device), record);
}

void tell_data_operation(DataOperationRecord &operation, Endpoint endpoint) {
  const DataOperationFacts &facts = operation.facts;
  ConstructRecord *const construct = current_construct();
  const Ends ends = ends_of(facts);
  const int kind = number_of(facts.kind);
  const bool is_begin = endpoint == Endpoint::kBegin;
  if (is_begin) {
    operation.host_op_id = next_number();
    if (!construct)
      no_target_data = 0;
  }
  if (callbacks.data_op_emi)
    callbacks.data_op_emi(static_cast<int>(endpoint), target_task_data_of(construct), target_data_of(construct),
                          &operation.host_op_id, kind, ends.source, ends.source_device, ends.destination,
                          ends.destination_device, bytes_of(facts), facts.code);
  else if (callbacks.data_op && !is_begin) // once, when the addresses are known
    callbacks.data_op(target_id_of(construct), operation.host_op_id, kind, ends.source, ends.source_device,
                      ends.destination, ends.destination_device, bytes_of(facts), facts.code);
}

void trace_data_operation(const DataOperationRecord &operation, const WorkTimes &times, const EventContext &context,
                          uint64_t) {
  const DataOperationFacts &facts = operation.facts;
  if (!traces_record(raw(facts.device), ompt::kTargetDataOp))
    return;
  const Ends ends = ends_of(facts);
  ompt::Record record = new_record(ompt::kTargetDataOp, times.begin_ns, context);
  record.record.data_op = {operation.host_op_id, number_of(facts.kind), ends.source,
                           ends.source_device,   ends.destination,      ends.destination_device,
                           bytes_of(facts),      times.end_ns,          facts.code};
  add_trace_record(raw(facts.device), record);
}

void tell_kernel(KernelRecord &kernel, Endpoint endpoint) {
  ConstructRecord *const construct = current_construct();
  const bool is_begin = endpoint == Endpoint::kBegin;
  const unsigned teams = kernel.facts.requested.all_teams();
  if (is_begin)
    kernel.host_op_id = next_number();
  if (callbacks.submit_emi)
    callbacks.submit_emi(static_cast<int>(endpoint), target_data_of(construct), &kernel.host_op_id, teams);
  else if (callbacks.submit && is_begin)
    callbacks.submit(target_id_of(construct), kernel.host_op_id, teams);
}

void trace_kernel(const KernelRecord &kernel, const WorkTimes &times, const EventContext &context) {
  if (!traces_record(raw(kernel.facts.device), ompt::kTargetSubmit))
    return;
  const unsigned teams = kernel.facts.requested.all_teams(), granted = kernel.facts.granted.all_teams();
  ompt::Record record = new_record(ompt::kTargetSubmit, times.begin_ns, context);
  record.record.kernel = {kernel.host_op_id, teams, granted != 0 ? granted : std::max(teams, 1u), times.end_ns};
  add_trace_record(raw(kernel.facts.device), record);
}

bool wants_map_items() { return callbacks.map_emi || callbacks.map; }

void tell_map_items(ConstructRecord &construct, std::span<const MappedItem> items) {
  const bool is_exit = construct.facts.kind == ConstructKind::kExitData;
  std::vector<void *> host, device;
  std::vector<size_t> bytes;
  std::vector<unsigned> flags;
  for (const MappedItem &item : items) {
    host.push_back(raw(item.host));
    device.push_back(raw(item.target));
    bytes.push_back(static_cast<size_t>(item.bytes));
    unsigned flag = (item.type & map_type::kTo ? ompt::kMapTo : 0u) |
                    (item.type & map_type::kFrom ? ompt::kMapFrom : 0u) |
                    (item.type & map_type::kDelete ? ompt::kMapDelete : 0u);
    if (flag == 0)
      flag = is_exit ? ompt::kMapRelease : ompt::kMapAlloc;
    flags.push_back(flag | (item.type & map_type::kImplicit ? ompt::kMapImplicit : 0u));
  }
  const auto count = static_cast<unsigned>(items.size());
  if (callbacks.map_emi)
    callbacks.map_emi(target_data_of(&construct), count, host.data(), device.data(), bytes.data(), flags.data(),
                      construct.facts.code);
  else if (callbacks.map)
    callbacks.map(construct.number, count, host.data(), device.data(), bytes.data(), flags.data(),
                  construct.facts.code);
}

} // namespace

ompt::AnyFunction ompt_device_function(const char *name) {
  if (std::strcmp(name, "ompt_get_callback") == 0)
    return reinterpret_cast<ompt::AnyFunction>(get_callback);
  if (std::strcmp(name, "ompt_get_task_data") == 0)
    return reinterpret_cast<ompt::AnyFunction>(get_task_data);
  if (std::strcmp(name, "ompt_get_target_task_data") == 0)
    return reinterpret_cast<ompt::AnyFunction>(get_target_task_data);
  return trace_function(name);
}

namespace {

void tell_device_initialised(DeviceId device, const char *architecture) {
  if (has_active_tool && callbacks.device_initialize)
    callbacks.device_initialize(raw(device), architecture, trace_handle(raw(device)), ompt_device_function, nullptr);
}

void tell_image_loaded(DeviceId device, const void *image, size_t bytes, uint64_t module) {
  if (has_active_tool && callbacks.device_load)
    callbacks.device_load(raw(device), nullptr, 0, nullptr, bytes, const_cast<void *>(image), nullptr, module);
}

void tell_image_unloaded(DeviceId device, uint64_t module) {
  if (has_active_tool && callbacks.device_unload)
    callbacks.device_unload(raw(device), module);
}

void tell_device_finalised(DeviceId device) {
  if (!has_active_tool)
    return;
  end_trace(raw(device));
  if (callbacks.device_finalize)
    callbacks.device_finalize(raw(device));
}

} // namespace

constinit const Listener ompt_listener{.bits = listener::kTool | listener::kTrace,
                                       .construct = tell_construct,
                                       .data_operation = tell_data_operation,
                                       .kernel = tell_kernel,
                                       .data_operation_done = trace_data_operation,
                                       .kernel_done = trace_kernel,
                                       .wants_map_items = wants_map_items,
                                       .map_items = tell_map_items,
                                       .device_initialised = tell_device_initialised,
                                       .image_loaded = tell_image_loaded,
                                       .image_unloaded = tell_image_unloaded,
                                       .device_finalised = tell_device_finalised};

} // namespace omptarget::observe
