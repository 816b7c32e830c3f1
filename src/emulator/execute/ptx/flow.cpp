// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes that a branch parts meet again: the immediate post-dominator of the branch's block, by the iterative algorithm of
// Cooper, Harvey and Kennedy on the reversed graph. Ways that end the lane (trap, exit) are no ways: who is left meets without.

#include <algorithm>
#include <utility>

#include "flow.h"
#include "operations.h"
#include "parser.h"

namespace emulator::executor::ptx {

namespace {

bool is_guarded(const Instruction &instruction) { return instruction.guard.kind != Operand::Kind::kNone; }

bool ends_block(const Instruction &one) {
  return is_opcode(one, "bra") || is_opcode(one, "brx") || is_opcode(one, "ret") || is_opcode(one, "exit") ||
         is_opcode(one, "trap");
}

std::vector<uint32_t> targets(const Function &function, const Instruction &one) {
  if (is_opcode(one, "brx"))
    return function.tables[one.table];
  return is_opcode(one, "bra") ? std::vector<uint32_t>{one.target} : std::vector<uint32_t>{};
}

class Flow {
public:
  explicit Flow(Function &function)
      : function_(function), code_(function.code), graph_(function), blocks_(graph_.blocks) {}

  void run() {
    order_backwards();
    find_post_dominators();
    for (const BasicBlock &block : blocks_) {
      code_[block.begin].begins_block = true;
      Instruction &last = code_[block.last];
      if (!is_opcode(last, "bra") && !is_opcode(last, "brx") && !is_opcode(last, "ret"))
        continue;
      const uint32_t meets = dominator_[static_cast<size_t>(&block - blocks_.data())];
      last.meet = meets < blocks_.size() && !ends_kernel(blocks_[meets].begin) ? blocks_[meets].begin : kReturn;
    }
  }

private:
  // Nobody waits for others to end with them.
  bool ends_kernel(uint32_t place) const {
    return function_.is_entry && is_opcode(code_[place], "ret") && !is_guarded(code_[place]);
  }

  // The blocks that return can be reached from, numbered so that each comes after those behind it; the last is the return.
  void order_backwards() {
    std::vector<char> seen(blocks_.size(), 0);
    std::vector<std::pair<uint32_t, size_t>> path;
    for (uint32_t start = 0; start < blocks_.size(); ++start) {
      if (!blocks_[start].returns || seen[start])
        continue;
      seen[start] = 1;
      path.push_back({start, 0});
      while (!path.empty()) {
        auto &[block, next] = path.back();
        if (next < blocks_[block].previous.size()) {
          const uint32_t one = blocks_[block].previous[next++];
          if (!std::exchange(seen[one], 1))
            path.push_back({one, 0});
        } else {
          order_.push_back(block);
          path.pop_back();
        }
      }
    }
    number_.assign(blocks_.size() + 1, 0);
    for (uint32_t i = 0; i < order_.size(); ++i)
      number_[order_[i]] = i + 1;
    number_[blocks_.size()] = static_cast<uint32_t>(order_.size() + 1);
  }

  uint32_t meet(uint32_t one, uint32_t other) const {
    while (one != other) {
      while (number_[one] < number_[other])
        one = dominator_[one];
      while (number_[other] < number_[one])
        other = dominator_[other];
    }
    return one;
  }

  void find_post_dominators() {
    const uint32_t end = static_cast<uint32_t>(blocks_.size()), none = end + 1;
    dominator_.assign(blocks_.size() + 1, none);
    dominator_[end] = end;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = order_.rbegin(); block != order_.rend(); ++block) {
        uint32_t found = blocks_[*block].returns ? end : none;
        for (const uint32_t next : blocks_[*block].next)
          if (dominator_[next] != none)
            found = found == none ? next : meet(next, found);
        changed = changed || found != dominator_[*block];
        dominator_[*block] = found;
      }
    }
  }

  Function &function_;
  std::vector<Instruction> &code_;
  const FlowGraph graph_;
  const std::vector<BasicBlock> &blocks_;
  std::vector<uint32_t> order_, number_, dominator_;
};

} // namespace

bool is_opcode(const Instruction &instruction, std::string_view name) { return instruction.operation->name == name; }

FlowGraph::FlowGraph(const Function &function) {
  const std::vector<Instruction> &code = function.code;
  std::vector<bool> begins(code.size() + 1, false);
  begins[0] = true;
  for (uint32_t i = 0; i < code.size(); ++i) {
    for (const uint32_t target : targets(function, code[i]))
      begins[target] = true;
    if (ends_block(code[i]))
      begins[i + 1] = true;
  }
  std::vector<uint32_t> block_of(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (begins[i])
      blocks.emplace_back().begin = i;
    blocks.back().last = i;
    block_of[i] = static_cast<uint32_t>(blocks.size() - 1);
  }
  const auto connect = [this](uint32_t from, uint32_t to) {
    blocks[from].next.push_back(to);
    blocks[to].previous.push_back(from);
  };
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const Instruction &last = code[blocks[i].last];
    for (const uint32_t target : targets(function, last))
      connect(i, block_of[target]);
    blocks[i].returns = is_opcode(last, "ret");
    if ((is_guarded(last) || !ends_block(last)) && i + 1 < blocks.size())
      connect(i, i + 1);
  }
}

void find_meeting_points(Function &function) { Flow(function).run(); }

// Operand 0 is the result, operand 1 the address, of both.
void find_exchange_loops(Function &function) {
  std::vector<const Instruction *> swaps;
  for (const Instruction &one : function.code)
    if (is_opcode(one, "atom") && one.text.find(".cas.") != std::string_view::npos)
      swaps.push_back(&one);
  for (Instruction &one : function.code)
    one.begins_exchange = !swaps.empty() && is_opcode(one, "ld") && one.width == 1 &&
                          std::ranges::any_of(swaps, [&](const Instruction *swap) {
                            const Operand &address = one.operands[1], &swapped = swap->operands[1];
                            return address.kind == swapped.kind && address.index == swapped.index &&
                                   one.offset == swap->offset && size_of(one.type) == size_of(swap->type);
                          });
}

} // namespace emulator::executor::ptx
