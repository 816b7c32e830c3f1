// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/info_lines.h"

#include <cinttypes>
#include <string>

#include "base/format.h"
#include "generations/map_bits.h"
#include "observe/info.h"
#include "observe/source_text.h"

namespace omptarget::observe {

namespace {

#define OMPTARGET_ADDRESS "0x%016" PRIxPTR

bool prints(uint32_t bit) { return (info_mask() & bit) != 0; }
uintptr_t number(HostPtr pointer) { return static_cast<uintptr_t>(pointer); }
uintptr_t number(DevicePtr pointer) { return static_cast<uintptr_t>(pointer); }

std::string name_of(const char *text) { return std::string(variable_name(text).name); }

std::string count_text(uint32_t count) { return count == UINT32_MAX ? "INF" : std::to_string(count); }

const char *header_of(const ConstructFacts &facts) {
  switch (facts.kind) {
  case ConstructKind::kTarget: return "Entering OpenMP kernel";
  case ConstructKind::kEnterData: // LLVM's spelling
    return facts.is_nowait ? "Entering OpenMP data region with being_nowait_mapper"
                           : "Entering OpenMP data region with being_mapper";
  case ConstructKind::kExitData:
    return facts.is_nowait ? "Exiting OpenMP data region with end_nowait_mapper"
                           : "Exiting OpenMP data region with end_mapper";
  case ConstructKind::kUpdate:
    return facts.is_nowait ? "Updating data within the OpenMP data region with update_nowait_mapper"
                           : "Updating data within the OpenMP data region with update_mapper";
  }
  return "?";
}

const char *type_name(int64_t type, int64_t size) {
  if (type & map_type::kAttach)
    return "attach";
  if ((type & map_type::kTo) && (type & map_type::kFrom))
    return "tofrom";
  if (type & map_type::kTo)
    return "to";
  if (type & map_type::kFrom)
    return "from";
  if (type & map_type::kPrivate)
    return "private";
  if (type & map_type::kLiteral)
    return "firstprivate";
  return size != 0 ? "alloc" : "use_address";
}

const char *change_text(CountChange change) {
  switch (change) {
  case CountChange::kIncremented: return " (incremented)";
  case CountChange::kSuppressed: return " (update suppressed)";
  case CountChange::kDecremented: return " (decremented)";
  case CountChange::kLastDecremented: return " (decremented, delayed deletion)";
  case CountChange::kLastReset: return " (reset, delayed deletion)";
  }
  return "";
}

std::string counts_text(const MappingFacts &facts, CountChange change, bool is_hold) {
  return format("DynRefCount=%s%s, HoldRefCount=%s%s", count_text(facts.dynamic_count).c_str(),
                is_hold ? "" : change_text(change), count_text(facts.hold_count).c_str(),
                is_hold ? change_text(change) : "");
}

} // namespace

void print_arguments(const ConstructFacts &facts, const ConstructArguments &arguments) {
  if (!prints(info::kArguments))
    return;
  print_info(raw(facts.device), "%s at %s with %d arguments:", header_of(facts),
             construct_place(facts.location).to_string().c_str(), arguments.count);
  for (int32_t i = 0; i < arguments.count; ++i)
    print_info(raw(facts.device), "%s(%s)[%" PRId64 "] %s", type_name(arguments.types[i], arguments.sizes[i]),
               name_of(arguments.names ? static_cast<const char *>(arguments.names[i]) : nullptr).c_str(),
               arguments.sizes[i], arguments.types[i] & map_type::kImplicit ? "(implicit)" : "");
}

void print_mapping_entered(DeviceId device, const MappingFacts &facts, CountChange change, bool is_hold,
                           bool is_implicit) {
  if (!prints(info::kMappingExists))
    return;
  print_info(raw(device),
             "Mapping exists%s with HstPtrBegin=" OMPTARGET_ADDRESS ", TgtPtrBegin=" OMPTARGET_ADDRESS ", Size=%" PRId64
             ", %s, Name=%s",
             is_implicit ? " (implicit)" : "", number(facts.begin), number(facts.target), facts.size,
             counts_text(facts, change, is_hold).c_str(), name_of(facts.name).c_str());
}

void print_mapping_released(DeviceId device, const MappingFacts &facts, CountChange change, bool is_hold) {
  if (!prints(info::kMappingExists))
    return;
  print_info(raw(device),
             "Mapping exists with HstPtrBegin=" OMPTARGET_ADDRESS ", TgtPtrBegin=" OMPTARGET_ADDRESS ", Size=%" PRId64
             ", %s",
             number(facts.begin), number(facts.target), facts.size, counts_text(facts, change, is_hold).c_str());
}

void print_mapping_on_host(DeviceId device, HostPtr begin, int64_t size) {
  if (prints(info::kMappingExists))
    print_info(raw(device), "Return HstPtrBegin " OMPTARGET_ADDRESS " Size=%" PRId64 " for unified shared memory",
               number(begin), size);
}

void print_mapping_created(DeviceId device, const MappingFacts &facts, DevicePtr allocation) {
  if (!prints(info::kMappingChanged))
    return;
  print_info(raw(device),
             "Creating new map entry with HstPtrBase=" OMPTARGET_ADDRESS ", HstPtrBegin=" OMPTARGET_ADDRESS
             ", TgtAllocBegin=" OMPTARGET_ADDRESS ", TgtPtrBegin=" OMPTARGET_ADDRESS ", Size=%" PRId64
             ", DynRefCount=%s, HoldRefCount=%s, Name=%s",
             number(facts.base), number(facts.begin), number(allocation), number(facts.target), facts.size,
             count_text(facts.dynamic_count).c_str(), count_text(facts.hold_count).c_str(),
             name_of(facts.name).c_str());
}

void print_mapping_removed(DeviceId device, const MappingFacts &facts) {
  if (!prints(info::kMappingChanged))
    return;
  print_info(raw(device),
             "Removing map entry with HstPtrBegin=" OMPTARGET_ADDRESS ", TgtPtrBegin=" OMPTARGET_ADDRESS
             ", Size=%" PRId64 ", Name=%s",
             number(facts.begin), number(facts.target), facts.size, name_of(facts.name).c_str());
}

void print_mapping_missing(DeviceId device, const char *name) {
  if (prints(info::kEmptyMapping))
    print_info(raw(device), "variable %s does not have a valid device counterpart", name_of(name).c_str());
}

void print_copy(const DataOperationFacts &facts) {
  if (!prints(info::kTransfer))
    return;
  const auto host = reinterpret_cast<uintptr_t>(facts.host);
  const auto target = reinterpret_cast<uintptr_t>(facts.target);
  const std::string name = name_of(facts.name);
  if (facts.kind == DataOperationKind::kToDevice)
    print_info(raw(facts.device),
               "Copying data from host to device, HstPtr=" OMPTARGET_ADDRESS ", TgtPtr=" OMPTARGET_ADDRESS
               ", Size=%" PRId64 ", Name=%s",
               host, target, facts.bytes, name.c_str());
  else if (facts.kind == DataOperationKind::kFromDevice)
    print_info(raw(facts.device),
               "Copying data from device to host, TgtPtr=" OMPTARGET_ADDRESS ", HstPtr=" OMPTARGET_ADDRESS
               ", Size=%" PRId64 ", Name=%s",
               target, host, facts.bytes, name.c_str());
}

void print_table(DeviceId device, const char *place, std::span<const TableRow> rows) {
  if (rows.empty())
    return print_info(raw(device), "OpenMP Host-Device pointer mappings table empty");
  print_info(raw(device), "OpenMP Host-Device pointer mappings after block at %s:", place);
  print_info(raw(device), "%-18s %-18s %s %s %s %s", "Host Ptr", "Target Ptr", "Size (B)", "DynRefCount",
             "HoldRefCount", "Declaration");
  for (const TableRow &row : rows) {
    const VariableName variable = variable_name(row.name);
    print_info(raw(device), OMPTARGET_ADDRESS " " OMPTARGET_ADDRESS " %-8" PRId64 " %-11s %-12s %.*s at %s",
               number(row.host), number(row.target), row.size, count_text(row.dynamic_count).c_str(),
               count_text(row.hold_count).c_str(), static_cast<int>(variable.name.size()), variable.name.data(),
               variable.place.to_string().c_str());
  }
}

} // namespace omptarget::observe
