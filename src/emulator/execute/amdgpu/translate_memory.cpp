// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "translator.h"

namespace emulator::executor::amdgpu {

namespace {

// The size of elements and their number, by the end of an instruction's name.
struct Form {
  std::string_view name;
  unsigned size, width;
  bool is_signed = false;
};
constexpr Form kLoads[] = {{"ubyte", 1, 1},   {"u8", 1, 1},  {"sbyte", 1, 1, true},  {"i8", 1, 1, true},
                           {"ushort", 2, 1},  {"u16", 2, 1}, {"sshort", 2, 1, true}, {"i16", 2, 1, true},
                           {"dword", 4, 1},   {"b32", 4, 1}, {"dwordx2", 8, 1},      {"b64", 8, 1},
                           {"dwordx3", 4, 3}, {"b96", 4, 3}, {"dwordx4", 8, 2},      {"b128", 8, 2}};
constexpr Form kStores[] = {{"byte", 1, 1},    {"b8", 1, 1},  {"short", 2, 1},   {"b16", 2, 1},
                            {"dword", 4, 1},   {"b32", 4, 1}, {"dwordx2", 8, 1}, {"b64", 8, 1},
                            {"dwordx3", 4, 3}, {"b96", 4, 3}, {"dwordx4", 8, 2}, {"b128", 8, 2}};

constexpr unsigned kMostOfGroup = 40; // instructions

} // namespace

// Reads what the name says: false unless it is a load or a store that is compiled.
bool Translator::read_form(const Instruction &i, Access &access) {
  std::string_view name = i.name;
  const auto take = [&](std::string_view word) {
    const bool is_there = name.starts_with(word);
    name.remove_prefix(is_there ? word.size() : 0);
    return is_there;
  };
  access.space = take("ds_")        ? Access::Space::kShared
                 : take("scratch_") ? Access::Space::kStack
                 : take("buffer_")  ? Access::Space::kBuffer
                 : take("flat_")    ? Access::Space::kFlat
                                    : Access::Space::kGlobal;
  const bool is_shared = access.space == Access::Space::kShared;
  if ((access.space == Access::Space::kGlobal && !take("global_")) || i.is_gds)
    return false;
  if (access.space == Access::Space::kFlat && __atomic_load_n(&i.reaches_private, __ATOMIC_RELAXED) != 0)
    access.space = Access::Space::kFlatStack;
  access.is_load = take("load_") || (is_shared && take("read"));
  if (!access.is_load && !take("store_") && !(is_shared && take("write")))
    return false;
  // Two elements: read2st64_b32, load_2addr_stride64_b32.
  const bool are_two = is_shared && (take("2addr_") || take("2"));
  const int64_t stride = are_two && (take("st64") || take("stride64_")) ? 64 : 1;
  take("_");
  const std::span<const Form> forms = access.is_load ? std::span<const Form>(kLoads) : std::span<const Form>(kStores);
  const auto form = std::ranges::find(forms, name, [](const Form &one) { return one.name; });
  if (form == forms.end())
    return false;
  access.size = form->size;
  access.width = form->width;
  access.is_signed = form->is_signed;
  access.offset = i.offset;
  if (are_two) {
    access.width = 2;
    access.is_swapped = i.offset1 < i.offset0;
    access.offset = std::min(i.offset0, i.offset1) * stride * access.size;
    access.distance = std::abs(i.offset1 - i.offset0) * stride * access.size;
    // Stores are done lane by lane.
    if (access.distance == 0 || (!access.is_load && (access.distance != access.size || access.is_swapped)))
      return false;
  }
  // So elements of two lanes are the same, or apart.
  if (!access.is_load && access.width > 1)
    access.align = access.whole();
  return (access.align & (access.align - 1)) == 0;
}

// Finds the operands, where the interpreter has them.
bool Translator::find_base(const Instruction &i, Access &access) {
  access.address = &i.operands[access.is_load ? 1 : 0];
  access.data = &i.operands[access.is_load ? 0 : 1];
  const Operand &address = *access.address, &scalar = i.operands[2];
  const bool is_vector = address.kind == Kind::kVector;
  switch (access.space) {
  case Access::Space::kShared: access.vector_base = is_vector ? read_vector(address.index) : nullptr; break;
  case Access::Space::kStack:
  case Access::Space::kBuffer: return find_base_of_stack(i, access);
  case Access::Space::kGlobal:
    if (scalar.kind == Kind::kScalar && scalar.index != kNull) {
      access.scalar_base = read_pair(scalar.index);
      access.vector_base = is_vector ? read_vector(address.index) : number(32, 0);
      access.base = b_.CreateAdd(splat(access.scalar_base), resize(access.vector_base, 64));
      return true;
    }
    [[fallthrough]];
  default: access.vector_base = is_vector && address.registers == 2 ? read_wide(address.index) : nullptr;
  }
  access.base = access.vector_base;
  return access.base != nullptr;
}

// Private memory, by an offset or through a descriptor. That of the wave interleaves the lanes' bytes.
bool Translator::find_base_of_stack(const Instruction &i, Access &access) {
  const bool is_buffer = access.space == Access::Space::kBuffer;
  if (is_buffer) {
    access.data = &i.operands[0];
    access.address = &i.operands[1];
  }
  const Operand &descriptor = i.operands[2];
  Value *moved = scalar_source(i.operands[is_buffer ? 3 : 2]);
  if (!moved || (is_buffer && (i.count < 4 || descriptor.kind != Kind::kScalar || descriptor.registers != 4)))
    return false;
  if (is_buffer) {
    Value *const base = b_.CreateAnd(read_pair(descriptor.index), b_.getInt64(0xFFFFFFFFFFFF));
    Value *const is_own = b_.CreateICmpEQ(base, number_field(offsetof(CompiledState, scratch_base)));
    Value *const rest = b_.CreateAnd(moved, b_.getInt32(4 * lanes_ - 1));
    access.is_allowed = b_.CreateAnd(is_own, b_.CreateIsNull(rest));
    moved = b_.CreateUDiv(moved, b_.getInt32(lanes_));
  }
  access.scalar_base = moved;
  access.base = splat(moved);
  const bool is_vector = access.address->kind == Kind::kVector && (!is_buffer || i.has_offen);
  if (is_vector) {
    access.vector_base = read_vector(access.address->index);
    access.base = b_.CreateAdd(access.base, access.vector_base);
  }
  return true;
}

AccessBuilder::Memory Translator::find_memory(const Access &access) {
  if (access.space == Access::Space::kGlobal || access.space == Access::Space::kFlat) {
    Memory memory = reached_memory(pointer_field(offsetof(CompiledState, reached)), accesses_++);
    if (access.space == Access::Space::kFlat) { // that of a block may be anywhere
      Value *const is_shared = b_.CreateICmpEQ(memory.begin, b_.getInt64(uint64_t{kSharedAperture} << 32));
      memory.bytes = b_.CreateSelect(is_shared, pointer_field(offsetof(CompiledState, shared)), memory.bytes);
    }
    return memory;
  }
  const bool is_shared = access.space == Access::Space::kShared;
  const uint64_t begin = access.space == Access::Space::kFlatStack ? uint64_t{kPrivateAperture} << 32 : 0;
  return {.bytes = pointer_field(is_shared ? offsetof(CompiledState, shared) : offsetof(CompiledState, stack)),
          .begin = b_.getInt64(begin),
          .size = number_field(is_shared ? offsetof(CompiledState, shared_size) : offsetof(CompiledState, stack_size)),
          .number = kNoAccess,
          .is_small = is_shared};
}

// Returns the offsets of this access and of those behind it in the block that have the same base.
AccessBuilder::Reach Translator::find_group(const Instruction &i, const Access &access, uint64_t address) const {
  Reach group = begin_group(access);
  const auto is_same = [](const Operand &one, const Operand &other) {
    return one.kind == other.kind && one.index == other.index && one.registers == other.registers;
  };
  const auto overlaps = [](const Operand &one, const Operand &other) {
    return one.kind == other.kind && one.index < other.index + other.registers &&
           other.index < one.index + one.registers;
  };
  const Operand &scalar = i.operands[2];
  for (unsigned n = 0; n < kMostOfGroup; ++n) {
    const Instruction *const one = code_.at(address);
    if (!one || one->ends_block || one->second)
      break;
    Access other;
    const bool is_access = read_form(*one, other);
    if (is_access && other.space == access.space && other.is_load == access.is_load &&
        is_same(one->operands[other.is_load ? 1 : 0], *access.address) && is_same(one->operands[2], scalar))
      group.add(other.offset, other.whole(), other.align);
    const bool has_results = !is_access || other.is_load;
    for (unsigned m = 0; m < (has_results ? 2u : 0u); ++m) // most write one operand or two
      if (overlaps(one->operands[m], *access.address) && (m == 0 || one->operands[m].kind == Kind::kScalar))
        return group;
    if (has_results && scalar.kind == Kind::kScalar &&
        (overlaps(one->operands[0], scalar) || overlaps(one->operands[1], scalar)) && !is_access)
      return group;
    address += one->size;
  }
  return group;
}

// Checks bounds, once for all accesses of the block that have this base.
const AccessBuilder::Reach &Translator::reach(const Instruction &i, const Access &access, uint64_t address) {
  const Base key{access.vector_base, access.scalar_base, access.space, access.is_load};
  const bool has_others = access.space == Access::Space::kFlat || access.space == Access::Space::kFlatStack ||
                          access.space == Access::Space::kGlobal || access.space == Access::Space::kShared;
  if (const auto found = reaches_.find(key); has_others && found != reaches_.end() && found->second.has(access))
    return found->second;
  Reach reach = has_others ? find_group(i, access, address) : begin_group(access);
  check(access, find_memory(access), reach);
  if (access.is_allowed)
    reach.is_fine = b_.CreateAnd(reach.is_fine, access.is_allowed);
  return reaches_.insert_or_assign(key, reach).first->second;
}

// The interpreter's own access. Its operands are put into the wave, where its results are then.
void Translator::call_for_access(const Instruction &i, uint64_t address, uint32_t number) {
  const auto store_scalar = [&](unsigned index) {
    const auto found = scalars_now_.find(index);
    if (found != scalars_now_.end() && found->second.is_new)
      b_.CreateAlignedStore(found->second.value, scalar_address(index), llvm::Align(4));
  };
  for (unsigned n = 0; n < i.count; ++n)
    for (unsigned m = 0; m < i.operands[n].registers; ++m)
      if (i.operands[n].kind == Kind::kVector)
        store_vector(i.operands[n].index + m);
      else if (i.operands[n].kind == Kind::kScalar)
        store_scalar(i.operands[n].index + m);
  store_scalar(kVcc);
  store_scalar(kVcc + 1);
  call_interpreter(i, address, number);
}

bool Translator::access(const Instruction &i, uint64_t address) {
  Access access;
  if (!read_form(i, access) || !find_base(i, access))
    return false;
  // An element's register.
  const unsigned step = access.size == 8 ? 2 : 1;
  const auto register_of = [&](unsigned element) {
    if (access.distance != 0 && !access.is_load)
      return unsigned{i.operands[1 + element].index};
    return access.data->index + step * (access.is_swapped ? 1 - element : element);
  };
  const unsigned registers = step * (access.distance != 0 && !access.is_load ? 1 : access.width);
  const auto has_registers = [&](const Operand &one) {
    return one.kind == Kind::kVector && one.registers == registers;
  };
  if (!has_registers(*access.data) || (access.distance != 0 && !access.is_load && !has_registers(i.operands[2])))
    return false;
  for (unsigned n = 0; !access.is_load && n < access.width; ++n)
    access.values.push_back(step == 2 ? read_wide(register_of(n))
                                      : resize(read_vector(register_of(n)), 8 * access.size));
  access.is_all = is_full_;
  access.is_by_lane = access.space == Access::Space::kStack || access.space == Access::Space::kBuffer ||
                      access.space == Access::Space::kFlatStack;
  access.mask = mask_;
  access.mask_bits = mask_bits_;
  const Reach &reach = this->reach(i, access, address);
  const std::vector<Value *> results = access_memory(access, reach, [&] {
    call_for_access(i, address, reach.number);
    std::vector<Value *> all;
    const auto load = [&](unsigned index) {
      return b_.CreateAlignedLoad(vector(32), vector_address(index), llvm::Align(4));
    };
    for (unsigned n = 0; access.is_load && n < access.width; ++n)
      all.push_back(step == 2 ? b_.CreateOr(resize(load(register_of(n)), 64),
                                            b_.CreateShl(resize(load(register_of(n) + 1), 64), number(64, 32)))
                              : resize(load(register_of(n)), 8 * access.size));
    return all;
  });
  mask_ = lanes_of(mask_bits_);
  for (unsigned n = 0; access.is_load && n < access.width; ++n)
    if (step == 2)
      write_wide(register_of(n), results[n]);
    else
      write_vector(register_of(n), resize(results[n], 32, access.is_signed));
  return true;
}

// A value of another lane. The interpreter knows what it is if that does not take part.
bool Translator::permute(const Instruction &i) {
  if (i.name != "ds_bpermute_b32" || !is_full_ || i.operands[0].kind != Kind::kVector)
    return false;
  Value *const addresses = source(i.operands[1], 'i'), *const values = source(i.operands[2], 'i');
  if (!addresses || !values)
    return false;
  Value *const lane =
      b_.CreateAnd(b_.CreateLShr(b_.CreateAdd(addresses, number(32, static_cast<uint32_t>(i.offset))), number(32, 2)),
                   number(32, lanes_ - 1));
  if (!row_) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(entry_, entry_->begin());
    row_ = b_.CreateAlloca(vector(32));
  }
  b_.CreateAlignedStore(values, row_, llvm::Align(4));
  Value *const places = b_.CreateGEP(b_.getInt32Ty(), row_, lane);
  write_vector(i.operands[0].index,
               b_.CreateMaskedGather(vector(32), places, llvm::Align(4), number(1, 1), number(32, 0)));
  return true;
}

// Registers from memory, which the wave as a whole may read.
bool Translator::load_scalars(const Instruction &i, uint64_t address) {
  const Operand &result = i.operands[0], &base = i.operands[1], &offset = i.operands[2];
  if (result.kind != Kind::kScalar || base.kind != Kind::kScalar || base.registers != 2 || base.index == kNull ||
      result.index == kNull)
    return false;
  Value *at = b_.CreateAdd(read_pair(base.index), b_.getInt64(static_cast<uint64_t>(int64_t{i.offset})));
  if (offset.kind == Kind::kScalar)
    at = b_.CreateAdd(at, b_.CreateZExt(read_scalar(offset.index), b_.getInt64Ty()));
  else if (offset.kind == Kind::kInteger)
    at = b_.CreateAdd(at, b_.getInt64(static_cast<uint64_t>(offset.bits)));
  at = b_.CreateAnd(at, b_.getInt64(~uint64_t{3}));
  const Memory memory = reached_memory(pointer_field(offsetof(CompiledState, reached)), accesses_++);
  const uint64_t size = result.registers * uint64_t{4};
  Value *const distance = b_.CreateSub(at, memory.begin);
  Value *const is_fine = b_.CreateAnd(b_.CreateICmpUGE(memory.size, b_.getInt64(size)),
                                      b_.CreateICmpULE(distance, b_.CreateSub(memory.size, b_.getInt64(size))));
  llvm::BasicBlock *const slow = new_block("slow"), *const fast = new_block("fast"), *const done = new_block("done");
  branch_likely(is_fine, fast, slow);
  b_.SetInsertPoint(slow);
  call_for_access(i, address, memory.number);
  const auto value_at = [&](Value *pointer, unsigned n) {
    return b_.CreateAlignedLoad(b_.getInt32Ty(), this->at(pointer, uint64_t{n} * 4), llvm::Align(4));
  };
  std::vector<std::pair<Value *, Value *>> values(result.registers);
  for (unsigned n = 0; n < result.registers; ++n)
    values[n].first = value_at(scalars_, result.index + n);
  llvm::BasicBlock *const behind_slow = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(fast);
  Value *const bytes = b_.CreateGEP(b_.getInt8Ty(), memory.bytes, distance);
  for (unsigned n = 0; n < result.registers; ++n)
    values[n].second = value_at(bytes, n);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  for (unsigned n = 0; n < result.registers; ++n) {
    llvm::PHINode *const value = b_.CreatePHI(b_.getInt32Ty(), 2);
    value->addIncoming(values[n].first, behind_slow);
    value->addIncoming(values[n].second, fast);
    write_scalar(result.index + n, value);
  }
  mask_ = lanes_of(mask_bits_);
  return true;
}

} // namespace emulator::executor::amdgpu
