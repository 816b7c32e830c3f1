// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/map_list.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "generations/map_bits.h"
#include "gomp/declared.h"
#include "gomp/kinds.h"
#include "omptarget/host_code.h"

namespace omptarget::gomp {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);

bool is_descriptor(unsigned kind) { return kind == kind::kDescriptor; }

char *pointer_at(const char *address) {
  uintptr_t value;
  std::memcpy(&value, address, sizeof value);
  return reinterpret_cast<char *>(value);
}

/// The bits of a kind that is a range, as far as they say how it is copied; or nothing.
bool range_bits(unsigned kind, uint64_t &bits) {
  constexpr uint64_t kCopies = map_type::kTo | map_type::kFrom;
  if ((kind & kind::kImplicitMask) == kind::kImplicit) {
    bits = (kind & kCopies) | map_type::kImplicit;
    return true;
  }
  switch (kind) {
  case kind::kAlloc:
  case kind::kTo:
  case kind::kFrom:
  case kind::kTofrom: bits = kind; return true;
  case kind::kForcePresent: bits = map_type::kPresent; return true;
  case kind::kDelete: bits = map_type::kDelete; return true;
  case kind::kRelease: bits = 0; return true;
  case kind::kAlwaysTo:
  case kind::kAlwaysFrom:
  case kind::kAlwaysTofrom: bits = (kind & kCopies) | map_type::kAlways; return true;
  case kind::kAlwaysPresentTo:
  case kind::kAlwaysPresentFrom:
  case kind::kAlwaysPresentTofrom: bits = (kind & kCopies) | map_type::kAlways | map_type::kPresent; return true;
  default: return false;
  }
}

} // namespace

MapList::MapList(const Entries &entries, Construct construct, void *first)
    : entries_(entries), construct_(construct), has_declared_(has_declared()) {
  const size_t most = 2 * entries.count + 1; // an entry and its attachment; the first value
  uint64_t *storage = inline_;
  if (most > kInline) {
    more_.reset(new uint64_t[4 * most]);
    storage = more_.get();
  }
  bases_ = reinterpret_cast<void **>(storage);
  begins_ = bases_ + most;
  sizes_ = reinterpret_cast<int64_t *>(storage + 2 * most);
  types_ = sizes_ + most;
  if (is_region())
    add_value(first);
  for (size_t i = 0; i < entries.count; ++i)
    add_entry(i);
  if (construct != Construct::kExit && construct != Construct::kUpdate)
    for (size_t i = 0; i < entries.count; ++i)
      attach(i);
}

void MapList::add(const Item &item) {
  bases_[count_] = item.base;
  begins_[count_] = item.begin;
  sizes_[count_] = item.size;
  types_[count_] = static_cast<int64_t>(item.type);
  ++count_;
}

/// The region gets the value as it is. Other constructs have nothing to do with it.
void MapList::add_value(void *value) {
  if (is_region())
    add({value, value, kPointerSize, map_type::kLiteral | map_type::kTargetParam});
}

void MapList::add_range(size_t i, uint64_t bits, size_t size) {
  if (is_region())
    bits |= map_type::kTargetParam;
  if (construct_ == Construct::kUpdate)
    bits |= OMPTARGET_UNDIVIDED;
  if (has_declared_ && has_declared_pointer(i)) [[unlikely]]
    bits |= OMPTARGET_IN_PLACE;
  if (is_in_struct(i))
    bits |= static_cast<uint64_t>(struct_ + 1) << map_type::kMemberOfShift;
  add({address(i), address(i), static_cast<int64_t>(size), bits});
}

bool MapList::is_pointer(size_t i) const {
  const unsigned own = kind(i);
  return own == kind::kPointer || own == kind::kAlwaysPointer || own == kind::kPointerToZeroLength;
}

/// Returns whether a pointer lies in the descriptor that the entry before it maps.
bool MapList::is_in_descriptor(size_t i) const {
  return i > 0 && is_descriptor(kind(i - 1)) && address(i) >= address(i - 1) &&
         address(i) < address(i - 1) + entries_.sizes[i - 1];
}

void MapList::add_entry(size_t i) {
  const unsigned own = kind(i);
  uint64_t bits = 0;
  if (has_declared_ && is_declared(address(i))) [[unlikely]] {
    add_value(address(i));
  } else if (range_bits(own, bits)) {
    // Variables that are not allocated, and absent arguments, have the address 0 and a pointer variable.
    const bool is_nothing = !address(i) && (entries_.sizes[i] == 0 || (i + 1 < entries_.count && is_pointer(i + 1)));
    is_nothing ? add_value(nullptr) : add_range(i, bits, entries_.sizes[i]);
  } else if (own == kind::kStruct || own == kind::kUnorderedStruct) {
    add_struct(i);
  } else if (is_pointer(i)) {
    add_pointer(i);
  } else if (is_descriptor(own)) {
    address(i) ? add_descriptor(i) : add_value(nullptr); // an absent argument has none
  } else {
    add_rare(i);
  }
}

/// Returns whether the i-th entry attaches a pointer.
bool MapList::is_attached(size_t i) const { return kind(i) == kind::kAttach || kind(i) == kind::kAttachZeroLength; }

/// Returns whether no entry begins in the range, but for attached pointers and that entry.
bool MapList::is_free(const char *begin, const char *end, size_t but) const {
  for (size_t i = 0; i < entries_.count; ++i)
    if (i != but && !is_attached(i) && kind(i) != kind::kFirstprivateInt && address(i) >= begin && address(i) < end)
      return false;
  return true;
}

/// The members lie in one mapping, from the first to the last. In a region only pointers of structs are attached: those
/// before the first and behind the last member are members that GCC 12 does not list.
void MapList::add_struct(size_t i) {
  const size_t members = entries_.sizes[i];
  if (members == 0 || members > entries_.count - i - 1)
    return refuse(i, "it has no members, or more than the list");
  char *begin = address(i + 1), *end = begin;
  for (size_t member = i + 1; member <= i + members; ++member) {
    begin = std::min(begin, address(member));
    end = std::max(end, address(member) + (is_pointer(member) ? sizeof(void *) : entries_.sizes[member]));
  }
  uint64_t bits = is_region() ? map_type::kTargetParam : 0;
  for (size_t other = 0; is_region() && other < entries_.count; ++other)
    if (is_attached(other)) {
      char *const pointer = address(other), *const behind = pointer + kPointerSize;
      const bool is_before = pointer >= address(i) && behind <= begin && is_free(pointer, begin, i);
      const bool is_behind = pointer >= end && is_free(end, behind, i);
      begin = is_before ? pointer : begin;
      end = is_behind ? behind : end;
      if (is_before || is_behind)
        bits |= map_type::kImplicit; // it may be present without them
    }
  struct_ = count_;
  add({address(i), begin, end - begin, bits});
  members_end_ = i + members + 1;
}

/// A pointer variable has a mapping of its own, unless it lies in what is mapped with it. target enter data makes none,
/// as no target exit data names it.
void MapList::add_pointer(size_t i) {
  const bool is_own = kind(i) != kind::kAlwaysPointer && !is_in_descriptor(i) && construct_ != Construct::kEnter;
  if (is_own || is_region())
    add_range(i, is_own ? map_type::kTo : 0, kPointerSize);
}

/// If its pointer is always written, the rest of the descriptor is, too.
void MapList::add_descriptor(size_t i) {
  const bool always = i + 1 < entries_.count && kind(i + 1) == kind::kAlwaysPointer && is_in_descriptor(i + 1);
  add_range(i, always ? map_type::kTo | map_type::kAlways : map_type::kTo, entries_.sizes[i]);
}

void MapList::add_rare(size_t i) {
  switch (kind(i)) {
  case kind::kFirstprivate: // libgomp copies it
  case kind::kFirstprivateInt:
  case kind::kAttach:
  case kind::kAttachZeroLength:
  case kind::kDetach:
  case kind::kForceDetach: return add_value(address(i));
  case kind::kZeroLength: return add_range(i, 0, 0);
  case kind::kDeleteZeroLength: return add_range(i, map_type::kDelete, 0);
  case kind::kUseDevicePtr:
  case kind::kUseDevicePtrIfPresent:
    if (is_region())
      add_range(i, 0, 0);
    return; // the caller looks them up
  default: return refuse(i, "no such kind is known of GCC 12 to 14");
  }
}

/// Returns whether the i-th entry is a pointer that leads to other data of the list.
bool MapList::is_attaching(size_t i) const { return (is_pointer(i) || is_attached(i)) && address(i); }

/// Returns whether a variable with declare target leads to what the i-th entry maps. Regions use that variable, and so
/// the host's data. GCC passes the pointer behind them.
bool MapList::has_declared_pointer(size_t i) {
  for (size_t other = i + 1; other < entries_.count; ++other)
    if (is_attaching(other) && pointer_at(address(other)) + entries_.sizes[other] == address(i) &&
        is_declared(address(other))) {
      declared_pointer_ = address(other);
      return true;
    }
  return false;
}

/// Pointers come behind all that is mapped. The host library reads the pointer itself; the entry says where the
/// section begins.
void MapList::attach(size_t i) {
  if (!is_attaching(i) || (has_declared_ && is_declared(address(i))))
    return;
  if (char *const pointee = pointer_at(address(i)))
    add({address(i), pointee + entries_.sizes[i], kPointerSize, map_type::kAttach | map_type::kAlways});
}

void MapList::refuse(size_t i, const char *reason) {
  std::snprintf(failure_, sizeof failure_, "entry %zu of %zu has the kind 0x%02x at %p with size %zu: %s", i,
                entries_.count, kind(i), entries_.addresses[i], entries_.sizes[i], reason);
  add_value(nullptr);
}

} // namespace omptarget::gomp
