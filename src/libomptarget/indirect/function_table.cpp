// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "indirect/function_table.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <numeric>

#include "base/format.h"
#include "base/log.h"

namespace omptarget {

namespace {

bool is_before(const FunctionPair &left, const FunctionPair &right) { return left.host_ptr < right.host_ptr; }

/// Ascending by host_ptr, equal ones in the order they were in. The linker emits most tables in order; the others are
/// sorted byte by byte, leaving out the bytes that all addresses share.
void sort_pairs(std::vector<FunctionPair> &pairs) {
  if (std::is_sorted(pairs.begin(), pairs.end(), is_before))
    return;
  uint64_t differing = 0;
  for (const FunctionPair &pair : pairs)
    differing |= pair.host_ptr ^ pairs.front().host_ptr;
  std::vector<FunctionPair> sorted(pairs.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((differing >> shift & 0xff) == 0)
      continue;
    std::array<size_t, 256> places{}; // where the next pair with that byte goes
    for (const FunctionPair &pair : pairs)
      ++places[pair.host_ptr >> shift & 0xff];
    std::exclusive_scan(places.begin(), places.end(), places.begin(), size_t{0});
    for (const FunctionPair &pair : pairs)
      sorted[places[pair.host_ptr >> shift & 0xff]++] = pair;
    pairs.swap(sorted);
  }
}

} // namespace

void append_function_pairs(std::vector<FunctionPair> &pairs, EntryKind kind, uint64_t host, uint64_t target,
                           uint64_t size) {
  if (host == 0 || target == 0)
    return;
  if (kind == EntryKind::kIndirect || kind == EntryKind::kFunctionPointer)
    pairs.push_back({host, target});
  else if (kind == EntryKind::kVtable)
    for (uint64_t offset = 0; offset + sizeof(void *) <= size; offset += sizeof(void *))
      pairs.push_back({host + offset, target + offset});
}

std::string conflicts_text(std::span<const FunctionConflict> conflicts) {
  if (conflicts.empty())
    return {};
  const FunctionConflict &first = conflicts.front();
  std::string text =
      format("host function 0x%" PRIx64 " has two device functions, 0x%" PRIx64 " and 0x%" PRIx64 "; the first is used",
             first.host_ptr, first.used_target, first.ignored_target);
  if (conflicts.size() > 1)
    text += format(" (and so for %zu others)", conflicts.size() - 1);
  return text;
}

bool FunctionTable::add(Module module, std::vector<FunctionPair> pairs) {
  std::erase_if(pairs, [](const FunctionPair &pair) { return pair.host_ptr == 0 || pair.tgt_ptr == 0; });
  if (pairs.empty())
    return false;
  auto part = std::find_if(modules_.begin(), modules_.end(), [=](const Part &part) { return part.module == module; });
  if (part == modules_.end())
    part = modules_.insert(modules_.end(), Part{module, {}});
  if (part->pairs.empty())
    part->pairs = std::move(pairs);
  else
    part->pairs.insert(part->pairs.end(), pairs.begin(), pairs.end());
  sort_pairs(part->pairs);
  part->pairs.shrink_to_fit();
  return true;
}

bool FunctionTable::remove(Module module) {
  auto part = std::find_if(modules_.begin(), modules_.end(), [=](const Part &part) { return part.module == module; });
  if (part == modules_.end())
    return false;
  if (!reported_.empty())
    for (const FunctionPair &pair : part->pairs)
      reported_.erase(pair.host_ptr);
  modules_.erase(part);
  return true;
}

std::vector<FunctionPair> FunctionTable::build(std::vector<FunctionConflict> &conflicts) {
  std::vector<const Part *> parts;
  size_t count = 0;
  for (const Part &part : modules_) {
    parts.push_back(&part);
    count += part.pairs.size();
  }
  // Modules lie side by side in memory: put in the order of their addresses they usually are one sorted table.
  std::sort(parts.begin(), parts.end(), [](const Part *left, const Part *right) {
    return left->pairs.front().host_ptr < right->pairs.front().host_ptr;
  });
  const bool side_by_side = std::adjacent_find(parts.begin(), parts.end(), [](const Part *left, const Part *right) {
                              return right->pairs.front().host_ptr <= left->pairs.back().host_ptr;
                            }) == parts.end();
  std::vector<FunctionPair> pairs;
  pairs.reserve(count);
  if (side_by_side)
    for (const Part *part : parts)
      pairs.insert(pairs.end(), part->pairs.begin(), part->pairs.end());
  else { // The order of arrival decides between equal ones.
    for (const Part &part : modules_)
      pairs.insert(pairs.end(), part.pairs.begin(), part.pairs.end());
    sort_pairs(pairs);
  }
  drop_duplicates(pairs, conflicts);
  return pairs;
}

void FunctionTable::drop_duplicates(std::vector<FunctionPair> &pairs, std::vector<FunctionConflict> &conflicts) {
  size_t kept = 0;
  for (size_t next = 0; next < pairs.size(); ++next) {
    if (kept == 0 || pairs[kept - 1].host_ptr != pairs[next].host_ptr) {
      pairs[kept++] = pairs[next];
      continue;
    }
    const FunctionPair &used = pairs[kept - 1];
    if (used.tgt_ptr != pairs[next].tgt_ptr && reported_.insert(used.host_ptr).second)
      conflicts.push_back({used.host_ptr, used.tgt_ptr, pairs[next].tgt_ptr});
  }
  pairs.resize(kept);
}

void *find_function(std::span<const FunctionPair> table, const void *host) {
  const FunctionPair key{reinterpret_cast<uint64_t>(host), 0};
  const auto found = std::lower_bound(table.begin(), table.end(), key, is_before);
  return found != table.end() && found->host_ptr == key.host_ptr ? reinterpret_cast<void *>(found->tgt_ptr) : nullptr;
}

void trace_function_table(int32_t device, std::span<const FunctionPair> pairs) {
  if (!traces(Topic::kIndirect))
    return;
  trace_line(Topic::kIndirect, device, "table of %zu indirect functions:", pairs.size());
  for (const FunctionPair &pair : pairs)
    trace_line(Topic::kIndirect, device, "  host 0x%" PRIx64 " -> device 0x%" PRIx64, pair.host_ptr, pair.tgt_ptr);
}

} // namespace omptarget
