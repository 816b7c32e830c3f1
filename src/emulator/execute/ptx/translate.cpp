// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See translate.h. A register is a vector with as many bits for each lane as it was declared with, a predicate one of
// bits. It is loaded from the frame where a block first reads it, and stored at the block's end if it is read later.
// Lanes that do not take part compute as well, with whatever their registers hold. Memory is not touched for them, and
// their registers keep what they had. Results have the bits that the interpreter's have.

#include <cfenv>
#include <cstddef>
#include <map>

#include "compiled.h"
#include "operations.h"
#include "translate.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace emulator::executor::ptx {

namespace {

using llvm::Value;
using Kind = Operand::Kind;

constexpr uint32_t kMostBlocks = 6, kMostInstructions = 80;
constexpr uint32_t kMostOfBlock = 120;                    // LLVM's time grows faster than a block
constexpr uint64_t kOffsetMask = (uint64_t{1} << 24) - 1; // as in access.cpp
constexpr unsigned kThreadAt = 24;

class Translator {
public:
  Translator(const Function &function, const Liveness &liveness, bool is_full, uint32_t &accesses, llvm::Module &module)
      : function_(function), liveness_(liveness), is_full_(is_full), accesses_(accesses), b_(module.getContext()) {
    llvm::Type *const pointer = b_.getPtrTy();
    llvm_function_ =
        llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, b_.getInt32Ty()}, false),
                               llvm::Function::ExternalLinkage, "part", module);
    llvm_function_->addFnAttr("prefer-vector-width", "512");
    llvm_function_->addFnAttr("min-legal-vector-width", "512");
    llvm_function_->addFnAttr(llvm::Attribute::NoUnwind);
    state_ = llvm_function_->getArg(0);
    registers_ = llvm_function_->getArg(1);
    entry_ = llvm::BasicBlock::Create(b_.getContext(), "entry", llvm_function_);
    b_.SetInsertPoint(entry_);
    mask_bits_ = is_full ? b_.getInt32(kAllLanes) : static_cast<Value *>(llvm_function_->getArg(2));
    mask_ = lanes_of(mask_bits_);
    addresses_ = b_.CreateAlloca(row_type());
    values_ = b_.CreateAlloca(llvm::ArrayType::get(row_type(), 4));
  }

  Translation run(uint32_t first) {
    Translation result;
    llvm::BasicBlock *const begin = block_at(first);
    while (!work_.empty()) {
      const uint32_t place = work_.back();
      work_.pop_back();
      translate_block(place, place == first ? &result.length : nullptr);
    }
    b_.SetInsertPoint(entry_);
    b_.CreateBr(begin);
    result.starts = std::move(starts_);
    return result;
  }

private:
  // ---- Types and values

  llvm::FixedVectorType *vector(unsigned bits) { return llvm::FixedVectorType::get(b_.getIntNTy(bits), kLanes); }
  llvm::FixedVectorType *row_type() { return vector(64); }
  llvm::FixedVectorType *floats(unsigned bits) {
    return llvm::FixedVectorType::get(bits == 32 ? b_.getFloatTy() : b_.getDoubleTy(), kLanes);
  }
  static unsigned bits_of(Value *value) { return value->getType()->getScalarSizeInBits(); }
  Value *splat(Value *value) { return b_.CreateVectorSplat(kLanes, value); }
  Value *number(unsigned bits, uint64_t value) {
    return splat(b_.getIntN(bits, bits < 64 ? value & ((uint64_t{1} << bits) - 1) : value));
  }
  Value *real(unsigned bits, double value) { return llvm::ConstantFP::get(floats(bits), value); }
  Value *lanes_of(Value *bits) { return b_.CreateBitCast(bits, vector(1)); }
  Value *bits_of_lanes(Value *lanes) { return b_.CreateBitCast(lanes, b_.getInt32Ty()); }
  Value *resize(Value *value, unsigned bits, bool extends_sign = false) {
    return extends_sign ? b_.CreateSExtOrTrunc(value, vector(bits)) : b_.CreateZExtOrTrunc(value, vector(bits));
  }
  Value *counting(uint64_t step) { // 0, step, 2 * step, ...
    std::vector<llvm::Constant *> all;
    for (uint64_t lane = 0; lane < kLanes; ++lane)
      all.push_back(b_.getInt64(lane * step));
    return llvm::ConstantVector::get(all);
  }

  Value *field_address(size_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_, offset); }
  Value *field(size_t offset, llvm::Type *type) { return b_.CreateLoad(type, field_address(offset)); }
  Value *number_field(size_t offset) { return field(offset, b_.getInt64Ty()); }
  Value *pointer_field(size_t offset) { return field(offset, b_.getPtrTy()); }
  void set_field(size_t offset, Value *value) { b_.CreateStore(value, field_address(offset)); }

  // ---- Registers

  Value *row_address(uint32_t index) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), registers_, uint64_t{index} * kLanes * 8);
  }
  Value *load_row(Value *address, unsigned bits) {
    Value *const row = b_.CreateAlignedLoad(row_type(), address, llvm::Align(8));
    return bits == 1 ? b_.CreateICmpNE(row, number(64, 0)) : resize(row, bits);
  }
  Value *old_register(const Operand &operand) { return load_row(row_address(operand.index), operand.bits); }
  Value *read_register(const Operand &operand) {
    Value *&value = registers_now_[operand.index];
    if (!value)
      value = old_register(operand);
    return value;
  }

  // Returns the operand's value in so many bits; null: that is only interpreted.
  Value *source(const Operand &operand, unsigned bits) {
    Value *value = nullptr;
    switch (operand.kind) {
    case Kind::kRegister: value = read_register(operand); break;
    case Kind::kConstant: {
      const uint64_t constant = function_.module->constant(operand.index)[0];
      value = bits == 1 ? number(1, constant != 0) : number(bits, constant);
      break;
    }
    case Kind::kShared:
      value = splat(b_.CreateLoad(
          b_.getInt64Ty(),
          b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), pointer_field(offsetof(CompiledState, shared_addresses)),
                                        uint64_t{operand.index} * sizeof(Row))));
      break;
    case Kind::kSpecial:
      if (operand.index >= static_cast<uint32_t>(Special::kClock) &&
          operand.index <= static_cast<uint32_t>(Special::kTimeHigh))
        return nullptr;
      value = load_row(b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), pointer_field(offsetof(CompiledState, specials)),
                                                     uint64_t{operand.index} * sizeof(Row)),
                       64);
      break;
    case Kind::kStack:
      value = splat(b_.CreateAdd(number_field(offsetof(CompiledState, stack_base)), b_.getInt64(operand.index)));
      break;
    default: return nullptr;
    }
    if (bits == 1 && bits_of(value) != 1)
      value = b_.CreateICmpNE(value, number(bits_of(value), 0));
    else if (bits_of(value) == 1 && bits != 1)
      return nullptr;
    if (operand.is_negated) {
      if (bits != 1)
        return nullptr;
      value = b_.CreateNot(value);
    }
    return resize(value, bits);
  }
  Value *float_source(const Operand &operand, unsigned bits) {
    Value *const value = source(operand, bits);
    return value ? b_.CreateBitCast(value, floats(bits)) : nullptr;
  }

  // The lanes of now that carry the instruction out.
  Value *guard(const Instruction &instruction) {
    Value *const lanes = read_register(instruction.guard);
    return instruction.guard.is_negated ? b_.CreateNot(lanes) : lanes;
  }
  static bool is_guarded(const Instruction &instruction) { return instruction.guard.kind != Kind::kNone; }

  static bool can_set(const Operand &operand, unsigned bits) {
    return operand.kind == Kind::kSink ||
           (operand.kind == Kind::kRegister && (operand.bits == 1) == (bits == 1) && operand.bits >= bits);
  }
  bool set(const Instruction &instruction, const Operand &operand, Value *value) {
    if (!value || !can_set(operand, bits_of(value)))
      return false;
    if (operand.kind == Kind::kSink)
      return true;
    value = resize(value, operand.bits);
    if (is_guarded(instruction))
      value = b_.CreateSelect(guard(instruction), value, read_register(operand));
    next_registers_[operand.index] = {value, operand};
    return true;
  }
  bool set_float(const Instruction &instruction, const Operand &operand, Value *value) {
    return set(instruction, operand, b_.CreateBitCast(value, vector(bits_of(value))));
  }
  // Results count when the whole instruction is done: they may lie over its sources.
  void commit() {
    for (const auto &[index, result] : next_registers_) {
      registers_now_[index] = result.first;
      changed_.insert_or_assign(index, result.second);
    }
    next_registers_.clear();
  }

  // Puts into the frame what is read from this place on.
  void store_registers(const std::vector<bool> &live) {
    for (const auto &[index, operand] : changed_) {
      if (!live[index])
        continue;
      Value *value = registers_now_[index];
      value = resize(value, 64);
      if (!is_full_)
        value = b_.CreateSelect(mask_, value, b_.CreateAlignedLoad(row_type(), row_address(index), llvm::Align(8)));
      b_.CreateAlignedStore(value, row_address(index), llvm::Align(8));
    }
  }

  // ---- Blocks

  llvm::BasicBlock *new_block(const char *name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, llvm_function_);
  }

  llvm::BasicBlock *block_at(uint32_t place) {
    llvm::BasicBlock *&block = blocks_[place];
    if (!block) {
      block = new_block("block");
      work_.push_back(place);
    }
    return block;
  }

  void leave(uint32_t place, CompiledState::Outcome outcome) {
    set_field(offsetof(CompiledState, place), b_.getInt32(place));
    set_field(offsetof(CompiledState, outcome), b_.getInt32(static_cast<uint32_t>(outcome)));
    b_.CreateRetVoid();
  }

  // Goes on at a block of this part, or leaves if others wait there, the turn is over or the part is large enough.
  void go_to(uint32_t place) {
    if (!blocks_.contains(place) &&
        (blocks_.size() >= kMostBlocks || instructions_ >= kMostInstructions || place >= function_.code.size()))
      return leave(place, CompiledState::Outcome::kGoesOn);
    llvm::BasicBlock *const stays = new_block("stays"), *const leaves = new_block("leaves");
    Value *const is_join = b_.CreateICmpEQ(field(offsetof(CompiledState, join), b_.getInt32Ty()), b_.getInt32(place));
    b_.CreateCondBr(is_join, leaves, stays);
    b_.SetInsertPoint(leaves);
    leave(place, CompiledState::Outcome::kGoesOn);
    b_.SetInsertPoint(stays);
    b_.CreateBr(block_at(place));
  }

  void translate_block(uint32_t begin, uint32_t *length) {
    registers_now_.clear();
    changed_.clear();
    const uint32_t last = liveness_.block_of(begin).last;
    // Counting comes first, when the length is known.
    llvm::BasicBlock *const head = blocks_[begin];
    llvm::BasicBlock *const body = new_block("body");
    b_.SetInsertPoint(body);
    mask_ = lanes_of(mask_bits_); // LLVM makes slow work of bits of lanes that live longer than a block
    uint32_t place = begin;
    bool is_ended = false;
    for (; place <= last && !is_ended; ++place) {
      const Instruction &instruction = function_.code[place];
      next_registers_.clear();
      if (place - begin == kMostOfBlock) {
        starts_.insert(place);
        break;
      }
      if (is_opcode(instruction, "bra")) {
        branch(instruction, place);
        is_ended = true;
      } else if (!translate_instruction(instruction, place)) {
        next_registers_.clear();
        starts_.insert(place + 1);
        break;
      } else {
        commit();
      }
    }
    const uint32_t count = place - begin;
    instructions_ += count;
    if (!is_ended) {
      if (place < function_.code.size())
        store_registers(liveness_.before(place));
      if (place <= last) // an instruction that is interpreted
        leave(place, CompiledState::Outcome::kGoesOn);
      else
        go_to(place);
    }
    if (length)
      *length = count;
    b_.SetInsertPoint(head);
    Value *const left = number_field(offsetof(CompiledState, left));
    llvm::BasicBlock *const over = new_block("over"), *const goes = new_block("goes");
    b_.CreateCondBr(count == 0 ? static_cast<Value *>(b_.getTrue()) : b_.CreateICmpULT(left, b_.getInt64(count)), over,
                    goes);
    b_.SetInsertPoint(over);
    leave(begin, CompiledState::Outcome::kGoesOn);
    b_.SetInsertPoint(goes);
    set_field(offsetof(CompiledState, left), b_.CreateSub(left, b_.getInt64(count)));
    b_.CreateBr(body);
  }

  void branch(const Instruction &instruction, uint32_t place) {
    // Registers that either way reads.
    std::vector<bool> live = liveness_.before(instruction.target);
    Value *active = mask_bits_;
    if (is_guarded(instruction)) {
      const std::vector<bool> other = liveness_.before(place + 1);
      for (size_t i = 0; i < live.size(); ++i)
        live[i] = live[i] || other[i];
      active = b_.CreateAnd(bits_of_lanes(guard(instruction)), mask_bits_);
    }
    store_registers(live);
    if (!is_guarded(instruction))
      return go_to(instruction.target);
    llvm::BasicBlock *const all = new_block("all"), *const some = new_block("some"), *const none = new_block("none"),
                            *const parts = new_block("parts");
    b_.CreateCondBr(b_.CreateICmpEQ(active, mask_bits_), all, some);
    b_.SetInsertPoint(some);
    b_.CreateCondBr(b_.CreateICmpEQ(active, b_.getInt32(0)), none, parts);
    b_.SetInsertPoint(parts);
    set_field(offsetof(CompiledState, active), active);
    leave(place, CompiledState::Outcome::kParts);
    b_.SetInsertPoint(none);
    go_to(place + 1);
    b_.SetInsertPoint(all);
    go_to(instruction.target);
  }

  // ---- Instructions

  bool translate_instruction(const Instruction &instruction, uint32_t place) {
    std::string_view text = instruction.text;
    if (text.starts_with('@'))
      text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    text = text.substr(0, text.find_first_of(" \t\r\n{[;"));
    Opcode opcode(text);
    using Translate = bool (Translator::*)(Opcode &, const Instruction &);
    static const auto &kAll = *new const std::map<std::string_view, Translate>{
        {"add", &Translator::sum},
        {"sub", &Translator::sum},
        {"mul", &Translator::product},
        {"mad", &Translator::product},
        {"fma", &Translator::product},
        {"div", &Translator::quotient},
        {"rem", &Translator::quotient},
        {"and", &Translator::logic},
        {"or", &Translator::logic},
        {"xor", &Translator::logic},
        {"not", &Translator::logic},
        {"neg", &Translator::one_of_sign},
        {"abs", &Translator::one_of_sign},
        {"min", &Translator::extreme},
        {"max", &Translator::extreme},
        {"shl", &Translator::shift},
        {"shr", &Translator::shift},
        {"popc", &Translator::count_bits},
        {"clz", &Translator::count_bits},
        {"brev", &Translator::count_bits},
        {"bfind", &Translator::count_bits},
        {"bfe", &Translator::extract},
        {"bfi", &Translator::insert},
        {"prmt", &Translator::permute},
        {"lop3", &Translator::logic_of_three},
        {"shf", &Translator::funnel},
        {"setp", &Translator::compare},
        {"set", &Translator::compare},
        {"selp", &Translator::select},
        {"mov", &Translator::move},
        {"cvt", &Translator::convert},
        {"cvta", &Translator::convert_address},
        {"isspacep", &Translator::is_in_space},
        {"rcp", &Translator::root},
        {"sqrt", &Translator::root},
        {"rsqrt", &Translator::root},
        {"copysign", &Translator::copy_sign},
        {"testp", &Translator::test_property},
        {"shfl", &Translator::shuffle},
    };
    if (opcode.name() == "ld" || opcode.name() == "st")
      return access(instruction, place, opcode.name() == "ld");
    const auto found = kAll.find(opcode.name());
    return found != kAll.end() && (this->*found->second)(opcode, instruction) && opcode.rest().empty();
  }

  // ---- Integers

  struct IntegerType {
    unsigned bits = 0;
    bool is_signed = false;
  };
  // Returns no bits if it is no integer of 16, 32 or 64 bits.
  static IntegerType integer(std::optional<Type> type) {
    if (!type || is_float(*type) || *type == Type::kPred || size_of(*type) < 2)
      return {};
    return {8 * size_of(*type), is_signed(*type)};
  }
  static unsigned float_bits(std::optional<Type> type) { return type == Type::kF32 ? 32 : type == Type::kF64 ? 64 : 0; }

  bool sum(Opcode &opcode, const Instruction &i) {
    const bool subtracts = opcode.name() == "sub";
    if (const auto type = peek_type(opcode); float_bits(type))
      return float_operation(
          opcode, i, 2, [&](Value **v) { return subtracts ? b_.CreateFSub(v[0], v[1]) : b_.CreateFAdd(v[0], v[1]); });
    const IntegerType type = integer(opcode.take_type());
    if (!type.bits)
      return false;
    Value *const a = source(i.operands[1], type.bits), *const b = source(i.operands[2], type.bits);
    return a && b && set(i, i.operands[0], subtracts ? b_.CreateSub(a, b) : b_.CreateAdd(a, b));
  }

  bool product(Opcode &opcode, const Instruction &i) {
    const bool adds = opcode.name() != "mul";
    if (const auto type = peek_type(opcode); float_bits(type))
      return float_operation(opcode, i, adds ? 3 : 2, [&](Value **v) {
        return adds ? b_.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]})
                    : b_.CreateFMul(v[0], v[1]);
      });
    const bool is_wide = opcode.take("wide"), is_high = !is_wide && opcode.take("hi");
    if (!is_wide && !is_high && !opcode.take("lo"))
      return false;
    const IntegerType type = integer(opcode.take_type());
    if (!type.bits || (is_wide && type.bits == 64))
      return false;
    Value *a = source(i.operands[1], type.bits), *b = source(i.operands[2], type.bits);
    if (!a || !b)
      return false;
    const unsigned bits = is_wide ? 2 * type.bits : type.bits;
    if (is_wide || is_high) {
      a = resize(a, 2 * type.bits, type.is_signed);
      b = resize(b, 2 * type.bits, type.is_signed);
    }
    Value *value = b_.CreateMul(a, b);
    if (is_high)
      value = resize(b_.CreateLShr(value, splat(b_.getIntN(2 * type.bits, type.bits))), type.bits);
    if (adds) {
      Value *const c = source(i.operands[3], bits);
      if (!c)
        return false;
      value = b_.CreateAdd(value, c);
    }
    return set(i, i.operands[0], value);
  }

  bool quotient(Opcode &opcode, const Instruction &i) {
    const bool is_rest = opcode.name() == "rem";
    if (const auto type = peek_type(opcode); float_bits(type) && !is_rest)
      return float_operation(opcode, i, 2, [&](Value **v) { return b_.CreateFDiv(v[0], v[1]); });
    const IntegerType type = integer(opcode.take_type());
    if (!type.bits)
      return false;
    Value *const a = source(i.operands[1], type.bits), *const b = source(i.operands[2], type.bits);
    if (!a || !b)
      return false;
    Value *const zero = number(type.bits, 0), *const one = number(type.bits, 1),
                 *const ones = number(type.bits, ~uint64_t{0});
    Value *const is_zero = b_.CreateICmpEQ(b, zero);
    Value *divisor = b_.CreateSelect(is_zero, one, b);
    Value *is_minus = nullptr;
    if (type.is_signed) {
      is_minus = b_.CreateICmpEQ(b, ones);
      divisor = b_.CreateSelect(is_minus, one, divisor);
    }
    Value *whole = nullptr;
    if (type.bits <= 32) { // doubles hold these, and their quotient is never rounded up to the next integer
      const auto convert = [&](Value *value) {
        return type.is_signed ? b_.CreateSIToFP(value, floats(64)) : b_.CreateUIToFP(value, floats(64));
      };
      Value *const ratio = b_.CreateFDiv(convert(a), convert(divisor));
      whole = resize(b_.CreateFPToSI(ratio, vector(64)), type.bits);
    } else {
      whole = type.is_signed ? b_.CreateSDiv(a, divisor) : b_.CreateUDiv(a, divisor);
    }
    Value *result = whole;
    if (is_rest) {
      result = b_.CreateSub(a, b_.CreateMul(whole, divisor));
      result = b_.CreateSelect(is_zero, a, result);
    } else {
      if (is_minus)
        result = b_.CreateSelect(is_minus, b_.CreateNeg(a), result);
      result = b_.CreateSelect(is_zero, ones, result);
    }
    return set(i, i.operands[0], result);
  }

  bool logic(Opcode &opcode, const Instruction &i) {
    const auto type = opcode.take_type();
    const unsigned bits = type == Type::kPred ? 1 : integer(type).bits;
    if (!bits)
      return false;
    Value *const a = source(i.operands[1], bits);
    if (!a)
      return false;
    if (opcode.name() == "not")
      return set(i, i.operands[0], b_.CreateNot(a));
    Value *const b = source(i.operands[2], bits);
    return b && set(i, i.operands[0],
                    opcode.name() == "and"  ? b_.CreateAnd(a, b)
                    : opcode.name() == "or" ? b_.CreateOr(a, b)
                                            : b_.CreateXor(a, b));
  }

  bool one_of_sign(Opcode &opcode, const Instruction &i) {
    const bool negates = opcode.name() == "neg";
    if (const auto type = peek_type(opcode); float_bits(type))
      return float_operation(opcode, i, 1, [&](Value **v) {
        return negates ? b_.CreateFNeg(v[0]) : b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
      });
    const IntegerType type = integer(opcode.take_type());
    Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr;
    if (!a)
      return false;
    Value *const minus = b_.CreateNeg(a);
    const bool always = negates;
    return set(i, i.operands[0],
               always           ? minus
               : type.is_signed ? b_.CreateSelect(b_.CreateICmpSLT(a, number(type.bits, 0)), minus, a)
                                : a);
  }

  bool extreme(Opcode &opcode, const Instruction &i) {
    const bool is_least = opcode.name() == "min";
    if (const auto type = peek_type(opcode); float_bits(type)) {
      const bool keeps_nan = opcode.take("NaN");
      return float_operation(opcode, i, 2, [&](Value **v) { return float_extreme(v[0], v[1], is_least, keeps_nan); });
    }
    const IntegerType type = integer(opcode.take_type());
    Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr, *const b =
                                                                                 type.bits
                                                                                     ? source(i.operands[2], type.bits)
                                                                                     : nullptr;
    if (!a || !b)
      return false;
    const llvm::Intrinsic::ID id = is_least ? (type.is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                                            : (type.is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
    return set(i, i.operands[0], b_.CreateBinaryIntrinsic(id, a, b));
  }

  bool shift(Opcode &opcode, const Instruction &i) {
    const bool to_left = opcode.name() == "shl";
    const IntegerType type = integer(opcode.take_type());
    Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr, *const given = source(i.operands[2], 32);
    if (!a || !given)
      return false;
    Value *const is_far = b_.CreateICmpUGE(given, number(32, type.bits));
    if (!to_left && type.is_signed) {
      Value *const by = b_.CreateSelect(is_far, number(32, type.bits - 1), given);
      return set(i, i.operands[0], b_.CreateAShr(a, resize(by, type.bits)));
    }
    Value *const by = resize(b_.CreateSelect(is_far, number(32, 0), given), type.bits);
    Value *const shifted = to_left ? b_.CreateShl(a, by) : b_.CreateLShr(a, by);
    return set(i, i.operands[0], b_.CreateSelect(is_far, number(type.bits, 0), shifted));
  }

  bool count_bits(Opcode &opcode, const Instruction &i) {
    const bool is_amount = opcode.name() == "bfind" && opcode.take("shiftamt");
    const IntegerType type = integer(opcode.take_type());
    Value *a = type.bits ? source(i.operands[1], type.bits) : nullptr;
    if (!a || type.bits == 16)
      return false;
    if (opcode.name() == "brev")
      return set(i, i.operands[0], b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, a));
    if (opcode.name() == "popc")
      return set(i, i.operands[0], resize(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a), 32));
    if (opcode.name() == "bfind" && type.is_signed)
      a = b_.CreateSelect(b_.CreateICmpSLT(a, number(type.bits, 0)), b_.CreateNot(a), a);
    Value *const zeros = resize(b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, b_.getFalse()), 32);
    if (opcode.name() == "clz")
      return set(i, i.operands[0], zeros);
    Value *const found = is_amount ? zeros : b_.CreateSub(number(32, type.bits - 1), zeros);
    return set(i, i.operands[0],
               b_.CreateSelect(b_.CreateICmpEQ(a, number(type.bits, 0)), number(32, 0xFFFFFFFF), found));
  }

  std::optional<uint64_t> constant(const Operand &operand) const {
    if (operand.kind != Kind::kConstant)
      return std::nullopt;
    return function_.module->constant(operand.index)[0];
  }

  bool extract(Opcode &opcode, const Instruction &i) {
    const IntegerType type = integer(opcode.take_type());
    const auto first = constant(i.operands[2]), bits = constant(i.operands[3]);
    Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr;
    if (!a || !first || !bits)
      return false;
    const unsigned at = *first & 0xFF, length = *bits & 0xFF, all = type.bits;
    const unsigned kept = at >= all ? 0 : std::min(length, all - at);
    if (length == 0 || (kept == 0 && !type.is_signed))
      return set(i, i.operands[0], number(all, 0));
    if (kept == 0)
      return set(i, i.operands[0], b_.CreateAShr(a, number(all, all - 1)));
    Value *const high = b_.CreateShl(a, number(all, all - at - kept));
    return set(i, i.operands[0],
               type.is_signed ? b_.CreateAShr(high, number(all, all - kept))
                              : b_.CreateLShr(high, number(all, all - kept)));
  }

  bool insert(Opcode &opcode, const Instruction &i) {
    const IntegerType type = integer(opcode.take_type());
    const auto first = constant(i.operands[3]), bits = constant(i.operands[4]);
    Value *const a = type.bits ? source(i.operands[1], type.bits) : nullptr, *const b =
                                                                                 type.bits
                                                                                     ? source(i.operands[2], type.bits)
                                                                                     : nullptr;
    if (!a || !b || !first || !bits)
      return false;
    const unsigned at = *first & 0xFF, length = *bits & 0xFF;
    if (length == 0 || at >= type.bits)
      return set(i, i.operands[0], b);
    const uint64_t field = (length >= 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1) << at;
    return set(i, i.operands[0],
               b_.CreateOr(b_.CreateAnd(b, number(type.bits, ~field)),
                           b_.CreateAnd(b_.CreateShl(a, number(type.bits, at)), number(type.bits, field))));
  }

  bool permute(Opcode &opcode, const Instruction &i) {
    const auto selectors = constant(i.operands[3]);
    if (opcode.take_type() != Type::kB32 || !selectors)
      return false;
    Value *const a = source(i.operands[1], 32), *const b = source(i.operands[2], 32);
    if (!a || !b)
      return false;
    Value *result = number(32, 0);
    for (unsigned byte = 0; byte < 4; ++byte) {
      const unsigned selector = *selectors >> (4 * byte) & 0xF, from = selector & 3;
      Value *value = b_.CreateShl(selector & 4 ? b : a, number(32, 24 - 8 * from));
      value = selector & 8 ? b_.CreateAnd(b_.CreateAShr(value, number(32, 31)), number(32, 0xFF))
                           : b_.CreateLShr(value, number(32, 24));
      result = b_.CreateOr(result, b_.CreateShl(value, number(32, 8 * byte)));
    }
    return set(i, i.operands[0], result);
  }

  bool logic_of_three(Opcode &opcode, const Instruction &i) {
    const auto table = constant(i.operands[4]);
    if (opcode.take_type() != Type::kB32 || !table)
      return false;
    Value *const a = source(i.operands[1], 32), *const b = source(i.operands[2], 32),
                 *const c = source(i.operands[3], 32);
    if (!a || !b || !c)
      return false;
    Value *result = number(32, 0);
    for (unsigned row = 0; row < 8; ++row)
      if (*table >> row & 1) {
        const auto term = [&](Value *value, bool is_set) { return is_set ? value : b_.CreateNot(value); };
        result = b_.CreateOr(result, b_.CreateAnd(term(a, row & 4), b_.CreateAnd(term(b, row & 2), term(c, row & 1))));
      }
    return set(i, i.operands[0], result);
  }

  bool funnel(Opcode &opcode, const Instruction &i) {
    const bool to_left = opcode.take("l"), wraps = opcode.take("wrap");
    if ((!to_left && !opcode.take("r")) || (!wraps && !opcode.take("clamp")) || opcode.take_type() != Type::kB32)
      return false;
    Value *const a = source(i.operands[1], 32), *const b = source(i.operands[2], 32),
                 *const by = source(i.operands[3], 32);
    if (!a || !b || !by)
      return false;
    Value *const shifted =
        b_.CreateIntrinsic(to_left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, {vector(32)}, {b, a, by});
    if (wraps)
      return set(i, i.operands[0], shifted);
    return set(i, i.operands[0], b_.CreateSelect(b_.CreateICmpUGE(by, number(32, 32)), to_left ? a : b, shifted));
  }

  // ---- Floats

  // The type, without taking it.
  static std::optional<Type> peek_type(const Opcode &opcode) {
    Opcode copy = opcode;
    return copy.take_type();
  }

  // A denormal single becomes a zero of its sign.
  Value *flush(Value *value) {
    if (bits_of(value) != 32)
      return value;
    Value *const bits = b_.CreateBitCast(value, vector(32));
    Value *const is_small = b_.CreateICmpEQ(b_.CreateAnd(bits, number(32, 0x7F800000)), number(32, 0));
    return b_.CreateBitCast(b_.CreateSelect(is_small, b_.CreateAnd(bits, number(32, 0x80000000)), bits), floats(32));
  }
  Value *saturate(Value *value) {
    const unsigned bits = bits_of(value);
    Value *const below = b_.CreateSelect(b_.CreateFCmpOLT(value, real(bits, 1)), value, real(bits, 1));
    return b_.CreateSelect(b_.CreateFCmpOGT(value, real(bits, 0)), below, real(bits, 0));
  }

  template <class F> bool float_operation(Opcode &opcode, const Instruction &i, unsigned count, F compute) {
    if (i.variant != FE_TONEAREST)
      return false;
    opcode.ignore({"rn", "approx", "full", "ftz", "sat"});
    const unsigned bits = float_bits(opcode.take_type());
    Value *values[3] = {};
    for (unsigned n = 0; n < count; ++n) {
      values[n] = bits ? float_source(i.operands[n + 1], bits) : nullptr;
      if (!values[n])
        return false;
      if (i.flushes)
        values[n] = flush(values[n]);
    }
    Value *value = compute(values);
    if (i.saturates)
      value = saturate(value);
    return set_float(i, i.operands[0], i.flushes ? flush(value) : value);
  }

  Value *is_signaling(Value *value) {
    const unsigned bits = bits_of(value);
    Value *const quiet =
        b_.CreateAnd(b_.CreateBitCast(value, vector(bits)), number(bits, uint64_t{1} << (bits == 32 ? 22 : 51)));
    return b_.CreateAnd(b_.CreateFCmpUNO(value, value), b_.CreateICmpEQ(quiet, number(bits, 0)));
  }
  // As fmin and fmax of the C library, and zeros by their signs.
  Value *float_extreme(Value *a, Value *b, bool is_least, bool keeps_nan) {
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

  bool root(Opcode &opcode, const Instruction &i) {
    const auto type = peek_type(opcode);
    if (!float_bits(type) || (type == Type::kF64 && i.flushes))
      return false;
    return float_operation(opcode, i, 1, [&](Value **v) {
      Value *const value = opcode.name() == "rcp" ? v[0] : b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
      return opcode.name() == "sqrt" ? value : b_.CreateFDiv(real(bits_of(value), 1), value);
    });
  }
  bool copy_sign(Opcode &opcode, const Instruction &i) {
    return float_operation(opcode, i, 2,
                           [&](Value **v) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, v[1], v[0]); });
  }
  bool test_property(Opcode &opcode, const Instruction &i) {
    using namespace llvm; // of LLVM 17 and later; before, the classes are in no namespace
    static constexpr std::pair<const char *, unsigned> kProperties[] = {
        {"finite", fcFinite},  {"infinite", fcInf},  {"number", fcAllFlags & ~fcNan},
        {"notanumber", fcNan}, {"normal", fcNormal}, {"subnormal", fcSubnormal}};
    for (const auto &[name, classes] : kProperties)
      if (opcode.take(name)) {
        const unsigned bits = float_bits(opcode.take_type());
        Value *const a = bits ? float_source(i.operands[1], bits) : nullptr;
        return a && set(i, i.operands[0],
                        b_.CreateIntrinsic(llvm::Intrinsic::is_fpclass, {a->getType()}, {a, b_.getInt32(classes)}));
      }
    return false;
  }

  // ---- Comparisons

  bool compare(Opcode &opcode, const Instruction &i) {
    using P = llvm::CmpInst::Predicate;
    struct Comparison {
      const char *name;
      P of_signed, of_unsigned, of_floats;
    };
    static constexpr Comparison kAll[] = {{"eq", P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ},
                                          {"ne", P::ICMP_NE, P::ICMP_NE, P::FCMP_ONE},
                                          {"lt", P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT},
                                          {"le", P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
                                          {"gt", P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT},
                                          {"ge", P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE},
                                          {"lo", P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT},
                                          {"ls", P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE},
                                          {"hi", P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT},
                                          {"hs", P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE},
                                          {"equ", P::ICMP_EQ, P::ICMP_EQ, P::FCMP_UEQ},
                                          {"neu", P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE},
                                          {"ltu", P::ICMP_SLT, P::ICMP_ULT, P::FCMP_ULT},
                                          {"leu", P::ICMP_SLE, P::ICMP_ULE, P::FCMP_ULE},
                                          {"gtu", P::ICMP_SGT, P::ICMP_UGT, P::FCMP_UGT},
                                          {"geu", P::ICMP_SGE, P::ICMP_UGE, P::FCMP_UGE},
                                          {"num", P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::FCMP_ORD},
                                          {"nan", P::BAD_ICMP_PREDICATE, P::BAD_ICMP_PREDICATE, P::FCMP_UNO}};
    const Comparison *comparison = nullptr;
    for (const Comparison &one : kAll)
      if (!comparison && opcode.take(one.name))
        comparison = &one;
    if (!comparison)
      return false;
    const bool ands = opcode.take("and"), ors = opcode.take("or"), parts = opcode.take("xor");
    opcode.take("ftz");
    const bool gives_value = opcode.name() == "set";
    const Type result_type = gives_value ? opcode.take_type().value_or(Type::kNone) : Type::kNone;
    const auto type = opcode.take_type();
    Value *value = nullptr;
    if (const unsigned bits = float_bits(type)) {
      Value *a = float_source(i.operands[1], bits), *b = float_source(i.operands[2], bits);
      if (!a || !b)
        return false;
      if (i.flushes) {
        a = flush(a);
        b = flush(b);
      }
      value = b_.CreateFCmp(comparison->of_floats, a, b);
    } else {
      const IntegerType integers = integer(type);
      const P predicate = integers.is_signed ? comparison->of_signed : comparison->of_unsigned;
      Value *const a = integers.bits ? source(i.operands[1], integers.bits) : nullptr, *const b =
                                                                                           integers.bits
                                                                                               ? source(i.operands[2],
                                                                                                        integers.bits)
                                                                                               : nullptr;
      if (!a || !b || predicate == P::BAD_ICMP_PREDICATE)
        return false;
      value = b_.CreateICmp(predicate, a, b);
    }
    Value *opposite = b_.CreateNot(value);
    if (ands || ors || parts) {
      Value *const with = source(i.operands[3], 1);
      if (!with)
        return false;
      const auto combine = [&](Value *one) {
        return ands ? b_.CreateAnd(one, with) : ors ? b_.CreateOr(one, with) : b_.CreateXor(one, with);
      };
      value = combine(value);
      opposite = combine(opposite);
    }
    if (gives_value) {
      if (size_of(result_type) != 4)
        return false;
      const uint32_t yes = result_type == Type::kF32 ? 0x3F800000 : 0xFFFFFFFF;
      return set(i, i.operands[0], b_.CreateSelect(value, number(32, yes), number(32, 0)));
    }
    return set(i, i.operands[0], value) && (i.elements.empty() || set(i, i.elements[0], opposite));
  }

  bool select(Opcode &opcode, const Instruction &i) {
    const auto type = opcode.take_type();
    const unsigned bits = type && *type != Type::kPred && size_of(*type) >= 2 ? 8 * size_of(*type) : 0;
    Value *const a = bits ? source(i.operands[1], bits) : nullptr,
                 *const b = bits ? source(i.operands[2], bits) : nullptr, *const p = source(i.operands[3], 1);
    return a && b && p && set(i, i.operands[0], b_.CreateSelect(p, a, b));
  }

  // ---- Moves and conversions

  bool move(Opcode &opcode, const Instruction &i) {
    const auto type = opcode.take_type();
    if (!type)
      return false;
    const unsigned bits = *type == Type::kPred ? 1 : 8 * size_of(*type);
    if (i.elements.empty()) {
      Value *const a = source(i.operands[1], bits);
      return a && set(i, i.operands[0], a);
    }
    const unsigned part = bits / static_cast<unsigned>(i.elements.size());
    if (i.operands[0].kind == Kind::kNone) {
      Value *const whole = source(i.operands[1], bits);
      for (size_t n = 0; whole && n < i.elements.size(); ++n)
        if (!set(i, i.elements[n], resize(b_.CreateLShr(whole, number(bits, part * n)), part)))
          return false;
      return whole != nullptr;
    }
    Value *whole = number(bits, 0);
    for (size_t n = 0; n < i.elements.size(); ++n) {
      Value *const value = source(i.elements[n], part);
      if (!value)
        return false;
      whole = b_.CreateOr(whole, b_.CreateShl(resize(value, bits), number(bits, part * n)));
    }
    return set(i, i.operands[0], whole);
  }

  bool convert(Opcode &opcode, const Instruction &i) {
    opcode.ignore({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz"});
    const auto to = opcode.take_type(), from = opcode.take_type();
    if (!to || !from || *to == Type::kF16 || *from == Type::kF16)
      return false; // .sat is left, too
    const unsigned bits = 8 * size_of(*to), from_bits = 8 * size_of(*from);
    const int mode = static_cast<int>(i.variant & 0xFFFF);
    const bool to_integral = i.variant & 0x10000;
    if (!is_float(*from) && !is_float(*to)) {
      Value *value = source(i.operands[1], from_bits);
      if (!value || i.operands[0].kind != Kind::kRegister || i.operands[0].bits < bits)
        return false;
      value = resize(value, bits, is_signed(*from));
      return set(i, i.operands[0], resize(value, i.operands[0].bits, is_signed(*to)));
    }
    if (!is_float(*from)) {
      Value *const value = source(i.operands[1], from_bits);
      if (!value || mode != FE_TONEAREST)
        return false;
      return set_float(i, i.operands[0],
                       is_signed(*from) ? b_.CreateSIToFP(value, floats(bits)) : b_.CreateUIToFP(value, floats(bits)));
    }
    Value *value = float_source(i.operands[1], from_bits);
    if (!value)
      return false;
    if (i.flushes)
      value = flush(value);
    if (to_integral) {
      const llvm::Intrinsic::ID id = mode == FE_TOWARDZERO ? llvm::Intrinsic::trunc
                                     : mode == FE_DOWNWARD ? llvm::Intrinsic::floor
                                     : mode == FE_UPWARD   ? llvm::Intrinsic::ceil
                                                           : llvm::Intrinsic::rint;
      value = b_.CreateUnaryIntrinsic(id, value);
    }
    if (!is_float(*to)) {
      if (bits < 32 || i.operands[0].kind != Kind::kRegister || i.operands[0].bits != bits)
        return false;
      Value *const is_nan = b_.CreateFCmpUNO(value, value);
      value = b_.CreateIntrinsic(is_signed(*to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                 {vector(bits), value->getType()}, {value});
      const uint64_t of_nan = from_bits == 64 || bits == 64 ? uint64_t{1} << (bits - 1) : 0;
      return set(i, i.operands[0], b_.CreateSelect(is_nan, number(bits, of_nan), value));
    }
    if (bits == from_bits && !to_integral)
      return false;
    if (bits < from_bits && mode != FE_TONEAREST)
      return false;
    value = bits < from_bits   ? b_.CreateFPTrunc(value, floats(bits))
            : bits > from_bits ? b_.CreateFPExt(value, floats(bits))
                               : value;
    if (i.flushes)
      value = flush(value);
    return set_float(i, i.operands[0], value);
  }

  // Addresses of the block's shared memory, and of each lane's stack.
  Value *own_window(Space space) {
    if (space == Space::kShared)
      return splat(number_field(offsetof(CompiledState, shared_window)));
    return b_.CreateAdd(splat(number_field(offsetof(CompiledState, local_window))), counting(uint64_t{1} << kThreadAt));
  }
  bool convert_address(Opcode &opcode, const Instruction &i) {
    const bool from_generic = opcode.take("to");
    const auto space = opcode.take_space();
    if (!space || opcode.take_type() != Type::kU64 || *space == Space::kParam)
      return false;
    Value *value = source(i.operands[1], 64);
    if (!value)
      return false;
    if (*space == Space::kShared || *space == Space::kLocal) {
      Value *const offset = b_.CreateAnd(value, number(64, kOffsetMask));
      Value *const own = own_window(*space);
      if (from_generic)
        value = b_.CreateSelect(b_.CreateICmpEQ(b_.CreateAnd(value, number(64, ~kOffsetMask)), own), offset, value);
      else
        value = b_.CreateOr(offset, own);
    }
    return set(i, i.operands[0], value);
  }
  bool is_in_space(Opcode &opcode, const Instruction &i) {
    const auto space = opcode.take_space();
    Value *const a = source(i.operands[1], 64);
    if (!space || !a)
      return false;
    Value *const window = b_.CreateAnd(a, number(64, kWindowMask));
    const auto is = [&](uint64_t one) { return b_.CreateICmpEQ(window, number(64, one)); };
    Value *value = nullptr;
    switch (*space) {
    case Space::kShared: value = is(kSharedWindow); break;
    case Space::kLocal: value = is(kLocalWindow); break;
    case Space::kParam: value = is(kParamWindow); break;
    default: value = b_.CreateNot(b_.CreateOr(is(kSharedWindow), b_.CreateOr(is(kLocalWindow), is(kParamWindow))));
    }
    return set(i, i.operands[0], value);
  }

  // ---- Exchanges between lanes, where all are here and named

  bool shuffle(Opcode &opcode, const Instruction &i) {
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

  // ---- Memory

  // So many places of a size in so many bytes.
  Value *places(Value *bytes, uint64_t size) {
    return b_.CreateSelect(b_.CreateICmpUGE(bytes, b_.getInt64(size)), b_.CreateSub(bytes, b_.getInt64(size - 1)),
                           b_.getInt64(0));
  }

  bool access(const Instruction &i, uint32_t place, bool is_load) {
    if (i.is_polling || i.type == Type::kF16)
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

  const Function &function_;
  const Liveness &liveness_;
  const bool is_full_;
  uint32_t &accesses_;
  llvm::IRBuilder<> b_;
  llvm::Function *llvm_function_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr;
  Value *state_ = nullptr, *registers_ = nullptr, *mask_bits_ = nullptr, *mask_ = nullptr, *addresses_ = nullptr,
        *values_ = nullptr;
  std::map<uint32_t, llvm::BasicBlock *> blocks_; ///< by the place that they begin at
  std::vector<uint32_t> work_;
  std::set<uint32_t> starts_;
  uint32_t instructions_ = 0;
  std::map<uint32_t, Value *> registers_now_;
  std::map<uint32_t, Operand> changed_;
  std::map<uint32_t, std::pair<Value *, Operand>> next_registers_;
  std::vector<llvm::PHINode *> phis_;
};

} // namespace

Translation translate(const Function &function, const Liveness &liveness, uint32_t place, bool is_full,
                      uint32_t &accesses, llvm::Module &module) {
  return Translator(function, liveness, is_full, accesses, module).run(place);
}

} // namespace emulator::executor::ptx
