// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and shuffles (PTX ISA 9.7.9).

#include <algorithm>
#include <cstddef>

#include "translator.h"

namespace emulator::executor::ptx {

// Threads of the host run blocks, but no part of one.
bool Translator::fence(Opcode &opcode, const Instruction &i) {
  if (std::max(i.releases, i.acquires) >= Scope::kDevice)
    b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  return do_nothing(opcode, i);
}
bool Translator::do_nothing(Opcode &opcode, const Instruction &) {
  opcode = Opcode(opcode.name());
  return true;
}

bool Translator::shuffle(Opcode &opcode, const Instruction &i) {
  const auto segment = constant(i.operands[3]), members = constant(i.operands[4]);
  if (!is_full_ || is_guarded(i) || !opcode.take("sync") || !segment || !members ||
      static_cast<uint32_t>(*members) != kAllLanes)
    return false;
  const bool is_up = opcode.take("up"), is_down = opcode.take("down"), is_butterfly = opcode.take("bfly");
  if ((!is_up && !is_down && !is_butterfly && !opcode.take("idx")) || opcode.take_type() != Type::kB32)
    return false;
  Value *const a = source(i.operands[1], 32), *by = source(i.operands[2], 32);
  if (!a || !by)
    return false;
  by = b_.CreateAnd(by, number(32, 31));
  const uint32_t segments = *segment >> 8 & 31, clamp = *segment & 31;
  Value *const lane = resize(counting(1), 32), *const first = b_.CreateAnd(lane, number(32, segments)),
               *const last = b_.CreateOr(first, number(32, clamp & ~segments & 31));
  Value *from = is_up          ? b_.CreateSub(lane, by)
                : is_down      ? b_.CreateAdd(lane, by)
                : is_butterfly ? b_.CreateXor(lane, by)
                               : b_.CreateOr(first, b_.CreateAnd(by, number(32, ~segments & 31)));
  Value *const is_within = is_up ? b_.CreateICmpSGE(from, last) : b_.CreateICmpULE(from, last);
  from = resize(b_.CreateSelect(is_within, from, lane), 64);
  b_.CreateAlignedStore(a, values_, llvm::Align(8));
  Value *const places = b_.CreateGEP(b_.getInt32Ty(), values_, from);
  Value *const result = b_.CreateMaskedGather(vector(32), places, llvm::Align(4), number(1, 1), number(32, 0));
  return set(i, i.operands[0], result) && (i.elements.empty() || set(i, i.elements[0], is_within));
}

// ---- Loads and stores

// Returns the offsets of this access and of those behind it in the block that have the same base.
Translator::Reach Translator::find_group(const Access &access) const {
  const Operand &base = access.address();
  Reach group = begin_group(access);
  if (base.kind != Kind::kRegister || is_guarded(access.i))
    return group;
  const auto is_base = [&](const Operand &one) { return one.kind == Kind::kRegister && one.index == base.index; };
  for (uint32_t place = access.place; place <= liveness_.block_of(access.place).last; ++place) {
    const Instruction &one = function_.code[place];
    const bool is_load = is_opcode(one, "ld"), is_store = is_opcode(one, "st");
    if ((access.is_load ? is_load : is_store) && one.space == access.i.space && is_base(one.operands[is_load]) &&
        !is_guarded(one) && one.type != Type::kF16)
      group.add(one.offset, size_of(one.type) * one.width, size_of(one.type) * one.width);
    if (!is_store && (is_base(one.operands[0]) || std::any_of(one.elements.begin(), one.elements.end(), is_base)))
      break;
  }
  return group;
}

AccessBuilder::Memory Translator::find_memory(Space space) {
  const auto memory = [&](size_t bytes, size_t size) {
    return Memory{.bytes = pointer_field(bytes),
                  .begin = b_.getInt64(0),
                  .size = number_field(size),
                  .number = accesses_,
                  .is_small = space == Space::kShared};
  };
  switch (space) {
  case Space::kShared: return memory(offsetof(CompiledState, shared), offsetof(CompiledState, shared_size));
  case Space::kLocal: return memory(offsetof(CompiledState, stack), offsetof(CompiledState, stack_size));
  case Space::kParam: return memory(offsetof(CompiledState, arguments), offsetof(CompiledState, arguments_size));
  default: return reached_memory(pointer_field(offsetof(CompiledState, reached)), accesses_++);
  }
}

// Checks bounds and alignment, once for all accesses of the block that have this base.
const AccessBuilder::Reach &Translator::reach(const Access &access) {
  const Operand &base = access.address();
  const bool has_others = base.kind == Kind::kRegister && !is_guarded(access.i);
  const auto key = std::make_tuple(has_others ? read_register(base) : nullptr, access.i.space, access.is_load);
  if (const auto found = reaches_.find(key); has_others && found != reaches_.end() && found->second.has(access))
    return found->second;
  Reach reach = find_group(access);
  check(access, find_memory(access.i.space), reach);
  return reaches_.insert_or_assign(key, reach).first->second;
}

// The interpreter's own access, which leaves the part if it fails. Returns the results.
std::vector<llvm::Value *> Translator::access_slowly(const Access &access, const Reach &reach) {
  b_.CreateAlignedStore(b_.CreateAdd(access.base, number(64, static_cast<uint64_t>(access.i.offset))), addresses_,
                        llvm::Align(8));
  const auto row = [&](unsigned n) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), values_, uint64_t{n} * kLanes * 8);
  };
  for (unsigned n = 0; n < access.values.size(); ++n)
    b_.CreateAlignedStore(resize(access.values[n], 64), row(n), llvm::Align(8));
  llvm::Type *const pointer = b_.getPtrTy(), *const i32 = b_.getInt32Ty();
  const auto call = &ptx::access_slowly;
  Value *const goes_on = b_.CreateCall(
      llvm::FunctionType::get(b_.getInt8Ty(), {pointer, i32, i32, i32, pointer, pointer}, false),
      b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(call)), pointer),
      {state_, b_.getInt32(access.place), b_.getInt32(reach.number), access.mask_bits, addresses_, values_});
  llvm::BasicBlock *const went = new_block("went"), *const failed = new_block("failed");
  branch_likely(b_.CreateICmpNE(b_.CreateAnd(goes_on, b_.getInt8(1)), b_.getInt8(0)), went, failed);
  b_.SetInsertPoint(failed);
  leave(access.place, CompiledState::Outcome::kFailed);
  b_.SetInsertPoint(went);
  std::vector<Value *> results;
  for (unsigned n = 0; access.is_load && n < access.i.width; ++n)
    results.push_back(resize(b_.CreateAlignedLoad(row_type(), row(n), llvm::Align(8)), 8 * access.size));
  return results;
}

bool Translator::access(const Instruction &i, uint32_t place, bool is_load) {
  if (i.type == Type::kF16 || (i.space == Space::kParam && !is_load))
    return false;
  Access access{{.is_load = is_load, .size = size_of(i.type), .width = i.width, .offset = i.offset}, i, place};
  access.align = access.whole();
  access.is_by_lane = i.space == Space::kLocal;
  const unsigned bits = 8 * access.size;
  const std::vector<Operand> elements = i.width == 1 ? std::vector{i.operands[is_load ? 0 : 1]} : i.elements;
  for (const Operand &one : elements)
    if (is_load && (one.kind != Kind::kRegister || one.bits == 1 || one.bits < bits))
      return false;
  for (const Operand &one : elements) {
    if (is_load)
      break;
    access.values.push_back(source(one, bits));
    if (!access.values.back())
      return false;
  }
  access.base = source(access.address(), 64);
  if (!access.base)
    return false;
  access.is_uniform = is_load && i.space != Space::kLocal &&
                      (access.address().kind == Kind::kConstant || access.address().kind == Kind::kShared);
  access.is_all = is_full_ && !is_guarded(i);
  access.mask = is_guarded(i) ? b_.CreateAnd(mask_, guard(i)) : mask_;
  access.mask_bits = is_guarded(i) ? bits_of_lanes(access.mask) : mask_bits_;

  // Vectors have no atomic accesses: fences keep those in order which other blocks may wait for.
  const bool is_strong = i.is_strong || i.variant == static_cast<uint32_t>(executor::Access::kStrongRead);
  if (is_strong)
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease);
  const Reach &reach = this->reach(access);
  const std::vector<Value *> results = access_memory(access, reach, [&] { return access_slowly(access, reach); });
  if (is_strong && is_load)
    b_.CreateFence(llvm::AtomicOrdering::Acquire);
  mask_ = lanes_of(mask_bits_);
  for (unsigned n = 0; is_load && n < i.width; ++n)
    if (!set(i, elements[n], resize(results[n], elements[n].bits, is_signed(i.type))))
      return false;
  return true;
}

} // namespace emulator::executor::ptx
