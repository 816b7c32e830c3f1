// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/construct_report.h"

#include <algorithm>
#include <cinttypes>

#include "base/dimensions.h"
#include "device/kernel_call.h"
#include "device/mapped_storage.h"
#include "device/mapping_tables.h"
#include "device/runtime.h"
#include "generations/names.h"
#include "mapping/variable_name.h"
#include "observe/info.h"
#include "observe/source_text.h"

namespace omptarget {

using observe::CountChange;
using observe::DataOperation;
using observe::DataOperationKind;

void ReportedConstruct::print_tables(const ident_t *location) {
  if (!(info_mask() & info::kTable))
    return;
  const std::string place = observe::construct_place(location).to_string();
  for (int32_t i = 0; Device *const device = Runtime::get().known_device(i); ++i)
    print_mapping_table(*device, place.c_str());
}

void ReportedConstruct::trace_begin(const Call &call, DeviceId device, int32_t arguments) {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, device, "%s at %s with %d arguments, called from %p%s", call.construct,
                         observe::construct_place(call.location).to_string().c_str(), arguments, call.code,
                         call.is_nowait ? ", nowait" : "");
}

void internal::report_placed(const MapArguments &arguments) {
  llvm::SmallVector<observe::MappedItem, 16> mapped;
  for (size_t i = 0; i < arguments.refs.size(); ++i) {
    const Mapping *const mapping = arguments.refs[i].mapping;
    if (!mapping || arguments.has(i, map_type::kPointer))
      continue;
    const uint64_t pointer = arguments.has(i, map_type::kPointee) ? map_type::kPtrAndObj : 0;
    const uint64_t type = (arguments.type(i) & ~map_type::kExpanded) | pointer;
    mapped.push_back({arguments.begin(i), mapping->target_of(arguments.begin(i)), arguments.bytes(i), type});
  }
  if (!mapped.empty())
    observe::map_items({mapped.data(), mapped.size()});
}

void internal::report_kernel_arguments(const Device &device, const MapArguments &arguments) {
  for (size_t i = 0; i < arguments.refs.size(); ++i) {
    if (!arguments.has(i, map_type::kTargetParam) || arguments.has(i, map_type::kLiteral | map_type::kPrivate))
      continue;
    if (const Mapping *const mapping = arguments.refs[i].mapping)
      observe::mapping_released(
          omptarget::facts_of(*mapping, arguments.begin(i), arguments.bytes(i), arguments.name(i)),
          CountChange::kSuppressed, arguments.has(i, map_type::kHold));
    else if (!device.uses_host_memory() && !arguments.has(i, map_type::kImplicit))
      observe::mapping_missing(arguments.name(i));
  }
}

static std::string count_text(const uint32_t (&counts)[3]) {
  return dimensions_text(std::max(counts[0], 1u), counts[1], counts[2]);
}

observe::KernelFacts internal::facts_of_launch(const Device &device, const Kernel &kernel,
                                               const LaunchRequest &request) {
  observe::KernelFacts facts{device.id(), kernel.name, {}, {}};
  std::copy(std::begin(request.args.NumTeams), std::end(request.args.NumTeams), facts.requested.teams);
  std::copy(std::begin(request.args.ThreadLimit), std::end(request.args.ThreadLimit), facts.requested.threads);
  if (kernel.has_shape) {
    facts.requested.teams[0] = request.asked_teams;
    facts.requested.threads[0] = request.asked_threads;
  }
  if (!kernel.descriptor && (info_mask() & info::kKernel) != 0) // the plugin does not know its name
    print_info(raw(device.id()), "Launching kernel %s with %s blocks and %s threads in Generic mode", kernel.name,
               count_text(facts.requested.teams).c_str(), count_text(facts.requested.threads).c_str());
  if (observe::wants_granted_shape())
    if (const std::optional<__tgt_launch_shape> shape = launch_shape_of(device, kernel, request)) {
      facts.granted.teams[0] = shape->teams;
      facts.granted.threads[0] = shape->threads;
    }
  return facts;
}

/// A number that a construct asks for, or that the device chooses.
static std::string wanted_text(const uint32_t (&counts)[3], const char *what) {
  return counts[0] == 0 ? format("as many %s as the device chooses", what)
                        : dimensions_text(counts[0], counts[1], counts[2]) + " " + what;
}

void internal::trace_launch(const observe::KernelFacts &facts, uint32_t arguments) {
  if (!traces(Topic::kKernel))
    return;
  const char *const kernel = facts.name;
  const std::optional<KernelSource> source = source_of_kernel(kernel);
  const std::string region =
      source ? format("%.*s, line %.*s (%s)", static_cast<int>(source->function.size()), source->function.data(),
                      static_cast<int>(source->line.size()), source->line.data(), kernel)
             : std::string(kernel);
  trace_line(Topic::kKernel, raw(facts.device), "launching %s with %u arguments, %s, %s", region.c_str(), arguments,
             wanted_text(facts.requested.teams, "teams").c_str(),
             wanted_text(facts.requested.threads, "threads").c_str());
}

/// The pointer of a pointer and its pointee has no name of its own.
const char *ArgumentReport::name(size_t i) const {
  return list_.names && !has(i, map_type::kPointer) ? static_cast<const char *>(list_.names[i]) : nullptr;
}

/// The argument's place in the mapping, which has been counted just now.
observe::MappingFacts ArgumentReport::facts_of(size_t i, const Mapping &mapping) const {
  return omptarget::facts_of(mapping, host_ptr(list_.begins[i]), list_.sizes[i], name(i));
}

void ArgumentReport::entered(size_t i, const Mapping &mapping, bool is_counted) const {
  tell_entered(i, mapping, is_counted, 0);
}

/// All of them are counted by now. Each is reported with the count that it has made.
void ArgumentReport::entered(const ArgumentRefs &refs) const {
  for (size_t i = 0; i < refs.size(); ++i) {
    uint32_t others = 0;
    for (size_t j = i + 1; j < refs.size(); ++j)
      others += refs[j].mapping == refs[i].mapping;
    if (refs[i].mapping)
      tell_entered(i, *refs[i].mapping, true, others);
  }
}

/// others: arguments that have been counted since. The mapping of another construct may have no storage yet.
void ArgumentReport::tell_entered(size_t i, const Mapping &mapping, bool is_counted, uint32_t others) const {
  observe::MappingFacts facts = facts_of(i, mapping);
  if (facts.dynamic_count != UINT32_MAX)
    facts.dynamic_count -= std::min(others, facts.dynamic_count - 1);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device_.id(), "present: host %p, %" PRIu64 " bytes, at device %p, count %u%s",
                         raw(facts.begin), facts.size, raw(facts.target), facts.dynamic_count,
                         is_counted ? ", counted" : "");
  if (observe::reports_mappings())
    observe::mapping_entered(facts, is_counted ? CountChange::kIncremented : CountChange::kSuppressed,
                             has(i, map_type::kHold), has(i, map_type::kImplicit));
}

/// As from a pool: observers need not know that it never left the table.
void ArgumentReport::revived(size_t i, const Mapping &mapping) const {
  {
    DataOperation operation(
        {DataOperationKind::kAllocate, device_.id(), list_.begins[i], nullptr, list_.sizes[i], name(i)});
    operation.set_target(raw(mapping.allocation()));
  }
  report_created(device_, mapping);
}

void ArgumentReport::exiting(const ArgumentRefs &refs) const {
  for (size_t i = 0; observe::reports_mappings() && i < refs.size(); ++i)
    if (refs[i].mapping && !refs[i].is_counted && !has(i, map_type::kLookUpOnly | map_type::kPointer))
      observe::mapping_released(facts_of(i, *refs[i].mapping), CountChange::kSuppressed, has(i, map_type::kHold));
}

CountChange ArgumentReport::last_change(size_t i) const {
  return has(i, map_type::kDelete) ? CountChange::kLastReset : CountChange::kLastDecremented;
}

void ArgumentReport::released(size_t i, const Mapping &mapping, bool is_last) const {
  if (observe::reports_mappings())
    observe::mapping_released(facts_of(i, mapping), is_last ? last_change(i) : CountChange::kDecremented,
                              has(i, map_type::kHold));
}

LastUse ArgumentReport::last_use(size_t i, const Mapping &mapping) const {
  LastUse last{facts_of(i, mapping), last_change(i), {}};
  last.facts.dynamic_count = 0;
  last.removal.is_removed = true;
  last.removal.allocation = mapping.allocation();
  last.removal.describe(mapping);
  return last;
}

void report_released(const LastUse &last) {
  if (observe::reports_mappings())
    observe::mapping_released(last.facts, last.change, false);
}

} // namespace omptarget
