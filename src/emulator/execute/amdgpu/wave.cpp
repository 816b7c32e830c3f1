// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See wave.h.

#include "wave.h"

#include "exchange.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace emulator::executor::amdgpu {

namespace {

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%#llx", static_cast<unsigned long long>(value));
  return text;
}

// Those that the kernel has: instructions that name others are faults.
unsigned registers_of(const RegisterCounts &counts) {
  return counts.accumulators != 0 ? kAccumulators + counts.accumulators : counts.vectors;
}

const char *verb(Access kind) { return is_read(kind) ? "reads" : kind == Access::kWrite ? "writes" : "changes"; }

std::string access_text(Access kind, uint32_t size, const char *what, uint64_t address) {
  return std::string(verb(kind)) + " " + std::to_string(size) + " bytes " + what + " " + hex(address);
}

} // namespace

// Registers and private memory hold garbage that the seed decides.
AmdWave::AmdWave(const LaunchContext &context, Block &block, Random &random)
    : context_(context), block_(block), lanes_(context.processor.lanes), scalars_(kScalarRegisters),
      vectors_(size_t{registers_of(context.registers)} * lanes_), private_(size_t{context.private_size} * lanes_) {
  const uint64_t garbage = random.next();
  for (size_t i = 0; i < scalars_.size(); ++i)
    scalars_[i] = static_cast<uint32_t>(garbage * (2 * i + 3) >> 32) | 0x80000001;
  for (size_t i = 0; i < vectors_.size(); ++i)
    vectors_[i] = static_cast<uint32_t>((garbage + i) * 0x9E3779B97F4A7C15 >> 32) | 0x80000001;
  std::ranges::fill(private_, static_cast<decltype(private_)::value_type>(0xA0 | (garbage & 15)));
  fresh_private_ = std::make_unique<FreshBytes>(private_.data(), private_.size());
  if (context.weak)
    context.weak->begin(view, block.view);
}

void AmdWave::set_scalar64(unsigned index, uint64_t value) {
  set_scalar(index, static_cast<uint32_t>(value));
  if (index != kNull)
    set_scalar(index + 1, static_cast<uint32_t>(value >> 32));
}

void AmdWave::set_mask(unsigned index, uint64_t value) {
  if (lanes_ == 64)
    set_scalar64(index, value);
  else
    set_scalar(index, static_cast<uint32_t>(value));
}

std::string AmdWave::may_not_end() const {
  const Extent &threads = block_.threads;
  const uint64_t lanes = std::min<uint64_t>(lanes_, count(threads) - first_thread);
  const uint64_t all = lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1, active = exec();
  if (active == 0 || active == all)
    return {};
  return "; only lanes " + name_lanes(active) + " of the wave's " + name_lanes(all) +
         " go on here. The others wait until these come to them, so these must not wait for the others: AMD's GPUs do "
         "not let lanes of a wave go on by turns";
}

// ---- Operands

uint32_t AmdWave::scalar_source(const Operand &operand) {
  switch (operand.kind) {
  case OperandKind::kScalar: return scalar(operand.index);
  case OperandKind::kInteger: return static_cast<uint32_t>(operand.bits);
  case OperandKind::kFloat: return __builtin_bit_cast(uint32_t, static_cast<float>(operand.number));
  case OperandKind::kScc: return scc;
  case OperandKind::kExecIsZero: return exec() == 0;
  case OperandKind::kVccIsZero: return mask(kVcc) == 0;
  case OperandKind::kOff: return 0;
  case OperandKind::kVector: // of v_readfirstlane and the like, which ask for it by source32
  case OperandKind::kSharedBase:
  case OperandKind::kPrivateBase:
  case OperandKind::kText: break;
  }
  unsupported("an operand that is no scalar of 32 bits");
  return 0;
}

uint64_t AmdWave::scalar_source64(const Operand &operand, bool is_signed) {
  switch (operand.kind) {
  case OperandKind::kScalar:
    return operand.registers == 1 && operand.index != kNull ? (unsupported("one register where two are read"), 0)
                                                            : (operand.index == kNull ? 0 : scalar64(operand.index));
  case OperandKind::kInteger: // a literal has 32 bits
    if (operand.is_literal)
      return is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(operand.bits)})
                       : static_cast<uint64_t>(operand.bits) & 0xFFFFFFFF;
    return static_cast<uint64_t>(operand.bits);
  case OperandKind::kFloat: return __builtin_bit_cast(uint64_t, operand.number);
  case OperandKind::kSharedBase: return uint64_t{kSharedAperture} << 32;
  case OperandKind::kPrivateBase: return uint64_t{kPrivateAperture} << 32;
  default: return scalar_source(operand);
  }
}

void AmdWave::write_scalar(const Operand &operand, uint32_t value) {
  if (operand.kind != OperandKind::kScalar)
    return unsupported("a result that is no scalar register");
  set_scalar(operand.index, value);
}

void AmdWave::write_scalar64(const Operand &operand, uint64_t value) {
  if (operand.kind != OperandKind::kScalar || (operand.registers != 2 && operand.index != kNull))
    return unsupported("a result that is no pair of scalar registers");
  set_scalar64(operand.index, value);
}

uint64_t AmdWave::mask_source(const Operand &operand) {
  if (operand.kind == OperandKind::kScalar)
    return mask(operand.index);
  return lanes_ == 64 ? scalar_source64(operand) : scalar_source(operand);
}

void AmdWave::write_mask(const Operand &operand, uint64_t value) {
  if (operand.kind != OperandKind::kScalar)
    return unsupported("a mask that is no scalar register");
  set_mask(operand.index, value);
}

const uint32_t *AmdWave::source32(const Operand &operand, uint32_t *buffer) {
  if (operand.kind == OperandKind::kVector)
    return vector(operand.index);
  uint32_t value = 0;
  if (operand.kind == OperandKind::kSharedBase || operand.kind == OperandKind::kPrivateBase)
    value = operand.kind == OperandKind::kSharedBase ? kSharedAperture : kPrivateAperture; // the upper half
  else
    value = scalar_source(operand);
  for (unsigned lane = 0; lane < lanes_; ++lane)
    buffer[lane] = value;
  return buffer;
}

void AmdWave::source64(const Operand &operand, uint64_t *buffer, bool is_float, bool is_signed) {
  if (operand.kind == OperandKind::kVector) {
    if (operand.registers != 2)
      return unsupported("a vector operand that is not 64 bits wide");
    const uint32_t *low = vector(operand.index), *high = vector(operand.index + 1u);
    for (unsigned lane = 0; lane < lanes_; ++lane)
      buffer[lane] = low[lane] | uint64_t{high[lane]} << 32;
    return;
  }
  // A literal is the upper half of a float.
  const uint64_t value = operand.kind == OperandKind::kInteger && operand.is_literal && is_float
                             ? static_cast<uint64_t>(operand.bits) << 32
                             : scalar_source64(operand, is_signed);
  for (unsigned lane = 0; lane < lanes_; ++lane)
    buffer[lane] = value;
}

// ---- Memory

bool AmdWave::is_misaligned(uint64_t address, uint32_t size, Access kind, int lane) {
  if (kind != Access::kAtomic || address % size == 0)
    return false;
  fail(FaultKind::kMemory, "an atomic operation " + access_text(kind, size, "at the misaligned address", address), lane,
       address);
  return true;
}

// Returns whether the load at pc_ begins a loop with a compare-and-swap of the same place.
bool AmdWave::begins_exchange() {
  std::string reason;
  const Instruction *const load = context_.code->at(pc_, reason);
  if (!load)
    return false;
  uint8_t known = __atomic_load_n(&load->begins_exchange, __ATOMIC_RELAXED);
  if (known == 0) {
    known = find_exchange_behind(*context_.code, *load, pc_, *this) ? 1 : 2;
    __atomic_store_n(&load->begins_exchange, known, __ATOMIC_RELAXED);
  }
  return known == 1;
}

// Atomic operations on 1 or 2 bytes become some of these, on the word around them.
bool AmdWave::may_be_wider(uint32_t size, Access kind) {
  if (size != kWordSize || kind == Access::kWrite)
    return false;
  if (is_read(kind))
    return begins_exchange();
  std::string reason;
  const Instruction *const instruction = context_.code->at(pc_, reason);
  const auto has_word = [&](const char *word) { return instruction->name.find(word) != std::string::npos; };
  return instruction && (has_word("_cmp") || has_word("_and") || has_word("_or") || has_word("_xor"));
}

// A plain store may be an atomic one of relaxed order. Atomic operations and strong loads are taken to be acquires of
// the team, as these have no instruction.
bool AmdWave::is_race(uint64_t address, uint32_t size, Access kind, int lane, const uint8_t *bytes) {
  if (!block_.global_uses)
    return false;
  const bool is_atomic = kind == Access::kAtomic;
  const bool is_hosts = context_.memory->is_hosts(address);
  if (kind == Access::kRead && begins_exchange())
    kind = Access::kStrongRead;
  if (is_atomic || kind == Access::kStrongRead) {
    const uint64_t until = is_hosts ? block_.global_uses->see_all(block_.order)
                                    : block_.global_uses->synchronise(block_.order, address, size, true, is_atomic);
    block_.global_uses->order_wave(block_.order, first_thread / lanes_, until);
  }
  if (kind == Access::kStrongRead || is_hosts)
    return false;
  const uint32_t thread = first_thread + static_cast<uint32_t>(std::max(lane, 0)); // a scalar load is the wave's
  const GlobalUse use{.team = &block_.order,
                      .block = block_.index,
                      .wave = thread / lanes_,
                      .thread = thread,
                      .code = pc_,
                      .writes = !is_read(kind),
                      .is_atomic = is_atomic,
                      .may_be_atomic = true};
  const auto earlier = block_.global_uses->note(address, size, use, bytes, value_);
  if (!earlier)
    return false;
  return !goes_on_behind({FaultKind::kMemory, access_text(kind, size, "at", address) + describe_race(*earlier), address,
                          lane, earlier->code, "the other access", "race"});
}

uint8_t *AmdWave::noted(uint8_t *bytes, uint64_t address, uint32_t size, Access kind) {
  if (bytes && log_.turn() == AccessLog::Turn::kFirst)
    log_.note(bytes, size, address, kind, pc_);
  return bytes;
}

uint8_t *AmdWave::global_memory(uint64_t address, uint32_t size, Access kind, int lane) {
  if (log_.is_second())
    return log_.next(size, address);
  uint8_t *const place = reach_global(address, size, kind, lane);
  if (place)
    noted(reinterpret_cast<uint8_t *>(address), address, size, kind);
  return place;
}

uint8_t *AmdWave::shared_memory(uint64_t offset, uint32_t size, Access kind, int lane) {
  return log_.is_second() ? log_.next(size, offset) : noted(reach_shared(offset, size, kind, lane), offset, size, kind);
}

uint8_t *AmdWave::private_memory(uint64_t offset, uint32_t size, Access kind, int lane) {
  return log_.is_second() ? log_.next(size, offset)
                          : noted(reach_private(offset, size, kind, lane), offset, size, kind);
}

uint8_t *AmdWave::reach_global(uint64_t address, uint32_t size, Access kind, int lane) {
  if (is_misaligned(address, size, kind, lane))
    return nullptr;
  reached_address_ = address;
  uint8_t *bytes = context_.memory->reach(address, size, !is_read(kind));
  if (!bytes && may_be_wider(size, kind))
    bytes = context_.memory->reach_word(address);
  if (bytes)
    return is_race(address, size, kind, lane, bytes) ? nullptr
           : context_.weak                           ? weak_memory(address, size, kind)
                                                     : bytes;
  const bool may_read = !is_read(kind) && context_.memory->reach(address, size, false);
  fail(FaultKind::kMemory,
       access_text(kind, size, "at", address) +
           (may_read ? ", which it may only read"
                     : ", which are in no allocation that this device reaches" + context_.memory->near(address)),
       lane, address);
  return nullptr;
}

uint8_t *AmdWave::weak_memory(uint64_t address, uint32_t size, Access kind) {
  const bool is_hosts = kind == Access::kWrite && context_.memory->is_hosts(address);
  uint8_t *const place = context_.weak->reach(view, address, size, kind, value_, is_hosts);
  if (kind == Access::kAtomic)
    rest = std::max(rest, context_.weak->rest());
  return place;
}

uint8_t *AmdWave::flat_memory(uint64_t address, uint32_t size, Access kind, int lane) {
  reached_address_ = address;
  if (address >> 32 == kSharedAperture)
    return shared_memory(address & 0xFFFFFFFF, size, kind, lane);
  if (address >> 32 == kPrivateAperture)
    return private_memory(address & 0xFFFFFFFF, size, kind, lane);
  return global_memory(address, size, kind, lane);
}

uint8_t *AmdWave::reach_shared(uint64_t offset, uint32_t size, Access kind, int lane) {
  if (is_misaligned(offset, size, kind, lane))
    return nullptr;
  auto &shared = block_.shared; // has room for a whole word at its end
  const bool is_inside = offset <= shared.size() && size <= shared.size() - offset;
  if (is_inside || (offset < shared.size() && may_be_wider(size, kind))) {
    has_read_shared_ |= kind != Access::kWrite;
    if (kind == Access::kAtomic)
      order_accesses(false);
    if (!block_.uses || kind == Access::kAtomic || (kind == Access::kRead && begins_exchange()))
      return shared.data() + offset;
    const uint32_t thread = first_thread + static_cast<uint32_t>(lane);
    const std::string before = block_.uses->note(offset, size, kind == Access::kWrite, thread, shared.data() + offset);
    if (before.empty())
      return shared.data() + offset;
    const std::string text =
        access_text(kind, size, "of shared memory at", offset) + ", which " + before + " since the last barrier";
    return goes_on_behind({FaultKind::kMemory, text, offset, lane, 0, {}, "race"}) ? shared.data() + offset : nullptr;
  }
  fail(FaultKind::kMemory,
       access_text(kind, size, "of shared memory at", offset) + "; the launch asked for " +
           std::to_string(shared.size()) + " bytes",
       lane, offset);
  return nullptr;
}

uint8_t *AmdWave::reach_private(uint64_t offset, uint32_t size, Access kind, int lane) {
  if (is_misaligned(offset, size, kind, lane))
    return nullptr;
  if (offset <= context_.private_size && size <= context_.private_size - offset)
    return private_.data() + static_cast<size_t>(lane) * context_.private_size + offset;
  fail(FaultKind::kMemory,
       access_text(kind, size, "of its stack at", offset) + "; the launch asked for " +
           std::to_string(context_.private_size) + " bytes",
       lane, offset);
  return nullptr;
}

// ---- Execution

void AmdWave::trace(const Instruction &instruction) const {
  std::fprintf(stderr, "executor: block %u wave of thread %u exec %#llx: %#llx %s\n", block_.index[0], first_thread,
               static_cast<unsigned long long>(exec()), static_cast<unsigned long long>(pc_), instruction.text.c_str());
}

// Two instructions that are issued as one read before either writes.
uint32_t *AmdWave::vector_behind(const Operand &operand, uint32_t distance) {
  const uint64_t index = uint64_t{operand.index} + distance;
  if (operand.kind == OperandKind::kVector && operand.registers == 1 && has_vector(static_cast<unsigned>(index)) &&
      index < (operand.index < kAccumulators ? context_.registers.vectors : uint64_t{kVectorRegisters}))
    return vector(static_cast<unsigned>(index));
  fail(FaultKind::kProgram, "takes the register " + std::to_string(distance) + " behind v" +
                                std::to_string(operand.index) + "; the kernel's descriptor states " +
                                std::to_string(context_.registers.vectors) + " vector registers");
  return nullptr;
}

void AmdWave::execute(const Instruction &instruction) {
  if (index_mode != 0 && instruction.name.starts_with("v_") && instruction.name != "v_mov_b32")
    return unsupported("an instruction whose registers M0 chooses");
  instruction.handler(*this, instruction);
  if (!instruction.second || has_failed())
    return;
  const Operand &result = instruction.operands[0];
  if (result.kind != OperandKind::kVector || result.registers != 1)
    return unsupported("this pair of instructions");
  uint32_t first[kMostLanes];
  std::memcpy(first, vector(result.index), lanes_ * sizeof(uint32_t));
  std::memcpy(vector(result.index), dual_, lanes_ * sizeof(uint32_t));
  instruction.second->handler(*this, *instruction.second);
  for (unsigned lane = 0; lane < lanes_; ++lane)
    if (exec() >> lane & 1)
      vector(result.index)[lane] = first[lane];
}

// Functions that are called through a pointer may want more than the kernel that calls them has. Hardware takes other registers then.
bool AmdWave::has_registers(const Instruction &instruction) {
  const RegisterCounts &used = instruction.touched, &own = context_.registers;
  const auto check = [&](uint16_t last, uint16_t count, const char *letter, const char *kind) {
    if (last > count)
      fail(FaultKind::kProgram, "uses " + (letter + std::to_string(last - 1)) + "; the kernel's descriptor states " +
                                    std::to_string(count) + " " + kind + " registers: " + instruction.text);
    return last <= count;
  };
  return check(used.vectors, own.vectors, "v", "vector") &&
         check(used.accumulators, own.accumulators, "a", "accumulation") &&
         check(used.scalars, own.scalars, "s", "scalar");
}

// Carries the instruction at pc_ out.
void AmdWave::step(const Instruction &instruction) {
  last_pc_ = pc_;
  next_pc = pc_ + instruction.size;
  if (instruction.second && instruction.operands[0].kind == OperandKind::kVector)
    std::memcpy(dual_, vector(instruction.operands[0].index), lanes_ * sizeof(uint32_t));
  if (context_.breakpoint && is_observed()) {
    observe(instruction);
  } else {
    observed_line_ = 0;
    carry_out(instruction);
  }
  if (fault && fault->kind == FaultKind::kUnsupported)
    fault->text += ": " + instruction.text;
  if (!has_failed())
    pc_ = next_pc;
}

uint64_t AmdWave::run(uint64_t most) {
  uint64_t executed = 0;
  std::string reason;
  is_long_turn_ = context_.has_long_turns && most > context_.quantum;
  if (context_.compiled && context_.memory->forget_old())
    context_.compiled->reached.assign(context_.compiled->reached.size(), {});
  while ((executed < most || (is_long_turn_ && !ended_block_)) && rest == 0 && state == WaveState::kReady) {
    if (context_.compiled)
      if (const uint64_t ran = index_mode != 0 ? 0 : run_compiled(static_cast<int64_t>(most - executed))) {
        executed += ran;
        continue;
      }
    const Instruction *instruction = context_.code->at(pc_, reason);
    if (!instruction) { // what jumped there is more telling
      if (last_pc_ != 0)
        pc_ = last_pc_;
      fail(FaultKind::kProgram, reason);
      break;
    }
    if (!instruction->handler) {
      fail(FaultKind::kUnsupported, instruction->reason + ": " + instruction->text);
      break;
    }
    if (context_.traces)
      trace(*instruction);
    if (!has_registers(*instruction))
      break;
    step(*instruction);
    ++executed;
    ended_block_ = instruction->ends_block;
    if (instruction->ends_block && segment_)
      segment_->add_start(pc_);
  }
  if (context_.weak)
    context_.weak->advance(executed);
  return executed;
}

} // namespace emulator::executor::amdgpu
