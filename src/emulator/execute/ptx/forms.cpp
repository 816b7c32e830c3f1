// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See forms.h. As ptxas 13.0 takes them: modifiers may stand in any order, types only in theirs.

#include "forms.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <vector>

#include "operations.h"

namespace emulator::executor::ptx {

namespace {

// Words of the opcode, separated by spaces: "a|b" is one of them, "[a|b]" one of them or none, capitals are kSets. Then
// the operands' letters (operands.cpp), results before '='.
struct FormRow {
  std::string_view words, operands;
};
constexpr FormRow kRows[] = {
    {"add|sub INT", "1=11"},
    {"add|sub sat s32", "1=11"},
    {"add|sub cc INT32", "1=11"},
    {"addc|subc INT", "1=11"},
    {"addc|subc cc INT32", "1=11"},
    {"mul lo|hi INT", "1=11"},
    {"mul wide u16|s16|u32|s32", "w=11"},
    {"mul24 lo|hi u32|s32", "1=11"},
    {"mad lo|hi INT", "1=111"},
    {"mad wide u16|s16|u32|s32", "w=11w"},
    {"mad|madc lo|hi [cc] INT32", "1=111"},
    {"mad24 lo|hi u32|s32", "1=111"},
    {"sad INT", "1=111"},
    {"div|rem|min|max INT", "1=11"},
    {"abs|neg s16|s32|s64", "1=1"},
    {"and|or|xor BITS|pred", "1=11"},
    {"not BITS|pred", "1=1"},
    {"cnot BITS", "1=1"},
    {"popc|clz b32|b64", "i=1"},
    {"brev b32|b64", "1=1"},
    {"bfind [shiftamt] INT32", "i=1"},
    {"bfe INT32", "1=1cc"},
    {"bfi b32|b64", "1=11cc"},
    {"shl BITS", "1=1i"},
    {"shr BITS|INT", "1=1i"},
    {"shf l|r clamp|wrap b32", "1=11i"},
    {"prmt b32", "1=111"},
    {"lop3 b32", "1=111n"},

    {"add|sub|mul [ROUND] [ftz] [sat] f32", "1=11"},
    {"add|sub|mul [ROUND] f64", "1=11"},
    {"fma|mad ROUND [ftz] [sat] f32", "1=111"},
    {"fma|mad ROUND f64", "1=111"},
    {"div approx|full|ROUND [ftz] f32", "1=11"},
    {"div ROUND f64", "1=11"},
    {"abs|neg [ftz] f32", "1=1"},
    {"abs|neg f64", "1=1"},
    {"min|max [ftz] [NaN] f32", "1=11"},
    {"min|max f64", "1=11"},
    {"copysign f32|f64", "1=11"},
    {"rcp|sqrt approx|ROUND [ftz] f32", "1=1"},
    {"rcp|sqrt ROUND f64", "1=1"},
    {"rcp approx ftz f64", "1=1"},
    {"rsqrt approx [ftz] f32|f64", "1=1"},
    {"sin|cos|lg2|ex2 approx [ftz] f32", "1=1"},
    {"tanh approx f32", "1=1"},
    {"testp finite|infinite|number|notanumber|normal|subnormal f32|f64", "p=1"},

    {"add|sub|mul [rn] [ftz] [sat] f16|f16x2", "1=11"},
    {"add|sub|mul [rn] bf16|bf16x2", "1=11"},
    {"fma rn [ftz] [sat] f16|f16x2", "1=111"},
    {"fma rn [ftz] relu f16|f16x2", "1=111"},
    {"fma rn [relu] bf16|bf16x2", "1=111"},
    {"abs|neg [ftz] f16|f16x2", "1=1"},
    {"abs|neg bf16|bf16x2", "1=1"},
    {"min|max [ftz] [NaN] f16|f16x2", "1=11"},
    {"min|max [NaN] bf16|bf16x2", "1=11"},
    {"tanh approx f16|f16x2|bf16|bf16x2", "1=1"},
    {"ex2 approx f16|f16x2", "1=1"},
    {"ex2 approx ftz bf16|bf16x2", "1=1"},

    {"setp eq|ne BITS", "p|p=11"},
    {"setp eq|ne BOOL BITS", "p|p=11p"},
    {"setp ORDER s16|s32|s64", "p|p=11"},
    {"setp ORDER BOOL s16|s32|s64", "p|p=11p"},
    {"setp ORDER|lo|ls|hi|hs u16|u32|u64", "p|p=11"},
    {"setp ORDER|lo|ls|hi|hs BOOL u16|u32|u64", "p|p=11p"},
    {"setp ORDER|UNORDERED [ftz] f32", "p|p=11"},
    {"setp ORDER|UNORDERED BOOL [ftz] f32", "p|p=11p"},
    {"setp ORDER|UNORDERED [ftz] f16", "p=11"},
    {"setp ORDER|UNORDERED BOOL [ftz] f16", "p=11p"},
    {"setp ORDER|UNORDERED [ftz] f16x2", "p|p=11"},
    {"setp ORDER|UNORDERED BOOL [ftz] f16x2", "p|p=11p"},
    {"setp ORDER|UNORDERED bf16", "p=11"},
    {"setp ORDER|UNORDERED BOOL bf16", "p=11p"},
    {"setp ORDER|UNORDERED bf16x2", "p|p=11"},
    {"setp ORDER|UNORDERED BOOL bf16x2", "p|p=11p"},
    {"setp ORDER|UNORDERED f64", "p|p=11"},
    {"setp ORDER|UNORDERED BOOL f64", "p|p=11p"},
    {"set eq|ne u32|s32|f32 BITS", "1=22"},
    {"set eq|ne BOOL u32|s32|f32 BITS", "1=22p"},
    {"set ORDER u32|s32|f32 s16|s32|s64", "1=22"},
    {"set ORDER BOOL u32|s32|f32 s16|s32|s64", "1=22p"},
    {"set ORDER|lo|ls|hi|hs u32|s32|f32 u16|u32|u64", "1=22"},
    {"set ORDER|lo|ls|hi|hs BOOL u32|s32|f32 u16|u32|u64", "1=22p"},
    {"set ORDER|UNORDERED [ftz] u32|s32|f32 f32", "1=22"},
    {"set ORDER|UNORDERED BOOL [ftz] u32|s32|f32 f32", "1=22p"},
    {"set ORDER|UNORDERED u32|s32|f32 f64", "1=22"},
    {"set ORDER|UNORDERED BOOL u32|s32|f32 f64", "1=22p"},
    {"selp BITS|INT|f32|f64", "1=11p"},
    {"slct BITS|INT|f32|f64 s32", "1=112"},
    {"slct [ftz] BITS|INT|f32|f64 f32", "1=112"},

    {"cvt [sat] INT|u8|s8 INT|u8|s8", "D=S"},
    {"cvt TOINT [sat] INT|u8|s8 f16|f64", "D=S"},
    {"cvt TOINT [ftz] [sat] INT|u8|s8 f32", "D=S"},
    {"cvt ROUND [sat] f16|f64 INT|u8|s8", "D=S"},
    {"cvt ROUND [ftz] [sat] f32 INT|u8|s8", "D=S"},
    {"cvt ROUND [ftz] [sat] f16 f32", "D=S"},
    {"cvt ROUND [sat] f16 f64", "D=S"},
    {"cvt ROUND [ftz] [sat] f32 f64", "D=S"},
    {"cvt [ftz] [sat] f32 f16", "D=S"},
    {"cvt [sat] f64 f16", "D=S"},
    {"cvt [ftz] [sat] f64 f32", "D=S"},
    {"cvt rn|rz [relu] bf16 f32", "D=S"},
    {"cvt rn|rz [relu] f16 f32", "D=S"},
    {"cvt rn|rz [relu] f16x2|bf16x2 f32", "1=22"},
    {"cvt ROUND bf16 INT|u8|s8|f64|f16", "D=S"},
    {"cvt TOINT INT|u8|s8 bf16", "D=S"},
    {"cvt [TOINT] bf16 bf16", "D=S"},
    {"cvt f32|f64 bf16", "D=S"},
    {"cvt ROUND f16 bf16", "D=S"},
    {"cvt [TOINT] [ftz] [sat] f32 f32", "D=S"},
    {"cvt [TOINT] [sat] f16 f16", "D=S"},
    {"cvt [TOINT] [sat] f64 f64", "D=S"},
    {"mov BITS|INT|f32|f64|pred", "1=m"},
    {"cvta SPACE|const|param u32|u64", "1=v"},
    {"cvta to SPACE|const|param u32|u64", "1=1"},
    {"isspacep SPACE|const|param", "p=q"},

    {"ld [weak] [SPACE|const|param] [ca|cg|cs|lu|cv] [EVICT] [FETCH] [v2] DATA", "D=a"},
    {"ld [weak] [SPACE|const|param] [ca|cg|cs|lu|cv] [EVICT] [FETCH] v4 DATA32", "D=a"},
    {"ld volatile [SPACE] [v2] DATA", "D=a"},
    {"ld volatile [SPACE] v4 DATA32", "D=a"},
    {"ld relaxed|acquire SCOPE [SPACE] [EVICT] [FETCH] [v2] DATA", "D=a"},
    {"ld relaxed|acquire SCOPE [SPACE] [EVICT] [FETCH] v4 DATA32", "D=a"},
    {"ld mmio relaxed sys [global] DATA", "D=a"},
    {"ld nc global [ca|cg|cs] [EVICT] [FETCH] [v2] DATA", "D=a"},
    {"ld nc global [ca|cg|cs] [EVICT] [FETCH] v4 DATA32", "D=a"},
    {"ldu [global] [v2] DATA", "D=a"},
    {"ldu [global] v4 DATA32", "D=a"},
    {"st [weak] [SPACE|param] [wb|cg|cs|wt] [EVICT] [v2] DATA", "=aD"},
    {"st [weak] [SPACE|param] [wb|cg|cs|wt] [EVICT] v4 DATA32", "=aD"},
    {"st volatile [SPACE] [v2] DATA", "=aD"},
    {"st volatile [SPACE] v4 DATA32", "=aD"},
    {"st relaxed|release SCOPE [SPACE] [EVICT] [v2] DATA", "=aD"},
    {"st relaxed|release SCOPE [SPACE] [EVICT] v4 DATA32", "=aD"},
    {"st mmio relaxed sys [global] DATA", "=aD"},
    {"atom [MODIFYORDER] [SCOPE] [MODIFYSPACE] add u32|s32|u64|f32|f64", "1=a1"},
    {"atom [MODIFYORDER] [SCOPE] [MODIFYSPACE] add noftz f16|f16x2|bf16|bf16x2", "1=a1"},
    {"atom [MODIFYORDER] [SCOPE] [MODIFYSPACE] min|max INT32", "1=a1"},
    {"atom [MODIFYORDER] [SCOPE] [MODIFYSPACE] and|or|xor|exch b32|b64", "1=a1"},
    {"atom [MODIFYORDER] [SCOPE] [MODIFYSPACE] inc|dec u32", "1=a1"},
    {"atom [MODIFYORDER] [SCOPE] [MODIFYSPACE] cas BITS", "1=a11"},
    {"red [relaxed|release] [SCOPE] [MODIFYSPACE] add u32|s32|u64|f32|f64", "=a1"},
    {"red [relaxed|release] [SCOPE] [MODIFYSPACE] add noftz f16|f16x2|bf16|bf16x2", "=a1"},
    {"red [relaxed|release] [SCOPE] [MODIFYSPACE] min|max INT32", "=a1"},
    {"red [relaxed|release] [SCOPE] [MODIFYSPACE] and|or|xor b32|b64", "=a1"},
    {"red [relaxed|release] [SCOPE] [MODIFYSPACE] inc|dec u32", "=a1"},
    {"prefetch [global|local] L1|L2", "=a"},
    {"prefetch global L2::evict_last|L2::evict_normal", "=a"},
    {"prefetchu L1", "=a"},
    {"membar cta|gl|sys", "="},
    {"fence [sc|acq_rel|acquire|release] SCOPE", "="},
    {"alloca u32|u64", "1=1?l"},
    {"stacksave u32|u64", "1="},
    {"stackrestore u32|u64", "=1"},

    {"bra|ret [uni]", "="},
    {"brx idx [uni]", "=i"},
    {"call [uni]", "=?q"},
    {"exit|trap|brkpt", "="},
    {"nanosleep u32", "=i"},
    {"pmevent", "=e"},
    {"pmevent mask", "=n"},
    {"bar [cta] sync", "=b?t"},
    {"bar [cta] arrive", "=bt"},
    {"bar [cta] red popc u32", "1=b?tp"},
    {"bar [cta] red and|or pred", "1=b?tp"},
    {"barrier [cta] sync [aligned]", "=b?t"},
    {"barrier [cta] arrive [aligned]", "=bt"},
    {"barrier [cta] red popc [aligned] u32", "1=b?tp"},
    {"barrier [cta] red and|or [aligned] pred", "1=b?tp"},
    {"bar warp sync", "=i"},
    {"shfl sync up|down|bfly|idx b32", "1|p=1iii"},
    {"vote all|any|uni pred", "1=p"},
    {"vote ballot b32", "1=p"},
    {"vote sync all|any|uni pred", "1=pi"},
    {"vote sync ballot b32", "1=pi"},
    {"activemask b32", "1="},
    {"match any sync b32|b64", "i=1i"},
    {"match all sync b32|b64", "i|p=1i"},
    {"redux sync add|min|max u32|s32", "1=1i"},
    {"redux sync and|or|xor b32", "1=1i"},
};
constexpr std::pair<std::string_view, std::string_view> kSets[] = {
    {"BITS", "b16|b32|b64"},
    {"INT", "u16|s16|u32|s32|u64|s64"},
    {"INT32", "u32|s32|u64|s64"},
    {"DATA", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"},
    {"DATA32", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32"},
    {"ROUND", "rn|rz|rm|rp"},
    {"TOINT", "rni|rzi|rmi|rpi"},
    {"ORDER", "eq|ne|lt|le|gt|ge"},
    {"UNORDERED", "equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"BOOL", "and|or|xor"},
    {"SPACE", "global|shared|shared::cta|local"},
    {"SCOPE", "cta|cluster|gpu|sys"},
    {"EVICT", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"FETCH", "L2::64B|L2::128B|L2::256B"},
    {"MODIFYORDER", "relaxed|acquire|release|acq_rel"},
    {"MODIFYSPACE", "global|shared|shared::cta"},
};

// The part up to the separator, which goes, too.
std::string_view take_part(std::string_view &text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

struct Group {
  std::vector<std::string_view> words;
  bool is_optional = false, is_type = false;
};

Group read_group(std::string_view text) {
  Group group;
  group.is_optional = text.starts_with('[');
  if (group.is_optional)
    text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::string_view word = take_part(text, '|');
    const auto set =
        std::find_if(std::begin(kSets), std::end(kSets), [&](const auto &one) { return one.first == word; });
    for (std::string_view words = set == std::end(kSets) ? word : set->second; !words.empty();)
      group.words.push_back(take_part(words, '|'));
  }
  group.is_type = find_type(group.words[0]).has_value();
  return group;
}

struct Syntax {
  std::vector<Group> groups; ///< without the name
  std::string_view operands;
};

const std::unordered_map<std::string_view, std::vector<Syntax>> &forms() {
  static const auto &all = *[] {
    auto *table = new std::unordered_map<std::string_view, std::vector<Syntax>>;
    for (const FormRow &row : kRows) {
      std::string_view words = row.words;
      const Group names = read_group(take_part(words, ' '));
      Syntax syntax;
      syntax.operands = row.operands;
      while (!words.empty())
        syntax.groups.push_back(read_group(take_part(words, ' ')));
      for (const std::string_view name : names.words)
        (*table)[name].push_back(syntax);
    }
    return table;
  }();
  return all;
}

// Returns whether these are the opcode's words, and sets its types.
bool matches(const Syntax &syntax, std::span<const std::string_view> words, std::array<Type, 2> &types) {
  std::vector<bool> taken(words.size());
  size_t next_type = 0, count = 0;
  for (const Group &group : syntax.groups) {
    size_t at = 0;
    while (at < words.size() && (taken[at] || (group.is_type ? !find_type(words[at])
                                                             : std::find(group.words.begin(), group.words.end(),
                                                                         words[at]) == group.words.end())))
      ++at;
    if (at < words.size() && std::find(group.words.begin(), group.words.end(), words[at]) != group.words.end()) {
      taken[at] = true;
      ++count;
      if (group.is_type)
        types[next_type++] = find_type(words[at]).value_or(Type::kNone);
    } else if (!group.is_optional) {
      return false;
    }
  }
  return count == words.size();
}

} // namespace

Form find_form(std::string_view text) {
  const Opcode opcode(text);
  const auto found = forms().find(opcode.name());
  if (found == forms().end())
    return {};
  for (const Syntax &syntax : found->second) {
    Form form;
    form.operands = syntax.operands;
    if (matches(syntax, std::span(opcode.words()).subspan(1), form.types))
      return form;
  }
  return {};
}

} // namespace emulator::executor::ptx
