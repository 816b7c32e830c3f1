// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of functions: registers, parameters and variables in nested scopes, labels, instructions with their operands.

#include <algorithm>
#include <bit>

#include "forms.h"
#include "operations.h"
#include "parser.h"

namespace emulator::executor::ptx {

namespace {

constexpr int64_t kMostRegisters = 1 << 20; // of one declaration

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
      operand.type = Type::kNone;
      operand.bits = special == Special::kClock64 || special == Special::kTime ? 64 : 32;
      return true;
    }
  return false;
}

} // namespace

void FunctionParser::run() {
  stack_ = function_.stack_bytes;
  scopes_.emplace_back();
  labels_.emplace_back();
  for (const auto *list : {&function_.results, &function_.parameters})
    for (const Parameter &one : *list) {
      Name name{function_.is_entry ? Name::Kind::kArgument : Name::Kind::kStack, one.offset};
      name.size = one.size;
      name.is_array = one.is_array;
      name.space = Space::kParam;
      name.is_input = list == &function_.parameters;
      declare(one.name, std::move(name));
    }
  reader_.expect("{");
  stack_at_.push_back(stack_);
  while (!scopes_.empty() && !reader_.has_failed())
    read_statement();
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
    labels_.emplace_back();
    stack_at_.push_back(stack_);
  } else if (reader_.skip("}")) {
    resolve_labels();
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
  do {
    const std::string name = reader_.take_name();
    int64_t count = 0;
    if (reader_.skip("<")) {
      if (!reader_.number(count) || !reader_.expect(">"))
        return;
      if (count <= 0 || count > kMostRegisters)
        return reader_.fail(std::to_string(count) + " registers " + name);
    }
    Name declared{Name::Kind::kRegister, function_.registers};
    declared.type = *type;
    declared.count = static_cast<uint32_t>(count);
    if (!declare(name, std::move(declared)))
      return;
    function_.names.push_back(
        {name, function_.registers, static_cast<uint32_t>(count), *type == Type::kF32 || *type == Type::kF64});
    function_.registers += static_cast<uint32_t>(std::max<int64_t>(count, 1));
  } while (reader_.skip(","));
  reader_.expect(";");
}

void FunctionParser::read_stack(bool is_parameter) {
  Parameter parameter;
  if (is_parameter) {
    if (!parser_.read_parameter(parameter, stack_))
      return;
    if (parameter.size == 0)
      return reader_.fail("'" + parameter.name + "' has no size");
    reader_.expect(";");
  } else {
    Variable variable;
    variable.space = Space::kLocal;
    if (!parser_.read_variable(variable))
      return;
    parameter.name = variable.name;
    parameter.size = static_cast<uint32_t>(variable.size);
    parameter.offset = align_up(stack_, variable.align);
    stack_ = parameter.offset + parameter.size;
    function_.local_bytes = align_up(function_.local_bytes, variable.align) + parameter.size;
    function_.local_align = std::max(function_.local_align, variable.align);
  }
  function_.stack_bytes = std::max(function_.stack_bytes, stack_);
  Name name{Name::Kind::kStack, parameter.offset};
  name.size = parameter.size;
  name.is_array = parameter.is_array;
  name.space = is_parameter ? Space::kParam : Space::kLocal;
  declare(parameter.name, std::move(name));
}

void FunctionParser::read_shared() {
  Variable variable;
  variable.space = Space::kShared;
  if (!parser_.read_variable(variable))
    return;
  const std::string name = variable.name, unique_name = function_.name + " " + name;
  if (parser_.is_shared(unique_name))
    return reader_.fail("'" + name + "' is declared twice");
  parser_.add_shared(variable, unique_name);
  Name declared{Name::Kind::kShared, 0};
  declared.space = Space::kShared;
  declared.shared_name = unique_name;
  declare(name, std::move(declared));
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

bool FunctionParser::declare(const std::string &name, Name declared) {
  Operand other;
  Scope &scope = scopes_.back();
  // %r3 may be one of %r<5>.
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto many = declared.count == 0 && digits < name.size() ? scope.find(name.substr(0, digits)) : scope.end();
  const bool is_one_of = many != scope.end() && name.size() - digits <= 8 &&
                         std::stoul(name.substr(digits)) < many->second.count;
  if (is_one_of || !scope.emplace(name, std::move(declared)).second)
    return reader_.fail("'" + name + "' is declared twice"), false;
  return true;
}

void FunctionParser::read_label_or_table(const Token &name) {
  if (!is_name(name))
    return reader_.fail("'" + std::string(name.text) + "' is no name");
  reader_.expect(":");
  if (reader_.skip(".branchtargets")) {
    const auto table = static_cast<uint32_t>(function_.tables.size());
    tables_[std::string(name.text)] = table;
    function_.tables.emplace_back();
    do {
      const Token label = reader_.take();
      labels_.back().references.push_back({table, static_cast<uint32_t>(function_.tables[table].size()),
                                           std::string(label.text), label.line, true});
      function_.tables[table].push_back(0);
    } while (reader_.skip(","));
    reader_.expect(";");
  } else if (reader_.skip(".callprototype")) {
    read_prototype(std::string(name.text));
  } else if (reader_.skip(".calltargets")) {
    read_call_targets(std::string(name.text));
  } else if (!labels_.back().at.emplace(name.text, static_cast<uint32_t>(function_.code.size())).second) {
    reader_.fail("there are two labels " + std::string(name.text));
  }
}

// (.param .b32 _) _ (.param .b64 _, .param .b64 _)
void FunctionParser::read_prototype(const std::string &name) {
  Call &prototype = prototypes_[name];
  uint32_t end = 0;
  if (reader_.peek().is("(") && !parser_.read_parameters(prototype.results, end))
    return;
  if (!reader_.expect("_") || (reader_.peek().is("(") && !parser_.read_parameters(prototype.arguments, end)))
    return;
  reader_.skip(".noreturn");
  reader_.expect(";");
}

// All have one prototype: that of the first.
void FunctionParser::read_call_targets(const std::string &name) {
  Call &prototype = prototypes_[name];
  do {
    const std::string target(reader_.take().text);
    const Function *const function = parser_.find_function(target);
    if (!function || function->is_entry)
      return reader_.fail("'" + target + "' is no function that can be called");
    prototype.results = function->results;
    prototype.arguments = function->parameters;
  } while (reader_.skip(","));
  reader_.expect(";");
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
  operand.type = found->type;
  operand.bits = static_cast<uint8_t>(found->type == Type::kPred ? 1 : 8 * size_of(found->type));
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
        type == Type::kF32 ? std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)))
                           : std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(bits))}));
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

// Labels are seen where they are and in braces within; what the block has not is looked for around it.
void FunctionParser::resolve_labels() {
  Labels block = std::move(labels_.back());
  labels_.pop_back();
  for (Reference &reference : block.references) {
    const auto found = block.at.find(reference.label);
    if (found != block.at.end())
      (reference.is_table ? function_.tables[reference.index][reference.slot] : function_.code[reference.index].target) =
          found->second;
    else if (!labels_.empty())
      labels_.back().references.push_back(std::move(reference));
    else
      return reader_.fail_at(reference.line, "there is no label " + reference.label + " in " + function_.name);
  }
}

} // namespace emulator::executor::ptx
