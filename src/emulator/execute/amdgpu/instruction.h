// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction of AMD's as the executor runs it, and how it is read: LLVM's disassembler turns bytes into the
// assembler's text, which is documented and the same for all encodings; the text becomes an Instruction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace emulator::executor::amdgpu {

class AmdWave;
struct Instruction;
using Handler = void (*)(AmdWave &, const Instruction &);

/// Scalar registers beyond s0 to s105.
enum SpecialRegister : uint16_t {
  kVcc = 106,
  kTtmp = 108,
  kM0 = 124,
  kNull = 125,
  kExec = 126,
  kFlatScratch = 128,
  kXnackMask = 130,
  kScalarRegisters = 132,
};
/// Vector registers: v0 to v255, then the accumulators a0 to a255.
inline constexpr uint16_t kAccumulators = 256;
inline constexpr uint16_t kVectorRegisters = 512;

enum class OperandKind : uint8_t {
  kVector,
  kScalar,
  kInteger, ///< bits, and whether they are a literal
  kFloat,   ///< number
  kScc,
  kExecIsZero,
  kVccIsZero,
  kSharedBase,
  kPrivateBase,
  kOff,
  kText, ///< name of a message or a hardware register
};

struct Operand {
  OperandKind kind = OperandKind::kOff;
  uint8_t registers = 1;
  uint16_t index = 0; ///< number of the first register
  bool is_negated = false, is_absolute = false, is_sign_extended = false, is_literal = false;
  uint8_t select = 6; ///< what SDWA takes: 0 to 3 a byte, 4 and 5 a word, 6 all
  uint8_t half = 0;   ///< half of a 32-bit register that its name states: 1 the lower, 2 the upper, 0 none
  int64_t bits = 0;
  double number = 0;
  std::string text;
};

enum class DppKind : uint8_t {
  kNone,
  kQuadPerm,
  kRowShl,
  kRowShr,
  kRowRor,
  kWaveShl,
  kWaveRol,
  kWaveShr,
  kWaveRor,
  kRowMirror,
  kRowHalfMirror,
  kRowBcast,
  kRowShare,
  kRowXmask,
  kRowNewBcast,
  kDpp8
};

/// Data-parallel primitives: which lane the first source comes from.
struct Dpp {
  DppKind kind = DppKind::kNone;
  std::array<uint8_t, 8> lanes{}; ///< lanes of kQuadPerm and kDpp8; the first also for amounts
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool reads_zero = false, fetches_inactive = false;
};

inline constexpr unsigned kMostOperands = 6;

/// The number of registers of each kind, from the first: those of a kernel, or those that an instruction touches.
struct RegisterCounts {
  uint16_t vectors = 0, accumulators = 0, scalars = 0;
};

struct Instruction {
  Handler handler = nullptr; ///< null: not implemented, or reason says why it cannot run
  std::string text;          ///< as the assembler writes it
  std::string name;          ///< without what only tells the encoding
  std::string reason;
  std::array<Operand, kMostOperands> operands;
  uint8_t count = 0; ///< number of operands
  uint8_t size = 0;  ///< bytes
  int32_t offset = 0, offset0 = 0, offset1 = 0;
  bool has_offen = false, has_glc = false, has_sc1 = false, clamps = false, is_gds = false, is_wide_write = false;
  uint8_t output_scale = 0;                 ///< 0: none, 1: *2, 2: *4, 3: /2
  uint8_t sdwa_select = 6, sdwa_unused = 0; ///< the destination's; unused: 0 zero, 1 sign, 2 kept
  std::array<uint8_t, 4> op_sel{0, 0, 0, 0}, op_sel_hi{1, 1, 1, 1}, neg_lo{}, neg_hi{};
  bool has_op_sel = false, has_sdwa = false;
  bool ends_block = false; ///< what it goes on with need not be the next instruction
  /// A flat access has reached private memory. Set by any thread (relaxed), a hint for what is compiled later.
  mutable uint8_t reaches_private = 0;
  /// The load before a loop with a compare-and-swap of the same place: 1 it is, 2 it is not, 0 nobody has looked.
  /// Set by any thread (relaxed).
  mutable uint8_t begins_exchange = 0;
  Dpp dpp;
  std::string pattern;                 ///< pattern of ds_swizzle
  std::unique_ptr<Instruction> second; ///< the second of two that are issued as one
  RegisterCounts touched;
};

/// The properties of a processor.
struct Processor {
  std::string name; ///< "gfx1100"
  unsigned lanes;   ///< lanes of a wave
  bool is_gfx9;     ///< otherwise RDNA 3
  bool is_gfx940() const { return name == "gfx942"; }
};

/// Reads the assembler's text. An instruction that cannot be read has a reason and no handler.
Instruction parse_instruction(std::string_view text);

/// Finds the registers of all operands. Special registers, as vcc, are not among them.
RegisterCounts find_touched(const Instruction &instruction);

/// Turns code into instructions. Not thread-safe.
class Decoder {
public:
  explicit Decoder(const Processor &processor);
  ~Decoder();
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;
  /// Returns whether LLVM knows the processor.
  bool works() const { return context_ != nullptr; }
  /// The instruction that begins here; its size is 0 if there is none.
  Instruction decode(const uint8_t *code, uint64_t size) const;

private:
  size_t read_without_third_source(const uint8_t *code, uint64_t size, char *text, size_t room) const;
  size_t read_with_lower_result(const uint8_t *code, uint64_t size, char *text, size_t room) const;
  void *context_;
  bool is_rdna_;
};

/// The function that carries out instructions of this name, and what it can do; null if there is none.
struct Operation {
  std::string_view name;
  Handler handler = nullptr;
  bool takes_modifiers = false; ///< modifiers of sources and results: DPP, SDWA, negation, clamping
};
const Operation *find_operation(std::string_view name);

} // namespace emulator::executor::amdgpu
