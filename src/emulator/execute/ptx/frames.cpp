// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See frames.h. The rules are those that ptxas of CUDA 13 shows for sm_80 and sm_90
// (docs/internals/emulator-hardware.md).

#include "frames.h"

#include <algorithm>
#include <bit>

#include "flow.h"

namespace emulator::executor::ptx {

namespace {

constexpr uint32_t kArgumentRegisters = 48; // bytes of arguments that a call passes in registers
constexpr uint32_t kReturnAddress = 8;

// Registers that are live, one bit for each.
class Set {
public:
  explicit Set(uint32_t registers) : words_((registers + 63) / 64) {}
  void add(uint32_t index) { words_[index / 64] |= uint64_t{1} << index % 64; }
  void remove(uint32_t index) { words_[index / 64] &= ~(uint64_t{1} << index % 64); }
  bool add(const Set &other) { // whether that changes anything
    bool is_changed = false;
    for (size_t i = 0; i < words_.size(); ++i) {
      is_changed = is_changed || (other.words_[i] & ~words_[i]) != 0;
      words_[i] |= other.words_[i];
    }
    return is_changed;
  }
  template <class F> void for_each(F &&f) const {
    for (size_t i = 0; i < words_.size(); ++i)
      for (uint64_t left = words_[i]; left != 0; left &= left - 1)
        f(static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(left))));
  }

private:
  std::vector<uint64_t> words_;
};

// Instructions that write no register: what they name they read.
bool writes_nothing(const Instruction &one) {
  static constexpr std::string_view kNames[] = {"st",    "red",     "bra",       "brx",         "call",     "ret",
                                                "exit",  "trap",    "membar",    "fence",       "prefetch", "prefetchu",
                                                "brkpt", "pmevent", "nanosleep", "stackrestore"};
  if (is_opcode(one, "bar") || is_opcode(one, "barrier"))
    return one.opcode.find(".red") == std::string_view::npos;
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) { return is_opcode(one, name); });
}

// Which registers hold values that are needed later, by the usual backward iteration.
class Liveness {
public:
  explicit Liveness(const Function &function)
      : function_(function), graph_(function), bits_(function.registers),
        at_begin_(graph_.blocks.size(), Set(function.registers)) {}

  // Words of the registers that are live behind a call, of the call with the most.
  uint32_t words_across_calls() {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (size_t block = graph_.blocks.size(); block-- > 0;)
        is_changed = at_begin_[block].add(before(graph_.blocks[block])) || is_changed;
    }
    return most_;
  }

private:
  void note(const Operand &operand, bool is_written, bool is_certain, Set &live) {
    if (operand.kind != Operand::Kind::kRegister)
      return;
    bits_[operand.index] = operand.bits;
    if (!is_written)
      live.add(operand.index);
    else if (is_certain)
      live.remove(operand.index);
  }

  Set before(const BasicBlock &block) {
    Set live(function_.registers);
    for (const uint32_t next : block.next)
      live.add(at_begin_[next]);
    for (uint32_t i = block.last + 1; i-- > block.begin;) {
      const Instruction &one = function_.code[i];
      if (is_opcode(one, "call"))
        most_ = std::max(most_, words(live));
      const bool writes = !writes_nothing(one), is_certain = one.guard.kind == Operand::Kind::kNone;
      const bool writes_elements = writes && (one.operands[0].kind == Operand::Kind::kNone || is_opcode(one, "setp") ||
                                              is_opcode(one, "shfl") || is_opcode(one, "vote"));
      note(one.operands[0], writes, is_certain, live);
      for (const Operand &element : one.elements)
        note(element, writes_elements, is_certain, live);
      for (const Operand &element : one.more_elements)
        note(element, false, true, live);
      for (unsigned n = 1; n < one.operands.size(); ++n)
        note(one.operands[n], false, true, live);
      note(one.guard, false, true, live);
    }
    return live;
  }

  // Predicates share one.
  uint32_t words(const Set &live) const {
    uint32_t result = 0, predicates = 0;
    live.for_each([&](uint32_t index) {
      result += bits_[index] == 64 ? 2 : bits_[index] > 1 ? 1 : 0;
      predicates |= bits_[index] == 1;
    });
    return result + predicates;
  }

  const Function &function_;
  const FlowGraph graph_;
  std::vector<uint8_t> bits_;
  std::vector<Set> at_begin_;
  uint32_t most_ = 0;
};

bool have_sizes(const std::vector<Parameter> &given, const std::vector<Parameter> &wanted) {
  return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                    [](const Parameter &one, const Parameter &other) { return one.size == other.size; });
}

// The most stack that a function and its callees take, and whether one of them can come to itself.
class CallGraph {
public:
  explicit CallGraph(const std::vector<Function *> &with_address) : with_address_(with_address) {}

  void visit(Function &function) {
    if (function.visit != Function::Visit::kNew)
      return;
    function.visit = Function::Visit::kOpen;
    uint32_t most = 0;
    for (Function *const callee : callees(function, with_address_)) {
      visit(*callee);
      function.is_undetermined =
          function.is_undetermined || callee->is_undetermined || callee->visit == Function::Visit::kOpen;
      most = std::max(most, callee->stack_need);
    }
    function.stack_need = function.frame_bytes + most;
    function.visit = Function::Visit::kDone;
  }

private:
  const std::vector<Function *> &with_address_;
};

} // namespace

bool can_call(const Call &call, const Function &function) {
  return !function.is_entry && have_sizes(call.arguments, function.parameters) &&
         (call.results.empty() || have_sizes(call.results, function.results)); // a result may be dropped
}

std::vector<Function *> callees(const Function &function, const std::vector<Function *> &with_address) {
  std::vector<Function *> result;
  for (const Call &call : function.calls) {
    if (call.callee)
      result.push_back(call.callee);
    for (Function *const one : with_address)
      if (!call.callee && can_call(call, *one) && call.results.size() == one->results.size())
        result.push_back(one);
  }
  return result;
}

void find_frame(Function &function) {
  uint32_t arguments = 0;
  for (const Call &call : function.calls) {
    uint32_t size = 0;
    for (const Parameter &one : call.arguments)
      size = align_up(size, std::bit_floor(std::clamp(one.size, 4u, 8u))) + one.size;
    arguments = std::max(arguments, size > kArgumentRegisters ? size - kArgumentRegisters : 0);
  }
  // The stack is aligned to 16 bytes where a kernel begins, to 8 in functions; these keep where it was in a register.
  const uint32_t align = std::max(function.local_align, 8u), known = function.is_entry ? 16 : 8;
  const bool moves = align > known;
  uint32_t saved = 0;
  if (!function.is_entry && !function.calls.empty())
    saved = kReturnAddress + 4 * Liveness(function).words_across_calls() + (moves ? 4 : 0);
  function.frame_bytes =
      align_up(align_up(function.local_bytes, align) + (moves ? align - known : 0) + arguments + saved, 8);
}

void find_stack_needs(const std::vector<Function *> &functions, const std::vector<Function *> &with_address) {
  CallGraph graph(with_address);
  for (Function *const function : functions)
    graph.visit(*function);
}

} // namespace emulator::executor::ptx
