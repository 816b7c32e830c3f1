// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX text becomes a Module (PTX ISA, chapters 4, 5 and 11: syntax, state spaces, directives). Internal to module.cpp.
#pragma once

#include "forms.h"
#include "lexer.h"
#include "module.h"

namespace emulator::executor::ptx {

/// The input of both parsers: tokens, and the first error.
class TokenReader {
public:
  explicit TokenReader(const std::vector<Token> &tokens) : tokens_(tokens) {}
  const Token &peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool skip(std::string_view word);
  bool expect(std::string_view word);
  bool has_failed() const { return !error.empty(); }
  /// The next token, which must be a name that variables, functions, registers and labels can have.
  std::string take_name();
  void fail(const std::string &reason); ///< at the last token
  void fail_at(uint32_t line, const std::string &reason);
  /// Over what is in braces, beginning at the open one.
  void skip_braces();
  void skip_statement();       ///< to the semicolon and over it
  bool number(int64_t &value); ///< with its sign
  std::string error;
  bool is_limit = false; ///< the error is an instruction that the executor does not know; PTX may have it

private:
  const std::vector<Token> &tokens_;
  size_t at_ = 0;
};

/// Returns whether it is a name of PTX (PTX ISA 4.4), which has no dots.
bool is_name(const Token &token);
/// "7.8" of 78
std::string text_of_version(int version);
/// Returns whether parameters are as many, as large and as many arrays.
bool have_sizes(const std::vector<Parameter> &given, const std::vector<Parameter> &wanted);

class Parser {
public:
  Parser(Module &module, const std::vector<Token> &tokens) : module_(module), reader_(tokens) {}
  bool run(std::string &error);
  bool has_met_limit() const { return reader_.is_limit; }

  TokenReader &reader() { return reader_; }
  Module &module() { return module_; }
  /// ".align 8 .b8 name[12] = {1, 2}", without what is before; shared and stack variables of functions, too.
  bool read_variable(Variable &variable);
  /// ".param .align 8 .b8 name[12]"
  bool read_parameter(Parameter &parameter, uint32_t &end);
  bool read_parameters(std::vector<Parameter> &parameters, uint32_t &end);
  uint32_t constant(uint64_t value);
  uint32_t symbol_constant(const std::string &name, int64_t addend);
  /// The number of an operand that is the address of a shared variable.
  uint32_t shared_use(const std::string &name, int64_t addend);
  bool is_shared(const std::string &name) const;
  /// Returns whether a variable or function of this name is declared so far.
  bool has_symbol(std::string_view name) const;
  /// Returns the state space of a variable; kGeneric of a function.
  Space space_of(std::string_view name) const;
  const Function *find_function(std::string_view name) const;
  /// Shared memory of a function or of the module.
  void add_shared(Variable &variable, const std::string &unique_name);

private:
  void read_statement();
  void read_head();
  void read_function(bool is_entry, bool is_extern);
  bool check_parameters(const Function &function);
  bool read_alignment(uint32_t &align);
  void read_alias();
  void read_directives(Function &function);
  void read_module_variable(Space space, bool is_extern);
  void read_initialiser(Variable &variable, Type type, uint64_t &at);
  void read_value(Variable &variable, Type type, uint64_t &at);
  void read_symbol(Variable &variable, Type type, uint64_t at, uint64_t mask);
  void read_file();

  Module &module_;
  TokenReader reader_;
};

/// The text between the braces of a function.
class FunctionParser {
public:
  FunctionParser(Parser &parser, Function &function) : parser_(parser), reader_(parser.reader()), function_(function) {}
  void run();

private:
  struct Name {
    enum class Kind { kRegister, kStack, kArgument, kShared } kind;
    uint32_t index;          ///< register, or offset
    Type type = Type::kNone; ///< of a register
    uint32_t count = 0;      ///< number of registers %r0 .. %r<count-1>
    Space space = Space::kGeneric;
    uint32_t size = 0;
    bool is_array = false, is_input = false; ///< of parameters
    std::string shared_name = {};
  };
  using Scope = std::map<std::string, Name, std::less<>>;

  void read_statement();
  void read_registers();
  void read_stack(bool is_parameter);
  void read_shared();
  void read_location();
  /// False, and an error, if the block has such a name.
  bool declare(const std::string &name, Name declared);
  void read_label_or_table(const Token &name);
  void read_prototype(const std::string &name);
  void read_call_targets(const std::string &name);
  bool check_prototype(const std::string &name, const Call &call);
  bool check_needs(std::string_view opcode);
  void convert_constants(const Form &form, Instruction &instruction);
  void read_instruction();
  bool read_operands(Instruction &instruction);
  bool read_operand(Instruction &instruction);
  bool read_scalar(Operand &operand, int64_t *offset);
  bool read_named(Operand &operand, int64_t *offset);
  bool read_address(Instruction &instruction);
  void read_branch(Instruction &instruction);
  void read_call(Instruction &instruction);
  bool read_call_parameters(std::vector<Parameter> &parameters);
  const Name *find(std::string_view name) const;
  bool find_register(std::string_view name, Operand &operand) const;
  void resolve_labels();

  Parser &parser_;
  TokenReader &reader_;
  Function &function_;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> stack_at_; ///< where each scope began
  struct Reference {
    uint32_t index, slot; ///< of the instruction; of the table and in it
    std::string label;
    uint32_t line;
    bool is_table;
  };
  struct Labels {
    std::map<std::string, uint32_t, std::less<>> at;
    std::vector<Reference> references;
  };
  std::vector<Labels> labels_; ///< of each scope
  std::map<std::string, uint32_t, std::less<>> tables_;
  std::map<std::string, Call, std::less<>> prototypes_;
  uint32_t stack_ = 0;
  uint32_t file_ = 0, line_ = 0;
};

/// Fills Instruction::meet (flow.cpp).
void find_meeting_points(Function &function);
/// Fills Instruction::begins_exchange (flow.cpp).
void find_exchange_loops(Function &function);

} // namespace emulator::executor::ptx
