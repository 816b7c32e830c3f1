// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/non_contiguous.h"

#include "mapping/variable_name.h"
#include <algorithm>
#include <cinttypes>
#include <llvm/ADT/ArrayRef.h>

namespace omptarget {
namespace {

constexpr int64_t kMaxDimensions = 64;

const SectionDimension *dimensions_of(const MapItem &item) {
  return static_cast<const SectionDimension *>(raw(item.begin));
}

/// Clang up to 22 gives offsets as indices, to be multiplied by the stride, and ends with {0, 1, bytes of an
/// element}. Clang 23 gives them in bytes and ends with {0, bytes of an element, 1}. With elements of one byte both
/// end with {0, 1, 1}.
bool has_offsets_in_bytes(const MapItem &item) {
  const SectionDimension &last = dimensions_of(item)[item.size - 1];
  return (item.flags & kItemByteOffsets) != 0 || (last.offset == 0 && last.count > 1 && last.stride == 1);
}

/// Fails if no memory has room for the section, whose counts and strides are the program's.
Status check_extent(llvm::ArrayRef<SectionDimension> dimensions) {
  uint64_t extent = 0, size;
  for (const SectionDimension &each : dimensions)
    if (__builtin_mul_overflow(each.count, std::max<uint64_t>(each.stride, 1), &size) ||
        __builtin_add_overflow(extent, size, &extent) || !fits_in_memory(nullptr, extent))
      return Status::error(format("a non-contiguous section of %" PRId64 " elements, %" PRId64
                                  " bytes from one to the next, is larger than the address space",
                                  static_cast<int64_t>(each.count), static_cast<int64_t>(each.stride)));
  return Status::ok();
}

/// Descriptors of members count from the struct's begin and leave the member's place in it out; if the struct has no
/// other member here, it begins where the section does.
HostPtr section_start(llvm::ArrayRef<MapItem> items, size_t index) {
  const MapItem &item = items[index];
  const bool is_only_member = item.has(map_type::kNonContiguous) && item.group < 0 && index > 0 &&
                              item.parent == static_cast<int32_t>(index) - 1 &&
                              (index + 1 == items.size() || items[index + 1].parent != item.parent);
  return is_only_member ? items[index - 1].begin : HostPtr::kNull;
}

} // namespace

bool may_have_byte_offsets(const MapItem &item) {
  if (!item.has(map_type::kNonContiguous) || item.size <= 0 || item.size > kMaxDimensions)
    return false;
  const SectionDimension *const dimension = dimensions_of(item);
  const SectionDimension &last = dimension[item.size - 1];
  if (last.offset != 0 || last.count != 1 || last.stride != 1)
    return false;
  return std::any_of(dimension, dimension + item.size,
                     [](const SectionDimension &each) { return each.offset != 0 && each.stride != 1; });
}

Result<HostBlocks> host_blocks(const MapItem &item, HostPtr start) {
  if (!item.has(map_type::kNonContiguous))
    return HostBlocks(item.begin, item.size);
  const int64_t dimensions = item.size;
  if (dimensions < 0 || dimensions > kMaxDimensions)
    return Status::error(format("a non-contiguous section has %" PRId64 " dimensions; at most %" PRId64 " are expected",
                                dimensions, kMaxDimensions));
  if (dimensions == 0) // clang up to 19 loses those of members: nothing is known of the section
    return HostBlocks(item.base, 0);
  const SectionDimension *const dimension = dimensions_of(item);
  OMPTARGET_TRY(check_extent({dimension, static_cast<size_t>(dimensions)}));
  HostPtr first = item.base;
  const bool in_bytes = has_offsets_in_bytes(item);
  for (int64_t i = 0; i < dimensions; ++i)
    first = first + static_cast<int64_t>(dimension[i].offset * (in_bytes ? 1 : dimension[i].stride));
  if (start != HostPtr::kNull)
    first = start;
  int64_t level = dimensions - 1;
  uint64_t size = dimension[level].count * dimension[level].stride;
  while (level > 0 && dimension[level - 1].stride == size) {
    --level;
    size *= dimension[level].count;
  }
  HostBlocks blocks(first, static_cast<int64_t>(size));
  while (level-- > 0)
    blocks.repeat(dimension[level].stride != 0 ? dimension[level].count : std::min<uint64_t>(dimension[level].count, 1),
                  dimension[level].stride);
  return blocks;
}

Status for_each_part(llvm::ArrayRef<MapItem> items,
                     llvm::function_ref<Status(const MapItem &, HostPtr begin, int64_t size)> action) {
  for (size_t i = 0; i < items.size(); ++i) {
    const MapItem &item = items[i];
    if (!item.has(map_type::kNonContiguous)) {
      OMPTARGET_TRY(action(item, item.begin, item.size));
      continue;
    }
    Result<HostBlocks> found = host_blocks(item, section_start(items, i));
    if (!found.is_ok())
      return found.take_status().about(variable_text(item));
    const HostBlocks &blocks = *found;
    Status status;
    blocks.for_each([&](HostPtr begin, int64_t size) {
      if (status.is_ok())
        status = action(item, begin, size);
    });
    OMPTARGET_TRY(std::move(status));
  }
  return Status::ok();
}

} // namespace omptarget
