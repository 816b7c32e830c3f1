// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See instruction.h.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <llvm/ADT/StringRef.h>

#include "instruction.h"

namespace emulator::executor::amdgpu {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool read_integer(std::string_view text, int64_t &value) {
  const bool is_negative = text.starts_with('-');
  if (is_negative)
    text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x");
  uint64_t bits = 0;
  if (is_hex)
    text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, is_hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return false;
  value = static_cast<int64_t>(is_negative ? ~bits + 1 : bits);
  return true;
}

bool read_special(std::string_view text, Operand &operand) {
  static constexpr struct {
    std::string_view name;
    uint16_t index;
    uint8_t registers;
  } kSpecial[] = {{"vcc", kVcc, 2},
                  {"vcc_lo", kVcc, 1},
                  {"vcc_hi", kVcc + 1, 1},
                  {"exec", kExec, 2},
                  {"exec_lo", kExec, 1},
                  {"exec_hi", kExec + 1, 1},
                  {"m0", kM0, 1},
                  {"null", kNull, 1},
                  {"flat_scratch", kFlatScratch, 2},
                  {"flat_scratch_lo", kFlatScratch, 1},
                  {"flat_scratch_hi", kFlatScratch + 1, 1},
                  {"xnack_mask", kXnackMask, 2},
                  {"xnack_mask_lo", kXnackMask, 1},
                  {"xnack_mask_hi", kXnackMask + 1, 1}};
  for (const auto &one : kSpecial)
    if (one.name == text) {
      operand.kind = OperandKind::kScalar;
      operand.index = one.index;
      operand.registers = one.registers;
      return true;
    }
  static constexpr std::pair<std::string_view, OperandKind> kValues[] = {
      {"scc", OperandKind::kScc},
      {"src_scc", OperandKind::kScc},
      {"src_vccz", OperandKind::kVccIsZero},
      {"src_execz", OperandKind::kExecIsZero},
      {"src_shared_base", OperandKind::kSharedBase},
      {"src_private_base", OperandKind::kPrivateBase},
      {"off", OperandKind::kOff}};
  for (const auto &[name, kind] : kValues)
    if (name == text) {
      operand.kind = kind;
      return true;
    }
  return false;
}

// v3, s[4:7], ttmp5, a2 or a list of consecutive ones, [s2,s3]; a half of one, v3.h.
bool read_register(std::string_view text, Operand &operand) {
  uint16_t base = 0, most = 0;
  if (text.starts_with("ttmp")) {
    operand.kind = OperandKind::kScalar;
    base = kTtmp;
    most = kTtmp + 16;
    text.remove_prefix(4);
  } else if (text.starts_with('v') || text.starts_with('a')) {
    operand.kind = OperandKind::kVector;
    base = text[0] == 'a' ? kAccumulators : 0;
    most = static_cast<uint16_t>(base + 256);
    operand.half = text.ends_with(".l") ? 1 : text.ends_with(".h") ? 2 : 0;
    text.remove_prefix(1);
    text.remove_suffix(operand.half ? 2 : 0);
  } else if (text.starts_with('s')) {
    operand.kind = OperandKind::kScalar;
    most = kVcc;
    text.remove_prefix(1);
  } else {
    return false;
  }
  int64_t first = 0, last = 0;
  if (text.starts_with('[') && text.ends_with(']')) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos || !read_integer(text.substr(1, colon - 1), first) ||
        !read_integer(text.substr(colon + 1, text.size() - colon - 2), last))
      return false;
  } else if (read_integer(text, first)) {
    last = first;
  } else {
    return false;
  }
  if (first < 0 || last < first || base + last >= most)
    return false;
  operand.index = static_cast<uint16_t>(base + first);
  operand.registers = static_cast<uint8_t>(last - first + 1);
  return true;
}

bool read_number(std::string_view text, Operand &operand) {
  if (read_integer(text, operand.bits)) {
    operand.kind = OperandKind::kInteger;
    operand.is_literal = text.find("0x") != std::string_view::npos;
    return true;
  }
  operand.kind = OperandKind::kFloat;
  if (text.starts_with("0.15915494")) {
    operand.number = 0.15915494309189532; // 1 / (2 * pi) of the manuals
    return true;
  }
  return !llvm::StringRef(text).getAsDouble(operand.number); // from_chars of libstdc++ 10 knows integers only
}

bool read_operand(std::string_view text, Operand &operand) {
  text = trimmed(text);
  if (text.starts_with("sext(") && text.ends_with(')')) {
    operand.is_sign_extended = true;
    text = text.substr(5, text.size() - 6);
  }
  if (text.starts_with("neg(") && text.ends_with(')')) {
    operand.is_negated = true;
    text = text.substr(4, text.size() - 5);
  } else if (text.size() > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9')) {
    operand.is_negated = true;
    text.remove_prefix(1);
  }
  if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
    operand.is_absolute = true;
    text = text.substr(1, text.size() - 2);
  }
  if (read_special(text, operand) || read_register(text, operand) || read_number(text, operand))
    return true;
  if (text.find('(') != std::string_view::npos) { // sendmsg(...), hwreg(...)
    operand.kind = OperandKind::kText;
    operand.text = text;
    return true;
  }
  return false;
}

template <size_t N> bool read_list(std::string_view text, std::array<uint8_t, N> &values) {
  if (!text.starts_with('[') || !text.ends_with(']'))
    return false;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; !text.empty() && i < N; ++i) {
    const size_t comma = std::min(text.find(','), text.size());
    int64_t value = 0;
    if (!read_integer(trimmed(text.substr(0, comma)), value))
      return false;
    values[i] = static_cast<uint8_t>(value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return text.empty();
}

bool read_select(std::string_view text, uint8_t &select) {
  static constexpr std::string_view kNames[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), text);
  select = static_cast<uint8_t>(found - std::begin(kNames));
  return found != std::end(kNames);
}

bool read_dpp(std::string_view key, std::string_view value, Dpp &dpp) {
  static constexpr std::pair<std::string_view, DppKind> kKinds[] = {
      {"row_shl", DppKind::kRowShl},     {"row_shr", DppKind::kRowShr},          {"row_ror", DppKind::kRowRor},
      {"wave_shl", DppKind::kWaveShl},   {"wave_rol", DppKind::kWaveRol},        {"wave_shr", DppKind::kWaveShr},
      {"wave_ror", DppKind::kWaveRor},   {"row_bcast", DppKind::kRowBcast},      {"row_share", DppKind::kRowShare},
      {"row_xmask", DppKind::kRowXmask}, {"row_newbcast", DppKind::kRowNewBcast}};
  if (key == "quad_perm" || key == "dpp8") {
    dpp.kind = key == "dpp8" ? DppKind::kDpp8 : DppKind::kQuadPerm;
    return read_list(value, dpp.lanes);
  }
  if (key == "row_mirror" || key == "row_half_mirror") {
    dpp.kind = key == "row_mirror" ? DppKind::kRowMirror : DppKind::kRowHalfMirror;
    return true;
  }
  int64_t number = 0;
  if (!read_integer(value, number))
    return false;
  for (const auto &[name, kind] : kKinds)
    if (name == key) {
      dpp.kind = kind;
      dpp.lanes[0] = static_cast<uint8_t>(number);
      return true;
    }
  if (key == "row_mask")
    dpp.row_mask = static_cast<uint8_t>(number);
  else if (key == "bank_mask")
    dpp.bank_mask = static_cast<uint8_t>(number);
  else if (key == "bound_ctrl") // written when the bit is set, by older LLVM as 0
    dpp.reads_zero = true;
  else if (key == "fi")
    dpp.fetches_inactive = number != 0;
  else
    return false;
  return true;
}

bool read_sdwa(std::string_view key, std::string_view value, Instruction &result) {
  result.has_sdwa = true;
  if (key == "dst_sel")
    return read_select(value, result.sdwa_select);
  if (key == "dst_unused") {
    result.sdwa_unused = value == "UNUSED_SEXT" ? 1 : value == "UNUSED_PRESERVE" ? 2 : 0;
    return value.starts_with("UNUSED_");
  }
  return false;
}

bool read_number_modifier(std::string_view key, std::string_view value, Instruction &result) {
  int64_t number = 0;
  if (!read_integer(value, number))
    return false;
  if (key == "offset")
    result.offset = static_cast<int32_t>(number);
  else if (key == "offset0")
    result.offset0 = static_cast<int32_t>(number);
  else if (key == "offset1")
    result.offset1 = static_cast<int32_t>(number);
  else if (key == "mul" && (number == 2 || number == 4))
    result.output_scale = number == 2 ? 1 : 2;
  else if (key == "div" && number == 2)
    result.output_scale = 3;
  else
    return false;
  return true;
}

// Sources of these are singles or halves, as op_sel_hi says.
bool is_mix(std::string_view name) { return name.starts_with("v_fma_mix") || name.starts_with("v_mad_mix"); }

bool read_modifier(std::string_view word, Instruction &result) {
  // Hints about caches.
  if (word == "slc" || word == "dlc" || word == "scc" || word == "nt")
    return true;
  if (word == "sc1")
    return result.has_sc1 = true;
  if (word == "glc" || word == "sc0")
    return result.has_glc = true;
  if (word == "offen")
    return result.has_offen = true;
  if (word == "clamp")
    return result.clamps = true;
  if (word == "row_mirror" || word == "row_half_mirror")
    return read_dpp(word, "", result.dpp);
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos)
    return false;
  const std::string_view key = word.substr(0, colon), value = word.substr(colon + 1);
  if (key == "offset" && value.starts_with("swizzle(")) {
    result.pattern = value;
    return true;
  }
  if (key == "op_sel" || key == "op_sel_hi") {
    result.has_op_sel = true;
    if (!read_list(value, key == "op_sel" ? result.op_sel : result.op_sel_hi))
      return false;
    // The last is the destination's, which is kept at the end.
    const auto last = static_cast<size_t>(std::count(value.begin(), value.end(), ','));
    if (key == "op_sel" && !result.name.starts_with("v_pk_") && !result.name.starts_with("v_perm") &&
        !is_mix(result.name) && !result.name.starts_with("v_dot"))
      std::swap(result.op_sel[3], result.op_sel[last]);
    return true;
  }
  if (key == "neg_lo" || key == "neg_hi")
    return read_list(value, key == "neg_lo" ? result.neg_lo : result.neg_hi);
  if (key.size() == 8 && key.starts_with("src") && key.ends_with("_sel")) {
    result.has_sdwa = true;
    uint8_t select = 6;
    if (!read_select(value, select))
      return false;
    // Sources follow the destination, and the last operand may be a mask.
    const unsigned source = static_cast<unsigned>(key[3] - '0') + 1;
    const unsigned skipped = result.name.find("_co_") != std::string::npos ? 1 : 0;
    if (source + skipped >= kMostOperands)
      return false;
    result.operands[source + skipped].select = select;
    return true;
  }
  return read_number_modifier(key, value, result) || read_dpp(key, value, result.dpp) || read_sdwa(key, value, result);
}

// Where the next operand ends: at a comma, or before a modifier. Brackets belong together.
size_t end_of_operand(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(')
      ++depth;
    else if (text[i] == ']' || text[i] == ')')
      --depth;
    else if (depth == 0 && (text[i] == ',' || text[i] == ' '))
      return i;
  }
  return text.size();
}

void remove_suffix(std::string &name) {
  for (const std::string_view suffix : {"_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp", "_dpp8"})
    while (name.size() > suffix.size() && name.ends_with(suffix))
      name.resize(name.size() - suffix.size());
}

bool read_all(std::string_view rest, Instruction &result) {
  bool has_operands = !rest.empty();
  while (has_operands) {
    rest = trimmed(rest);
    const size_t end = end_of_operand(rest);
    if (result.count >= kMostOperands || !read_operand(rest.substr(0, end), result.operands[result.count]))
      return false;
    ++result.count;
    has_operands = end < rest.size() && rest[end] == ',';
    rest.remove_prefix(std::min(end + (has_operands ? 1 : 0), rest.size()));
  }
  for (rest = trimmed(rest); !rest.empty(); rest = trimmed(rest)) {
    const size_t end = end_of_operand(rest);
    if (end == 0 || !read_modifier(rest.substr(0, end), result))
      return false;
    rest.remove_prefix(end);
  }
  return true;
}

bool has_modifiers(const Instruction &one) {
  bool has = one.clamps || one.output_scale || one.has_op_sel || one.has_sdwa || one.dpp.kind != DppKind::kNone;
  for (unsigned i = 0; i < one.count; ++i)
    has = has || one.operands[i].is_negated || one.operands[i].is_absolute || one.operands[i].is_sign_extended ||
          one.operands[i].half;
  return has;
}

// The operands of these are words and numbers that change nothing here.
bool takes_anything(std::string_view name) {
  for (const std::string_view prefix : {"s_waitcnt", "s_delay_alu", "s_clause", "s_nop", "s_sethalt", "s_code_end",
                                        "s_set_inst_prefetch", "s_inst_prefetch", "s_icache_inv", "buffer_gl",
                                        "buffer_wb", "buffer_inv", "s_dcache", "s_gl1_inv", "s_setprio"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

// LLVM 19 takes the upper halves of v0 to v127, where 16 bits are named by 8, for registers from v128 on, and says so.
std::string with_upper_halves(std::string_view text) {
  std::string result;
  for (size_t note = text.find("/*Invalid register"); note != std::string_view::npos;
       note = text.find("/*Invalid register")) {
    const size_t begin = text.rfind('v', note), end = text.find("*/", note);
    int64_t number = 0;
    if (begin == std::string_view::npos || end == std::string_view::npos ||
        text.substr(note, end - note).find("_Lo128'") == std::string_view::npos ||
        !read_integer(text.substr(begin + 1, note - begin - 1), number) || number < 128)
      break; // cannot be read, which is reported
    result += std::string(text.substr(0, begin)) + "v" + std::to_string(number - 128) + ".h";
    text.remove_prefix(end + 2);
  }
  return result.append(text);
}

} // namespace

Instruction parse_instruction(std::string_view text) {
  Instruction result;
  text = trimmed(text);
  result.text = text;
  if (const size_t two = text.find(" :: "); two != std::string_view::npos) {
    result = parse_instruction(text.substr(0, two));
    result.text = text;
    result.second = std::make_unique<Instruction>(parse_instruction(text.substr(two + 4)));
    if (!result.second->handler) {
      result.handler = nullptr;
      result.reason = result.second->reason;
    }
    return result;
  }
  const size_t space = std::min(text.find_first_of(" \t"), text.size());
  result.name = text.substr(0, space);
  remove_suffix(result.name);
  if (is_mix(result.name))
    result.op_sel_hi = {};
  if (result.name.starts_with("v_dual_"))
    result.name.erase(2, 5);
  result.ends_block = result.name == "s_branch" || result.name.starts_with("s_cbranch_") ||
                      result.name == "s_setpc_b64" || result.name == "s_swappc_b64" || result.name == "s_call_b64" ||
                      result.name == "s_barrier" || result.name == "s_endpgm";
  const Operation *operation = find_operation(result.name);
  if (!operation) {
    result.reason = "the executor has no such instruction";
  } else if (!takes_anything(result.name) && !read_all(trimmed(with_upper_halves(text.substr(space))), result)) {
    result.reason = "the executor cannot read the operands";
  } else if (!operation->takes_modifiers && has_modifiers(result)) {
    result.reason = "the executor has this instruction, but not with these modifiers";
  } else {
    result.handler = operation->handler;
  }
  return result;
}

} // namespace emulator::executor::amdgpu
