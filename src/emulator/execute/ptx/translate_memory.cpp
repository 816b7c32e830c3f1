// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and shuffles (PTX ISA 9.7.9).

#include <cstddef>

#include "translator.h"

namespace emulator::executor::ptx {

// Fences count where memory is weak, and those programs are interpreted.
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

// So many places of a size in so many bytes.
llvm::Value *Translator::places(Value *bytes, uint64_t size) {
  return b_.CreateSelect(b_.CreateICmpUGE(bytes, b_.getInt64(size)), b_.CreateSub(bytes, b_.getInt64(size - 1)),
                         b_.getInt64(0));
}

bool Translator::access(const Instruction &i, uint32_t place, bool is_load) {
  if (i.type == Type::kF16)
    return false;
  const unsigned size = size_of(i.type), width = i.width, whole = size * width, bits = 8 * size;
  const Operand &address_operand = i.operands[is_load ? 1 : 0];
  std::vector<Operand> elements;
  if (width == 1)
    elements = {i.operands[is_load ? 0 : 1]};
  else
    elements = i.elements;
  for (const Operand &one : elements)
    if (is_load && (one.kind != Kind::kRegister || one.bits == 1 || one.bits < bits))
      return false;
  std::vector<Value *> values;
  for (const Operand &one : elements) {
    if (is_load)
      break;
    values.push_back(source(one, bits));
    if (!values.back())
      return false;
  }
  Value *address = source(address_operand, 64);
  if (!address)
    return false;
  address = b_.CreateAdd(address, number(64, static_cast<uint64_t>(i.offset)));
  Value *mask = mask_, *mask_bits = mask_bits_;
  const bool is_all = is_full_ && !is_guarded(i);
  if (is_guarded(i)) {
    mask = b_.CreateAnd(mask_, guard(i));
    mask_bits = bits_of_lanes(mask);
  }
  // The bytes, how many places there are from what address on, where they are.
  Value *base = nullptr, *count = nullptr, *offset = address;
  bool is_each = false; // each lane has bytes of its own
  const uint32_t number_of_access = accesses_;
  switch (i.space) {
  case Space::kShared:
    base = pointer_field(offsetof(CompiledState, shared));
    count = places(number_field(offsetof(CompiledState, shared_size)), whole);
    break;
  case Space::kLocal:
    base = pointer_field(offsetof(CompiledState, stack));
    count = places(number_field(offsetof(CompiledState, stack_size)), whole);
    is_each = true;
    break;
  case Space::kParam:
    if (!is_load)
      return false;
    base = pointer_field(offsetof(CompiledState, arguments));
    count = places(number_field(offsetof(CompiledState, arguments_size)), whole);
    break;
  default: {
    ++accesses_;
    Value *const reached =
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), pointer_field(offsetof(CompiledState, reached)),
                                      uint64_t{number_of_access} * sizeof(ReachedMemory));
    Value *const begin = b_.CreateLoad(b_.getInt64Ty(), reached);
    count = b_.CreateLoad(b_.getInt64Ty(),
                          b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), reached, offsetof(ReachedMemory, count)));
    base = b_.CreateIntToPtr(begin, b_.getPtrTy());
    offset = b_.CreateSub(address, splat(begin));
  }
  }
  const bool is_uniform =
      is_load && !is_each && (address_operand.kind == Kind::kConstant || address_operand.kind == Kind::kShared);
  llvm::BasicBlock *const slow = new_block("slow"), *const fast = new_block("fast"), *const done = new_block("done");
  Value *one_offset = nullptr;
  if (is_uniform) {
    one_offset = b_.CreateExtractElement(offset, uint64_t{0});
    Value *const one_address = b_.CreateExtractElement(address, uint64_t{0});
    Value *const is_outside = b_.CreateICmpUGE(one_offset, count);
    Value *const is_misaligned = b_.CreateICmpNE(b_.CreateAnd(one_address, b_.getInt64(whole - 1)), b_.getInt64(0));
    b_.CreateCondBr(b_.CreateOr(is_outside, is_misaligned), slow, fast);
  } else {
    Value *bad = b_.CreateICmpUGE(offset, splat(count));
    if (whole > 1)
      bad = b_.CreateOr(bad, b_.CreateICmpNE(b_.CreateAnd(address, number(64, whole - 1)), number(64, 0)));
    if (!is_all)
      bad = b_.CreateAnd(bad, mask);
    b_.CreateCondBr(b_.CreateICmpNE(bits_of_lanes(bad), b_.getInt32(0)), slow, fast);
  }

  // Slow: as the interpreter does it.
  b_.SetInsertPoint(slow);
  b_.CreateAlignedStore(address, addresses_, llvm::Align(8));
  const auto slow_row = [&](unsigned n) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), values_, uint64_t{n} * kLanes * 8);
  };
  for (unsigned n = 0; n < values.size(); ++n)
    b_.CreateAlignedStore(resize(values[n], 64), slow_row(n), llvm::Align(8));
  llvm::Type *const pointer = b_.getPtrTy(), *const i32 = b_.getInt32Ty();
  Value *const goes_on =
      b_.CreateCall(llvm::FunctionType::get(b_.getInt8Ty(), {pointer, i32, i32, i32, pointer, pointer}, false),
                    b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(&access_slowly)), pointer),
                    {state_, b_.getInt32(place), b_.getInt32(number_of_access), mask_bits, addresses_, values_});
  llvm::BasicBlock *const went = new_block("went"), *const failed = new_block("failed");
  b_.CreateCondBr(b_.CreateICmpNE(b_.CreateAnd(goes_on, b_.getInt8(1)), b_.getInt8(0)), went, failed);
  b_.SetInsertPoint(failed);
  leave(place, CompiledState::Outcome::kFailed);
  b_.SetInsertPoint(went);
  std::vector<Value *> slow_results;
  for (unsigned n = 0; is_load && n < width; ++n)
    slow_results.push_back(resize(b_.CreateAlignedLoad(row_type(), slow_row(n), llvm::Align(8)), bits));
  b_.CreateBr(done);

  // Fast.
  b_.SetInsertPoint(fast);
  std::vector<std::pair<llvm::BasicBlock *, std::vector<Value *>>> results;
  const llvm::Align align(size);
  if (is_uniform) {
    auto &[block, all] = results.emplace_back();
    for (unsigned n = 0; n < width; ++n)
      all.push_back(splat(b_.CreateAlignedLoad(
          b_.getIntNTy(bits),
          b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateAdd(one_offset, b_.getInt64(uint64_t{n} * size))), align)));
    block = b_.GetInsertBlock();
    b_.CreateBr(done);
  } else {
    if (width == 1 && !is_each) {
      // One after the other, as they mostly are.
      Value *first = nullptr;
      if (is_all) {
        first = b_.CreateExtractElement(offset, uint64_t{0});
      } else {
        Value *const lane =
            b_.CreateAnd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_bits, b_.getFalse()), b_.getInt32(31));
        first = b_.CreateSub(b_.CreateExtractElement(offset, lane),
                             b_.CreateMul(b_.CreateZExt(lane, b_.getInt64Ty()), b_.getInt64(size)));
      }
      Value *apart = b_.CreateICmpNE(offset, b_.CreateAdd(splat(first), counting(size)));
      if (!is_all)
        apart = b_.CreateAnd(apart, mask);
      llvm::BasicBlock *const together = new_block("together"), *const scattered = new_block("scattered");
      b_.CreateCondBr(b_.CreateICmpEQ(bits_of_lanes(apart), b_.getInt32(0)), together, scattered);
      b_.SetInsertPoint(together);
      Value *const bytes = b_.CreateGEP(b_.getInt8Ty(), base, first);
      if (!is_load)
        is_all ? static_cast<void>(b_.CreateAlignedStore(values[0], bytes, align))
               : static_cast<void>(b_.CreateMaskedStore(values[0], bytes, align, mask));
      else
        results.push_back({together,
                           {is_all ? static_cast<Value *>(b_.CreateAlignedLoad(vector(bits), bytes, align))
                                   : b_.CreateMaskedLoad(vector(bits), bytes, align, mask, number(bits, 0))}});
      b_.CreateBr(done);
      b_.SetInsertPoint(scattered);
    }
    if (is_each)
      offset =
          b_.CreateAdd(offset, b_.CreateMul(counting(1), splat(number_field(offsetof(CompiledState, stack_size)))));
    std::vector<Value *> all;
    for (unsigned n = 0; n < width; ++n) {
      Value *const bytes = b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateAdd(offset, number(64, uint64_t{n} * size)));
      if (is_load)
        all.push_back(b_.CreateMaskedGather(vector(bits), bytes, align, mask, number(bits, 0)));
      else
        b_.CreateMaskedScatter(values[n], bytes, align, mask);
    }
    results.push_back({b_.GetInsertBlock(), all});
    b_.CreateBr(done);
  }

  b_.SetInsertPoint(done);
  for (unsigned n = 0; is_load && n < width; ++n) {
    llvm::PHINode *const value = b_.CreatePHI(vector(bits), 3);
    value->addIncoming(slow_results[n], went);
    for (const auto &[block, all] : results)
      value->addIncoming(all[n], block);
    phis_.push_back(value);
  }
  mask_ = lanes_of(mask_bits_);
  for (unsigned n = 0; is_load && n < width; ++n)
    if (!set(i, elements[n], resize(phis_[phis_.size() - width + n], elements[n].bits, is_signed(i.type))))
      return false;
  return true;
}

} // namespace emulator::executor::ptx
