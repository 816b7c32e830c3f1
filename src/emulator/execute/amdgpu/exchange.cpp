// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See exchange.h.

#include "exchange.h"

#include "wave.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace emulator::executor::amdgpu {

namespace {

bool is_load(const Instruction &instruction) {
  return instruction.name.find("_load") != std::string::npos || instruction.name.find("_read") != std::string::npos;
}

// Returns whether it accesses memory other than that of a lane's stack.
bool accesses_memory(const Instruction &instruction) {
  const std::string &name = instruction.name;
  return name.starts_with("flat_") || name.starts_with("global_") ||
         (name.starts_with("ds_") && name.find("permute") == std::string::npos);
}

bool swaps(const Instruction &one) {
  return one.name.find("_cmpswap") != std::string::npos || one.name.find("_cmpst") != std::string::npos;
}

// A register of 32 bits.
struct Register {
  OperandKind kind = OperandKind::kVector;
  size_t index = 0;
  auto operator<=>(const Register &) const = default;
};

std::optional<Register> register_of(const Operand &operand, size_t number) {
  if (operand.kind != OperandKind::kVector && operand.kind != OperandKind::kScalar)
    return std::nullopt;
  return Register{operand.kind, operand.index + number};
}

// Follows registers behind a load. A register has the loaded value, some of its bits, a computed value, or the value
// that another register had before the load.
class RegistersBehind {
public:
  explicit RegistersBehind(const Instruction &load) : loaded_(load.operands[0]) {
    for (size_t i = 0; i < loaded_.registers; ++i)
      sources_[*register_of(loaded_, i)] = Register{OperandKind::kText, i};
  }

  void follow(const Instruction &one) {
    Changes changes;
    for (const Instruction *part = &one; part; part = part->second.get())
      find_changes(*part, changes);
    for (const Change &change : changes) {
      sources_[change.place] = change.source;
      if (change.is_part)
        parts_.insert(change.place);
      else
        parts_.erase(change.place);
    }
  }

  // Returns the register that had the value before the load. The loaded value itself has kText, a computed one none.
  std::optional<Register> source(const std::optional<Register> &place) const {
    const auto found = place ? sources_.find(*place) : sources_.end();
    return found == sources_.end() ? place : found->second;
  }
  bool is_loaded(const std::optional<Register> &place) const {
    return source(place) == Register{OperandKind::kText, 0};
  }
  bool is_part(const std::optional<Register> &place) const { return place && parts_.contains(*place); }

private:
  struct Change {
    Register place;
    std::optional<Register> source;
    bool is_part;
  };
  using Changes = std::vector<Change>;

  static bool copies(const Instruction &one) {
    return one.name.starts_with("v_mov") || one.name.starts_with("v_accvgpr") || one.name.starts_with("s_mov_b");
  }
  static bool takes_bits(const Instruction &one) {
    return one.name.starts_with("v_and") || one.name.starts_with("v_or") || one.name.starts_with("v_bfi");
  }
  std::optional<Register> copied(const Instruction &one, size_t number) const {
    if (copies(one))
      return register_of(one.operands[1], number);
    if (one.name == "v_pk_mov_b32" && number < 2)
      return register_of(one.operands[1 + number], one.op_sel[number]);
    return std::nullopt;
  }
  void find_changes(const Instruction &one, Changes &changes) const {
    bool has_part = false;
    for (size_t i = 1; i < one.count; ++i) {
      const auto place = register_of(one.operands[i], 0);
      has_part |= takes_bits(one) && (is_part(place) || is_loaded(place));
    }
    for (size_t i = 0; i < one.operands[0].registers; ++i)
      if (const auto place = register_of(one.operands[0], i)) {
        const auto from = copied(one, i);
        changes.push_back({*place, from ? source(from) : std::nullopt, has_part || is_part(from)});
      }
  }

  const Operand &loaded_;
  std::map<Register, std::optional<Register>> sources_;
  std::set<Register> parts_;
};

// Returns whether the registers have the same value now.
bool are_alike(AmdWave &wave, const Register &one, const Register &other) {
  const int lane = __builtin_ctzll(wave.exec() | uint64_t{1} << 63);
  const auto value = [&](const Register &place) {
    return place.kind == OperandKind::kVector ? wave.vector(place.index)[lane] : wave.scalar(place.index);
  };
  return one == other ||
         (one.kind != OperandKind::kText && other.kind != OperandKind::kText && value(one) == value(other));
}

// Operand 1 is the address. An address of global memory may have a second part, which is the last operand.
bool has_same_address(const Instruction &load, const Instruction &swap, const RegistersBehind &behind, AmdWave &wave) {
  if (load.offset != swap.offset)
    return false;
  const bool is_global = swap.name.starts_with("global_");
  for (const auto &[from, to] : {std::pair{1, 1}, std::pair{2, 3}}) {
    const Operand &old = load.operands[from], &now = swap.operands[to];
    if (to == 3 && !is_global)
      break;
    if (old.registers != now.registers)
      return false;
    for (size_t i = 0; i < old.registers; ++i) {
      const auto one = register_of(old, i), other = behind.source(register_of(now, i));
      if (one.has_value() != other.has_value() || (one && !are_alike(wave, *one, *other)))
        return false;
    }
  }
  return true;
}

// The value that the swap expects is behind its new value, or in an operand of its own.
std::vector<std::optional<Register>> expected_by(const Instruction &swap, size_t words) {
  if (swap.name.starts_with("ds_"))
    return {register_of(swap.operands[2], 0), register_of(swap.operands[3], 0)};
  return {register_of(swap.operands[2], words)};
}

} // namespace

// If compilers do not optimise, the loop takes the value from the stack, and has the next access to other memory.
bool find_exchange_behind(CodeSpace &code, const Instruction &load, uint64_t address, AmdWave &wave) {
  constexpr unsigned kFar = 96;
  if (!is_load(load) || !accesses_memory(load) || load.operands[0].kind != OperandKind::kVector)
    return false;
  RegistersBehind behind(load);
  std::string reason;
  const Instruction *one = &load;
  bool is_next = true, reloads = false;
  for (unsigned n = 0; n < kFar; ++n) {
    address += one->size;
    one = code.at(address, reason);
    if (!one || one->name == "s_endpgm" || one->name == "s_setpc_b64")
      return false;
    if (swaps(*one)) {
      if (is_next && reloads)
        return true;
      for (const auto &place : expected_by(*one, load.operands[0].registers))
        if (behind.is_loaded(place) || (behind.is_part(place) && has_same_address(load, *one, behind, wave)))
          return true;
    }
    behind.follow(*one);
    reloads |= one->name.starts_with("buffer_load") || one->name.starts_with("scratch_load");
    is_next = is_next && !accesses_memory(*one);
  }
  return false;
}

} // namespace emulator::executor::amdgpu
