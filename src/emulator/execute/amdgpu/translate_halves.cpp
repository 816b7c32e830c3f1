// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 16 bits: as sources and results of vector instructions, two in a register, and beside singles.

#include "../half.h"
#include "translator.h"

namespace emulator::executor::amdgpu {

// A half of a source, as a single. Null: the upper half of a constant of the instruction's, which is not sure.
llvm::Value *Translator::half_source(const Operand &operand, bool is_upper) {
  const bool is_inline =
      operand.kind == Kind::kFloat || (operand.kind == Kind::kInteger && !operand.is_literal && operand.bits != 0);
  if (is_inline && is_upper)
    return nullptr;
  if (operand.kind == Kind::kFloat)
    return widen_half(number(16, Half::narrow(static_cast<float>(operand.number))), false);
  Value *value = source32(operand);
  if (value && is_upper)
    value = b_.CreateLShr(value, number(32, 16));
  return value ? widen_half(resize(value, 16), false) : nullptr;
}

// As VectorInstruction::write16.
void Translator::write_half(const Operand &operand, bool is_upper, bool keeps_other, Value *value) {
  value = resize(narrow_half(value, false, Half::kNan), 32);
  if (is_upper)
    value = b_.CreateShl(value, number(32, 16));
  if (keeps_other)
    value = b_.CreateOr(value, b_.CreateAnd(read_vector(operand.index), number(32, is_upper ? 0xFFFF : 0xFFFF0000)));
  write_vector(operand.index, value);
}

bool Translator::packed_half(const Instruction &i) {
  const std::string_view name = i.name;
  const bool fuses = name == "v_pk_fma_f16", adds = name == "v_pk_add_f16", multiplies = name == "v_pk_mul_f16",
             is_least = name == "v_pk_min_f16";
  if ((!fuses && !adds && !multiplies && !is_least && name != "v_pk_max_f16") || i.output_scale || i.clamps ||
      i.operands[0].kind != Kind::kVector || i.operands[0].registers != 1)
    return false;
  Value *whole = nullptr;
  for (unsigned half = 0; half < 2; ++half) {
    Value *values[3] = {};
    for (unsigned n = 0; n < (fuses ? 3 : 2); ++n) {
      values[n] = half_source(i.operands[n + 1], (half == 0 ? i.op_sel : i.op_sel_hi)[n] != 0);
      if (!values[n])
        return false;
      if ((half == 0 ? i.neg_lo : i.neg_hi)[n])
        values[n] = b_.CreateFNeg(values[n]);
    }
    Value *const value = fuses        ? fused_half(values[0], values[1], values[2], false)
                         : adds       ? b_.CreateFAdd(values[0], values[1])
                         : multiplies ? b_.CreateFMul(values[0], values[1])
                                      : float_extreme(values[0], values[1], is_least);
    Value *const result = resize(narrow_half(value, false, Half::kNan), 32);
    whole = half == 0 ? result : b_.CreateOr(whole, b_.CreateShl(result, number(32, 16)));
  }
  write_vector(i.operands[0].index, whole);
  return true;
}

// op_sel_hi says which sources are halves, op_sel which halves these are.
bool Translator::mix(const Instruction &i) {
  const bool is_low = i.name == "v_fma_mixlo_f16", is_high = i.name == "v_fma_mixhi_f16";
  if ((!is_low && !is_high && i.name != "v_fma_mix_f32") || i.count != 4 || i.output_scale ||
      i.operands[0].kind != Kind::kVector || i.operands[0].registers != 1)
    return false;
  Value *values[3] = {};
  for (unsigned n = 0; n < 3; ++n) {
    const Operand &operand = i.operands[n + 1];
    if (i.op_sel_hi[n]) {
      values[n] = half_source(operand, i.op_sel[n] != 0);
      if (values[n] && operand.is_absolute)
        values[n] = unary(llvm::Intrinsic::fabs, values[n]);
      if (values[n] && operand.is_negated)
        values[n] = b_.CreateFNeg(values[n]);
    } else {
      values[n] = source(operand, 'f');
    }
    if (!values[n])
      return false;
  }
  Value *const result = scaled(i, fused(values[0], values[1], values[2]));
  if (is_low || is_high)
    write_half(i.operands[0], is_high, true, result);
  else
    write_vector(i.operands[0].index, bits(result));
  return true;
}

} // namespace emulator::executor::amdgpu
