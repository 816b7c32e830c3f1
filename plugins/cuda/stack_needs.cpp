// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of kernels of cubins: .nv.info has a frame for each function and a size for each kernel; .nv.callgraph has
// the calls.

#include "cuda/stack_needs.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <vector>

namespace omptarget::cuda {

namespace {

constexpr uint8_t kFormatBytes = 4; // form of a record of .nv.info that states its size; others have no payload
constexpr uint8_t kFrameSize = 0x11;
constexpr uint8_t kStackSize = 0x12;
constexpr uint32_t kUnknown = 0xffffffff;

using Symbol = uint32_t; // its number in .symtab

uint32_t word_at(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  if (at <= bytes.size() && bytes.size() - at >= sizeof(word))
    std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

std::string_view contents_of(const ElfImage &elf, std::string_view name) {
  for (const ElfSection &section : elf.sections())
    if (section.name == name)
      return section.contents;
  return {};
}

struct Frames {
  std::unordered_map<Symbol, uint32_t> bytes;
  std::vector<Symbol> unknown; ///< kernels without a size
};

Frames read_frames(std::string_view info) {
  Frames frames;
  constexpr size_t kHead = 4;
  constexpr size_t kPair = 8; // bytes of a symbol and a size
  while (info.size() >= kHead) {
    const uint8_t format = static_cast<uint8_t>(info[0]);
    const uint8_t attribute = static_cast<uint8_t>(info[1]);
    const size_t size = format == kFormatBytes ? word_at(info, 0) >> 16 : 0;
    if (size > info.size() - kHead)
      break;
    if (size == kPair && attribute == kFrameSize)
      frames.bytes[word_at(info, kHead)] = word_at(info, kHead + 4);
    if (size == kPair && attribute == kStackSize && word_at(info, kHead + 4) == kUnknown)
      frames.unknown.push_back(word_at(info, kHead));
    info.remove_prefix(kHead + size);
  }
  return frames;
}

/// The calls. Rows of two words; (0, -n) begins part n: 1 calls by name, 2 functions whose address somebody takes,
/// 3 functions that call by an address.
struct Calls {
  std::unordered_map<Symbol, std::vector<Symbol>> by_name;
  std::unordered_map<Symbol, bool> call_addresses;
  std::vector<Symbol> with_address;
};

Calls read_calls(std::string_view graph) {
  Calls calls;
  uint32_t part = 0;
  for (size_t at = 0; graph.size() - at >= 8; at += 8) {
    const Symbol caller = word_at(graph, at);
    const uint32_t value = word_at(graph, at + 4);
    if (caller == 0)
      part = 0 - value;
    else if (part == 1)
      calls.by_name[caller].push_back(value);
    else if (part == 2)
      calls.with_address.push_back(caller);
    else if (part == 3)
      calls.call_addresses[caller] = true;
  }
  return calls;
}

/// The largest frame of the functions that a kernel may call.
uint32_t largest_frame(Symbol kernel, const Frames &frames, const Calls &calls) {
  uint32_t largest = 0;
  std::unordered_map<Symbol, bool> seen;
  std::vector<Symbol> next = {kernel};
  bool has_addresses = false;
  while (!next.empty()) {
    const Symbol function = next.back();
    next.pop_back();
    if (!seen.emplace(function, true).second)
      continue;
    const auto frame = frames.bytes.find(function);
    if (function != kernel && frame != frames.bytes.end())
      largest = std::max(largest, frame->second);
    if (const auto called = calls.by_name.find(function); called != calls.by_name.end())
      next.insert(next.end(), called->second.begin(), called->second.end());
    if (!has_addresses && calls.call_addresses.contains(function)) {
      next.insert(next.end(), calls.with_address.begin(), calls.with_address.end());
      has_addresses = true;
    }
  }
  return largest;
}

} // namespace

StackNeeds StackNeeds::of_cubin(const ElfImage &elf) {
  StackNeeds needs;
  const Frames frames = read_frames(contents_of(elf, ".nv.info"));
  if (frames.unknown.empty())
    return needs;
  const Calls calls = read_calls(contents_of(elf, ".nv.callgraph"));
  std::unordered_map<Symbol, std::string_view> names;
  for (const ElfSymbol &symbol : elf.symbols())
    if (symbol.type == STT_FUNC)
      names.emplace(symbol.number, symbol.name);
  for (const Symbol kernel : frames.unknown) {
    const auto name = names.find(kernel);
    if (name == names.end())
      continue;
    const auto own = frames.bytes.find(kernel);
    const uint64_t bytes =
        kNestedCalls * largest_frame(kernel, frames, calls) + (own == frames.bytes.end() ? 0 : own->second);
    needs.needs_.emplace(name->second, std::max(bytes, kLeastUnknownStack));
  }
  return needs;
}

uint64_t StackNeeds::of(std::string_view kernel) const {
  if (needs_.empty())
    return 0;
  const auto found = needs_.find(std::string(kernel));
  return found == needs_.end() ? 0 : found->second;
}

} // namespace omptarget::cuda
