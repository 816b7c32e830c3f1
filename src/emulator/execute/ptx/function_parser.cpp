// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of functions: registers, parameters and variables in nested scopes, labels, instructions with their operands.

#include <algorithm>

#include "operations.h"
#include "parser.h"

namespace emulator::executor::ptx {

namespace {

uint32_t align_up(uint32_t value, uint32_t align) { return (value + align - 1) / align * align; }

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
      operand.bits = special == Special::kClock64 || special == Special::kTime ? 64 : 32;
      return true;
    }
  return false;
}

} // namespace

void FunctionParser::run() {
  stack_ = function_.stack_bytes;
  scopes_.emplace_back();
  for (const auto *list : {&function_.results, &function_.parameters})
    for (const Parameter &one : *list)
      scopes_[0][one.name] = {function_.is_entry ? Name::Kind::kArgument : Name::Kind::kStack, one.offset, 0, 0,
                              one.size};
  reader_.expect("{");
  scopes_.emplace_back();
  stack_at_.push_back(stack_);
  while (scopes_.size() > 1 && !reader_.has_failed())
    read_statement();
  resolve_labels();
  if (reader_.has_failed())
    return;
  Instruction end; // who runs off the end returns
  bind_operation("ret", end, reader_.error);
  end.text = "ret";
  end.file = file_;
  end.line = line_;
  function_.code.push_back(end);
  find_meeting_points(function_);
}

void FunctionParser::read_statement() {
  const Token &token = reader_.peek();
  if (token.kind == TokenKind::kEnd)
    return reader_.fail(function_.name + " does not end");
  if (reader_.skip("{")) {
    scopes_.emplace_back();
    stack_at_.push_back(stack_);
  } else if (reader_.skip("}")) {
    scopes_.pop_back();
    stack_ = stack_at_.back();
    stack_at_.pop_back();
  } else if (reader_.skip(";")) {
    return;
  } else if (reader_.skip(".reg")) {
    read_registers();
  } else if (token.is(".param") || token.is(".local")) {
    const bool is_parameter = reader_.take().is(".param");
    read_stack(is_parameter);
  } else if (reader_.skip(".shared")) {
    read_shared();
  } else if (reader_.skip(".loc")) {
    read_location();
  } else if (token.is(".pragma")) {
    reader_.skip_statement();
  } else if (token.kind == TokenKind::kName && reader_.peek(1).is(":")) {
    read_label_or_table(reader_.take());
  } else if (token.kind == TokenKind::kName || token.is("@")) {
    read_instruction();
  } else {
    reader_.fail("'" + std::string(token.text) + "' is no statement");
  }
}

void FunctionParser::read_registers() {
  const Token type_name = reader_.take();
  const auto type = find_type(type_name.text.substr(1));
  if (!type)
    return reader_.fail("registers of type " + std::string(type_name.text));
  const uint8_t bits = static_cast<uint8_t>(*type == Type::kPred ? 1 : 8 * size_of(*type));
  do {
    const std::string name(reader_.take().text);
    uint32_t count = 0;
    if (reader_.skip("<")) {
      count = static_cast<uint32_t>(reader_.take().value);
      reader_.expect(">");
    }
    scopes_.back()[name] = {Name::Kind::kRegister, function_.registers, bits, count};
    function_.names.push_back({name, function_.registers, count, *type == Type::kF32 || *type == Type::kF64});
    function_.registers += std::max(count, 1u);
  } while (reader_.skip(","));
  reader_.expect(";");
}

void FunctionParser::read_stack(bool is_parameter) {
  Parameter parameter;
  if (is_parameter) {
    if (!parser_.read_parameter(parameter, stack_))
      return;
    reader_.expect(";");
  } else {
    Variable variable;
    if (!parser_.read_variable(variable))
      return;
    parameter = {variable.name, static_cast<uint32_t>(variable.size), align_up(stack_, variable.align)};
    stack_ = parameter.offset + parameter.size;
    function_.local_bytes = align_up(function_.local_bytes, variable.align) + parameter.size;
    function_.local_align = std::max(function_.local_align, variable.align);
  }
  function_.stack_bytes = std::max(function_.stack_bytes, stack_);
  scopes_.back()[parameter.name] = {Name::Kind::kStack, parameter.offset, 0, 0, parameter.size};
}

void FunctionParser::read_shared() {
  Variable variable;
  if (!parser_.read_variable(variable))
    return;
  const std::string name = variable.name, unique_name = function_.name + " " + name;
  parser_.add_shared(variable, unique_name);
  scopes_.back()[name] = {Name::Kind::kShared, 0, 0, 0, 0, unique_name};
}

// .loc file line column[, function_name label[+n], inlined_at file line column]
void FunctionParser::read_location() {
  file_ = static_cast<uint32_t>(reader_.take().value);
  const uint32_t line = static_cast<uint32_t>(reader_.take().value);
  line_ = line != 0 ? line : line_;
  reader_.take();
  while (reader_.skip(",")) {
    const Token word = reader_.take();
    if (word.is("function_name")) {
      reader_.take();
      if (reader_.skip("+"))
        reader_.take();
    } else {
      for (int i = 0; i < 3; ++i)
        reader_.take();
    }
  }
}

void FunctionParser::read_label_or_table(const Token &name) {
  reader_.expect(":");
  if (reader_.skip(".branchtargets")) {
    tables_[std::string(name.text)] = static_cast<uint32_t>(table_labels_.size());
    auto &labels = table_labels_.emplace_back();
    do
      labels.emplace_back(reader_.take().text);
    while (reader_.skip(","));
    reader_.expect(";");
  } else if (reader_.peek().is(".callprototype") || reader_.peek().is(".calltargets")) {
    reader_.skip_statement();
  } else {
    labels_[std::string(name.text)] = static_cast<uint32_t>(function_.code.size());
  }
}

const FunctionParser::Name *FunctionParser::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end() && found->second.count == 0)
      return &found->second;
  return nullptr;
}

bool FunctionParser::find_register(std::string_view name, Operand &operand) const {
  const Name *found = find(name);
  uint32_t number = 0;
  if (!found) { // %r12 of %r<20>
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == name.size() || digits == 0 || name.size() - digits > 8)
      return false;
    number = static_cast<uint32_t>(std::stoul(std::string(name.substr(digits))));
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && !found; ++scope)
      if (const auto one = scope->find(name.substr(0, digits)); one != scope->end() && number < one->second.count)
        found = &one->second;
  }
  if (!found || found->kind != Name::Kind::kRegister)
    return false;
  operand.kind = Operand::Kind::kRegister;
  operand.index = found->index + number;
  operand.bits = found->bits;
  return true;
}

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
  if (!bind_operation(opcode.text, instruction, reason))
    return reader_.fail(std::string(opcode.text) + ": " + reason);
  if (const int target = first_target(opcode.text); target > parser_.module().target())
    return reader_.fail(std::string(opcode.text) + ": it is for sm_" + std::to_string(target) +
                        " and later, the text is for sm_" + std::to_string(parser_.module().target()));
  if (opcode.text.starts_with("bra") || opcode.text.starts_with("brx"))
    read_branch(instruction);
  else if (opcode.text.starts_with("call"))
    read_call(instruction);
  else if (!reader_.peek().is(";") && !read_operands(instruction))
    return;
  const Token &end = reader_.peek();
  instruction.text = std::string_view(begin, static_cast<size_t>(end.text.data() - begin));
  reader_.expect(";");
  if (!reader_.has_failed() && !check_operands(instruction, reason))
    return reader_.fail(std::string(instruction.text) + ": " + reason);
  const bool is_on_stack = std::any_of(instruction.operands.begin(), instruction.operands.end(),
                                       [](const Operand &one) { return one.kind == Operand::Kind::kStack; });
  if (instruction.space == Space::kParam && (!function_.is_entry || is_on_stack))
    instruction.space = Space::kLocal;
  function_.code.push_back(std::move(instruction));
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
    if (!reader_.skip("|"))
      return true;
    return read_scalar(instruction.elements.emplace_back(), nullptr);
  }
  auto &elements = instruction.elements.empty() ? instruction.elements : instruction.more_elements;
  do
    if (!read_scalar(elements.emplace_back(), nullptr))
      return false;
  while (reader_.skip(","));
  return reader_.expect("}");
}

// With an offset the base and what is added to it are told apart.
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
  if (!read_scalar(operand, &instruction.offset))
    return false;
  if (reader_.peek().is("+") || reader_.peek().is("-")) {
    reader_.skip("+");
    if (!reader_.number(instruction.offset))
      return false;
  }
  return reader_.expect("]");
}

void FunctionParser::read_branch(Instruction &instruction) {
  const uint32_t at = static_cast<uint32_t>(function_.code.size());
  const Token name = reader_.take();
  if (!reader_.skip(",")) {
    references_.push_back({at, std::string(name.text), name.line});
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
  while (!reader_.skip(")")) {
    const Token name = reader_.take();
    const Name *found = find(name.text);
    if (!found || found->kind != Name::Kind::kStack)
      return reader_.fail("'" + std::string(name.text) + "' is no parameter in memory"), false;
    parameters.push_back({std::string(name.text), found->size, found->index});
    reader_.skip(",");
  }
  return true;
}

void FunctionParser::read_call(Instruction &instruction) {
  Call call;
  if (reader_.skip("(") && (!read_call_parameters(call.results) || !reader_.expect(",")))
    return;
  const Token callee = reader_.take();
  if (find_register(callee.text, instruction.operands[0]))
    instruction.count = 1;
  else
    call.name = std::string(callee.text);
  if (reader_.skip(",") && reader_.skip("(") && !read_call_parameters(call.arguments))
    return;
  if (reader_.skip(",")) // the prototype, or the list of functions
    reader_.take();
  instruction.table = static_cast<uint32_t>(function_.calls.size());
  function_.calls.push_back(std::move(call));
}

void FunctionParser::resolve_labels() {
  const auto find_label = [this](const std::string &name, uint32_t &index) {
    const auto found = labels_.find(name);
    if (found == labels_.end())
      return reader_.fail("there is no label " + name + " in " + function_.name);
    index = found->second;
  };
  for (const Reference &reference : references_)
    find_label(reference.label, function_.code[reference.instruction].target);
  for (const auto &labels : table_labels_) {
    auto &table = function_.tables.emplace_back();
    for (const std::string &label : labels)
      find_label(label, table.emplace_back());
  }
}

} // namespace emulator::executor::ptx
