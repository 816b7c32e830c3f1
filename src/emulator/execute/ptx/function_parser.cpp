// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of functions: registers, parameters and variables in nested scopes, labels, prototypes.

#include <algorithm>

#include "forms.h"
#include "operations.h"
#include "parser.h"

namespace emulator::executor::ptx {

namespace {

constexpr int64_t kMostRegisters = 1 << 20; // of one declaration

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
  find_exchange_loops(function_);
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
  int64_t file = 0, line = 0, column = 0;
  if (!reader_.number(file) || !reader_.number(line) || !reader_.number(column))
    return;
  file_ = static_cast<uint32_t>(file);
  line_ = line != 0 ? static_cast<uint32_t>(line) : line_;
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
  Scope &scope = scopes_.back();
  // %r3 may be one of %r<5>.
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto many = declared.count == 0 && digits < name.size() ? scope.find(name.substr(0, digits)) : scope.end();
  const bool is_one_of =
      many != scope.end() && name.size() - digits <= 8 && std::stoul(name.substr(digits)) < many->second.count;
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
      labels_.back().references.push_back(
          {table, static_cast<uint32_t>(function_.tables[table].size()), std::string(label.text), label.line, true});
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

// Labels are seen where they are and in braces within; what the block has not is looked for around it.
void FunctionParser::resolve_labels() {
  Labels block = std::move(labels_.back());
  labels_.pop_back();
  for (Reference &reference : block.references) {
    const auto found = block.at.find(reference.label);
    if (found != block.at.end())
      (reference.is_table ? function_.tables[reference.index][reference.slot]
                          : function_.code[reference.index].target) = found->second;
    else if (!labels_.empty())
      labels_.back().references.push_back(std::move(reference));
    else
      return reader_.fail_at(reference.line, "there is no label " + reference.label + " in " + function_.name);
  }
}

} // namespace emulator::executor::ptx
