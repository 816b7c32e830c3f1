// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module of PTX as it is executed: functions of instructions whose operands are found, variables with their bytes,
// source lines. Built by the parser, placed in memory by load; after that only the bytes of variables change.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../grid.h"
#include "../memory.h"

namespace emulator::executor::ptx {

inline uint32_t align_up(uint32_t value, uint32_t align) {
  return static_cast<uint32_t>((uint64_t{value} + align - 1) / align * align);
}

inline constexpr unsigned kLanes = 32;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFF;
using Row = std::array<uint64_t, kLanes>; ///< one value for each lane

/// Generic addresses beside those of global memory, which are the host process's.
inline constexpr uint64_t kSharedWindow = 0x7000000000000000; ///< and 32 bits above the offset: the block
inline constexpr uint64_t kLocalWindow = 0x7100000000000000;  ///< and above 32 bits: block and thread
inline constexpr uint64_t kParamWindow = 0x7200000000000000;
inline constexpr uint64_t kCodeWindow = 0x7300000000000000;
inline constexpr uint64_t kWindowMask = 0xFF00000000000000;

enum class Space : uint8_t { kGeneric, kGlobal, kConst, kShared, kLocal, kParam };

enum class Type : uint8_t {
  kNone,
  kPred,
  kB8,
  kU8,
  kS8,
  kB16,
  kU16,
  kS16,
  kF16,
  kBf16,
  kB32,
  kU32,
  kS32,
  kF32,
  kF16x2,
  kBf16x2,
  kB64,
  kU64,
  kS64,
  kF64
};
/// In bytes; a predicate has one.
unsigned size_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);
/// Returns whether it is a float of 16 bits, or two of them.
bool is_half(Type type);
std::optional<Type> find_type(std::string_view name); ///< "u32"

enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLane,
  kWarp,
  kWarps,
  kWarpSize,
  kLanesEqual,
  kLanesBelow,
  kLanesUpTo,
  kLanesAbove,
  kLanesFrom,
  kClock,
  kClock64,
  kTime,
  kTimeLow,
  kTimeHigh,
  kSharedTotal,
  kSharedDynamic,
  kSm,
  kSms,
  kGrid,
  kCount
};

struct Operand {
  enum class Kind : uint8_t { kNone, kRegister, kConstant, kSpecial, kStack, kShared, kSink };
  Kind kind = Kind::kNone;
  uint8_t bits = 0;        ///< width of a register; 1: a predicate
  bool is_negated = false; ///< !%p
  // The checks read these (forms.h).
  Type type = Type::kNone;       ///< the register's declared one; of a constant: kF32, kF64, or no float
  Space space = Space::kGeneric; ///< of what is_symbol
  bool is_address = false;       ///< in brackets
  bool is_symbol = false;        ///< the address of a variable, parameter or function
  bool has_second = false;       ///< "p|q": the second is in Instruction::elements
  /// The number of the register, constant, special register, address of shared memory; bytes in the function's part of
  /// the stack.
  uint32_t index = 0;
};

class CompiledFunction;
class Warp;
struct Instruction;
struct Operation;
struct Function;
using Handler = void (*)(Warp &, const Instruction &);

struct Instruction {
  Handler handler = nullptr;
  Operand guard;                                ///< none: all lanes
  std::array<Operand, 6> operands{};            ///< results first
  std::vector<Operand> elements, more_elements; ///< a vector in braces; a second one
  Type type = Type::kNone, from = Type::kNone;  ///< type of the operation; type that a conversion begins with
  Space space = Space::kGeneric;
  uint8_t width = 1;                       ///< elements that a load or store has
  uint8_t count = 0;                       ///< number of operands
  bool is_pure = false;                    ///< computes registers from registers, for each lane or for those there
  bool is_polling = false;                 ///< may be what a loop waits with
  bool is_strong = false;                  ///< an access that is volatile, relaxed or ordered
  bool begins_block = false;               ///< a basic block: branches come here, or end before it
  bool begins_exchange = false;            ///< the load before a loop with a compare-and-swap of the same place
  bool is_aligned = false;                 ///< a barrier for all lanes of a warp at once
  bool flushes = false, saturates = false; ///< .ftz, .sat
  bool keeps_positive = false;             ///< .relu: what is negative becomes 0
  Scope releases = Scope::kWave, acquires = Scope::kWave;
  uint32_t variant = 0; ///< meaning depends on the handler
  int64_t offset = 0;   ///< added to an address
  uint32_t target = 0;  ///< a branch's target
  uint32_t meet = 0;    ///< where lanes that a branch parts wait for each other
  uint32_t table = 0;   ///< table of a call or of a branch with many targets
  uint32_t file = 0, line = 0;
  std::string_view text;   ///< as it is written, with its guard
  std::string_view opcode; ///< "setp.ne.u64"
  const Operation *operation = nullptr;
};
inline constexpr uint32_t kReturn = 0xFFFFFFFF; ///< meet: when the function returns

/// Where a parameter lies: in the launch's arguments, or in the function's part of the stack.
struct Parameter {
  std::string name;
  uint32_t size = 0, offset = 0;
  bool is_array = false;
  Type type = Type::kNone; ///< of it or of its elements
  uint32_t align = 0;      ///< as the text says
};

struct Call {
  std::string name; ///< none: through a pointer, operand 0
  Function *callee = nullptr;
  std::vector<Parameter> arguments, results; ///< in the caller's part of the stack
};

class Module;

/// Registers that are declared as one: %r0 .. %r<count-1>, or one with just that name if the count is 0.
struct RegisterNames {
  std::string name;
  uint32_t first = 0, count = 0;
  bool is_float = false;
};

struct Function {
  const Module *module = nullptr;
  std::string name;
  bool is_entry = false, is_defined = false, is_extern = false;
  std::vector<Parameter> parameters, results;
  uint32_t parameter_bytes = 0; ///< bytes of an entry's parameters
  uint32_t registers = 0;
  std::vector<RegisterNames> names;
  uint32_t stack_bytes = 0; ///< that the executor keeps for an activation: variables and parameters
  uint32_t local_bytes = 0, local_align = 1;
  // As ptxas and nvlink count them (frames.h).
  uint32_t frame_bytes = 0, stack_need = 0; ///< its own; and with all that it calls
  bool is_undetermined = false;             ///< it can come to itself: the need has no end
  // Kernels only: shared memory as a linker lays it out for each.
  uint32_t shared_bytes = 0, dynamic_at = 0; ///< bytes of variables; start of the memory that the launch asks for
  std::vector<uint32_t> shared_at;           ///< by number of the variable, of those that the kernel reaches
  enum class Visit : uint8_t { kNew, kOpen, kDone } visit = Visit::kNew;
  std::array<uint32_t, 3> max_threads{};
  std::vector<Instruction> code;
  std::vector<Call> calls;
  std::vector<std::vector<uint32_t>> tables; ///< targets of branches
  uint64_t address = 0;
  uint64_t code_address = 0; ///< address of its first instruction, in reports
  // Made when it first runs.
  mutable std::once_flag compiles;
  mutable std::shared_ptr<CompiledFunction> compiled;
};

/// Where bytes of a variable hold an address.
struct Relocation {
  uint64_t at = 0;
  std::string symbol;
  int64_t addend = 0;
  uint64_t mask = ~uint64_t{0}; ///< bits of the address, shifted down to its lowest bit
  uint8_t size = 8;
  bool is_generic = false;
};

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  uint32_t align = 1;
  uint64_t size = 0;
  bool is_extern = false;
  bool takes_size = false; ///< x[] = {1, 2}
  std::vector<uint8_t> bytes;
  std::vector<Relocation> relocations;
  uint64_t address = 0; ///< in global and constant memory; the number in shared memory
};

/// An operand that is the address of a shared variable, which each kernel may have elsewhere.
struct SharedUse {
  std::string variable;
  int64_t addend;
};

/// A constant operand that is the address of something.
struct SymbolConstant {
  uint32_t constant;
  std::string symbol;
  int64_t addend;
};

class Module {
public:
  /// Null, and the reason, if the text is not what the executor can do. is_limit: gets whether the reason is an
  /// instruction that the executor does not know. A GPU may take such a text.
  static std::unique_ptr<Module> load(std::string text, std::string &error, bool *is_limit = nullptr);
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module();

  const Function *find_function(const std::string &name) const;
  /// All that are defined.
  std::vector<const Function *> functions() const;
  /// Returns a variable of global or constant memory.
  const Variable *find_variable(const std::string &name) const;
  /// The variable that holds the address.
  std::optional<MemoryRange> find_memory(uint64_t address) const;
  /// Returns the name of that variable; empty if there is none.
  std::string variable_at(uint64_t address) const;
  /// The function with this address, of any module that is loaded.
  static const Function *find_code(uint64_t address);
  /// "f.c:3 in kernel", of an address in a report, and its place.
  std::string describe(uint64_t code_address) const;
  CodePlace place_of(uint64_t code_address) const;
  /// The path of a source file; empty if there is none.
  std::string_view file_name(uint32_t number) const;
  /// Returns whether the address in a report is this module's.
  bool has_code(uint64_t code_address) const;
  /// Returns the address in the shared memory of a kernel's blocks, for each operand that is one.
  std::vector<Row> shared_addresses(const Function &kernel) const;
  const Row &constant(uint32_t index) const { return constants_[index]; }
  int target() const { return target_; }
  int version() const { return version_; }

private:
  friend class Parser;
  friend class FunctionParser;
  friend class Linker;
  Module() = default;
  const Variable *find_variable_at(uint64_t address) const;
  const Instruction *instruction_at(uint64_t code_address, std::string &function) const;

  std::string text_;
  int target_ = 0;  ///< sm_NN
  int version_ = 0; ///< of PTX: 78 for 7.8
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions_;
  std::map<std::string, std::string, std::less<>> aliases_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::map<uint64_t, const Variable *> in_memory_; ///< by address
  std::vector<std::unique_ptr<uint8_t[]>> memory_;
  std::deque<Row> constants_;
  std::unordered_map<uint64_t, uint32_t> constant_of_; ///< value -> index
  std::vector<SymbolConstant> symbols_;
  std::map<uint32_t, std::string> files_;
  std::vector<Variable *> shared_; ///< variables, in the text's order
  std::vector<SharedUse> shared_uses_;
  uint64_t code_begin_ = 0, code_end_ = 0;
};

} // namespace emulator::executor::ptx
