// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds, types and ranges of operands (PTX ISA 6.2 to 6.5 and 9.4.1), as ptxas 13.0 takes them.

#include "forms.h"
#include "operations.h"

namespace emulator::executor::ptx {

namespace {

// Letters of Form::operands. Results are before '=', one that may be missing is behind '?':
//   1 2   first, second type of the opcode          D S   the same, or a register that is wider
//   m     first type, a special register or the address of a variable
//   v     64 bits, or the address of a variable     w     an integer of twice the first type's size
//   i q   integer of 32, 64 bits                    p     predicate
//   a     address                                   |p    a predicate behind the result
//   n     integer constant, those below with a range: c 0 to 255, e 0 to 15, l a power of two
//   b t   number of a barrier, of its threads: constant or integer of 32 bits

bool is_bits(Type type) { return type == Type::kB8 || type == Type::kB16 || type == Type::kB32 || type == Type::kB64; }

bool fits(Type declared, Type type, bool may_be_wider) {
  if (declared == Type::kPred || type == Type::kPred)
    return declared == type;
  const unsigned size = size_of(declared), wanted = size_of(type);
  if (size != wanted && (!may_be_wider || size < wanted))
    return false;
  if (is_float(type) && size != wanted)
    return is_bits(declared);
  return is_bits(declared) || is_bits(type) || is_float(declared) == is_float(type);
}

Type twice(Type type) { return size_of(type) == 2 ? Type::kU32 : Type::kU64; }

// The operands that a letter stands for.
struct Wanted {
  Type type = Type::kNone;
  bool may_be_wider = false, is_address = false, takes_register = true, takes_constant = true;
  bool takes_special = false, takes_symbol = false;
};
Wanted wanted_by(char letter, const Form &form) {
  Wanted wanted;
  switch (letter) {
  case '1': wanted.type = form.types[0]; break;
  case '2': wanted.type = form.types[1]; break;
  case 'D': wanted = {form.types[0], true}; break;
  case 'S':
    wanted = {form.types[1], true};
    wanted.takes_special = true;
    break;
  case 'm':
    wanted.type = form.types[0];
    wanted.takes_special = !is_float(wanted.type);
    wanted.takes_symbol = !is_float(wanted.type) && size_of(wanted.type) >= 4;
    break;
  case 'v':
    wanted.type = form.types[0];
    wanted.takes_symbol = true;
    break;
  case 'w': wanted.type = twice(form.types[0]); break;
  case 'q': wanted.type = Type::kU64; break;
  case 'p': wanted.type = Type::kPred; break;
  case 'a': wanted.is_address = true; break;
  case 'n':
  case 'e':
  case 'l':
    wanted.type = Type::kU64;
    wanted.takes_register = false;
    break;
  default: wanted.type = Type::kU32; break;
  }
  return wanted;
}

bool is_in_range(char letter, uint64_t value) {
  switch (letter) {
  case 'c': return value <= 255;
  case 'b':
  case 'e': return value <= 15;
  case 't': return value % 32 == 0;
  case 'l': return value != 0 && (value & (value - 1)) == 0;
  default: return true;
  }
}

bool is_constant_of(Type constant, Type type) {
  if (is_float(type))
    return is_float(constant);
  return !is_float(constant) || (is_bits(type) && size_of(type) == size_of(constant));
}

class Checker {
public:
  Checker(const Form &form, const Module &module, const Instruction &instruction)
      : form_(form), module_(module), one_(instruction) {}

  std::string run() {
    bool is_result = true;
    unsigned next = 0;
    for (size_t at = 0; at < form_.operands.size() && error_.empty(); ++at) {
      const char letter = form_.operands[at];
      if (letter == '=')
        is_result = false;
      else if (letter == '?')
        at += one_.count - next < form_.operands.size() - at - 1 ? 1 : 0;
      else if (letter == '|')
        check_second(), ++at;
      else if (next == one_.count)
        error_ = wrong_number();
      else
        check(one_.operands[next], letter, is_result, next), ++next;
    }
    if (error_.empty() && next != one_.count)
      error_ = wrong_number();
    if (error_.empty() && has_second() && form_.operands.find('|') == std::string_view::npos)
      error_ = "it has no second result";
    return error_;
  }

private:
  std::string wrong_number() const { return "it has " + std::to_string(one_.count) + " operands"; }
  bool has_second() const { return one_.operands[0].kind != Operand::Kind::kNone && one_.operands[0].has_second; }
  void fail(unsigned number, const std::string &reason) {
    error_ = "operand " + std::to_string(number + 1) + " " + reason;
  }

  void check_second() {
    if (has_second())
      check(one_.elements[0], 'p', true, 0);
  }

  void check(const Operand &operand, char letter, bool is_result, unsigned number) {
    const Wanted wanted = wanted_by(letter, form_);
    if (operand.is_address != wanted.is_address)
      return fail(number, wanted.is_address ? "is no address" : "is an address");
    if (wanted.is_address)
      return check_address(operand, number);
    if (operand.kind == Operand::Kind::kNone)
      return check_vector(wanted, letter, is_result, number);
    check_value(operand, wanted, letter, is_result, number);
  }

  void check_vector(const Wanted &wanted, char letter, bool is_result, unsigned number) {
    if (!one_.more_elements.empty())
      return fail(number, "is the second vector");
    const bool is_move = one_.operation->name == "mov";
    const unsigned parts = static_cast<unsigned>(one_.elements.size());
    if (!is_move && one_.width == 1)
      return fail(number, "is a vector");
    if (!is_move && parts != one_.width)
      return fail(number, "has " + std::to_string(parts) + " elements of " + std::to_string(one_.width));
    Wanted part = wanted;
    if (is_move) { // parts of a whole
      const unsigned size = size_of(wanted.type) / parts;
      if (!is_bits(wanted.type) || (parts != 2 && parts != 4) || size == 0)
        return fail(number, "is a vector of " + std::to_string(parts) + " elements");
      part.type = size == 1 ? Type::kB8 : size == 2 ? Type::kB16 : Type::kB32;
      part.takes_special = part.takes_symbol = false;
    }
    unsigned bits = 0;
    for (const Operand &element : one_.elements) {
      if (error_.empty() && element.kind != Operand::Kind::kSink)
        check_value(element, part, letter, is_result, number);
      if (error_.empty() && element.bits != 0 && bits != 0 && element.bits != bits)
        return fail(number, "has elements of several sizes");
      bits = element.bits != 0 ? element.bits : bits;
    }
  }

  void check_value(const Operand &operand, const Wanted &wanted, char letter, bool is_result, unsigned number) {
    const bool is_register = operand.kind == Operand::Kind::kRegister;
    if (one_.width > 1 && one_.elements.empty())
      return fail(number, "is no vector of " + std::to_string(one_.width) + " elements");
    if (operand.is_negated && (wanted.type != Type::kPred || is_result))
      return fail(number, "is negated");
    if (is_result && operand.kind == Operand::Kind::kSink && one_.elements.empty())
      return fail(number, "gives the result away");
    if (is_result && !is_register && operand.kind != Operand::Kind::kSink)
      return fail(number, "is no register");
    if (is_register && !wanted.takes_register)
      return fail(number, "is no constant");
    if (operand.is_symbol) {
      if (!wanted.takes_symbol || (operand.space != Space::kShared && size_of(wanted.type) != 8))
        return fail(number, "is the address of a variable");
      return check_space_of(operand, number);
    }
    if (is_register && !fits(operand.type, wanted.type, wanted.may_be_wider))
      return fail(number, "has another type");
    if (operand.kind == Operand::Kind::kSpecial && !takes(operand, wanted))
      return fail(number, "is a special register of another type, or one where none may be");
    if (operand.kind != Operand::Kind::kConstant)
      return;
    if (!wanted.takes_constant || !is_constant_of(operand.type, wanted.type))
      return fail(number, "is a constant of another type");
    if (!is_in_range(letter, module_.constant(operand.index)[0]) ||
        (letter == 't' && one_.variant == kArrives && module_.constant(operand.index)[0] == 0))
      return fail(number, "is out of range");
  }

  // WARP_SZ is a constant. Special registers of three dimensions had 16 bits in old PTX, and may still be read so.
  static bool takes(const Operand &operand, const Wanted &wanted) {
    const auto special = static_cast<Special>(operand.index);
    if (special == Special::kWarpSize)
      return !is_float(wanted.type) && wanted.type != Type::kPred;
    if (!wanted.takes_special)
      return false;
    if (special == Special::kGrid)
      return !is_float(wanted.type) && wanted.type != Type::kPred;
    const bool may_be_half = special <= Special::kNctaidZ && size_of(wanted.type) == 2;
    return may_be_half || fits(operand.bits == 64 ? Type::kU64 : Type::kU32, wanted.type, wanted.may_be_wider);
  }

  // cvta of a variable.
  void check_space_of(const Operand &operand, unsigned number) {
    if (one_.operation->name == "cvta" && operand.space != one_.space)
      fail(number, "is in another state space");
  }

  void check_address(const Operand &operand, unsigned number) {
    if (operand.kind == Operand::Kind::kRegister) {
      const bool is_small = one_.space != Space::kGeneric && one_.space != Space::kGlobal;
      const bool is_right = !is_float(operand.type) && (operand.bits == 64 || (operand.bits == 32 && is_small));
      return is_right ? void() : fail(number, "has a type that an address cannot have");
    }
    if (!operand.is_symbol)
      return one_.space == Space::kLocal && operand.kind == Operand::Kind::kConstant
                 ? void()
                 : fail(number, "is an address that is a constant");
    const bool is_generic =
        one_.space == Space::kGeneric &&
        (operand.space == Space::kGlobal || operand.space == Space::kShared ||
         (operand.space == Space::kLocal && one_.operation->name != "atom" && one_.operation->name != "red"));
    if (!is_generic && operand.space != one_.space)
      fail(number, "is in another state space");
  }

  const Form &form_;
  const Module &module_;
  const Instruction &one_;
  std::string error_;
};

} // namespace

bool check_operands(const Form &form, const Module &module, const Instruction &instruction, std::string &reason) {
  reason = Checker(form, module, instruction).run();
  return reason.empty();
}

Type operand_type(const Form &form, unsigned operand) {
  char before = 0;
  for (const char letter : form.operands) {
    if (letter != '=' && letter != '?' && letter != '|' && before != '|' && operand-- == 0)
      return wanted_by(letter, form).type;
    before = letter;
  }
  return Type::kNone;
}

} // namespace emulator::executor::ptx
