// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels of PTX with branches, loops, functions, barriers and accesses: compiled ones do what interpreted ones
// do, in the same turns. FLOW_SEED=N begins with another seed than 1, FLOW_KERNELS=N tries as many.

#include <cstdlib>
#include <gtest/gtest.h>

#include "ptx_run.h"

namespace emulator::executor::ptx {
namespace {

// Writes a kernel that ends. Memory is shared by all lanes and warps: what it holds in the end depends on all turns.
class Writer {
public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  std::string kernel(unsigned rounds) {
    text_ = ".version 7.8\n.target sm_80\n.address_size 64\n.shared .align 8 .b8 own[1024];\n";
    for (functions_ = 0; functions_ < kFunctions; ++functions_)
      function();
    text_ += ".visible .entry k(.param .u64 results)\n{\n";
    line(kRegisters);
    line("ld.param.u64 place, [results];\nmov.u32 r0, %tid.x;\nmov.u32 round, 0;\n"
         "mul.lo.u32 r1, r0, 40503;\nxor.b32 r2, r0, 21;\nmov.u32 r3, 7;\nshr.u32 r4, r0, 1;\nmov.u32 r5, 1;\n"
         "shl.b32 a, r0, 2;\nand.b32 a, a, 1020;\nmov.u32 n, own;\nadd.u32 n, n, a;\nst.shared.u32 [n], r1;\n"
         "bar.sync 0;");
    set_guards();
    line("ROUND:");
    statements(0, 5);
    line("add.u32 round, round, 1;\nsetp.lt.u32 q, round, " + std::to_string(rounds) + ";\n@q bra ROUND;");
    line("mov.u32 n, %clock;\nshl.b32 a, r0, 2;\ncvt.u64.u32 d0, a;\nadd.u64 d0, place, d0;"); // when it ends
    for (unsigned i = 0; i < 6; ++i)
      line("red.global.add.u32 [place+" + std::to_string(1024 + 4 * i) + "], r" + std::to_string(i) + ";");
    return text_ + "red.global.add.u32 [place+1064], n;\nret;\n}\n";
  }

private:
  void line(const std::string &one) { text_ += one + "\n"; }
  std::string any() { return "r" + std::to_string(random_.below(6)); }
  std::string guard() { return "p" + std::to_string(random_.below(3)); }
  // A guard as texts may have it.
  std::string at(const std::string &predicate) {
    static constexpr const char *kSpaces[] = {"", "", "", " ", "\t", " /* if */ ", "\n"};
    const auto space = [&] { return kSpaces[random_.below(std::size(kSpaces))]; };
    const std::string negation = random_.below(2) ? std::string("!") + space() : "";
    return std::string("@") + space() + negation + predicate + " " + space();
  }
  std::string label() { return "L" + std::to_string(labels_++); }
  std::string maybe_guarded() { return random_.below(5) != 0 ? "" : at(guard()); }
  void set_guards() {
    for (const char *const one : {"0", "1", "2"})
      line(std::string("setp.lt.u32 p") + one + ", r" + one + ", 40;");
  }
  // A function of a place in memory and two numbers, which may call those before it. It has a loop of a few rounds.
  void function() {
    const std::string number = std::to_string(functions_), loop = label();
    text_ += ".func (.param .b32 result) f" + number + "(.param .b64 where, .param .b32 x, .param .b32 y)\n{\n";
    line(kRegisters);
    line("ld.param.u64 place, [where];\nld.param.u32 r0, [x];\nld.param.u32 r1, [y];\nmov.u32 r2, %tid.x;\n"
         "shr.u32 r3, r2, 5;\nadd.u32 r4, r3, 100;\nmov.u32 r5, 3;\nmov.u32 round, 0;");
    set_guards();
    line(loop + ":");
    statements(1, random_.below(4));
    line("add.u32 round, round, 1;\nsetp.lt.u32 q, round, " + std::to_string(1 + random_.below(5)) + ";\n@" +
         (random_.below(2) ? " q" : "q") + " bra " + loop + ";");
    if (random_.below(2))
      line("st.param.b32 [result], r1;\n" + at(guard()) + "ret;");
    statements(2, 1 + random_.below(2));
    text_ += "add.u32 r0, r0, round;\nst.param.b32 [result], r0;\nret;\n}\n";
  }
  void call() {
    line("{\n.param .b64 w; .param .b32 x1; .param .b32 x2; .param .b32 got;\nst.param.b64 [w], place;\n"
         "st.param.b32 [x1], " +
         any() + ";\nst.param.b32 [x2], " + any() + ";\n" + maybe_guarded() + "call (got), f" +
         std::to_string(random_.below(functions_)) + ", (w, x1, x2);\nld.param.b32 " + any() + ", [got];\n}");
  }

  void compute() {
    static constexpr const char *kOperations[] = {"add.u32", "sub.s32", "mul.lo.u32", "xor.b32", "min.u32", "max.s32"};
    line(maybe_guarded() + kOperations[random_.below(std::size(kOperations))] + " " + any() + ", " + any() + ", " +
         (random_.below(2) ? any() : std::to_string(random_.below(100))) + ";");
  }
  void compare() {
    static constexpr const char *kComparisons[] = {"lt.u32", "ge.s32", "eq.u32", "ne.u32"};
    const std::string bits = any();
    line("and.b32 a, " + bits + ", 31;\nsetp." + kComparisons[random_.below(std::size(kComparisons))] + " " + guard() +
         ", a, " + std::to_string(random_.below(32)) + ";");
  }
  // Some accesses with the same base: a place of each lane, the same for all, or any.
  void access() {
    const bool is_shared = random_.below(2);
    switch (random_.below(3)) {
    case 0: line("mov.u32 a, %laneid;\nshl.b32 a, a, 2;"); break;
    case 1: line("and.b32 a, round, 124;"); break;
    default: line("and.b32 a, " + any() + ", 252;");
    }
    line(is_shared ? "mov.u32 n, own;\nadd.u32 n, n, a;" : "cvt.u64.u32 d0, a;\nadd.u64 d0, place, d0;");
    for (unsigned i = 0, count = 1 + random_.below(4); i < count; ++i) {
      const std::string where =
                            std::string(is_shared ? "[n" : "[d0") + "+" + std::to_string(4 * random_.below(100)) + "]",
                        space = is_shared ? "shared" : "global";
      const std::string strength = random_.below(4) == 0 ? "volatile." : "";
      switch (random_.below(5)) {
      case 0: line("atom." + space + ".add.u32 " + any() + ", " + where + ", 1;"); break;
      case 1:
      case 2: line(maybe_guarded() + "st." + strength + space + ".u32 " + where + ", " + any() + ";"); break;
      default: line(maybe_guarded() + "ld." + strength + space + ".u32 " + any() + ", " + where + ";");
      }
    }
  }
  // A branch over something.
  void skip(unsigned depth) {
    const std::string end = label();
    line(at(guard()) + "bra" + (random_.below(9) ? " " : "\t") + end + ";");
    statements(depth + 1, 1 + random_.below(3));
    line(end + ":");
  }
  void choose(unsigned depth) {
    const std::string other = label(), end = label();
    line(at(guard()) + "bra " + other + ";");
    statements(depth + 1, 1 + random_.below(2));
    line("bra " + end + ";\n" + other + ":");
    statements(depth + 1, 1 + random_.below(2));
    line(end + ":");
  }
  // As often as the lane says, at most seven times; the way back is a block of its own.
  void repeat(unsigned depth) {
    const std::string begin = label(), again = label(), end = label(), count = "c" + std::to_string(depth);
    line("and.b32 " + count + ", " + any() + ", 7;\n" + begin + ":");
    statements(depth + 1, 1 + random_.below(2));
    line("setp.eq.u32 q, " + count + ", 0;\n@q bra " + end + ";\nbra " + again + ";\n" + end + ":");
    const std::string behind = label();
    line("bra " + behind + ";\n" + again + ":\nsub.u32 " + count + ", " + count + ", 1;\nbra " + begin + ";\n" +
         behind + ":");
  }
  // One of four ways, as the lane says.
  void choose_by_table(unsigned depth) {
    const std::string table = label(), end = label();
    std::string labels[4];
    for (std::string &one : labels)
      one = label();
    line("and.b32 a, " + any() + ", 3;\n" + table + ": .branchtargets " + labels[0] + ", " + labels[1] + ", " +
         labels[2] + ", " + labels[3] + ";\nbrx.idx a, " + table + ";");
    for (const std::string &one : labels) {
      line(one + ":");
      statements(depth + 1, random_.below(2));
      line("bra.uni " + end + ";");
    }
    line(end + ":");
  }
  void statements(unsigned depth, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      switch (random_.below(depth < 2 ? 11 : 5)) {
      case 0: compare(); break;
      case 1:
      case 2: access(); break;
      case 3:
      case 4: compute(); break;
      case 5: skip(depth); break;
      case 6: choose(depth); break;
      case 7: repeat(depth); break;
      case 8:
        if (functions_ == kFunctions || (functions_ != 0 && random_.below(4) == 0))
          call();
        break;
      case 9: choose_by_table(depth); break;
      default:
        if (depth == 0) // all lanes are here
          line(random_.below(2) ? "bar.sync 0;" : "shfl.sync.down.b32 " + any() + ", " + any() + ", 3, 31, -1;");
      }
  }

  static constexpr const char *kRegisters =
      ".reg .b32 r<6>, c<4>, n, a, round; .reg .b64 d<3>, place; .reg .pred p<3>, q;";

  Random random_;
  std::string text_;
  unsigned labels_ = 0;
  static constexpr unsigned kFunctions = 3;
  unsigned functions_ = 0; ///< that may be called so far; few calls are made before there are all
};

uint64_t number_from(const char *variable, uint64_t otherwise) {
  const char *const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// 0: compiled at once. Others are compiled in several pieces, as their blocks have run.
class PtxFlow : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Compiled, PtxFlow, testing::Values(0u, 1u, 20u));

TEST_P(PtxFlow, does_the_same_as_interpreted) {
  const uint64_t first = number_from("FLOW_SEED", 1), kernels = number_from("FLOW_KERNELS", 12);
  for (uint64_t seed = first; seed < first + kernels; ++seed) {
    const bool is_long = seed % 4 == 0; // has long turns
    const std::string text = Writer(seed).kernel(is_long ? 2000 : 6);
    std::string error;
    const auto module = Module::load(text, error);
    ASSERT_TRUE(module) << error << "\n" << text;
    for (const uint32_t threads : {kLanes, 21u, 128u, 256u, 1024u}) {
      if (is_long ? threads != 128 : threads >= 256 && threads != (seed % 2 ? 256u : 1024u))
        continue;
      Memory interpreted, compiled;
      const auto one = run(*module, "k", interpreted, seed, Schedule::kNever, threads, 64, 30000000);
      const auto other = run(*module, "k", compiled, seed, GetParam(), threads, 64, 30000000);
      ASSERT_FALSE(one) << one->fault.text << "\n" << text;
      ASSERT_FALSE(other) << other->fault.text << "\n" << text;
      ASSERT_EQ(std::memcmp(interpreted.results, compiled.results, sizeof(compiled.results)), 0)
          << "seed " << seed << ", " << threads << " threads\n"
          << text;
    }
  }
}

} // namespace
} // namespace emulator::executor::ptx
