// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module's level of PTX: directives, variables with their first values, heads of functions.

#include "parser.h"

#include <algorithm>
#include <cstring>

namespace emulator::executor::ptx {

namespace {
uint64_t align_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }
} // namespace

bool TokenReader::skip(std::string_view word) {
  if (!peek().is(word))
    return false;
  take();
  return true;
}

bool TokenReader::expect(std::string_view word) {
  if (skip(word))
    return true;
  fail("'" + std::string(word) + "' is expected, not '" + std::string(peek().text) + "'");
  return false;
}

void TokenReader::fail(const std::string &reason) {
  if (error.empty())
    error = "line " + std::to_string(tokens_[at_ == 0 ? 0 : at_ - 1].line) + ": " + reason;
}

void TokenReader::skip_braces() {
  int depth = 0;
  do {
    const Token token = take();
    depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    if (token.kind == TokenKind::kEnd)
      return fail("the text ends within braces");
  } while (depth > 0);
}

void TokenReader::skip_statement() {
  while (!peek().is(";") && peek().kind != TokenKind::kEnd)
    take();
  expect(";");
}

bool TokenReader::number(int64_t &value) {
  const bool is_negative = skip("-");
  if (peek().kind != TokenKind::kInteger) {
    fail("a number is expected, not '" + std::string(peek().text) + "'");
    return false;
  }
  value = static_cast<int64_t>(take().value);
  value = is_negative ? -value : value;
  return true;
}

bool Parser::run(std::string &error) {
  while (reader_.peek().kind != TokenKind::kEnd && !reader_.has_failed())
    read_statement();
  error = reader_.error;
  return error.empty();
}

void Parser::read_statement() {
  bool is_extern = false;
  while (true) {
    const Token token = reader_.take();
    if (token.is(".extern"))
      is_extern = true;
    else if (token.is(".visible") || token.is(".weak") || token.is(".common"))
      continue;
    else if (token.is(".version") || token.is(".address_size"))
      return void(reader_.take());
    else if (token.is(".target")) {
      const std::string name(reader_.take().text);
      module_.target_ = name.starts_with("sm_") ? std::atoi(name.c_str() + 3) : 0;
      while (reader_.skip(","))
        reader_.take();
      return;
    } else if (token.is(".file"))
      return read_file();
    else if (token.is(".section")) {
      reader_.take();
      return reader_.skip_braces();
    } else if (token.is(".entry") || token.is(".func"))
      return read_function(token.is(".entry"));
    else if (token.is(".global") || token.is(".const") || token.is(".shared"))
      return read_module_variable(token.is(".global")  ? Space::kGlobal
                                  : token.is(".const") ? Space::kConst
                                                       : Space::kShared,
                                  is_extern);
    else if (token.is(".alias")) {
      const std::string name(reader_.take().text);
      reader_.expect(",");
      module_.aliases_[name] = std::string(reader_.take().text);
      return void(reader_.expect(";"));
    } else if (token.is(".pragma"))
      return reader_.skip_statement();
    else if (token.is(";"))
      return;
    else
      return reader_.fail("'" + std::string(token.text) + "' is no directive that the executor knows");
  }
}

void Parser::read_file() {
  int64_t number = 0;
  if (reader_.number(number))
    module_.files_[static_cast<uint32_t>(number)] = std::string(reader_.take().text);
  while (reader_.skip(","))
    reader_.take();
}

uint32_t Parser::constant(uint64_t value) {
  const auto [found, is_new] = module_.constant_of_.emplace(value, static_cast<uint32_t>(module_.constants_.size()));
  if (is_new) {
    module_.constants_.emplace_back();
    module_.constants_.back().fill(value);
  }
  return found->second;
}

uint32_t Parser::symbol_constant(const std::string &name, int64_t addend) {
  const uint32_t index = static_cast<uint32_t>(module_.constants_.size());
  module_.constants_.emplace_back();
  module_.symbols_.push_back({index, name, addend});
  return index;
}

// Behind .ptr an alignment is that of the memory which the parameter points to.
bool Parser::read_parameter(Parameter &parameter, uint32_t &end) {
  uint32_t align = 0;
  bool is_pointer = false;
  Type type = Type::kNone;
  while (reader_.peek().text.starts_with('.')) {
    const Token token = reader_.take();
    is_pointer = is_pointer || token.is(".ptr");
    if (token.is(".align")) {
      const auto value = static_cast<uint32_t>(reader_.take().value);
      align = is_pointer ? align : value;
    } else if (token.is(".param") || token.is(".reg") || token.is(".ptr") || token.is(".global") ||
               token.is(".shared") || token.is(".const") || token.is(".local"))
      continue;
    else if (const auto found = find_type(token.text.substr(1)))
      type = *found;
    else
      return reader_.fail("'" + std::string(token.text) + "' in a parameter"), false;
  }
  if (type == Type::kNone)
    return reader_.fail("a parameter without type"), false;
  parameter.name = std::string(reader_.take().text);
  parameter.size = size_of(type);
  while (reader_.skip("[")) {
    parameter.size = reader_.peek().is("]") ? 0 : parameter.size * static_cast<uint32_t>(reader_.take().value);
    reader_.expect("]");
  }
  parameter.offset = static_cast<uint32_t>(align_up(end, std::max(align, size_of(type))));
  end = parameter.offset + parameter.size;
  return !reader_.has_failed();
}

bool Parser::read_parameters(std::vector<Parameter> &parameters, uint32_t &end) {
  reader_.expect("(");
  parameters.clear();
  while (!reader_.skip(")")) {
    if (!read_parameter(parameters.emplace_back(), end))
      return false;
    reader_.skip(",");
  }
  return true;
}

void Parser::read_directives(Function &function) {
  while (reader_.peek().text.starts_with('.')) {
    const Token token = reader_.take();
    if (token.is(".noreturn"))
      continue;
    if (token.is(".pragma")) {
      reader_.skip_statement();
      continue;
    }
    std::array<uint32_t, 3> values{1, 1, 1};
    size_t next = 0;
    do
      values[std::min(next++, size_t{2})] = static_cast<uint32_t>(reader_.take().value);
    while (reader_.skip(","));
    if (token.is(".maxntid") || token.is(".reqntid"))
      function.max_threads = values;
    else if (!token.is(".minnctapersm") && !token.is(".maxnreg") && !token.is(".maxnctapersm"))
      return reader_.fail("'" + std::string(token.text) + "' of a function");
  }
}

void Parser::read_function(bool is_entry) {
  std::vector<Parameter> results;
  uint32_t stack = 0;
  if (!is_entry && reader_.peek().is("(") && !read_parameters(results, stack))
    return;
  const std::string name(reader_.take().text);
  auto &slot = module_.functions_[name];
  if (!slot)
    slot = std::make_unique<Function>();
  Function &function = *slot;
  if (function.is_defined)
    return reader_.fail(name + " is defined twice");
  function.name = name;
  function.module = &module_;
  function.is_entry = is_entry;
  function.results = std::move(results);
  uint32_t arguments = 0;
  if (reader_.peek().is("(") && !read_parameters(function.parameters, is_entry ? arguments : stack))
    return;
  function.parameter_bytes = arguments;
  function.stack_bytes = stack;
  read_directives(function);
  if (reader_.skip(";"))
    return;
  function.is_defined = true;
  FunctionParser(*this, function).run();
}

bool Parser::read_variable(Variable &variable) {
  Type type = Type::kNone;
  while (reader_.peek().text.starts_with('.') && type == Type::kNone) {
    const Token token = reader_.take();
    if (token.is(".align"))
      variable.align = static_cast<uint32_t>(reader_.take().value);
    else if (token.is(".attribute")) {
      while (!reader_.skip(")") && reader_.peek().kind != TokenKind::kEnd)
        reader_.take();
    } else if (const auto found = find_type(token.text.substr(1)))
      type = *found;
    else
      return reader_.fail("'" + std::string(token.text) + "' in a variable"), false;
  }
  if (type == Type::kNone)
    return reader_.fail("a variable without type"), false;
  variable.name = std::string(reader_.take().text);
  variable.align = std::max(variable.align, size_of(type));
  variable.size = size_of(type);
  while (reader_.skip("[")) {
    variable.size = reader_.peek().is("]") ? 0 : variable.size * reader_.take().value;
    reader_.expect("]");
  }
  variable.bytes.assign(variable.size, 0);
  if (reader_.skip("=")) {
    uint64_t at = 0;
    read_initialiser(variable, type, at);
  }
  return reader_.expect(";");
}

void Parser::read_initialiser(Variable &variable, Type type, uint64_t &at) {
  if (!reader_.skip("{"))
    return read_value(variable, type, at);
  while (!reader_.skip("}") && !reader_.has_failed()) {
    read_initialiser(variable, type, at);
    reader_.skip(",");
  }
}

void Parser::read_value(Variable &variable, Type type, uint64_t &at) {
  if (at + size_of(type) > variable.size)
    return reader_.fail(variable.name + " has more values than room");
  const bool is_negative = reader_.skip("-");
  if (reader_.peek().kind == TokenKind::kName) {
    read_symbol(variable, type, at, ~uint64_t{0});
  } else {
    uint64_t value = reader_.take().value;
    if (reader_.skip("(")) { // some bytes of an address
      read_symbol(variable, type, at, value);
      reader_.expect(")");
    } else {
      value = is_negative ? 0 - value : value;
      std::memcpy(&variable.bytes[at], &value, size_of(type));
    }
  }
  at += size_of(type);
}

void Parser::read_symbol(Variable &variable, Type type, uint64_t at, uint64_t mask) {
  Relocation relocation;
  relocation.at = at;
  relocation.mask = mask;
  relocation.size = static_cast<uint8_t>(size_of(type));
  relocation.is_generic = reader_.peek().is("generic") && reader_.peek(1).is("(");
  if (relocation.is_generic) {
    reader_.take();
    reader_.take();
  }
  relocation.symbol = std::string(reader_.take().text);
  if (relocation.is_generic)
    reader_.expect(")");
  if (reader_.skip("+"))
    reader_.number(relocation.addend);
  variable.relocations.push_back(std::move(relocation));
}

void Parser::add_shared(Variable &variable, const std::string &unique_name) {
  variable.space = Space::kShared;
  variable.name = unique_name;
  module_.shared_.push_back(&module_.variables_.emplace(unique_name, std::move(variable)).first->second);
}

bool Parser::is_shared(const std::string &name) const {
  const auto found = module_.variables_.find(name);
  return found != module_.variables_.end() && found->second.space == Space::kShared;
}

uint32_t Parser::shared_use(const std::string &name, int64_t addend) {
  module_.shared_uses_.push_back({name, addend});
  return static_cast<uint32_t>(module_.shared_uses_.size() - 1);
}

void Parser::read_module_variable(Space space, bool is_extern) {
  Variable variable;
  variable.space = space;
  variable.is_extern = is_extern;
  if (!read_variable(variable))
    return;
  const std::string name = variable.name;
  const auto found = module_.variables_.find(name);
  if (found != module_.variables_.end() && !found->second.is_extern)
    return is_extern ? void() : reader_.fail(name + " is defined twice");
  if (found != module_.variables_.end()) {
    std::erase(module_.shared_, &found->second);
    module_.variables_.erase(found);
  }
  if (space == Space::kShared)
    return add_shared(variable, name);
  module_.variables_.emplace(name, std::move(variable));
}

} // namespace emulator::executor::ptx
