// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/code_map.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "omptarget/types.h"

namespace omptarget::host {

namespace {

#if defined(__x86_64__)
constexpr bool kReadsCode = true;
#else
constexpr bool kReadsCode = false;
#endif

/// The head of the table of functions for unwinding (.eh_frame_hdr), as linkers write it. The pairs follow.
struct UnwindHead {
  uint8_t version, frame_encoding, count_encoding, table_encoding;
  int32_t frame;
  uint32_t count;
};
constexpr uint8_t kCountEncoding = 0x03; ///< four bytes without sign
constexpr uint8_t kTableEncoding = 0x3b; ///< four bytes with sign, from the head on

/// A function and its record (an FDE), both as distances from the head.
struct UnwindPair {
  int32_t function, record;
};

/// The beginning of a record in the usual encoding: the function's distance from `function`, and its size.
struct UnwindRecord {
  uint32_t length, parent;
  int32_t function;
  uint32_t size;
};

constexpr int32_t kExplicitBarrier = 0x22; ///< flags of `#pragma omp barrier`: KMPC and BARRIER_EXPL

/// Returns whether an instruction with these last bytes before the distance calls, jumps, or takes or loads an address.
bool refers(uint8_t before, uint8_t last) {
  const bool is_jump = last == 0xe8 || last == 0xe9 || (before == 0x0f && (last & 0xf0) == 0x80);
  const bool is_relative = (last & 0xc7) == 0x05; // ModRM: from the instruction's end
  return is_jump || (is_relative && (before == 0x8d || before == 0x8b || before == 0xff));
}

template <typename T> T read(uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof value);
  return value;
}

} // namespace

CodeMap::CodeMap(uintptr_t base, const ImageLayout &layout) : base_(base), layout_(layout) {
  begin_ = base + layout.segments.front().address;
  end_ = base + layout.segments.back().address + layout.segments.back().memory_size;
  for (const ImageCall &call : layout.calls) {
    slots_.emplace(base + call.slot, call.function);
    has_num_threads_ = has_num_threads_ || call.function == kNumThreadsCall;
  }
  is_readable_ = kReadsCode && read_functions();
}

const Segment *CodeMap::segment_of(uintptr_t address, uint64_t size) const {
  const uint64_t at = address - base_;
  for (const Segment &segment : layout_.segments)
    if (at >= segment.address && size <= segment.memory_size && at - segment.address <= segment.memory_size - size)
      return &segment;
  return nullptr;
}

/// Returns false if the image has no table of functions, or one in another encoding than linkers use.
bool CodeMap::read_functions() {
  const uintptr_t at = base_ + layout_.unwind_address;
  const Segment *const segment = segment_of(at, std::max<uint64_t>(layout_.unwind_size, sizeof(UnwindHead)));
  if (layout_.unwind_size < sizeof(UnwindHead) || !segment || !segment->is_readable)
    return false;
  const auto head = read<UnwindHead>(at);
  if (head.version != 1 || head.count_encoding != kCountEncoding || head.table_encoding != kTableEncoding ||
      head.count == 0 || head.count > (layout_.unwind_size - sizeof head) / sizeof(UnwindPair))
    return false;
  for (uint32_t i = 0; i < head.count; ++i) {
    const auto pair = read<UnwindPair>(at + sizeof head + i * sizeof(UnwindPair));
    const uintptr_t begin = at + static_cast<uintptr_t>(int64_t{pair.function});
    const Segment *const code = segment_of(begin, 1);
    if (!code || !code->is_executable || !code->is_readable ||
        (!functions_.empty() && begin <= functions_.back().begin))
      return false;
    const uintptr_t last = base_ + code->address + code->memory_size;
    functions_.push_back({begin, last});
    if (i != 0)
      functions_[i - 1].end = std::min(functions_[i - 1].end, begin);
    functions_[i].end = end_of(begin, at + static_cast<uintptr_t>(int64_t{pair.record}), last);
  }
  return true;
}

/// Returns the end that the function's record tells; next if it tells none.
uintptr_t CodeMap::end_of(uintptr_t begin, uintptr_t record, uintptr_t next) const {
  const Segment *const segment = segment_of(record, sizeof(UnwindRecord));
  if (!segment || !segment->is_readable)
    return next;
  const auto known = read<UnwindRecord>(record);
  const uintptr_t named = record + offsetof(UnwindRecord, function) + static_cast<uintptr_t>(int64_t{known.function});
  return named == begin ? std::min<uintptr_t>(next, begin + known.size) : next;
}

const CodeMap::Function *CodeMap::function_at(uintptr_t begin) const {
  const auto found = std::lower_bound(functions_.begin(), functions_.end(), begin,
                                      [](const Function &function, uintptr_t at) { return function.begin < at; });
  return found != functions_.end() && found->begin == begin ? &*found : nullptr;
}

void CodeMap::visit(uintptr_t function, Search &search) const {
  const Function *const found = function_at(function);
  if (!found || search.is_known[static_cast<size_t>(found - functions_.data())])
    return;
  search.is_known[static_cast<size_t>(found - functions_.data())] = true;
  search.to_read.push_back(function);
}

bool CodeMap::is_barrier(uintptr_t place) const {
  if (place % alignof(ident_t) != 0)
    return false;
  const Segment *const segment = segment_of(place, sizeof(ident_t));
  if (!segment || !segment->is_readable || segment->is_executable)
    return false;
  const auto known = read<ident_t>(place);
  return known.reserved_1 == 0 && known.flags == kExplicitBarrier && known.reserved_2 == 0 &&
         segment_of(reinterpret_cast<uintptr_t>(known.psource), 1);
}

void CodeMap::follow_slot(uintptr_t slot, Search &search) const {
  const auto found = slots_.find(slot);
  if (found == slots_.end())
    return;
  if (found->second == kNumThreadsCall)
    search.uses.num_threads = true;
  else
    visit(base_ + found->second, search);
}

/// The target of a call may be a stub of the linker's, which jumps to the address in a slot.
void CodeMap::follow(uintptr_t target, Search &search) const {
  if (target < begin_ || target >= end_)
    return;
  visit(target, search);
  follow_slot(target, search);
  search.uses.barrier = search.uses.barrier || is_barrier(target);
  constexpr size_t kStub = 16;
  const Segment *const segment = segment_of(target, kStub);
  if (!segment || !segment->is_executable || !segment->is_readable)
    return;
  uint8_t stub[kStub];
  std::memcpy(stub, reinterpret_cast<const void *>(target), kStub);
  constexpr uint8_t kEndbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
  size_t at = std::memcmp(stub, kEndbr, sizeof kEndbr) == 0 ? sizeof kEndbr : 0;
  at += stub[at] == 0xf2 ? 1 : 0; // bnd
  if (stub[at] != 0xff || stub[at + 1] != 0x25)
    return;
  const uintptr_t next = target + at + 2 + sizeof(int32_t);
  follow_slot(next + static_cast<uintptr_t>(int64_t{read<int32_t>(next - sizeof(int32_t))}), search);
}

/// Code refers to other code and to constants by their distance from the end of the instruction. An instruction begins
/// anywhere: what is read is the code of those that may refer to something, before the four bytes of the distance.
void CodeMap::read_code(const Function &function, Search &search) const {
  for (uintptr_t at = function.begin + 1; at + sizeof(int32_t) <= function.end; ++at)
    if (refers(at - function.begin < 2 ? 0 : read<uint8_t>(at - 2), read<uint8_t>(at - 1)))
      follow(at + sizeof(int32_t) + static_cast<uintptr_t>(int64_t{read<int32_t>(at)}), search);
}

CodeMap::Uses CodeMap::uses_of(const void *function) {
  if (!is_readable_ || !function_at(reinterpret_cast<uintptr_t>(function)))
    return {true, has_num_threads_};
  if (const auto found = known_.find(function); found != known_.end())
    return found->second;
  Search search{{}, std::vector<bool>(functions_.size()), {}};
  visit(reinterpret_cast<uintptr_t>(function), search);
  while (!search.to_read.empty()) {
    const Function *const next = function_at(search.to_read.back());
    search.to_read.pop_back();
    read_code(*next, search);
  }
  return known_[function] = search.uses;
}

} // namespace omptarget::host
