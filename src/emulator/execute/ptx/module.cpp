// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is parsed, its variables are placed in memory of this process, and names become addresses.

#include "module.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "builtins.h"
#include "frames.h"
#include "parser.h"
#include "shared.h"

namespace emulator::executor::ptx {

namespace {

constexpr uint64_t kGuard = 64; // bytes of nothing between variables
constexpr uint32_t kMostShared = 48 << 10;
constexpr uint64_t kMostConstants = 64 << 10;

// Functions of all modules that are loaded, by address: a pointer may be to what another module has.
struct Addresses {
  std::mutex mutex;
  std::map<uint64_t, const Function *> functions;
  uint64_t next = kCodeWindow + 0x1000;
};
Addresses &addresses() {
  static Addresses &all = *new Addresses; // modules may outlive static objects
  return all;
}

// Calls have many lines.
std::string on_one_line(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  return result;
}

} // namespace

unsigned size_of(Type type) {
  switch (type) {
  case Type::kNone: return 0;
  case Type::kPred:
  case Type::kB8:
  case Type::kU8:
  case Type::kS8: return 1;
  case Type::kB16:
  case Type::kU16:
  case Type::kS16:
  case Type::kF16:
  case Type::kBf16: return 2;
  case Type::kB32:
  case Type::kU32:
  case Type::kS32:
  case Type::kF32:
  case Type::kF16x2:
  case Type::kBf16x2: return 4;
  default: return 8;
  }
}

bool is_signed(Type type) {
  return type == Type::kS8 || type == Type::kS16 || type == Type::kS32 || type == Type::kS64;
}
bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kBf16 || type == Type::kF16x2 || type == Type::kBf16x2;
}
bool is_float(Type type) { return is_half(type) || type == Type::kF32 || type == Type::kF64; }

std::optional<Type> find_type(std::string_view name) {
  static constexpr std::pair<std::string_view, Type> kTypes[] = {
      {"pred", Type::kPred}, {"b8", Type::kB8},       {"u8", Type::kU8},        {"s8", Type::kS8},
      {"b16", Type::kB16},   {"u16", Type::kU16},     {"s16", Type::kS16},      {"f16", Type::kF16},
      {"b32", Type::kB32},   {"u32", Type::kU32},     {"s32", Type::kS32},      {"f32", Type::kF32},
      {"b64", Type::kB64},   {"u64", Type::kU64},     {"s64", Type::kS64},      {"f64", Type::kF64},
      {"bf16", Type::kBf16}, {"f16x2", Type::kF16x2}, {"bf16x2", Type::kBf16x2}};
  for (const auto &[known, type] : kTypes)
    if (known == name)
      return type;
  return std::nullopt;
}

class Linker {
public:
  explicit Linker(Module &module) : module_(module) {}

  bool run(std::string &error) {
    place_variables();
    place_functions();
    const bool is_linked =
        count_constants() && resolve_constants() && resolve_variables() && resolve_calls() && count_needs();
    error = error_;
    return is_linked;
  }

private:
  void place_variables() {
    for (size_t i = 0; i < module_.shared_.size(); ++i)
      module_.shared_[i]->address = i;
    for (auto &[name, variable] : module_.variables_) {
      if (variable.space == Space::kShared || variable.is_extern)
        continue;
      const uint64_t align = std::max<uint64_t>(variable.align, 16);
      module_.memory_.push_back(std::make_unique<uint8_t[]>(variable.size + align + kGuard));
      const uint64_t begin = reinterpret_cast<uint64_t>(module_.memory_.back().get());
      variable.address = (begin + align - 1) / align * align;
      std::memcpy(reinterpret_cast<void *>(variable.address), variable.bytes.data(), variable.size);
      module_.in_memory_[variable.address] = &variable;
    }
  }

  void place_functions() {
    const std::lock_guard lock(addresses().mutex);
    module_.code_begin_ = addresses().next;
    for (auto &[name, function] : module_.functions_) {
      function->address = addresses().next;
      function->code_address = function->address;
      addresses().functions[function->address] = function.get();
      addresses().next += (function->code.size() + 32) / 16 * 16;
    }
    module_.code_end_ = addresses().next;
  }

  bool count_constants() {
    uint64_t bytes = 0;
    for (const auto &[name, variable] : module_.variables_)
      bytes += variable.space == Space::kConst ? variable.size : 0;
    return bytes <= kMostConstants || fail("the constant variables have " + std::to_string(bytes) + " bytes; " +
                                           std::to_string(kMostConstants) + " may be declared");
  }

  Function *find(const std::string &name) {
    const auto alias = module_.aliases_.find(name);
    const auto found = module_.functions_.find(alias == module_.aliases_.end() ? name : alias->second);
    return found == module_.functions_.end() ? nullptr : found->second.get();
  }

  bool fail(const std::string &error) {
    error_ = error;
    return false;
  }

  bool find_address(const std::string &name, uint64_t &address) {
    if (const auto found = module_.variables_.find(name); found != module_.variables_.end()) {
      if (found->second.space == Space::kShared)
        return fail("the address of shared variable '" + name + "' in a first value");
      if (found->second.is_extern)
        return fail("unresolved extern variable '" + name + "'");
      address = found->second.address;
      return true;
    }
    const Function *function = find(name);
    if (!function)
      return fail("'" + name + "' is not declared");
    if (!function->is_defined)
      return fail("unresolved extern function '" + name + "'");
    address = function->address;
    return true;
  }

  bool resolve_constants() {
    for (const SymbolConstant &one : module_.symbols_) {
      uint64_t address = 0;
      if (!find_address(one.symbol, address))
        return false;
      module_.constants_[one.constant].fill(address + static_cast<uint64_t>(one.addend));
    }
    return true;
  }

  bool resolve_variables() {
    for (auto &[name, variable] : module_.variables_)
      for (const Relocation &relocation : variable.relocations) {
        uint64_t address = 0;
        if (variable.space == Space::kShared || !find_address(relocation.symbol, address))
          return error_.empty() ? fail("shared variable '" + name + "' has a first value") : false;
        address += static_cast<uint64_t>(relocation.addend);
        if (relocation.mask != ~uint64_t{0} && relocation.mask != 0)
          address = (address & relocation.mask) >> __builtin_ctzll(relocation.mask);
        std::memcpy(reinterpret_cast<void *>(variable.address + relocation.at), &address, relocation.size);
      }
    return true;
  }

  bool resolve_calls() {
    for (auto &[name, function] : module_.functions_) {
      if (!function->is_defined && !function->is_extern && !module_.aliases_.contains(name) && !is_builtin(name))
        return fail("unresolved function '" + name + "'");
      for (Call &call : function->calls) {
        if (call.name.empty())
          continue;
        call.callee = find(call.name);
        if (!call.callee)
          return fail("'" + call.name + "' is not declared");
        if (!call.callee->is_defined && !is_builtin(call.name))
          return fail("unresolved extern function '" + call.name + "'");
        if (!have_sizes(call.arguments, call.callee->parameters) || !have_sizes(call.results, call.callee->results))
          return fail(name + " calls " + call.name + " with parameters of other sizes");
      }
    }
    return true;
  }

  // Counts stack and shared memory.
  bool count_needs() {
    std::vector<Function *> functions, with_address;
    for (auto &[name, function] : module_.functions_) {
      find_frame(*function);
      functions.push_back(function.get());
    }
    const auto add = [&](const std::string &symbol) {
      if (Function *const function = find(symbol))
        with_address.push_back(function);
    };
    for (const SymbolConstant &one : module_.symbols_)
      add(one.symbol);
    for (const auto &[name, variable] : module_.variables_)
      for (const Relocation &relocation : variable.relocations)
        add(relocation.symbol);
    find_stack_needs(functions, with_address);
    for (Function *const function : functions) {
      if (!function->is_entry)
        continue;
      lay_out_shared(*function, module_.shared_, module_.shared_uses_, with_address);
      if (function->shared_bytes > kMostShared)
        return fail("kernel " + function->name + " has " + std::to_string(function->shared_bytes) +
                    " bytes of shared variables; " + std::to_string(kMostShared) + " may be declared");
    }
    return true;
  }

  Module &module_;
  std::string error_;
};

std::unique_ptr<Module> Module::load(std::string text, std::string &error, bool *is_limit) {
  std::unique_ptr<Module> module(new Module);
  module->text_ = std::move(text);
  std::vector<Token> tokens;
  if (!read_tokens(module->text_, tokens, error))
    return nullptr;
  Parser parser(*module, tokens);
  if (!parser.run(error)) {
    if (is_limit)
      *is_limit = parser.has_met_limit();
    return nullptr;
  }
  return Linker(*module).run(error) ? std::move(module) : nullptr;
}

Module::~Module() {
  const std::lock_guard lock(addresses().mutex);
  for (const auto &[name, function] : functions_)
    addresses().functions.erase(function->address);
}

const Function *Module::find_function(const std::string &name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() || !found->second->is_defined ? nullptr : found->second.get();
}

std::vector<const Function *> Module::functions() const {
  std::vector<const Function *> all;
  for (const auto &[name, function] : functions_)
    if (function->is_defined)
      all.push_back(function.get());
  return all;
}

const Variable *Module::find_variable(const std::string &name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() || found->second.space == Space::kShared || found->second.is_extern ? nullptr
                                                                                                       : &found->second;
}

const Variable *Module::find_variable_at(uint64_t address) const {
  auto found = in_memory_.upper_bound(address);
  if (found == in_memory_.begin())
    return nullptr;
  const Variable *const variable = (--found)->second;
  return address < variable->address + variable->size ? variable : nullptr;
}

std::optional<MemoryRange> Module::find_memory(uint64_t address) const {
  const Variable *const variable = find_variable_at(address);
  if (!variable)
    return std::nullopt;
  return MemoryRange{variable->address, variable->address + variable->size, variable->space == Space::kGlobal};
}

std::string Module::variable_at(uint64_t address) const {
  const Variable *const variable = find_variable_at(address);
  return variable ? variable->name : std::string{};
}

const Function *Module::find_code(uint64_t address) {
  const std::lock_guard lock(addresses().mutex);
  const auto found = addresses().functions.find(address);
  return found == addresses().functions.end() ? nullptr : found->second;
}

std::vector<Row> Module::shared_addresses(const Function &kernel) const {
  std::vector<Row> rows(shared_uses_.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t number = variables_.find(shared_uses_[i].variable)->second.address;
    rows[i].fill(kernel.shared_at[number] + static_cast<uint64_t>(shared_uses_[i].addend));
  }
  return rows;
}

bool Module::has_code(uint64_t code_address) const { return code_address >= code_begin_ && code_address < code_end_; }

std::string_view Module::file_name(uint32_t number) const {
  const auto found = files_.find(number);
  return found == files_.end() ? std::string_view() : found->second;
}

// Null if the address is none of this module.
const Instruction *Module::instruction_at(uint64_t code_address, std::string &function_name) const {
  for (const auto &[name, function] : functions_) {
    const uint64_t index = code_address - function->code_address;
    if (code_address < function->code_address || index >= function->code.size())
      continue;
    function_name = name;
    return &function->code[index];
  }
  return nullptr;
}

CodePlace Module::place_of(uint64_t code_address) const {
  std::string name;
  const Instruction *const instruction = instruction_at(code_address, name);
  const auto file = instruction ? files_.find(instruction->file) : files_.end();
  return file == files_.end() ? CodePlace{} : CodePlace{file->second, instruction->line};
}

std::string Module::describe(uint64_t code_address) const {
  std::string place;
  const Instruction *const instruction = instruction_at(code_address, place);
  if (!instruction)
    return "unknown code";
  if (const CodePlace source = place_of(code_address); source.line != 0)
    place = source.path.substr(source.path.rfind('/') + 1) + ":" + std::to_string(source.line) + " in " + place;
  return place + ": " + on_one_line(instruction->text);
}

} // namespace emulator::executor::ptx
