// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/map_arguments.h"

#include <algorithm>

#include "base/sched_point.h"
#include "base/settings.h"

namespace omptarget {

namespace {

/// Pointers that the user wants attached, whether or not the construct maps something anew, need more than this pass.
bool attaches_always(uint64_t type) {
  static const bool is_wanted = setting_flag(SettingId::kAttachAutoAsAlways);
  return type == map_type::kAttach && is_wanted;
}

[[gnu::noinline]] void clear_from(ArgumentRefs &refs, size_t first) {
  std::fill(refs.begin() + static_cast<ptrdiff_t>(first), refs.end(), ArgumentRef{});
}

/// Calls action(type, number, ref) for each argument in its order, and accepts(number) for each pointer to be attached,
/// until one is false: then first is its number. besides: bits of map types that do no harm. Returns whether there was
/// nothing else.
template <typename Action, typename Accepts>
bool for_each_simple(MapArguments &arguments, uint64_t besides, size_t &first, Action action, Accepts accepts) {
  const MapList &list = arguments.list();
  ArgumentRefs &refs = arguments.refs;
  if (!is_readable(list) || OMPTARGET_PLANS_ALL()) [[unlikely]]
    return false;
  refs.resize_for_overwrite(static_cast<size_t>(list.count));
  for (int32_t i = 0; i < list.count; ++i) {
    const auto type = static_cast<uint64_t>(list.types[i]);
    ArgumentRef &ref = refs[static_cast<size_t>(i)];
    ref = {};
    const bool is_done =
        is_simple(type & ~besides) && !(list.mappers && list.mappers[i])
            ? action(type, i, ref)
            : has_no_range(type) && !attaches_always(type) && (type != map_type::kAttach || accepts(i));
    if (!is_done) {
      first = static_cast<size_t>(i);
      clear_from(refs, first);
      return false;
    }
  }
  return true;
}

bool lies_in(const void *address, const MapList &list, int32_t i) {
  return static_cast<uint64_t>(host_ptr(address) - host_ptr(list.begins[i])) < static_cast<uint64_t>(list.sizes[i]);
}

/// Returns whether the pointer, which lies in an argument, is attached if it leads to an argument before it.
[[gnu::noinline]] bool is_attached(HostDataToTargetMap &map, const MapList &list, const ArgumentRefs &refs, int32_t i,
                                   MappingRef pointer) {
  for (int32_t j = 0; j < i; ++j)
    if (const ArgumentRef &target = refs[static_cast<size_t>(j)]; target.mapping && lies_in(list.begins[i], list, j))
      return OMPTARGET_PLANTED("attachment-unchecked") ||
             map.attached_pointers().is_attached(pointer, host_ptr(list.bases[i]), target.ref());
  return true;
}

/// Returns false if a pointer in an argument leads to another one and is not attached: others may have mapped either
/// of both anew. Compilers pass pointers behind both.
inline bool is_attached_if_used(HostDataToTargetMap &map, const MapList &list, const ArgumentRefs &refs, int32_t i) {
  for (int32_t j = 0; j < i; ++j)
    if (lies_in(list.bases[i], list, j) && refs[static_cast<size_t>(j)].mapping) [[unlikely]]
      return is_attached(map, list, refs, i, refs[static_cast<size_t>(j)].ref());
  return true;
}

} // namespace

bool retain_present(HostDataToTargetMap &map, MapArguments &arguments, size_t &first, Absence &absence) {
  const MapList &list = arguments.list();
  const auto retain = [&](uint64_t type, int32_t i, ArgumentRef &ref) {
    const HostPtr begin = host_ptr(list.begins[i]);
    const MappingRef retained = map.retain_arrived(begin, list.sizes[i], absence);
    if (!retained) [[unlikely]] {
      if (!absence.is_absent || !may_be_absent(type, list.sizes[i]))
        return false;
      absence.is_absent = false; // it is that of this argument, which is done
      return true;
    }
    ref = {retained.mapping, retained.generation, true, false};
    OMPTARGET_SCHED_POINT("enter: retained");
    return true;
  };
  return for_each_simple(arguments, 0, first, retain,
                         [&](int32_t i) { return is_attached_if_used(map, list, arguments.refs, i); });
}

bool find_present(HostDataToTargetMap &map, MapArguments &arguments) {
  const MapList &list = arguments.list();
  const auto find = [&](uint64_t type, int32_t i, ArgumentRef &ref) {
    const HostPtr begin = host_ptr(list.begins[i]);
    const MappingRef found = map.find_to_release(begin, list.sizes[i]);
    ref = {found.mapping, found.generation, true, false};
    arguments.kinds |= type & map_type::kDelete;
    return static_cast<bool>(found);
  };
  size_t first = 0;
  return for_each_simple(arguments, map_type::kDelete, first, find, [](int32_t) { return true; });
}

Copy copy_of(const MapArguments &arguments, size_t i) {
  Copy copy = copy_of_argument(arguments.list(), i, arguments.refs[i].ref());
  if (arguments.has(i, map_type::kImplicit)) {
    const HostPtr end = std::min(copy.host + copy.size, copy.mapping.mapping->end());
    copy.host = std::max(copy.host, copy.mapping.mapping->begin());
    copy.size = end - copy.host;
  }
  return copy;
}

} // namespace omptarget
