// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and shuffles (PTX ISA 9.7.9).

#include <algorithm>
#include <cstddef>

#include "translator.h"

#include <llvm/IR/MDBuilder.h>

namespace emulator::executor::ptx {

namespace {
constexpr int64_t kMostOfGroup = 4096; // bytes between accesses that are looked at together
} // namespace

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

// Returns how many places of a size there are in so many bytes.
llvm::Value *Translator::places(Value *bytes, uint64_t size) {
  return b_.CreateSelect(b_.CreateICmpUGE(bytes, b_.getInt64(size)), b_.CreateSub(bytes, b_.getInt64(size - 1)),
                         b_.getInt64(0));
}

void Translator::branch_likely(Value *condition, llvm::BasicBlock *likely, llvm::BasicBlock *other) {
  b_.CreateCondBr(condition, likely, other, llvm::MDBuilder(b_.getContext()).createBranchWeights(1000, 1));
}

// Adds an access if one base can be aligned for it and for those that are there.
void Translator::Reach::add(const Instruction &instruction) {
  const unsigned whole = size_of(instruction.type) * instruction.width;
  const auto wanted = static_cast<unsigned>(-instruction.offset) & (whole - 1);
  const unsigned common = std::min(whole, align) - 1;
  const int64_t lowest = std::min(first, instruction.offset), highest = std::max(end, instruction.offset + whole);
  if ((wanted & common) != (low_bits & common) || highest - lowest > kMostOfGroup)
    return;
  if (whole > align) {
    align = whole;
    low_bits = wanted;
  }
  first = lowest;
  end = highest;
}

bool Translator::Reach::has(const Access &access) const {
  return access.i.offset >= first && access.i.offset + access.whole() <= end && access.whole() <= align &&
         ((low_bits + static_cast<uint64_t>(access.i.offset)) & (access.whole() - 1)) == 0;
}

// Returns the offsets of this access and of those behind it in the block that have the same base.
Translator::Reach Translator::find_group(const Access &access) const {
  const Operand &base = access.address();
  Reach group{.first = access.i.offset, .end = access.i.offset + access.whole()};
  group.add(access.i);
  if (base.kind != Kind::kRegister || is_guarded(access.i))
    return group;
  const auto is_base = [&](const Operand &one) { return one.kind == Kind::kRegister && one.index == base.index; };
  for (uint32_t place = access.place; place <= liveness_.block_of(access.place).last; ++place) {
    const Instruction &one = function_.code[place];
    const bool is_load = is_opcode(one, "ld"), is_store = is_opcode(one, "st");
    if ((access.is_load ? is_load : is_store) && one.space == access.i.space && is_base(one.operands[is_load]) &&
        !is_guarded(one) && one.type != Type::kF16)
      group.add(one);
    if (!is_store && (is_base(one.operands[0]) || std::any_of(one.elements.begin(), one.elements.end(), is_base)))
      break;
  }
  return group;
}

// Finds the memory that an access is to reach: its bytes, the address of the first, and how many there are.
void Translator::find_memory(Space space, Reach &reach, Value *&begin, Value *&size) {
  begin = b_.getInt64(0);
  reach.number = accesses_;
  switch (space) {
  case Space::kShared:
    reach.bytes = pointer_field(offsetof(CompiledState, shared));
    size = number_field(offsetof(CompiledState, shared_size));
    break;
  case Space::kLocal:
    reach.bytes = pointer_field(offsetof(CompiledState, stack));
    size = number_field(offsetof(CompiledState, stack_size));
    break;
  case Space::kParam:
    reach.bytes = pointer_field(offsetof(CompiledState, arguments));
    size = number_field(offsetof(CompiledState, arguments_size));
    break;
  default: {
    Value *const reached = b_.CreateConstInBoundsGEP1_64(
        b_.getInt8Ty(), pointer_field(offsetof(CompiledState, reached)), uint64_t{accesses_++} * sizeof(ReachedMemory));
    begin = b_.CreateLoad(b_.getInt64Ty(), reached);
    size = b_.CreateLoad(b_.getInt64Ty(),
                         b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), reached, offsetof(ReachedMemory, size)));
    reach.bytes = b_.CreateIntToPtr(begin, b_.getPtrTy());
  }
  }
}

// Checks bounds and alignment, once for all accesses of the block that have this base.
const Translator::Reach &Translator::reach(const Access &access) {
  const Operand &base = access.address();
  const bool has_others = base.kind == Kind::kRegister && !is_guarded(access.i);
  const auto key = std::make_tuple(has_others ? read_register(base) : nullptr, access.i.space, access.is_load);
  if (const auto found = reaches_.find(key); has_others && found != reaches_.end() && found->second.has(access))
    return found->second;
  Reach reach = find_group(access);
  Value *begin = nullptr, *size = nullptr;
  find_memory(access.i.space, reach, begin, size);
  // From where the memory begins to the first access. The others follow it.
  Value *const first = b_.getInt64(static_cast<uint64_t>(reach.first));
  reach.offsets = b_.CreateAdd(access.base, splat(b_.CreateSub(first, begin)));
  Value *const count = places(size, static_cast<uint64_t>(reach.end - reach.first));
  if (access.is_uniform) {
    reach.offsets = b_.CreateExtractElement(reach.offsets, uint64_t{0});
    Value *const low_bits =
        b_.CreateAnd(b_.CreateExtractElement(access.base, uint64_t{0}), b_.getInt64(reach.align - 1));
    reach.is_fine =
        b_.CreateAnd(b_.CreateICmpULT(reach.offsets, count), b_.CreateICmpEQ(low_bits, b_.getInt64(reach.low_bits)));
  } else {
    Value *bad = b_.CreateICmpUGE(reach.offsets, splat(count));
    if (reach.align > 1)
      bad = b_.CreateOr(
          bad, b_.CreateICmpNE(b_.CreateAnd(access.base, number(64, reach.align - 1)), number(64, reach.low_bits)));
    if (!access.is_all)
      bad = b_.CreateAnd(bad, access.mask);
    reach.is_fine = b_.CreateICmpEQ(bits_of_lanes(bad), b_.getInt32(0));
    if (access.i.space == Space::kLocal) // each lane has a stack of its own
      reach.offsets = b_.CreateAdd(reach.offsets, b_.CreateMul(counting(1), splat(size)));
    else if (access.i.space == Space::kShared) // has less than 2 GB
      reach.offsets = resize(reach.offsets, 32);
  }
  if (may_be_together(access)) {
    reach.step = access.size;
    reach.is_together = is_together(access, reach, reach.together);
  }
  return reaches_.insert_or_assign(key, reach).first->second;
}

bool Translator::may_be_together(const Access &access) {
  return !access.is_uniform && access.i.width == 1 && access.i.space != Space::kLocal;
}

// Returns whether each lane's place follows the place of the lane before, as they mostly do. first: lane 0's offset.
llvm::Value *Translator::is_together(const Access &access, const Reach &reach, Value *&first) {
  const unsigned bits = bits_of(reach.offsets);
  Value *const steps = resize(counting(access.size), bits);
  if (access.is_all) {
    first = b_.CreateExtractElement(reach.offsets, uint64_t{0});
  } else {
    Value *const lane =
        b_.CreateAnd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, access.mask_bits, b_.getFalse()), b_.getInt32(31));
    Value *const before = b_.CreateMul(b_.CreateZExtOrTrunc(lane, b_.getIntNTy(bits)), b_.getIntN(bits, access.size));
    first = b_.CreateSub(b_.CreateExtractElement(reach.offsets, lane), before);
  }
  Value *apart = b_.CreateICmpNE(reach.offsets, b_.CreateAdd(splat(first), steps));
  if (!access.is_all)
    apart = b_.CreateAnd(apart, access.mask);
  first = b_.CreateSExt(first, b_.getInt64Ty());
  return b_.CreateICmpEQ(bits_of_lanes(apart), b_.getInt32(0));
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

// Loads or stores consecutive places.
llvm::Value *Translator::access_together(const Access &access, Value *bytes) {
  const llvm::Align align(access.size);
  llvm::Type *const type = vector(8 * access.size);
  if (access.is_load)
    return access.is_all ? static_cast<Value *>(b_.CreateAlignedLoad(type, bytes, align))
                         : b_.CreateMaskedLoad(type, bytes, align, access.mask, llvm::Constant::getNullValue(type));
  if (access.is_all)
    return b_.CreateAlignedStore(access.values[0], bytes, align);
  return b_.CreateMaskedStore(access.values[0], bytes, align, access.mask);
}

// Loads or stores one element of each lane, wherever it is.
llvm::Value *Translator::access_scattered(const Access &access, const Reach &reach, unsigned element) {
  const llvm::Align align(access.size);
  const uint64_t distance = static_cast<uint64_t>(access.i.offset - reach.first) + uint64_t{element} * access.size;
  Value *const bytes =
      b_.CreateGEP(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), reach.bytes, b_.getInt64(distance)), reach.offsets);
  if (access.is_load)
    return b_.CreateMaskedGather(vector(8 * access.size), bytes, align, access.mask, number(8 * access.size, 0));
  return b_.CreateMaskedScatter(access.values[element], bytes, align, access.mask);
}

// An access whose lanes have all passed the check. ways: gets the results and the block they come from.
void Translator::access_fast(const Access &access, const Reach &reach, llvm::BasicBlock *done, Ways &ways) {
  const uint64_t distance = static_cast<uint64_t>(access.i.offset - reach.first);
  if (access.is_uniform) {
    std::vector<Value *> all;
    all.reserve(access.i.width);
    for (unsigned n = 0; n < access.i.width; ++n)
      all.push_back(splat(b_.CreateAlignedLoad(
          b_.getIntNTy(8 * access.size),
          b_.CreateGEP(b_.getInt8Ty(), reach.bytes,
                       b_.CreateAdd(reach.offsets, b_.getInt64(distance + uint64_t{n} * access.size))),
          llvm::Align(access.size))));
    ways.push_back({b_.GetInsertBlock(), all});
    b_.CreateBr(done);
    return;
  }
  if (may_be_together(access)) {
    Value *first = reach.together;
    Value *const condition = reach.step == access.size ? reach.is_together : is_together(access, reach, first);
    llvm::BasicBlock *const together = new_block("together"), *const scattered = new_block("scattered");
    b_.CreateCondBr(condition, together, scattered);
    b_.SetInsertPoint(together);
    ways.push_back({together,
                    {access_together(access, b_.CreateGEP(b_.getInt8Ty(), reach.bytes,
                                                          b_.CreateAdd(first, b_.getInt64(distance))))}});
    b_.CreateBr(done);
    b_.SetInsertPoint(scattered);
  }
  std::vector<Value *> all;
  all.reserve(access.i.width);
  for (unsigned n = 0; n < access.i.width; ++n)
    all.push_back(access_scattered(access, reach, n));
  ways.push_back({b_.GetInsertBlock(), all});
  b_.CreateBr(done);
}

bool Translator::access(const Instruction &i, uint32_t place, bool is_load) {
  if (i.type == Type::kF16 || (i.space == Space::kParam && !is_load))
    return false;
  Access access{.i = i, .place = place, .is_load = is_load, .size = size_of(i.type)};
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
  llvm::BasicBlock *const slow = new_block("slow"), *const fast = new_block("fast"), *const done = new_block("done");
  branch_likely(reach.is_fine, fast, slow);
  Ways ways;
  b_.SetInsertPoint(slow);
  std::vector<Value *> results = access_slowly(access, reach);
  ways.push_back({b_.GetInsertBlock(), results});
  b_.CreateBr(done);
  b_.SetInsertPoint(fast);
  access_fast(access, reach, done, ways);
  b_.SetInsertPoint(done);
  for (unsigned n = 0; is_load && n < i.width; ++n) {
    llvm::PHINode *const value = b_.CreatePHI(vector(bits), static_cast<unsigned>(ways.size()));
    for (const auto &[block, all] : ways)
      value->addIncoming(all[n], block);
    results[n] = value;
  }
  if (is_strong && is_load)
    b_.CreateFence(llvm::AtomicOrdering::Acquire);
  mask_ = lanes_of(mask_bits_);
  for (unsigned n = 0; is_load && n < i.width; ++n)
    if (!set(i, elements[n], resize(results[n], elements[n].bits, is_signed(i.type))))
      return false;
  return true;
}

} // namespace emulator::executor::ptx
