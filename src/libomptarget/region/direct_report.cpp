// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/direct_report.h"

#include <algorithm>
#include <cinttypes>

#include "base/dimensions.h"
#include "base/log.h"
#include "generations/names.h"
#include "mapping/variable_name.h"
#include "region/kernel_call.h"

namespace omptarget {

using observe::CountChange;
using observe::DataOperation;
using observe::DataOperationFacts;
using observe::DataOperationKind;

void report_created(const Device &device, const Mapping &mapping) {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "new mapping: host %p, device %p, %" PRIu64 " bytes, %s",
                         raw(mapping.begin()), raw(mapping.target_begin()), mapping.size(),
                         variable_place(mapping.name()).c_str());
  if (observe::reports_mappings()) [[unlikely]]
    observe::mapping_created(facts_of(mapping, mapping.begin(), mapping.size(), mapping.name()), mapping.allocation());
}

void report_removed(const Device &device, const Removed &removed) {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "removed mapping: host %p, device %p, %" PRIu64 " bytes",
                         raw(removed.begin), raw(removed.target_begin), removed.size);
  if (observe::reports_mappings()) [[unlikely]]
    observe::mapping_removed({{}, removed.begin, removed.target_begin, removed.size, 0, 0, removed.name});
}

/// The argument's place in the mapping, which has been counted just now.
observe::MappingFacts DirectReport::facts_of(size_t i, const Mapping &mapping) const {
  return omptarget::facts_of(mapping, host_ptr(list_.begins[i]), list_.sizes[i], name_of(i));
}

void DirectReport::entered(size_t i, const Mapping &mapping) const { tell_entered(i, facts_of(i, mapping)); }

/// All of them are counted by now. Each is told the count that it has made.
void DirectReport::entered(const PresentRefs &refs) const {
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!refs[i].mapping)
      continue;
    observe::MappingFacts facts = facts_of(i, *refs[i].mapping);
    for (size_t j = i + 1; j < refs.size(); ++j)
      if (refs[j].mapping == refs[i].mapping && facts.dynamic_count > 1 && facts.dynamic_count != UINT32_MAX)
        --facts.dynamic_count;
    tell_entered(i, facts);
  }
}

void DirectReport::tell_entered(size_t i, const observe::MappingFacts &facts) const {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device_.id(),
                         "present: host %p, %" PRIu64 " bytes, at device %p, count %u, counted", raw(facts.begin),
                         facts.size, raw(facts.target), facts.dynamic_count);
  if (observe::reports_mappings()) [[unlikely]]
    observe::mapping_entered(facts, CountChange::kIncremented, false,
                             (list_.types[i] & static_cast<int64_t>(map_type::kImplicit)) != 0);
}

Result<void *> DirectReport::allocate(size_t i) const {
  DataOperation operation(allocation_of(i));
  Result<void *> allocated = allocate_argument(device_, list_, i);
  if (allocated.is_ok())
    operation.set_target(*allocated);
  return allocated;
}

/// As from a pool: observers need not know that it never left the table.
void DirectReport::revived(size_t i, const Mapping &mapping) const {
  {
    DataOperation operation(allocation_of(i));
    operation.set_target(raw(mapping.allocation()));
  }
  report_created(device_, mapping);
}

observe::DataOperationFacts DirectReport::allocation_of(size_t i) const {
  return {DataOperationKind::kAllocate, device_.id(), list_.begins[i], nullptr, list_.sizes[i], name_of(i)};
}

void DirectReport::mapped(const PresentRefs &refs) const {
  if (!observe::reports_map_items())
    return;
  llvm::SmallVector<observe::MappedItem, 16> items;
  for (size_t i = 0; i < refs.size(); ++i)
    if (const Mapping *const mapping = refs[i].mapping) {
      const HostPtr begin = host_ptr(list_.begins[i]);
      items.push_back({begin, mapping->target_of(begin), list_.sizes[i], static_cast<uint64_t>(list_.types[i])});
    }
  if (!items.empty())
    observe::map_items({items.data(), items.size()});
}

/// The values of the kernel's arguments.
void DirectReport::report_arguments(const PresentRefs &refs) const {
  if (!observe::reports_mappings())
    return;
  for (size_t i = 0; i < refs.size(); ++i) {
    const auto type = static_cast<uint64_t>(list_.types[i]);
    if (!(type & map_type::kTargetParam) || (type & map_type::kLiteral))
      continue;
    if (refs[i].mapping)
      observe::mapping_left(facts_of(i, *refs[i].mapping), CountChange::kSuppressed, false);
    else if (!(type & map_type::kImplicit))
      observe::mapping_missing(name_of(i));
  }
}

Status DirectReport::copy(size_t i, const Mapping &mapping, Queue &queue) {
  void *const target = raw(mapping.target_of(host_ptr(list_.begins[i])));
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_.id(), "to device: host %p, device %p, %" PRIu64 " bytes, %s",
                         list_.begins[i], target, list_.sizes[i], variable_place(name_of(i)).c_str());
  DataOperation operation(
      {DataOperationKind::kToDevice, device_.id(), list_.begins[i], target, list_.sizes[i], mapping.name()});
  return times_.timed(queue, operation, [&] { return copy_argument(device_, list_, i, mapping, &queue); });
}

observe::KernelFacts facts_of_launch(const Device &device, const Kernel &kernel, const LaunchRequest &request) {
  observe::KernelFacts facts{device.id(), kernel.name, {}, {}};
  std::copy(std::begin(request.args.NumTeams), std::end(request.args.NumTeams), facts.requested.teams);
  std::copy(std::begin(request.args.ThreadLimit), std::end(request.args.ThreadLimit), facts.requested.threads);
  if (kernel.has_shape) {
    facts.requested.teams[0] = request.asked_teams;
    facts.requested.threads[0] = request.asked_threads;
  }
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

void trace_kernel_launch(const observe::KernelFacts &facts, uint32_t arguments) {
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

Status DirectReport::wait(Queue &queue) {
  Status status;
  if (queue.is_busy()) {
    const observe::Wait wait(device_.id());
    status = device_.plugin_device().synchronize(queue);
  }
  if (!times_.is_empty())
    times_.report(status.is_ok());
  return status;
}

void DirectReport::leaving(const PresentRefs &refs) const {
  for (size_t i = 0; observe::reports_mappings() && i < refs.size(); ++i)
    if (refs[i].mapping && !refs[i].is_counted)
      observe::mapping_left(facts_of(i, *refs[i].mapping), CountChange::kSuppressed, has(i, map_type::kHold));
}

void DirectReport::left(size_t i, const Mapping &mapping, bool is_last) const {
  if (!observe::reports_mappings())
    return;
  const CountChange last = has(i, map_type::kDelete) ? CountChange::kLastReset : CountChange::kLastDecremented;
  observe::mapping_left(facts_of(i, mapping), is_last ? last : CountChange::kDecremented, has(i, map_type::kHold));
}

LastUse DirectReport::last_use(size_t i, const Mapping &mapping) const {
  LastUse last{
      facts_of(i, mapping), has(i, map_type::kDelete) ? CountChange::kLastReset : CountChange::kLastDecremented, {}};
  last.facts.dynamic_count = 0;
  last.removal.is_removed = true;
  last.removal.allocation = mapping.allocation();
  last.removal.describe(mapping);
  return last;
}

void DirectReport::left(const LastUse &last) const {
  if (observe::reports_mappings())
    observe::mapping_left(last.facts, last.change, false);
}

void DirectReport::freed(const Removed &removed) const { const DataOperation operation(deletion_of(device_, removed)); }

void DirectReport::allocated(const Removed &removed) const {
  DataOperation operation(
      {DataOperationKind::kAllocate, device_.id(), raw(removed.begin), nullptr, removed.size, removed.name});
  operation.set_target(raw(removed.allocation));
}

} // namespace omptarget
