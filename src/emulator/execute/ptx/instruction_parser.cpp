// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of a function's body, with their operands, which are found while they are read.

#include <algorithm>

#include "forms.h"
#include "operations.h"
#include "parser.h"

namespace emulator::executor::ptx {

namespace {

const std::pair<const char *, Special> kSpecials[] = {{"%tid.x", Special::kTidX},
                                                      {"%tid.y", Special::kTidY},
                                                      {"%tid.z", Special::kTidZ},
                                                      {"%ntid.x", Special::kNtidX},
                                                      {"%ntid.y", Special::kNtidY},
                                                      {"%ntid.z", Special::kNtidZ},
                                                      {"%ctaid.x", Special::kCtaidX},
                                                      {"%ctaid.y", Special::kCtaidY},
                                                      {"%ctaid.z", Special::kCtaidZ},
                                                      {"%nctaid.x", Special::kNctaidX},
                                                      {"%nctaid.y", Special::kNctaidY},
                                                      {"%nctaid.z", Special::kNctaidZ},
                                                      {"%laneid", Special::kLane},
                                                      {"%warpid", Special::kWarp},
                                                      {"%nwarpid", Special::kWarps},
                                                      {"WARP_SZ", Special::kWarpSize},
                                                      {"%lanemask_eq", Special::kLanesEqual},
                                                      {"%lanemask_lt", Special::kLanesBelow},
                                                      {"%lanemask_le", Special::kLanesUpTo},
                                                      {"%lanemask_gt", Special::kLanesAbove},
                                                      {"%lanemask_ge", Special::kLanesFrom},
                                                      {"%clock", Special::kClock},
                                                      {"%clock64", Special::kClock64},
                                                      {"%globaltimer", Special::kTime},
                                                      {"%globaltimer_lo", Special::kTimeLow},
                                                      {"%globaltimer_hi", Special::kTimeHigh},
                                                      {"%total_smem_size", Special::kSharedTotal},
                                                      {"%dynamic_smem_size", Special::kSharedDynamic},
                                                      {"%smid", Special::kSm},
                                                      {"%nsmid", Special::kSms},
                                                      {"%gridid", Special::kGrid}};

bool find_special(std::string_view name, Operand &operand) {
  for (const auto &[known, special] : kSpecials)
    if (name == known) {
      operand.kind = Operand::Kind::kSpecial;
      operand.index = static_cast<uint32_t>(special);
      operand.type = Type::kNone;
      operand.bits = special == Special::kClock64 || special == Special::kTime ? 64 : 32;
      return true;
    }
  return false;
}

} // namespace

void FunctionParser::read_instruction() {
  Instruction instruction;
  instruction.file = file_;
  instruction.line = line_;
  const char *begin = reader_.peek().text.data();
  if (reader_.skip("@")) {
    const bool is_negated = reader_.skip("!");
    const Token name = reader_.take();
    if (!find_register(name.text, instruction.guard) || instruction.guard.bits != 1)
      return reader_.fail("'" + std::string(name.text) + "' is no predicate");
    instruction.guard.is_negated = is_negated;
  }
  const Token opcode = reader_.take();
  std::string reason;
  if (!bind_operation(opcode.text, instruction, reason)) {
    reader_.is_limit = !reader_.has_failed();
    return reader_.fail(std::string(opcode.text) + ": " + reason);
  }
  const Form form = find_form(opcode.text);
  if (form.operands.empty())
    return reader_.fail(std::string(opcode.text) + ": PTX has no such form of it");
  if (!check_needs(opcode.text))
    return;
  if (opcode.text.starts_with("bra") || opcode.text.starts_with("brx"))
    read_branch(instruction);
  else if (opcode.text.starts_with("call"))
    read_call(instruction);
  else if (!reader_.peek().is(";") && !read_operands(instruction))
    return;
  const Token &end = reader_.peek();
  instruction.text = std::string_view(begin, static_cast<size_t>(end.text.data() - begin));
  reader_.expect(";");
  if (!reader_.has_failed() && !check_operands(form, parser_.module(), instruction, reason))
    return reader_.fail(std::string(instruction.text) + ": " + reason);
  convert_constants(form, instruction);
  const bool is_on_stack = std::any_of(instruction.operands.begin(), instruction.operands.end(),
                                       [](const Operand &one) { return one.kind == Operand::Kind::kStack; });
  if (instruction.space == Space::kParam && (!function_.is_entry || is_on_stack))
    instruction.space = Space::kLocal;
  function_.code.push_back(std::move(instruction));
}

bool FunctionParser::check_needs(std::string_view opcode) {
  const Needs needs = needs_of(opcode);
  const Module &module = parser_.module();
  if (needs.target > module.target())
    return reader_.fail(std::string(opcode) + ": it is for sm_" + std::to_string(needs.target) +
                        " and later, the text is for sm_" + std::to_string(module.target())),
           false;
  // Votes of those that happen to be there went with sm_70.
  if (opcode.starts_with("vote.") && opcode.find(".sync") == std::string_view::npos && module.target() >= 70 &&
      module.version() >= 64)
    return reader_.fail(std::string(opcode) + ": for sm_70 and later it is vote.sync"), false;
  if (needs.version > module.version())
    return reader_.fail(std::string(opcode) + ": it is of PTX " + text_of_version(needs.version) +
                        " and later, the text is PTX " + text_of_version(module.version())),
           false;
  return true;
}

// A float has the type of the operation, whatever it is written as.
void FunctionParser::convert_constants(const Form &form, Instruction &instruction) {
  const auto convert = [&](Operand &operand, Type type) {
    if (operand.kind != Operand::Kind::kConstant || !is_float(operand.type) || !is_float(type) || operand.type == type)
      return;
    const uint64_t bits = parser_.module().constant(operand.index)[0];
    operand.index = parser_.constant(
        type == Type::kF32
            ? __builtin_bit_cast(uint32_t, static_cast<float>(__builtin_bit_cast(double, bits)))
            : __builtin_bit_cast(uint64_t, double{__builtin_bit_cast(float, static_cast<uint32_t>(bits))}));
    operand.type = type;
  };
  for (unsigned i = 0; i < instruction.count; ++i) {
    convert(instruction.operands[i], operand_type(form, i));
    for (Operand &element : instruction.elements)
      if (instruction.operands[i].kind == Operand::Kind::kNone)
        convert(element, operand_type(form, i));
  }
}

bool FunctionParser::read_operands(Instruction &instruction) {
  do {
    if (instruction.count == instruction.operands.size())
      return reader_.fail("too many operands"), false;
    if (!read_operand(instruction))
      return false;
    ++instruction.count;
  } while (reader_.skip(","));
  return true;
}

bool FunctionParser::read_operand(Instruction &instruction) {
  Operand &operand = instruction.operands[instruction.count];
  if (reader_.skip("["))
    return read_address(instruction);
  if (!reader_.skip("{")) {
    if (!read_scalar(operand, nullptr))
      return false;
    if (instruction.count != 0 || !reader_.skip("|"))
      return true;
    operand.has_second = true;
    return read_scalar(instruction.elements.emplace_back(), nullptr);
  }
  auto &elements = instruction.elements.empty() ? instruction.elements : instruction.more_elements;
  do
    if (!read_scalar(elements.emplace_back(), nullptr))
      return false;
  while (reader_.skip(","));
  return reader_.expect("}");
}

// With an offset the base and what is added to it are distinguished.
bool FunctionParser::read_scalar(Operand &operand, int64_t *offset) {
  operand.is_negated = reader_.skip("!");
  const Token &token = reader_.peek();
  if (token.kind == TokenKind::kName)
    return read_named(operand, offset);
  const bool is_negative = reader_.skip("-");
  const Token number = reader_.take();
  if (number.kind != TokenKind::kInteger && number.kind != TokenKind::kSingle && number.kind != TokenKind::kDouble)
    return reader_.fail("'" + std::string(number.text) + "' is no operand"), false;
  const uint64_t sign = number.kind == TokenKind::kSingle ? uint64_t{1} << 31 : uint64_t{1} << 63;
  uint64_t value = number.value;
  if (is_negative)
    value = number.kind == TokenKind::kInteger ? 0 - value : value ^ sign;
  operand.kind = Operand::Kind::kConstant;
  operand.index = parser_.constant(value);
  operand.type = number.kind == TokenKind::kInteger  ? Type::kB64
                 : number.kind == TokenKind::kSingle ? Type::kF32
                                                     : Type::kF64;
  if (is_negative && number.text.size() > 1 && is_float(operand.type) && (number.text[1] | 0x20) >= 'd')
    return reader_.fail("'-' before the bits of a float"), false;
  return true;
}

bool FunctionParser::read_named(Operand &operand, int64_t *offset) {
  const std::string_view name = reader_.take().text;
  if (name == "_") {
    operand.kind = Operand::Kind::kSink;
    return true;
  }
  if (find_register(name, operand) || find_special(name, operand))
    return true;
  int64_t addend = 0;
  if (!offset && (reader_.peek().is("+") || reader_.peek().is("-"))) {
    reader_.skip("+");
    if (!reader_.number(addend))
      return false;
  }
  const Name *found = find(name);
  if (!found && !parser_.has_symbol(name))
    return reader_.fail("'" + std::string(name) + "' is not declared"), false;
  operand.is_symbol = true;
  operand.space = found ? found->space : parser_.space_of(name);
  if (found && found->kind == Name::Kind::kStack) {
    operand.kind = Operand::Kind::kStack;
    operand.index = found->index + static_cast<uint32_t>(addend);
    return true;
  }
  const std::string symbol = found ? found->shared_name : std::string(name);
  const bool is_argument = found && found->kind == Name::Kind::kArgument;
  operand.kind = !is_argument && parser_.is_shared(symbol) ? Operand::Kind::kShared : Operand::Kind::kConstant;
  operand.index = is_argument ? parser_.constant(found->index + static_cast<uint64_t>(addend))
                  : operand.kind == Operand::Kind::kShared ? parser_.shared_use(symbol, addend)
                                                           : parser_.symbol_constant(symbol, addend);
  return true;
}

bool FunctionParser::read_address(Instruction &instruction) {
  Operand &operand = instruction.operands[instruction.count];
  const Name *const named = find(reader_.peek().text);
  if (instruction.operation->name == "st" && named && named->is_input)
    return reader_.fail("'" + std::string(reader_.peek().text) + "' is an input, which nothing may write"), false;
  if (!read_scalar(operand, &instruction.offset))
    return false;
  operand.is_address = true;
  while (reader_.skip("+")) {
    int64_t offset = 0;
    if (!reader_.number(offset))
      return false;
    instruction.offset += offset;
  }
  return reader_.expect("]");
}

void FunctionParser::read_branch(Instruction &instruction) {
  const uint32_t at = static_cast<uint32_t>(function_.code.size());
  const Token name = reader_.take();
  if (!reader_.skip(",")) {
    labels_.back().references.push_back({at, 0, std::string(name.text), name.line, false});
    return;
  }
  const Token table = reader_.take();
  const auto found = tables_.find(table.text);
  if (!find_register(name.text, instruction.operands[0]) || found == tables_.end())
    return reader_.fail("a branch by a register that does not exist or to a table that does not");
  instruction.count = 1;
  instruction.table = found->second;
}

bool FunctionParser::read_call_parameters(std::vector<Parameter> &parameters) {
  if (reader_.skip(")"))
    return true;
  do {
    const Token name = reader_.take();
    const Name *found = find(name.text);
    if (!found || found->kind != Name::Kind::kStack || found->space != Space::kParam)
      return reader_.fail("'" + std::string(name.text) + "' is no parameter in memory"), false;
    Parameter &parameter = parameters.emplace_back();
    parameter.name = std::string(name.text);
    parameter.size = found->size;
    parameter.offset = found->index;
    parameter.is_array = found->is_array;
  } while (reader_.skip(","));
  return reader_.expect(")");
}

void FunctionParser::read_call(Instruction &instruction) {
  Call call;
  if (reader_.skip("(") && (!read_call_parameters(call.results) || !reader_.expect(",")))
    return;
  const Token callee = reader_.take();
  if (find_register(callee.text, instruction.operands[0]))
    instruction.count = 1;
  else if (!parser_.find_function(callee.text))
    return reader_.fail("'" + std::string(callee.text) + "' is not declared as a function");
  else
    call.name = std::string(callee.text);
  bool has_arguments = false;
  if (reader_.skip(",")) {
    has_arguments = reader_.skip("(");
    if (has_arguments && !read_call_parameters(call.arguments))
      return;
  }
  if (!has_arguments || reader_.skip(",")) { // the prototype, or the list of functions
    if (instruction.count == 1 && !check_prototype(std::string(reader_.take().text), call))
      return;
  } else if (instruction.count == 1) {
    return reader_.fail("a call through a register has no prototype");
  }
  instruction.table = static_cast<uint32_t>(function_.calls.size());
  function_.calls.push_back(std::move(call));
}

bool FunctionParser::check_prototype(const std::string &name, const Call &call) {
  const auto found = prototypes_.find(name);
  if (found == prototypes_.end())
    return reader_.fail("'" + name + "' is no prototype"), false;
  if (!have_sizes(call.arguments, found->second.arguments) || !have_sizes(call.results, found->second.results))
    return reader_.fail("the call has other parameters than " + name), false;
  return true;
}

} // namespace emulator::executor::ptx
