// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "model.h"

#include <algorithm>
#include <cstring>

#include "fake_device.h"

namespace omptarget::test {

using namespace map_type;

namespace {
uintptr_t number(HostPtr pointer) { return static_cast<uintptr_t>(pointer); }
bool is_data(const MapItem &item) { return !item.has(kLiteral | kPrivate | kAttach); }
int64_t pointer_size(const MapItem &item) {
  return item.has(kAttach) ? item.size : static_cast<int64_t>(sizeof(void *));
}
constexpr uintptr_t kInPlace = 0; ///< instead of an entry: data that have no storage of their own

// Items that are there for pointers only because the program maps their pointees. These are the pointer before its
// pointee, the struct around such pointers, and the pointer that comes with its pointee.
bool is_unnamed_pointer(const std::vector<MapItem> &items, size_t i) {
  return i + 1 < items.size() && items[i].group < 0 && !items[i].has(kHold) && items[i + 1].has(kPtrAndObj) &&
         items[i + 1].base == items[i].begin && items[i].size == sizeof(void *);
}
bool is_unnamed(const std::vector<MapItem> &items, size_t i, bool is_pointer) {
  if (items[i].group >= 0 || items[i].has(kHold))
    return false;
  if (is_pointer)
    return !items[i].has(kTargetParam);
  if (is_unnamed_pointer(items, i))
    return true;
  bool has_members = false;
  for (size_t j = i + 1; j < items.size(); ++j)
    if (items[j].parent == static_cast<int32_t>(i)) {
      has_members = true;
      if (!items[j].has(kPtrAndObj) && !is_unnamed_pointer(items, j))
        return false;
    }
  return has_members && !items[i].has(kTo | kFrom);
}
// The pointers on the way to what is deleted are left by all that came for them.
bool is_deleted(const std::vector<MapItem> &items, size_t i, bool is_pointer) {
  if (items[i].has(kDelete) || !is_unnamed(items, i, is_pointer))
    return items[i].has(kDelete);
  for (; i + 1 < items.size() && items[i + 1].has(kPtrAndObj) && items[i + 1].base == items[i].begin; ++i)
    if (items[i].size != sizeof(void *) || items[i + 1].has(kDelete))
      return items[i].size == sizeof(void *);
  return false;
}
// Returns whether the device may use the data in place: neither they nor a member of the struct are close.
bool may_be_in_place(const std::vector<MapItem> &items, size_t i) {
  const MapItem &item = items[i];
  if (item.has(kClose))
    return false;
  const uint64_t number_in_group = i - static_cast<size_t>(std::max(item.group, 0)) + 1;
  if (item.is_member() || i + 1 >= items.size() || items[i + 1].type >> kMemberOfShift != number_in_group)
    return true;
  for (size_t j = i + 1; j < items.size() && items[j].is_member() && items[j].group == item.group; ++j)
    if (items[j].has(kClose) && !items[j].has(kPtrAndObj))
      return false;
  return true;
}
} // namespace

uintptr_t Model::host_pointer(uintptr_t address) const {
  uintptr_t value;
  std::memcpy(&value, &host_bytes[address - host_begin], sizeof value);
  return value;
}

ModelEntry &Model::at(uintptr_t begin) {
  return *std::find_if(entries.begin(), entries.end(), [&](const ModelEntry &entry) { return entry.begin == begin; });
}

// "Contained" of a range; of an empty one: at an entry, between its base and it, or between its end and its base.
ModelEntry *Model::containing(uintptr_t begin, int64_t size) {
  for (ModelEntry &entry : entries)
    if (size > 0 && begin >= entry.begin && begin + static_cast<uintptr_t>(size) <= entry.end)
      return &entry;
  if (size > 0)
    return nullptr;
  ModelEntry *below = nullptr, *above = nullptr;
  for (ModelEntry &entry : entries) {
    if (entry.begin <= begin && (!below || entry.begin > below->begin))
      below = &entry;
    if (entry.begin > begin && (!above || entry.begin < above->begin))
      above = &entry;
  }
  if (below && begin < std::max(below->end, below->base))
    return below;
  return above && begin >= above->base ? above : nullptr;
}

// The lowest entry that shares a byte with the range and that the library would name: at or below its begin, else next.
ModelEntry *Model::overlapping(uintptr_t begin, int64_t size) {
  ModelEntry *first = nullptr;
  for (ModelEntry &entry : entries)
    if (entry.begin < begin + static_cast<uintptr_t>(size) && begin < entry.end &&
        (!first || entry.begin < first->begin))
      first = &entry;
  return first;
}

bool Model::counts(const std::vector<MapItem> &items, size_t i, uintptr_t entry, bool is_pointee,
                   Construct &construct) {
  const MapItem &item = items[i];
  if (item.group >= 0) {
    std::vector<uintptr_t> &counted = construct.counted[item.group];
    if (std::find(counted.begin(), counted.end(), entry) != counted.end())
      return false;
    counted.push_back(entry);
    return true;
  }
  if (is_pointee || item.parent < 0)
    return true;
  const Place &parent = construct.places[static_cast<size_t>(item.parent)];
  return !parent.is_present || parent.entry != entry;
}

bool Model::place(const std::vector<MapItem> &items, size_t i, uintptr_t begin, int64_t size, uintptr_t base,
                  bool is_pointer, Construct &construct, Place &result) {
  const MapItem &item = items[i];
  const bool is_pointee = item.has(kPtrAndObj) && !is_pointer;
  ModelEntry *entry = containing(begin, size);
  if (!entry && size > 0) {
    entry = overlapping(begin, size);
    if (entry && !item.has(kImplicit))
      return false; // extends what is present
  }
  const bool must_be_present = item.has(kPresent) && !is_pointer && !(is_unified && may_be_in_place(items, i));
  if (entry && must_be_present && std::ranges::count(construct.created, entry->begin) != 0)
    return false; // was not present on entry
  if (entry) {
    if (counts(items, i, entry->begin, is_pointee, construct)) {
      construct.references.push_back({i, entry->begin, is_unnamed(items, i, is_pointer)});
      if (!entry->is_infinite || item.has(kHold))
        ++(item.has(kHold) ? entry->hold_count : entry->dynamic_count);
    }
    result = {true, entry->begin};
    return true;
  }
  if (is_unified && may_be_in_place(items, i))
    return true;
  if (item.has(kPresent) && !is_pointer)
    return false;
  if (size == 0)
    return true;
  ModelEntry made{begin, begin + static_cast<uintptr_t>(size), base, false, 0, 0, 0, {}, {}};
  (item.has(kHold) ? made.hold_count : made.dynamic_count) = 1;
  made.device.assign(static_cast<size_t>(size), kFresh);
  entries.push_back(made);
  construct.created.push_back(begin);
  construct.references.push_back({i, begin, is_unnamed(items, i, is_pointer)});
  (void)counts(items, i, begin, is_pointee, construct);
  result = {true, begin};
  return true;
}

void Model::to_device(ModelEntry &entry, uintptr_t begin, int64_t size) {
  const uintptr_t end = std::min(begin + static_cast<uintptr_t>(size), entry.end);
  for (uintptr_t at = std::max(begin, entry.begin); at < end; ++at)
    entry.device[at - entry.begin] = host(at);
  for (const auto &[pointer, attached] : entry.attached)
    if (pointer + sizeof(void *) > begin && pointer < begin + static_cast<uintptr_t>(size))
      std::memcpy(&entry.device[pointer - entry.begin], &attached.device_value, sizeof(void *));
}

void Model::to_host(ModelEntry &entry, uintptr_t begin, int64_t size) {
  const uintptr_t end = std::min(begin + static_cast<uintptr_t>(size), entry.end);
  for (uintptr_t at = std::max(begin, entry.begin); at < end; ++at)
    host(at) = entry.device[at - entry.begin];
  for (const auto &[pointer, attached] : entry.attached)
    if (pointer + sizeof(void *) > begin && pointer < begin + static_cast<uintptr_t>(size))
      std::memcpy(&host(pointer), &attached.host_value, sizeof(void *));
}

// The device copy of the pointer (or descriptor) points to where the pointee's copy lies, or to the pointee in place.
void Model::attach(uintptr_t pointer, int64_t size, uintptr_t target_entry) {
  ModelEntry &holder = *containing(pointer, size);
  const uintptr_t host_value = host_pointer(pointer);
  const uintptr_t device_value =
      target_entry == kInPlace ? host_value : device_address_(target_entry) + (host_value - target_entry);
  const auto known = holder.attached.find(pointer);
  if (known != holder.attached.end() && known->second.host_value == host_value &&
      known->second.device_value == device_value)
    return;
  holder.attached[pointer] = {host_value, device_value};
  const uintptr_t offset = pointer - holder.begin;
  for (int64_t i = 0; i < size; ++i)
    holder.device[offset + static_cast<uintptr_t>(i)] = host(pointer + static_cast<uintptr_t>(i));
  std::memcpy(&holder.device[offset], &device_value, sizeof device_value);
}

// Also if the program has changed the host's pointer since.
bool Model::is_attached(const ModelEntry &holder, uintptr_t pointer, const ModelEntry &target) const {
  const auto known = holder.attached.find(pointer);
  const uintptr_t host_value = host_pointer(pointer);
  return known != holder.attached.end() &&
         (known->second.host_value != host_value ||
          known->second.device_value == device_address_(target.begin) + (host_value - target.begin));
}

// Returns whether one of the first data that a construct maps lies in the entry and holds the address.
bool Model::maps(const std::vector<MapItem> &items, size_t count, const Construct &construct, const ModelEntry &entry,
                 uintptr_t address) {
  for (size_t i = 0; i < count; ++i)
    if (construct.places[i].is_present && construct.places[i].entry == entry.begin &&
        address - number(items[i].begin) < static_cast<uintptr_t>(items[i].size))
      return true;
  return false;
}

bool Model::enter(const std::vector<MapItem> &items, bool is_region) {
  const std::vector<ModelEntry> before = entries;
  Construct construct;
  construct.places.resize(items.size());
  std::vector<bool> has_pointer(items.size(), false);
  for (size_t i = 0; i < items.size(); ++i) {
    const MapItem &item = items[i];
    if (!is_data(item))
      continue;
    Place pointer;
    bool is_right = true;
    const uintptr_t base = number(item.base);
    const auto place_range = [&](uintptr_t range_base) {
      return place(items, i, number(item.begin), item.size, range_base, false, construct, construct.places[i]);
    };
    const auto place_pointer = [&] { return place(items, i, base, sizeof(void *), base, true, construct, pointer); };
    if (!item.has(kPtrAndObj))
      is_right = place_range(base);
    else if (item.size == 0 || (is_unified && may_be_in_place(items, i))) // absent data stay absent
      is_right = place_range(host_pointer(base)) && (!construct.places[i].is_present || place_pointer());
    else
      is_right = place_pointer() && place_range(host_pointer(base));
    if (!is_right) {
      entries = before;
      return false;
    }
    has_pointer[i] = pointer.is_present && containing(number(item.base), sizeof(void *));
  }
  const auto is_new = [&](uintptr_t entry) {
    return std::find(construct.created.begin(), construct.created.end(), entry) != construct.created.end();
  };
  for (size_t i = 0; i < items.size(); ++i)
    if (const Place &where = construct.places[i]; where.is_present && items[i].has(kTo) && items[i].size > 0)
      if (items[i].has(kAlways) || is_new(where.entry))
        to_device(at(where.entry), number(items[i].begin), items[i].size);
  std::vector<std::pair<size_t, uintptr_t>> attachments; // all are chosen before the first one is carried out
  for (size_t i = 0; i < items.size(); ++i) {
    const MapItem &item = items[i];
    const ModelEntry *pointee = containing(number(item.begin), 0);
    const bool is_pointee_absent =
        item.has(kAttach) ? !pointee : is_data(item) && item.has(kPtrAndObj) && !construct.places[i].is_present;
    const ModelEntry *pointer =
        is_pointee_absent || item.has(kAttach) ? containing(number(item.base), pointer_size(item)) : nullptr;
    if (!pointer)
      continue;
    if (is_pointee_absent) { // a pointer to data in place has their address, a new one to nothing keeps its value
      if (is_unified && may_be_in_place(items, i))
        attachments.emplace_back(i, kInPlace);
      else if (is_new(pointer->begin))
        to_device(at(pointer->begin), number(item.base), pointer_size(item));
    } else if (item.has(kAlways) || attaches_always || is_new(pointer->begin) || is_new(pointee->begin) ||
               (maps(items, i, construct, *pointer, number(item.base)) &&
                maps(items, i, construct, *pointee, number(item.begin)) &&
                !is_attached(*pointer, number(item.base), *pointee))) {
      attachments.emplace_back(i, pointee->begin);
    }
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (has_pointer[i] && construct.places[i].is_present)
      attach(number(items[i].base), sizeof(void *), construct.places[i].entry);
  for (const auto &[i, target] : attachments)
    attach(number(items[i].base), pointer_size(items[i]), target);
  for (const auto &[item, entry, is_unnamed] : construct.references)
    if (is_unnamed && !is_region)
      ++at(entry).unnamed_count;
  entered_ = construct;
  return true;
}

void Model::take_away(const MapItem &item, ModelEntry &entry, std::vector<uintptr_t> &lost) {
  if (item.has(kDelete) && !item.has(kHold))
    entry.unnamed_count = 0;
  int64_t &count = item.has(kHold) ? entry.hold_count : entry.dynamic_count;
  if ((entry.is_infinite && !item.has(kHold)) || count == 0)
    return;
  count = item.has(kDelete) ? 0 : count - 1;
  if (entry.is_unused())
    lost.push_back(entry.begin);
}

// At most what was entered so: one, or with delete all.
void Model::take_unnamed_away(bool all, ModelEntry &entry, std::vector<uintptr_t> &lost) {
  if (entry.unnamed_count == 0)
    return;
  const int64_t taken = all ? entry.unnamed_count : 1;
  entry.unnamed_count -= taken;
  if (entry.is_infinite || entry.dynamic_count == 0)
    return;
  entry.dynamic_count = std::max<int64_t>(0, entry.dynamic_count - taken);
  if (entry.is_unused())
    lost.push_back(entry.begin);
}

void Model::copy_back(const std::vector<MapItem> &items, const Construct &construct,
                      const std::vector<uintptr_t> &lost) {
  const auto is_lost = [&](uintptr_t entry) { return std::find(lost.begin(), lost.end(), entry) != lost.end(); };
  for (size_t i = 0; i < items.size(); ++i) {
    const Place &where = construct.places[i];
    if (where.is_present && items[i].has(kFrom) && items[i].size > 0 && (items[i].has(kAlways) || is_lost(where.entry)))
      to_host(at(where.entry), number(items[i].begin), items[i].size);
  }
  std::erase_if(entries, [&](const ModelEntry &entry) { return is_lost(entry.begin); });
}

void Model::exit(const std::vector<MapItem> &items) {
  Construct construct;
  construct.places.resize(items.size());
  std::vector<uintptr_t> lost; // whose last reference this construct took
  for (size_t i = 0; i < items.size(); ++i) {
    const MapItem &item = items[i];
    if (!is_data(item))
      continue;
    ModelEntry *entry = containing(number(item.begin), item.size);
    if (!entry && item.has(kImplicit) && item.size > 0)
      entry = overlapping(number(item.begin), item.size);
    // The pointer of an absent pointee was entered, unless that was empty or the host's.
    if (item.has(kPtrAndObj) && (entry || (is_unnamed(items, i, true) && item.size > 0 && !is_unified)))
      if (ModelEntry *pointer = containing(number(item.base), sizeof(void *)))
        if (counts(items, i, pointer->begin, false, construct) ||
            (is_unnamed(items, i, true) && is_deleted(items, i, true))) {
          if (is_unnamed(items, i, true)) {
            take_unnamed_away(is_deleted(items, i, true), *pointer, lost);
          } else {
            MapItem released = item;
            released.type &= ~kDelete;
            take_away(released, *pointer, lost);
          }
        }
    if (!entry)
      continue;
    construct.places[i] = {true, entry->begin};
    if (!counts(items, i, entry->begin, item.has(kPtrAndObj), construct) && !is_deleted(items, i, false))
      continue;
    if (is_unnamed(items, i, false))
      take_unnamed_away(is_deleted(items, i, false), *entry, lost);
    else
      take_away(item, *entry, lost);
  }
  copy_back(items, construct, lost);
}

void Model::leave_region(const std::vector<MapItem> &items) {
  std::vector<uintptr_t> lost;
  for (const Construct::Reference &one : entered_.references)
    take_away(items[one.item], at(one.entry), lost);
  copy_back(items, entered_, lost);
}

bool Model::update(const std::vector<MapItem> &items) {
  for (const MapItem &item : items)
    if (is_data(item) && item.has(kPresent) && !is_unified && item.size > 0 &&
        !containing(number(item.begin), item.size))
      return false;
  for (const MapItem &item : items) {
    ModelEntry *entry = is_data(item) && item.size > 0 ? containing(number(item.begin), item.size) : nullptr;
    if (entry && item.has(kTo))
      to_device(*entry, number(item.begin), item.size);
    if (entry && item.has(kFrom))
      to_host(*entry, number(item.begin), item.size);
  }
  return true;
}

void Model::associate(uintptr_t begin, int64_t size, unsigned char content) {
  entries.push_back({begin,
                     begin + static_cast<uintptr_t>(size),
                     begin,
                     true,
                     0,
                     0,
                     0,
                     std::vector<unsigned char>(static_cast<size_t>(size), content),
                     {}});
}

} // namespace omptarget::test
