// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See host_vectors.h.

#include <algorithm>
#include <cstddef>

#include "host_vectors.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

namespace emulator::executor {

namespace {
constexpr int64_t kMostOfGroup = 4096; // bytes between accesses that are looked at together
} // namespace

VectorBuilder::VectorBuilder(unsigned lanes, llvm::Module &module, llvm::ArrayRef<llvm::Type *> arguments)
    : lanes_(lanes), b_(module.getContext()) {
  llvm_function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), arguments, false),
                                          llvm::Function::ExternalLinkage, "part", module);
  llvm_function_->addFnAttr("prefer-vector-width", "512");
  llvm_function_->addFnAttr("min-legal-vector-width", "512");
  llvm_function_->addFnAttr(llvm::Attribute::NoUnwind);
  state_ = llvm_function_->getArg(0);
  entry_ = new_block("entry");
  b_.SetInsertPoint(entry_);
}

llvm::Value *VectorBuilder::counting(uint64_t step) {
  std::vector<llvm::Constant *> all;
  all.reserve(lanes_);
  for (uint64_t lane = 0; lane < lanes_; ++lane)
    all.push_back(b_.getInt64(lane * step));
  return llvm::ConstantVector::get(all);
}

void VectorBuilder::branch_likely(Value *condition, llvm::BasicBlock *likely, llvm::BasicBlock *other) {
  b_.CreateCondBr(condition, likely, other, llvm::MDBuilder(b_.getContext()).createBranchWeights(1000, 1));
}

llvm::Value *VectorBuilder::is_signaling(Value *value) {
  const unsigned bits = bits_of(value);
  Value *const quiet =
      b_.CreateAnd(b_.CreateBitCast(value, vector(bits)), number(bits, uint64_t{1} << (bits == 32 ? 22 : 51)));
  return b_.CreateAnd(b_.CreateFCmpUNO(value, value), b_.CreateICmpEQ(quiet, number(bits, 0)));
}

llvm::Value *VectorBuilder::float_extreme(Value *a, Value *b, bool is_least, bool keeps_nan) {
  const unsigned bits = bits_of(a);
  Value *const is_first = is_least ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOGT(a, b);
  Value *const is_negative = b_.CreateICmpSLT(b_.CreateBitCast(a, vector(bits)), number(bits, 0));
  Value *const of_equal = is_least ? b_.CreateSelect(is_negative, a, b) : b_.CreateSelect(is_negative, b, a);
  Value *const of_numbers = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), of_equal, b_.CreateSelect(is_first, a, b));
  Value *of_nan = b_.CreateSelect(b_.CreateFCmpUNO(b, b), a, b);
  of_nan = b_.CreateSelect(b_.CreateOr(is_signaling(a), is_signaling(b)), b_.CreateFAdd(a, b), of_nan);
  if (keeps_nan)
    of_nan = b_.CreateBitCast(number(bits, bits == 32 ? 0x7FC00000 : 0x7FF8000000000000), floats(bits));
  return b_.CreateSelect(b_.CreateFCmpUNO(a, b), of_nan, of_numbers);
}

// ---- Floats of 16 bits: as half.h computes them

llvm::Value *VectorBuilder::widen_half(Value *value, bool is_bfloat) {
  Value *const wide = resize(value, 32);
  if (is_bfloat)
    return b_.CreateBitCast(b_.CreateShl(wide, number(32, 16)), floats(32));
  Value *const magnitude = b_.CreateShl(b_.CreateAnd(wide, number(32, 0x7FFF)), number(32, 13));
  Value *result = bits(b_.CreateFMul(b_.CreateBitCast(magnitude, floats(32)), real(32, 0x1p112)));
  Value *const is_special = b_.CreateICmpUGE(magnitude, number(32, 0x7C00 << 13));
  result = b_.CreateSelect(is_special, b_.CreateOr(result, number(32, 0x7F800000)), result);
  Value *const sign = b_.CreateShl(b_.CreateAnd(wide, number(32, 0x8000)), number(32, 16));
  return b_.CreateBitCast(b_.CreateOr(result, sign), floats(32));
}

llvm::Value *VectorBuilder::narrow_half(Value *value, bool is_bfloat, uint64_t nan) {
  Value *const all = bits(value), *const is_nan = b_.CreateFCmpUNO(value, value);
  const unsigned dropped = is_bfloat ? 16 : 13;
  Value *const magnitude = is_bfloat ? all : b_.CreateAnd(all, number(32, 0x7FFFFFFF));
  Value *const last = b_.CreateAnd(b_.CreateLShr(magnitude, number(32, dropped)), number(32, 1));
  Value *result = b_.CreateAdd(b_.CreateAdd(magnitude, number(32, is_bfloat ? 0x7FFF : 0xC8000FFF)), last);
  result = b_.CreateLShr(result, number(32, dropped));
  if (!is_bfloat) {
    Value *const small = b_.CreateFAdd(b_.CreateBitCast(magnitude, floats(32)), real(32, 0.5));
    result = b_.CreateSelect(b_.CreateICmpULT(magnitude, number(32, 0x38800000)),
                             b_.CreateSub(bits(small), number(32, 0x3F000000)), result);
    result = b_.CreateSelect(b_.CreateICmpUGE(magnitude, number(32, 0x47800000)), number(32, 0x7C00), result);
    result = b_.CreateOr(result, b_.CreateAnd(b_.CreateLShr(all, number(32, 16)), number(32, 0x8000)));
  }
  return resize(b_.CreateSelect(is_nan, number(32, nan), result), 16);
}

llvm::Value *VectorBuilder::odd_sum(Value *a, Value *b) {
  Value *const sum = b_.CreateFAdd(a, b), *const part = b_.CreateFSub(sum, a);
  Value *const lost = b_.CreateFAdd(b_.CreateFSub(a, b_.CreateFSub(sum, part)), b_.CreateFSub(b, part));
  const unsigned width = bits_of(sum);
  Value *const one = number(width, 1), *const zero = number(width, 0), *const before = bits(sum);
  Value *const has_same_sign = b_.CreateICmpSGE(b_.CreateXor(bits(lost), before), zero);
  Value *const odd = b_.CreateSelect(has_same_sign, b_.CreateAdd(before, one), b_.CreateSub(before, one));
  Value *const is_odd = b_.CreateICmpEQ(b_.CreateAnd(before, one), one);
  Value *const changes = b_.CreateAnd(b_.CreateFCmpONE(lost, real(width, 0)), b_.CreateNot(is_odd));
  return b_.CreateBitCast(b_.CreateSelect(changes, odd, before), floats(width));
}

llvm::Value *VectorBuilder::fused_half(Value *a, Value *b, Value *c, bool is_bfloat) {
  if (!is_bfloat)
    return odd_sum(b_.CreateFMul(a, b), c);
  const auto wide = [&](Value *value) { return b_.CreateFPExt(value, floats(64)); };
  Value *const sum = odd_sum(b_.CreateFMul(wide(a), wide(b)), wide(c));
  Value *const single = b_.CreateFPTrunc(sum, floats(32)), *const before = bits(single), *const one = number(32, 1);
  const auto size = [&](Value *value) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); };
  Value *const is_less = b_.CreateFCmpOLT(size(wide(single)), size(sum));
  Value *const odd = b_.CreateSelect(is_less, b_.CreateAdd(before, one), b_.CreateSub(before, one));
  Value *const changes =
      b_.CreateAnd(b_.CreateFCmpONE(wide(single), sum), b_.CreateICmpEQ(b_.CreateAnd(before, one), number(32, 0)));
  return b_.CreateBitCast(b_.CreateSelect(changes, odd, before), floats(32));
}

// ---- Loads and stores

// Returns how many places of a size there are in so many bytes.
llvm::Value *AccessBuilder::places(Value *bytes, uint64_t size) {
  return b_.CreateSelect(b_.CreateICmpUGE(bytes, b_.getInt64(size)), b_.CreateSub(bytes, b_.getInt64(size - 1)),
                         b_.getInt64(0));
}

AccessBuilder::Reach AccessBuilder::begin_group(const VectorAccess &access) {
  Reach group{.first = access.offset, .end = access.offset + access.whole()};
  group.add(access.offset, access.whole(), access.align);
  return group;
}

// Adds an access if one base can be aligned for it and for those that are there.
void AccessBuilder::Reach::add(int64_t offset, unsigned bytes, unsigned wanted_align) {
  const auto wanted = static_cast<unsigned>(-offset) & (wanted_align - 1);
  const unsigned common = std::min(wanted_align, align) - 1;
  const int64_t lowest = std::min(first, offset), highest = std::max(end, offset + bytes);
  if ((wanted & common) != (low_bits & common) || highest - lowest > kMostOfGroup)
    return;
  if (wanted_align > align) {
    align = wanted_align;
    low_bits = wanted;
  }
  first = lowest;
  end = highest;
}

bool AccessBuilder::Reach::has(const VectorAccess &access) const {
  return access.offset >= first && access.offset + access.whole() <= end && access.align <= align &&
         ((low_bits + static_cast<uint64_t>(access.offset)) & (access.align - 1)) == 0;
}

// The memory that this access has reached the last time.
AccessBuilder::Memory AccessBuilder::reached_memory(Value *reached, uint32_t number) {
  Value *const one = at(reached, uint64_t{number} * sizeof(ReachedMemory));
  Memory memory{.number = number};
  memory.begin = b_.CreateLoad(b_.getInt64Ty(), one);
  memory.size = b_.CreateLoad(b_.getInt64Ty(), at(one, offsetof(ReachedMemory, size)));
  memory.bytes = b_.CreateIntToPtr(memory.begin, b_.getPtrTy());
  return memory;
}

// Checks bounds and alignment of all accesses of the group.
void AccessBuilder::check(const VectorAccess &access, const Memory &memory, Reach &reach) {
  const unsigned bits = bits_of(access.base);
  llvm::Type *const type = b_.getIntNTy(bits);
  reach.number = memory.number;
  reach.bytes = memory.bytes;
  // From where the memory begins to the first access. The others follow it.
  Value *const first = b_.getInt64(static_cast<uint64_t>(reach.first));
  reach.offsets = b_.CreateAdd(access.base, splat(b_.CreateTrunc(b_.CreateSub(first, memory.begin), type)));
  Value *const count = b_.CreateTrunc(places(memory.size, static_cast<uint64_t>(reach.end - reach.first)), type);
  if (access.is_uniform) {
    reach.offsets = b_.CreateExtractElement(reach.offsets, uint64_t{0});
    Value *const low_bits =
        b_.CreateAnd(b_.CreateExtractElement(access.base, uint64_t{0}), llvm::ConstantInt::get(type, reach.align - 1));
    reach.is_fine = b_.CreateAnd(b_.CreateICmpULT(reach.offsets, count),
                                 b_.CreateICmpEQ(low_bits, llvm::ConstantInt::get(type, reach.low_bits)));
    reach.offsets = b_.CreateZExt(reach.offsets, b_.getInt64Ty());
  } else {
    Value *bad = b_.CreateICmpUGE(reach.offsets, splat(count));
    if (reach.align > 1)
      bad = b_.CreateOr(
          bad, b_.CreateICmpNE(b_.CreateAnd(access.base, number(bits, reach.align - 1)), number(bits, reach.low_bits)));
    if (!access.is_all)
      bad = b_.CreateAnd(bad, access.mask);
    reach.is_fine = b_.CreateICmpEQ(bits_of_lanes(bad), b_.getIntN(lanes_, 0));
    if (access.is_by_lane)
      reach.offsets = b_.CreateAdd(resize(reach.offsets, 64), b_.CreateMul(counting(1), splat(memory.size)));
    else if (memory.is_small)
      reach.offsets = resize(reach.offsets, 32);
  }
  if (may_be_together(access)) {
    reach.step = access.size;
    reach.is_together = is_together(access, reach, reach.together);
  }
}

bool AccessBuilder::may_be_together(const VectorAccess &access) {
  return !access.is_uniform && (access.width == 1 || access.distance != 0) && !access.is_by_lane;
}

// Returns whether each lane's place follows the place of the lane before, as they mostly do. first: lane 0's offset.
llvm::Value *AccessBuilder::is_together(const VectorAccess &access, const Reach &reach, Value *&first) {
  const unsigned bits = bits_of(reach.offsets);
  Value *const steps = resize(counting(access.size), bits);
  if (access.is_all) {
    first = b_.CreateExtractElement(reach.offsets, uint64_t{0});
  } else {
    Value *const lane = b_.CreateAnd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, access.mask_bits, b_.getFalse()),
                                     b_.getIntN(lanes_, lanes_ - 1));
    Value *const before = b_.CreateMul(b_.CreateZExtOrTrunc(lane, b_.getIntNTy(bits)), b_.getIntN(bits, access.size));
    first = b_.CreateSub(b_.CreateExtractElement(reach.offsets, lane), before);
  }
  Value *apart = b_.CreateICmpNE(reach.offsets, b_.CreateAdd(splat(first), steps));
  if (!access.is_all)
    apart = b_.CreateAnd(apart, access.mask);
  first = b_.CreateSExt(first, b_.getInt64Ty());
  return b_.CreateICmpEQ(bits_of_lanes(apart), b_.getIntN(lanes_, 0));
}

// Loads or stores consecutive places.
llvm::Value *AccessBuilder::access_together(const VectorAccess &access, Value *bytes, unsigned element) {
  const llvm::Align align(std::min(access.align, access.size));
  llvm::Type *const type = vector(8 * access.size);
  if (access.is_load)
    return access.is_all ? static_cast<Value *>(b_.CreateAlignedLoad(type, bytes, align))
                         : b_.CreateMaskedLoad(type, bytes, align, access.mask, llvm::Constant::getNullValue(type));
  if (access.is_all)
    return b_.CreateAlignedStore(access.values[element], bytes, align);
  return b_.CreateMaskedStore(access.values[element], bytes, align, access.mask);
}

// Loads or stores one element of each lane, wherever it is.
llvm::Value *AccessBuilder::access_scattered(const VectorAccess &access, const Reach &reach, unsigned element) {
  const llvm::Align align(std::min(access.align, access.size));
  const auto distance = static_cast<uint64_t>(access.offset - reach.first + access.place(element));
  Value *const bytes =
      b_.CreateGEP(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), reach.bytes, b_.getInt64(distance)), reach.offsets);
  if (access.is_load)
    return b_.CreateMaskedGather(vector(8 * access.size), bytes, align, access.mask, number(8 * access.size, 0));
  return b_.CreateMaskedScatter(access.values[element], bytes, align, access.mask);
}

// An access whose lanes have all passed the check. ways: gets the results and the block they come from.
void AccessBuilder::access_fast(const VectorAccess &access, const Reach &reach, llvm::BasicBlock *done, Ways &ways) {
  const uint64_t distance = static_cast<uint64_t>(access.offset - reach.first);
  if (access.is_uniform) {
    std::vector<Value *> all;
    all.reserve(access.width);
    for (unsigned n = 0; n < access.width; ++n)
      all.push_back(splat(b_.CreateAlignedLoad(
          b_.getIntNTy(8 * access.size),
          b_.CreateGEP(b_.getInt8Ty(), reach.bytes,
                       b_.CreateAdd(reach.offsets, b_.getInt64(distance + static_cast<uint64_t>(access.place(n))))),
          llvm::Align(std::min(access.align, access.size)))));
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
    std::vector<Value *> all;
    for (unsigned n = 0; n < access.width; ++n) {
      Value *const place = b_.CreateAdd(first, b_.getInt64(distance + static_cast<uint64_t>(access.place(n))));
      all.push_back(access_together(access, b_.CreateGEP(b_.getInt8Ty(), reach.bytes, place), n));
    }
    ways.push_back({together, all});
    b_.CreateBr(done);
    b_.SetInsertPoint(scattered);
  }
  std::vector<Value *> all;
  all.reserve(access.width);
  for (unsigned n = 0; n < access.width; ++n)
    all.push_back(access_scattered(access, reach, n));
  ways.push_back({b_.GetInsertBlock(), all});
  b_.CreateBr(done);
}

std::vector<llvm::Value *> AccessBuilder::access_memory(const VectorAccess &access, const Reach &reach,
                                                        llvm::function_ref<std::vector<Value *>()> slowly) {
  llvm::BasicBlock *const slow = new_block("slow"), *const fast = new_block("fast"), *const done = new_block("done");
  branch_likely(reach.is_fine, fast, slow);
  Ways ways;
  b_.SetInsertPoint(slow);
  std::vector<Value *> results = slowly();
  ways.push_back({b_.GetInsertBlock(), results});
  b_.CreateBr(done);
  b_.SetInsertPoint(fast);
  access_fast(access, reach, done, ways);
  b_.SetInsertPoint(done);
  for (unsigned n = 0; access.is_load && n < access.width; ++n) {
    llvm::PHINode *const value = b_.CreatePHI(vector(8 * access.size), static_cast<unsigned>(ways.size()));
    for (const auto &[block, all] : ways)
      value->addIncoming(all[n], block);
    results[n] = value;
  }
  return results;
}

} // namespace emulator::executor
