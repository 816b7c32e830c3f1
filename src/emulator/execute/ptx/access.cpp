// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses: which bytes a lane reaches, with what it must not reach named. A generic address of shared memory or of a stack says
// whose it is (module.h): bits 0 to 23 the offset, 24 to 34 the thread, from 35 the block.

#include <algorithm>
#include <cstdio>

#include "warp.h"

namespace emulator::executor::ptx {

namespace {

constexpr uint64_t kOffsetMask = (uint64_t{1} << 24) - 1;
constexpr unsigned kThreadAt = 24, kBlockAt = 35;
constexpr uint64_t kBlockMask = (uint64_t{1} << 20) - 1;

std::string describe(Access access, uint32_t size) {
  const char *what = is_read(access) ? "reads " : access == Access::kWrite ? "writes " : "changes ";
  return what + std::to_string(size) + " bytes";
}

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "%#llx", static_cast<unsigned long long>(value));
  return text;
}

} // namespace

uint64_t Warp::to_generic(Space space, uint64_t address, unsigned lane) const {
  const uint64_t block = (block_.serial() & kBlockMask) << kBlockAt;
  switch (space) {
  case Space::kShared: return kSharedWindow | block | (address & kOffsetMask);
  case Space::kLocal:
    return kLocalWindow | block | uint64_t{first_thread + lane} << kThreadAt | (address & kOffsetMask);
  case Space::kParam: return kParamWindow | (address & kOffsetMask);
  default: return address;
  }
}

// Memory of another owner stays as it is, and the access says so.
uint64_t Warp::from_generic(Space space, uint64_t address, unsigned lane) const {
  if (space == Space::kGlobal || space == Space::kConst || space == Space::kGeneric)
    return address;
  const uint64_t own = to_generic(space, 0, lane);
  return (address & ~kOffsetMask) == own ? address & kOffsetMask : address;
}

uint8_t *Warp::reach(Space space, uint64_t address, uint32_t size, Access access, unsigned lane) {
  if (log_.is_second())
    return log_.next(size, address);
  reached_ = nullptr;
  uint8_t *const bytes = reach_now(space, address, size, access, lane);
  if (bytes && log_.turn() == AccessLog::Turn::kFirst)
    log_.note(reached_ ? const_cast<uint8_t *>(reached_) : bytes, size, address, access, running_code());
  return bytes;
}

std::optional<uint64_t> Warp::reach_together(Space space, const uint64_t *addresses, uint32_t size, Access access) {
  if (launch_.looks_closely || active_ == 0)
    return std::nullopt;
  const uint64_t first = addresses[__builtin_ctz(active_)];
  uint64_t base = 0, begin = 0, end = 0;
  if (space == Space::kShared) {
    base = reinterpret_cast<uint64_t>(block_.block().shared.data());
    end = block_.block().shared.size();
  } else if (space == Space::kParam && is_read(access)) {
    base = reinterpret_cast<uint64_t>(launch_.dispatch.arguments.data());
    end = launch_.dispatch.arguments.size();
  } else if (space != Space::kLocal && launch_.memory.reach(first, size, !is_read(access))) {
    const MemoryRange *const range = launch_.memory.reached(first, size);
    begin = range ? range->begin : 0;
    end = range ? range->end : 0;
  }
  if (end - begin < size)
    return std::nullopt;
  bool is_fine = true;
  for_lanes(active_, [&](unsigned lane) {
    is_fine &= addresses[lane] - begin <= end - begin - size && (addresses[lane] & (size - 1)) == 0;
  });
  return is_fine ? std::optional(base) : std::nullopt;
}

uint8_t *Warp::reach_now(Space space, uint64_t address, uint32_t size, Access access, unsigned lane) {
  if (address % size != 0) {
    fail(FaultKind::kMemory,
         access == Access::kAtomic ? "an atomic operation changes " + std::to_string(size) +
                                         " bytes at the misaligned address " + hexadecimal(address)
                                   : describe(access, size) + " at the misaligned address " + hexadecimal(address),
         static_cast<int>(lane), address);
    return nullptr;
  }
  const uint64_t window = address & kWindowMask;
  switch (space) {
  case Space::kShared: return reach_shared(address, size, access, lane);
  case Space::kLocal: return reach_stack(address, size, access, lane);
  case Space::kParam: break;
  case Space::kGeneric:
    if (window == kSharedWindow)
      return reach_shared(from_generic(Space::kShared, address, lane), size, access, lane);
    if (window == kLocalWindow)
      return reach_stack(from_generic(Space::kLocal, address, lane), size, access, lane);
    [[fallthrough]];
  default:
    if (window != kParamWindow)
      return reach_global(address, size, access, lane);
    address &= kOffsetMask;
  }
  const auto &arguments = launch_.dispatch.arguments;
  if (is_read(access) && address + size <= arguments.size())
    return const_cast<uint8_t *>(arguments.data()) + address;
  fail(FaultKind::kMemory,
       describe(access, size) + " of the kernel's parameters at " + hexadecimal(address) + "; the launch passed " +
           std::to_string(arguments.size()) + " bytes",
       static_cast<int>(lane), address);
  return nullptr;
}

// Names an address of other memory that the code takes for one of shared memory or of the stack. Programs cannot do
// that by themselves without a cast of the address space; compilers have done it.
std::string Warp::describe_stranger(uint64_t address, Space space) {
  const uint64_t window = address & kWindowMask;
  const bool is_global = launch_.memory.reach(address, 1, false) != nullptr;
  const bool is_others = (window == kSharedWindow && space != Space::kShared) ||
                         (window == kLocalWindow && space != Space::kLocal) || window == kParamWindow;
  if (!is_global && !is_others)
    return {};
  const std::string variable = launch_.module.variable_at(address);
  return std::string("; that is an address of ") +
         (is_global                 ? "global memory"
          : window == kSharedWindow ? "shared memory"
          : window == kLocalWindow  ? "a stack"
                                    : "parameters") +
         (variable.empty() ? "" : " (" + variable + ")") +
         ": if the source has no such cast, the compiler is wrong (docs/use/compiler-faults.md)";
}

// Atomic operations on 1 or 2 bytes become some of these, on the word around them.
bool Warp::may_be_wider(uint32_t size, Access access) const {
  if (size != kWordSize)
    return false;
  if (is_read(access))
    return at_->begins_exchange;
  const auto has_word = [this](const char *word) { return at_->text.find(word) != std::string_view::npos; };
  return access == Access::kAtomic && (has_word(".cas.") || has_word(".and.") || has_word(".or.") || has_word(".xor."));
}

uint8_t *Warp::reach_shared(uint64_t offset, uint32_t size, Access access, unsigned lane) {
  auto &shared = block_.block().shared; // has room for a whole word at its end
  if (offset < shared.size() && (size <= shared.size() - offset || may_be_wider(size, access))) {
    if (!launch_.schedule.finds_races || access == Access::kAtomic || at_->begins_exchange)
      return &shared[offset];
    const std::string before =
        block_.block().uses->note(offset, size, access == Access::kWrite, first_thread + lane, &shared[offset]);
    if (before.empty())
      return &shared[offset];
    const std::string text = describe(access, size) + " of shared memory at " + hexadecimal(offset) + ", which " +
                             before + " since the last barrier";
    const bool goes_on = goes_on_behind({FaultKind::kMemory, text, offset, static_cast<int>(lane), 0, {}, "race"});
    return goes_on ? &shared[offset] : nullptr;
  }
  const bool is_anothers =
      (offset & kWindowMask) == kSharedWindow && (offset & ~kOffsetMask) != to_generic(Space::kShared, 0, lane);
  fail(FaultKind::kMemory,
       describe(access, size) + (is_anothers ? " of another block's shared memory at " : " of shared memory at ") +
           hexadecimal(offset) + "; the launch asked for " + std::to_string(shared.size()) + " bytes" +
           describe_stranger(offset, Space::kShared),
       static_cast<int>(lane), offset);
  return nullptr;
}

uint8_t *Warp::reach_stack(uint64_t offset, uint32_t size, Access access, unsigned lane) {
  if (offset < stack_size_ && size <= stack_size_ - offset)
    return stack(lane, static_cast<uint32_t>(offset));
  const bool is_anothers = (offset & kWindowMask) == kLocalWindow;
  const uint64_t thread = offset >> kThreadAt & 0x7FF;
  fail(FaultKind::kMemory,
       describe(access, size) +
           (is_anothers ? " of the stack of thread " + std::to_string(thread) + " of a block at "
                        : " of its stack at ") +
           hexadecimal(offset) + "; the launch asked for " + std::to_string(stack_size_) + " bytes" +
           describe_stranger(offset, Space::kLocal),
       static_cast<int>(lane), offset);
  return nullptr;
}

uint8_t *Warp::reach_weak(uint64_t address, uint32_t size, Access access) {
  const bool is_hosts = access == Access::kWrite && launch_.memory.is_hosts(address);
  uint8_t *const place = launch_.weak->reach(view, address, size, access, value_, is_hosts);
  if (access == Access::kAtomic)
    rest = std::max(rest, launch_.weak->rest());
  return place;
}

// Looks at plain accesses to memory that only the device changes.
bool Warp::is_race(uint64_t address, uint32_t size, Access access, unsigned lane, const uint8_t *bytes) {
  Block &block = block_.block();
  const bool is_plain = !at_->begins_exchange && (access == Access::kRead || access == Access::kFixedRead ||
                                                  (access == Access::kWrite && !at_->is_strong));
  const bool is_atomic = access == Access::kAtomic;
  if (!block.global_uses)
    return false;
  const bool is_hosts = launch_.memory.is_hosts(address);
  if (is_hosts && !is_plain)
    block.global_uses->see_all(block.order);
  else if (!is_plain)
    block.global_uses->synchronise(block.order, address, size, access != Access::kWrite, access != Access::kStrongRead);
  if (is_hosts || (!is_plain && !is_atomic))
    return false;
  const GlobalUse use{.team = &block.order,
                      .block = block.index,
                      .wave = first_thread / kLanes,
                      .thread = first_thread + lane,
                      .code = running_code(),
                      .writes = !is_read(access),
                      .is_atomic = is_atomic};
  const auto earlier = block.global_uses->note(address, size, use, bytes, value_);
  if (!earlier)
    return false;
  const std::string text = describe(access, size) + " at " + hexadecimal(address) + describe_race(*earlier);
  return !goes_on_behind(
      {FaultKind::kMemory, text, address, static_cast<int>(lane), earlier->code, "the other access", "race"});
}

uint8_t *Warp::reach_global(uint64_t address, uint32_t size, Access access, unsigned lane) {
  uint8_t *bytes = launch_.memory.reach(address, size, !is_read(access));
  if (!bytes && may_be_wider(size, access))
    bytes = launch_.memory.reach_word(address);
  if (bytes && is_race(address, size, access, lane, bytes))
    return nullptr;
  if (bytes)
    return launch_.weak ? reached_ = bytes, reach_weak(address, size, access) : bytes;
  const bool may_read = launch_.memory.reach(address, size, false) != nullptr;
  fail(FaultKind::kMemory,
       describe(access, size) + " at " + hexadecimal(address) +
           (may_read ? ", which it may only read"
                     : ", which are in no allocation that this device reaches" + launch_.memory.near(address)),
       static_cast<int>(lane), address);
  return nullptr;
}

} // namespace emulator::executor::ptx
