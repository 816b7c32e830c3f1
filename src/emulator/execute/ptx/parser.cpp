// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module's level of PTX: directives, variables with their first values, heads of functions.

#include "parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emulator::executor::ptx {

namespace {

constexpr int kNewestVersion = 90; // that CUDA 13.0 reads
// Bytes of parameters that a kernel may have; more from PTX 8.1 and sm_70 on.
constexpr uint32_t kMostParameters = 4352, kMostParametersNow = 32764;

// The bits that a float of this type has.
uint64_t value_of_float(const Token &token, bool is_negative, Type type) {
  double value = token.kind == TokenKind::kSingle
                     ? double{__builtin_bit_cast(float, static_cast<uint32_t>(token.value))}
                     : __builtin_bit_cast(double, token.value);
  value = is_negative ? -value : value;
  return type == Type::kF64 ? __builtin_bit_cast(uint64_t, value)
                            : __builtin_bit_cast(uint32_t, static_cast<float>(value));
}

} // namespace

bool is_name(const Token &token) {
  const std::string_view text = token.text;
  if (token.kind != TokenKind::kName || text.find_first_of(".:") != std::string_view::npos ||
      text.find('%', 1) != std::string_view::npos)
    return false;
  return text.size() > 1 || (text[0] != '_' && text[0] != '$' && text[0] != '%');
}

std::string text_of_version(int version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

bool are_same(const std::vector<Parameter> &one, const std::vector<Parameter> &other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Parameter &a, const Parameter &b) {
    return a.type == b.type && a.size == b.size && a.is_array == b.is_array && a.align == b.align;
  });
}

bool have_sizes(const std::vector<Parameter> &given, const std::vector<Parameter> &wanted) {
  return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                    [](const Parameter &one, const Parameter &other) {
                      return one.size == other.size && one.is_array == other.is_array;
                    });
}

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

std::string TokenReader::take_name() {
  const Token token = take();
  if (!is_name(token))
    fail("'" + std::string(token.text) + "' is no name");
  return std::string(token.text);
}

void TokenReader::fail(const std::string &reason) { fail_at(tokens_[at_ == 0 ? 0 : at_ - 1].line, reason); }

void TokenReader::fail_at(uint32_t line, const std::string &reason) {
  if (error.empty())
    error = "line " + std::to_string(line) + ": " + reason;
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
  read_head();
  while (reader_.peek().kind != TokenKind::kEnd && !reader_.has_failed())
    read_statement();
  error = reader_.error;
  return error.empty();
}

// .version, .target and perhaps .address_size, in this order.
void Parser::read_head() {
  if (!reader_.expect(".version"))
    return;
  const std::string version(reader_.take().text);
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2)
    return reader_.fail("'" + version + "' is no version of PTX");
  module_.version_ = 10 * major + minor;
  if (module_.version_ > kNewestVersion)
    return reader_.fail("PTX " + version + " is newer than " + text_of_version(kNewestVersion));
  if (!reader_.expect(".target"))
    return;
  const std::string name(reader_.take().text);
  const int first = version_of_target(name);
  if (first == 0)
    return reader_.fail("'" + name + "' is no target of PTX");
  if (first > module_.version_)
    return reader_.fail("PTX " + version + " has no " + name + ", which came with PTX " + text_of_version(first));
  module_.target_ = std::atoi(name.c_str() + 3);
  while (reader_.skip(","))
    reader_.take();
  int64_t bits = 64;
  if (reader_.skip(".address_size") && reader_.number(bits) && bits != 64)
    reader_.fail("addresses of " + std::to_string(bits) + " bits");
}

void Parser::read_statement() {
  const Token linkage = reader_.peek();
  if (linkage.is(".extern") || linkage.is(".visible") || linkage.is(".weak") || linkage.is(".common"))
    reader_.take();
  const Token token = reader_.take();
  if (token.is(".file"))
    return read_file();
  if (token.is(".section")) {
    reader_.take();
    return reader_.skip_braces();
  }
  if (token.is(".entry") || token.is(".func"))
    return linkage.is(".common") ? reader_.fail("a function is never .common")
                                 : read_function(token.is(".entry"), linkage.is(".extern"));
  if (token.is(".global") || token.is(".const") || token.is(".shared"))
    return read_module_variable(token.is(".global")  ? Space::kGlobal
                                : token.is(".const") ? Space::kConst
                                                     : Space::kShared,
                                linkage.is(".extern"));
  if (token.is(".alias"))
    return read_alias();
  if (token.is(".pragma"))
    return reader_.skip_statement();
  reader_.fail("'" + std::string(token.text) + "' is no directive that the executor knows");
}

void Parser::read_alias() {
  const std::string name = reader_.take_name();
  reader_.expect(",");
  const std::string aliasee = reader_.take_name();
  if (module_.version_ < 63)
    return reader_.fail(".alias is of PTX 6.3 and later");
  const Function *const one = find_function(name), *const other = find_function(aliasee);
  if (!one || !other)
    return reader_.fail("'" + (one ? aliasee : name) + "' is not declared as a function");
  if (!have_sizes(one->parameters, other->parameters) || !have_sizes(one->results, other->results))
    return reader_.fail(name + " has other parameters than " + aliasee);
  module_.aliases_[name] = aliasee;
  reader_.expect(";");
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

bool Parser::read_alignment(uint32_t &align) {
  int64_t value = 0;
  if (!reader_.number(value))
    return false;
  if (value <= 0 || value > INT32_MAX || (value & (value - 1)) != 0)
    return reader_.fail("alignment " + std::to_string(value) + " is no power of two"), false;
  align = static_cast<uint32_t>(value);
  return true;
}

// Behind .ptr an alignment is that of the memory which the parameter points to.
bool Parser::read_parameter(Parameter &parameter, uint32_t &end) {
  uint32_t align = 0;
  bool is_pointer = false, has_space = false;
  Type type = Type::kNone;
  while (reader_.peek().text.starts_with('.')) {
    const Token token = reader_.take();
    is_pointer = is_pointer || token.is(".ptr");
    if (token.is(".align")) {
      uint32_t value = 0;
      if (!read_alignment(value))
        return false;
      align = is_pointer ? align : value;
    } else if ((token.is(".param") || token.is(".reg")) && !has_space) {
      has_space = true;
    } else if (token.is(".ptr") || token.is(".global") || token.is(".shared") || token.is(".const") ||
               token.is(".local")) {
      continue;
    } else if (const auto found = find_type(token.text.substr(1)); found && type == Type::kNone) {
      type = *found;
    } else {
      return reader_.fail("'" + std::string(token.text) + "' in a parameter"), false;
    }
  }
  if (type == Type::kNone)
    return reader_.fail("a parameter without type"), false;
  if (type == Type::kPred)
    return reader_.fail("a parameter is no predicate"), false;
  if (!reader_.skip("_")) // of a prototype
    parameter.name = reader_.take_name();
  parameter.type = type;
  parameter.align = align;
  parameter.size = size_of(type);
  while (reader_.skip("[")) {
    int64_t count = 0;
    if (!reader_.peek().is("]") && !reader_.number(count))
      return false;
    parameter.size *= static_cast<uint32_t>(count);
    parameter.is_array = true;
    reader_.expect("]");
  }
  parameter.offset = align_up(end, std::max(align, size_of(type)));
  end = parameter.offset + parameter.size;
  return !reader_.has_failed();
}

bool Parser::read_parameters(std::vector<Parameter> &parameters, uint32_t &end) {
  reader_.expect("(");
  parameters.clear();
  if (reader_.skip(")"))
    return true;
  do {
    if (!reader_.peek().is(".param") && !reader_.peek().is(".reg"))
      return reader_.fail("'" + std::string(reader_.peek().text) + "' begins no parameter"), false;
    if (!read_parameter(parameters.emplace_back(), end))
      return false;
  } while (reader_.skip(","));
  return reader_.expect(")");
}

// An array without a size may be the last parameter of what is no kernel.
bool Parser::check_parameters(const Function &function) {
  const auto is_incomplete = [](const Parameter &one) { return one.size == 0; };
  if (std::any_of(function.results.begin(), function.results.end(), is_incomplete))
    return reader_.fail("the result of " + function.name + " is an array without a size"), false;
  if (function.results.size() > 1)
    return reader_.fail(function.name + " has several results"), false;
  const auto &parameters = function.parameters;
  const auto last = parameters.empty() || function.is_entry ? parameters.end() : parameters.end() - 1;
  if (std::any_of(parameters.begin(), last, is_incomplete))
    return reader_.fail("a parameter of " + function.name + " is an array without a size"), false;
  const uint32_t most = module_.version_ >= 81 && module_.target_ >= 70 ? kMostParametersNow : kMostParameters;
  if (function.is_entry && function.parameter_bytes > most)
    return reader_.fail("kernel " + function.name + " has " + std::to_string(function.parameter_bytes) +
                        " bytes of parameters; there may be " + std::to_string(most)),
           false;
  return true;
}

void Parser::read_directives(Function &function) {
  std::string_view limit; // of the number of threads: only one of both
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
    do {
      int64_t value = 0;
      if (!reader_.number(value))
        return;
      if (value < 0)
        return reader_.fail(std::to_string(value) + " of " + std::string(token.text));
      values[std::min(next++, size_t{2})] = static_cast<uint32_t>(value);
    } while (reader_.skip(","));
    if (token.is(".maxntid") || token.is(".reqntid")) {
      if (!limit.empty() && limit != token.text)
        return reader_.fail("'" + std::string(token.text) + "' beside '" + std::string(limit) + "'");
      limit = token.text;
      function.max_threads = values;
    } else if (!token.is(".minnctapersm") && !token.is(".maxnreg") && !token.is(".maxnctapersm") &&
               !token.is(".maxclusterrank"))
      return reader_.fail("'" + std::string(token.text) + "' of a function");
  }
}

void Parser::read_function(bool is_entry, bool is_extern) {
  Function head;
  uint32_t stack = 0, arguments = 0;
  if (!is_entry && reader_.peek().is("(") && !read_parameters(head.results, stack))
    return;
  head.name = reader_.take_name();
  head.is_entry = is_entry;
  if (reader_.peek().is("(") && !read_parameters(head.parameters, is_entry ? arguments : stack))
    return;
  head.parameter_bytes = arguments;
  if (reader_.has_failed() || !check_parameters(head))
    return;
  if (module_.variables_.contains(head.name))
    return reader_.fail("'" + head.name + "' is a variable, too");
  auto &slot = module_.functions_[head.name];
  if (slot && (slot->is_entry != is_entry || !are_same(head.parameters, slot->parameters) ||
               !are_same(head.results, slot->results)))
    return reader_.fail(head.name + " is declared with other parameters before");
  if (!slot)
    slot = std::make_unique<Function>();
  Function &function = *slot;
  if (function.is_defined) { // a prototype changes nothing of it
    read_directives(head);
    if (!reader_.skip(";"))
      reader_.fail(head.name + " is defined twice");
    return;
  }
  function.name = head.name;
  function.module = &module_;
  function.is_entry = is_entry;
  function.results = std::move(head.results);
  function.parameters = std::move(head.parameters);
  function.parameter_bytes = arguments;
  function.stack_bytes = stack;
  read_directives(function);
  if (reader_.skip(";")) {
    function.is_extern = function.is_extern || is_extern;
    return;
  }
  if (function.is_extern)
    return reader_.fail(function.name + " is .extern and defined");
  function.is_defined = true;
  FunctionParser(*this, function).run();
}

bool Parser::read_variable(Variable &variable) {
  Type type = Type::kNone;
  while (reader_.peek().text.starts_with('.') && type == Type::kNone) {
    const Token token = reader_.take();
    if (token.is(".align")) {
      if (!read_alignment(variable.align))
        return false;
    } else if (token.is(".attribute")) {
      while (!reader_.skip(")") && reader_.peek().kind != TokenKind::kEnd)
        reader_.take();
    } else if (const auto found = find_type(token.text.substr(1)))
      type = *found;
    else
      return reader_.fail("'" + std::string(token.text) + "' in a variable"), false;
  }
  if (type == Type::kNone)
    return reader_.fail("a variable without type"), false;
  if (type == Type::kPred)
    return reader_.fail("a variable is no predicate"), false;
  variable.name = reader_.take_name();
  variable.align = std::max(variable.align, size_of(type));
  variable.size = size_of(type);
  while (reader_.skip("[")) {
    int64_t count = 0;
    if (!reader_.peek().is("]") && !reader_.number(count))
      return false;
    variable.size *= static_cast<uint64_t>(count);
    reader_.expect("]");
  }
  variable.bytes.assign(variable.size, 0);
  variable.takes_size = variable.size == 0; // of its values
  if (reader_.skip("=")) {
    if (variable.is_extern || (variable.space != Space::kGlobal && variable.space != Space::kConst))
      return reader_.fail("'" + variable.name + "' can have no first value"), false;
    uint64_t at = 0;
    read_initialiser(variable, type, at);
  }
  if (variable.size == 0 && !variable.is_extern)
    return reader_.fail("'" + variable.name + "' has no size"), false;
  return reader_.expect(";");
}

void Parser::read_initialiser(Variable &variable, Type type, uint64_t &at) {
  if (!reader_.skip("{"))
    return read_value(variable, type, at);
  do
    read_initialiser(variable, type, at);
  while (reader_.skip(",") && !reader_.has_failed());
  reader_.expect("}");
}

void Parser::read_value(Variable &variable, Type type, uint64_t &at) {
  if (variable.takes_size) {
    variable.size = at + size_of(type);
    variable.bytes.resize(variable.size);
  }
  if (at + size_of(type) > variable.size)
    return reader_.fail(variable.name + " has more values than room");
  const bool is_negative = reader_.skip("-");
  if (reader_.peek().kind == TokenKind::kName) {
    if (type != Type::kU32 && type != Type::kU64)
      return reader_.fail("an address is a value of .u32 or .u64");
    read_symbol(variable, type, at, ~uint64_t{0});
  } else {
    const Token token = reader_.take();
    const bool has_fraction = token.kind == TokenKind::kSingle || token.kind == TokenKind::kDouble;
    if ((token.kind != TokenKind::kInteger && !has_fraction) || has_fraction != is_float(type))
      return reader_.fail("'" + std::string(token.text) + "' is no value of " + variable.name);
    uint64_t value = has_fraction ? value_of_float(token, is_negative, type) : token.value;
    if (reader_.skip("(")) { // some bytes of an address
      if (type != Type::kU8)
        return reader_.fail("a byte of an address is a value of .u8");
      read_symbol(variable, type, at, value);
      reader_.expect(")");
    } else {
      value = is_negative && !has_fraction ? 0 - value : value;
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

bool Parser::has_symbol(std::string_view name) const {
  return module_.variables_.contains(name) || find_function(name);
}

Space Parser::space_of(std::string_view name) const {
  const auto found = module_.variables_.find(name);
  return found == module_.variables_.end() ? Space::kGeneric : found->second.space;
}

const Function *Parser::find_function(std::string_view name) const {
  const auto found = module_.functions_.find(name);
  return found == module_.functions_.end() ? nullptr : found->second.get();
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
  if (find_function(name))
    return reader_.fail("'" + name + "' is a function, too");
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
