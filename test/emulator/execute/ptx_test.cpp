// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX, instruction by instruction: each row of ptx/instructions.table becomes a kernel, whose registers are compared
// with the row's. ptxas, where it is, is shown the same text. And what a module that is wrong is called.

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "ptx_run.h"

namespace emulator::executor::ptx {
namespace {

using testing::HasSubstr;

struct Row {
  std::string text, before, after;
  int line;
};

std::vector<Row> read_table() {
  std::vector<Row> rows;
  std::ifstream file(PTX_TABLE);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#')
      continue;
    const size_t first = line.find(" | "), second = line.find(" | ", first + 3);
    if (second == std::string::npos)
      ADD_FAILURE() << "line " << number << " has too few columns";
    else
      rows.push_back(
          {line.substr(0, first), line.substr(first + 3, second - first - 3), line.substr(second + 3), number});
  }
  return rows;
}

std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> result;
  std::stringstream stream(text);
  for (std::string word; stream >> word;)
    if (word != "-")
      result.push_back(word);
  return result;
}

// An integer, or a float: of 32 bits for r, of 64 for d.
uint64_t number(const std::string &text, char kind) {
  const uint64_t mask = kind == 'd' ? ~uint64_t{0} : kind == 'h' ? 0xFFFF : 0xFFFFFFFF;
  if (text == "nan")
    return kind == 'd' ? 0x7FF8000000000000 : 0x7FC00000;
  if (text == "inf")
    return kind == 'd' ? 0x7FF0000000000000 : 0x7F800000;
  const bool is_float = text.find("0x") != 0 && text.find_first_of(".e") != std::string::npos;
  if (is_float)
    return kind == 'd' ? std::bit_cast<uint64_t>(std::stod(text)) : std::bit_cast<uint32_t>(std::stof(text));
  return (text[0] == '-' ? static_cast<uint64_t>(std::stoll(text, nullptr, 0)) : std::stoull(text, nullptr, 0)) & mask;
}

// "r1" of "r1@5=7"
std::string register_of(const std::string &word) { return word.substr(0, word.find_first_of("@=")); }

std::string assignment(const std::string &word) {
  const std::string name = register_of(word), value = word.substr(word.find('=') + 1);
  const std::string type = name[0] == 'd' ? "b64" : name[0] == 'h' ? "b16" : name[0] == 'p' ? "pred" : "b32";
  if (value[0] == '%')
    return "mov.u32 " + name + ", " + value + ";\n";
  return "mov." + type + " " + name + ", " + std::to_string(number(value, name[0])) + ";\n";
}

// Puts the register where lane and number of the result say.
std::string storing(const std::string &name, size_t result) {
  std::string text = name[0] == 'd'   ? "mov.b64 value, " + name + ";\n"
                     : name[0] == 'h' ? "cvt.u64.u16 value, " + name + ";\n"
                     : name[0] == 'p' ? "selp.b64 value, 1, 0, " + name + ";\n"
                                      : "cvt.u64.u32 value, " + name + ";\n";
  return text + "st.global.b64 [place+" + std::to_string(result * 256) + "], value;\n";
}

std::string kernel_of(const Row &row, size_t index) {
  std::string text =
      ".visible .entry k" + std::to_string(index) + "(.param .u64 results)\n{\n" +
      ".reg .b16 h<5>; .reg .b32 r<5>; .reg .b64 d<5>; .reg .pred p<5>;\n"
      ".reg .b64 place, value; .reg .b32 lane;\n.shared .align 8 .b8 own[8];\n.local .align 8 .b8 private[8];\n";
  for (const std::string &one : words(row.before))
    text += assignment(one);
  std::string code = row.text + ";";
  for (size_t at = code.find("; "); at != std::string::npos; at = code.find("; ", at + 2))
    code[at + 1] = '\n';
  text += code + "\nmov.u32 lane, %laneid;\nld.param.u64 place, [results];\nmad.wide.u32 place, lane, 8, place;\n";
  const auto after = words(row.after);
  for (size_t i = 0; i < after.size(); ++i)
    text += storing(register_of(after[i]), i);
  return text + "ret;\n}\n";
}

constexpr const char *kHead =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 8 .b8 word[8];\n.visible .const .align 4 .u32 fixed[2] = {11, 22};\n"
    ".visible .global .align 8 .u64 pointer = generic(target);\n"
    ".visible .global .align 4 .u32 target[2] = {21, 22};\n"
    ".visible .global .align 1 .b8 bytes[2] = {-1, 7};\n";

std::string module_text(const std::vector<Row> &rows) {
  std::string text = kHead;
  // Named variables must be there before.
  const size_t pointer = text.find(".visible .global .align 8 .u64 pointer"),
               target = text.find(".visible .global .align 4 .u32 target");
  text = text.substr(0, pointer) + text.substr(target, text.find('\n', target) + 1 - target) +
         text.substr(pointer, target - pointer) + text.substr(text.find('\n', target) + 1);
  for (size_t i = 0; i < rows.size(); ++i)
    text += kernel_of(rows[i], i);
  return text;
}

// Interpreted, and compiled before they run the first time.
class PtxTable : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(PtxInstructions, PtxTable, testing::Values(Schedule::kNever, 0u));

TEST_P(PtxTable, instructions_do_what_it_says) {
  const std::vector<Row> rows = read_table();
  ASSERT_GT(rows.size(), 200u);
  std::string error;
  const auto module = Module::load(module_text(rows), error);
  ASSERT_TRUE(module) << error;
  for (size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE("line " + std::to_string(rows[i].line) + ": " + rows[i].text);
    Memory memory;
    const auto report = run(*module, "k" + std::to_string(i), memory, i, GetParam(), kLanes, 100000);
    ASSERT_FALSE(report) << report->fault.text;
    const auto after = words(rows[i].after);
    for (size_t n = 0; n < after.size(); ++n) {
      const size_t at = after[n].find('@');
      const size_t lane = at == std::string::npos ? 0 : std::stoul(after[n].substr(at + 1));
      EXPECT_EQ(memory.results[n][lane], number(after[n].substr(after[n].find('=') + 1), after[n][0])) << after[n];
    }
  }
}

// A kernel that loads what the row's instruction reads from where the results go: any values, another for each lane.
// It loads and stores by instructions that are never compiled, as accesses take LLVM most of the time.
std::string kernel_with_inputs(const Row &row, size_t index) {
  std::string text = ".visible .entry k" + std::to_string(index) +
                     "(.param .u64 results)\n{\n"
                     ".reg .b16 h<5>; .reg .b32 r<5>; .reg .b64 d<5>; .reg .pred p<5>;\n"
                     ".reg .b64 place, value, kept<8>; .reg .b32 lane, low;\n"
                     "mov.u32 lane, %laneid;\nld.param.u64 place, [results];\nmad.wide.u32 place, lane, 8, place;\n";
  for (unsigned i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i), row_of = "[place+" + std::to_string(i * 256) + "]";
    text += "ldu.global.u64 d" + number + ", " + row_of + ";\nldu.global.u32 r" + number + ", " + row_of +
            ";\nldu.global.u16 h" + number + ", " + row_of + ";\n";
  }
  for (const char *const number : {"0", "1", "2", "3", "4"})
    text += "and.b32 low, r" + std::string(number) + ", 1;\nsetp.ne.u32 p" + number + ", low, 0;\n";
  std::string code = row.text + ";";
  for (size_t at = code.find("; "); at != std::string::npos; at = code.find("; ", at + 2))
    code[at + 1] = '\n';
  text += code + "\n";
  const char *const kResults[] = {"r0", "r3", "r4", "d0", "d3", "h0", "p0", "p3"};
  std::string stores;
  for (size_t i = 0; i < std::size(kResults); ++i) {
    const std::string one = storing(kResults[i], i), kept = "kept" + std::to_string(i);
    text += one.substr(0, one.find("st.")) + "mov.b64 " + kept + ", value;\n";
    stores += "atom.global.exch.b64 value, [place+" + std::to_string(i * 256) + "], " + kept + ";\n";
  }
  return text + stores + "ret;\n}\n";
}

// Numbers with which instructions have something special to do.
uint64_t any_value(Random &random) {
  static constexpr uint64_t kSpecial[] = {0,
                                          1,
                                          ~uint64_t{0},
                                          31,
                                          32,
                                          64,
                                          0x7FF0000000000000,
                                          0xFFF0000000000000,
                                          0x7FF8000000000000,
                                          0x8000000000000000,
                                          0x000FFFFFFFFFFFFF,
                                          0x3FF0000000000000,
                                          0x41E0000000000000,
                                          0x43E0000000000000,
                                          0x7F800000,
                                          0xFF800000,
                                          0x7FC00000,
                                          0x80000000,
                                          0x007FFFFF,
                                          0x3F800000,
                                          0x4F000000,
                                          0x5F000000,
                                          0x40200000,
                                          0xBF000000};
  switch (random.below(4)) {
  case 0: return random.next();
  case 1: return random.below(70) - uint64_t{3};
  case 2: return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(random.next())) / 65536);
  default: return kSpecial[random.below(std::size(kSpecial))];
  }
}

// Either of two operands that are no numbers may be the result of an operation on floats.
bool are_same(const Row &row, uint64_t one, uint64_t other) {
  const auto is_nan = [&](uint64_t value) {
    return row.text.find("f64") != std::string::npos ? std::isnan(std::bit_cast<double>(value))
                                                     : std::isnan(std::bit_cast<float>(static_cast<uint32_t>(value)));
  };
  return one == other ||
         (row.text.find(".f") != std::string::npos && is_nan(one) && is_nan(other) && one >> 32 == other >> 32) ||
         (row.text.find(".f64") != std::string::npos && is_nan(one) && is_nan(other));
}

TEST(PtxInstructions, compute_the_same_when_compiled) {
  if (!can_compile())
    GTEST_SKIP() << "PTX is interpreted only";
  std::vector<Row> rows;
  for (const Row &row : read_table()) // without memory, branches, operations of several lanes, and time
    if (row.text.find_first_of("[(:") == std::string::npos && row.text.find("clock") == std::string::npos &&
        row.text.find("bra") == std::string::npos &&
        (row.text.find("sync") == std::string::npos || row.text.starts_with("shfl")) &&
        row.text.find("stack") == std::string::npos && row.text.find("own") == std::string::npos &&
        row.text.find("private") == std::string::npos && row.text.find("bar") == std::string::npos)
      rows.push_back(row);
  ASSERT_GT(rows.size(), 150u);
  std::string text = kHead, error;
  for (size_t i = 0; i < rows.size(); ++i)
    text += kernel_with_inputs(rows[i], i);
  const auto module = Module::load(text, error);
  ASSERT_TRUE(module) << error;
  constexpr uint32_t kQuantum = 100000; // turns must have room for what is compiled
  Random random(1);
  for (size_t i = 0; i < rows.size(); ++i)
    for (const uint32_t threads : {kLanes, 21u}) {
      SCOPED_TRACE("line " + std::to_string(rows[i].line) + ": " + rows[i].text);
      for (unsigned round = 0; round < 8; ++round) {
        Memory interpreted, compiled;
        for (auto &values : interpreted.results)
          for (uint64_t &value : values)
            value = any_value(random);
        std::memcpy(compiled.results, interpreted.results, sizeof(compiled.results));
        const Memory before = interpreted;
        const auto one = run(*module, "k" + std::to_string(i), interpreted, i, Schedule::kNever, threads, kQuantum);
        const auto other = run(*module, "k" + std::to_string(i), compiled, i, 0, threads, kQuantum);
        ASSERT_EQ(one.has_value(), other.has_value());
        for (size_t n = 0; n < 8; ++n)
          for (size_t lane = 0; lane < threads; ++lane)
            ASSERT_TRUE(are_same(rows[i], interpreted.results[n][lane], compiled.results[n][lane]))
                << std::hex << interpreted.results[n][lane] << " is " << compiled.results[n][lane] << "; "
                << "result " << n << ", lane " << lane << std::hex << ": of " << before.results[0][lane] << " "
                << before.results[1][lane] << " " << before.results[2][lane] << " " << before.results[3][lane] << " "
                << before.results[4][lane];
      }
    }
}

TEST(PtxInstructions, ptxas_takes_the_same_text) {
  if (std::string(PTXAS).empty())
    GTEST_SKIP() << "there is no ptxas";
  const std::string name = testing::TempDir() + "/executor-table.ptx";
  std::ofstream(name) << module_text(read_table());
  EXPECT_EQ(std::system((std::string(PTXAS) + " -arch=sm_80 -O0 -o /dev/null " + name).c_str()), 0);
}

std::string error_of(const std::string &text) {
  std::string error;
  EXPECT_EQ(Module::load(text, error), nullptr);
  return error;
}
std::string in_kernel(const std::string &code) {
  return std::string(
             ".version 7.8\n.target sm_80\n.extern .func missing();\n.entry k(.param .u64 results) {\n.reg .b32 r<5>; "
             ".reg .b64 d<5>; .reg .pred p<3>; .shared .align 4 .b8 own[4];\n") +
         code + "\n}\n";
}

TEST(PtxModule, what_the_executor_does_not_know_is_told_from_what_is_wrong) {
  const auto is_limit = [](const std::string &code) {
    std::string error;
    bool is = false;
    EXPECT_EQ(Module::load(in_kernel(code), error, &is), nullptr);
    return is;
  };
  EXPECT_TRUE(is_limit("wmma.load r0, r1;"));
  EXPECT_TRUE(is_limit("cvt.rna.tf32.f32 r0, r1;"));
  EXPECT_FALSE(is_limit("add.s32 r0, r1;"));
  EXPECT_FALSE(is_limit("bra NOWHERE;"));
}

TEST(PtxModule, what_cannot_be_loaded_is_said) {
  EXPECT_THAT(error_of("nonsense"), HasSubstr("line 1: '.version' is expected, not 'nonsense'"));
  EXPECT_THAT(error_of(".version 7.8\n.target sm_80\nnonsense"), HasSubstr("line 3: 'nonsense' is no directive"));
  EXPECT_THAT(error_of(".version 7.8\n\x01"), HasSubstr("line 2: '"));
  EXPECT_THAT(error_of(in_kernel("wmma.load r0, r1;")),
              HasSubstr("line 6: wmma.load: the executor has no such instruction"));
  EXPECT_THAT(error_of(in_kernel("add.rn.strange.f32 r0, r1, r2;")), HasSubstr("the executor has no .strange of it"));
  EXPECT_THAT(error_of(in_kernel("add.s32 r0, r1;")), HasSubstr("it has 2 operands"));
  EXPECT_THAT(error_of(in_kernel("ld.v2.u32 r0, [d0];")), HasSubstr("operand 1 is no vector of 2 elements"));
  EXPECT_THAT(error_of(in_kernel("bra NOWHERE;")), HasSubstr("there is no label NOWHERE in k"));
  EXPECT_THAT(error_of(in_kernel("call missing;")), HasSubstr("unresolved extern function 'missing'"));
  EXPECT_THAT(error_of(in_kernel("mov.u64 d0, nobody;")), HasSubstr("'nobody' is not declared"));
  EXPECT_THAT(error_of(in_kernel("@r0 bra END; END: ret;")), HasSubstr("'r0' is no predicate"));
  EXPECT_THAT(error_of(".version 7.8 .target sm_80 .entry k() { ret;"), HasSubstr("k does not end"));
}

struct Refused {
  std::string text, message;
  int line;
};

// The rows of ptx/refused.table, as whole texts.
std::vector<Refused> read_refused() {
  const std::string head = ".version 7.8\n.target sm_80\n.address_size 64\n";
  const std::string kernel = head + ".global .align 8 .b8 word[8];\n.func one(.param .b32 x) { ret; }\n"
                                    ".entry k(.param .u64 results) {\n.reg .b16 h<5>; .reg .b32 r<5>; .reg .f32 f<5>; "
                                    ".reg .b64 d<5>; .reg .f64 g<5>; .reg .pred p<5>; .shared .b8 own[8];\n";
  std::vector<Refused> rows;
  std::ifstream file(PTX_REFUSED);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const size_t middle = line.find(" | ");
    if (line.empty() || line[0] == '#')
      continue;
    if (middle == std::string::npos || line.size() < 3) {
      ADD_FAILURE() << "line " << number << " has too few columns";
      continue;
    }
    const std::string text = line.substr(3, middle - 3);
    rows.push_back({line[0] == 'T'   ? text
                    : line[0] == 'M' ? head + text
                                     : kernel + text + "\nret;\n}\n",
                    line.substr(middle + 3), number});
  }
  return rows;
}

TEST(PtxModule, what_ptxas_refuses_is_refused) {
  const auto rows = read_refused();
  ASSERT_GT(rows.size(), 150u);
  for (const Refused &row : rows) {
    SCOPED_TRACE("line " + std::to_string(row.line) + ": " + row.text);
    EXPECT_THAT(error_of(row.text), HasSubstr(row.message));
  }
}

TEST(PtxModule, ptxas_refuses_what_is_refused) {
  if (std::string(PTXAS).empty())
    GTEST_SKIP() << "there is no ptxas";
  const std::string name = testing::TempDir() + "/executor-refused.ptx";
  for (const Refused &row : read_refused()) {
    std::ofstream(name) << row.text;
    EXPECT_NE(std::system((std::string(PTXAS) + " -arch=sm_80 -O0 -o /dev/null " + name + " >/dev/null 2>&1").c_str()),
              0)
        << "line " << row.line << ": " << row.text;
  }
}

TEST(PtxModule, parameters_that_are_pointers_have_no_alignment_of_what_they_point_to) {
  std::string error;
  const auto module = Module::load(
      ".version 7.8 .target sm_80 .entry k(.param .u64 .ptr .align 1 a, .param .u64 .ptr .global .align 16 b,\n"
      ".param .align 16 .b8 c[16]) { ret; }",
      error);
  ASSERT_TRUE(module) << error;
  EXPECT_EQ(module->find_function("k")->parameter_bytes, 32U);
}

// Its frame stays that of the definition: else arguments of its calls would lie over each other.
TEST(PtxModule, a_prototype_behind_a_definition_changes_nothing) {
  std::string error;
  const auto module = Module::load(
      ".version 7.8 .target sm_80\n"
      ".func (.param .b32 r) less(.param .b32 a, .param .b32 b, .param .b32 c, .param .b32 d)\n"
      "{ .reg .b32 x, y; ld.param.b32 x, [a]; ld.param.b32 y, [b]; sub.s32 x, x, y; ld.param.b32 y, [c];\n"
      "sub.s32 x, x, y; ld.param.b32 y, [d]; sub.s32 x, x, y; st.param.b32 [r], x; ret; }\n"
      ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 x, y; .param .b32 p; .param .b32 q; .param .b32 u;\n"
      ".param .b32 v; .param .b32 s; ld.param.b32 x, [a]; mul.lo.s32 y, x, 10; st.param.b32 [p], y;\n"
      "st.param.b32 [q], x; st.param.b32 [u], x; st.param.b32 [v], x; call (s), less, (p, q, u, v);\n"
      "ld.param.b32 y, [s]; st.param.b32 [r], y; ret; }\n"
      ".func (.param .b32 r) f(.param .b32 a);\n"
      ".entry k(.param .u64 results) { .reg .b32 x; .reg .b64 place; .param .b32 p; .param .b32 q;\n"
      "ld.param.u64 place, [results]; mov.u32 x, %laneid; mad.wide.u32 place, x, 8, place;\n"
      "st.param.b32 [p], x; call (q), f, (p); ld.param.b32 x, [q]; st.global.u32 [place], x; ret; }",
      error);
  ASSERT_TRUE(module) << error;
  for (const uint32_t compile_after : {Schedule::kNever, 0u}) {
    Memory memory;
    const auto report = run(*module, "k", memory, 1, compile_after);
    ASSERT_FALSE(report) << report->fault.text;
    for (uint64_t lane = 0; lane < kLanes; ++lane)
      EXPECT_EQ(memory.results[0][lane], 7 * lane);
  }
}

// Returns the fault that ends a kernel of one warp; the same if it is compiled.
std::string fault_of(const std::string &code) {
  std::string error;
  const auto module = Module::load(in_kernel(code + "\nret;"), error);
  if (!module)
    return error;
  Memory memory;
  const auto report = run(*module, "k", memory);
  const auto compiled = run(*module, "k", memory, 1, 0);
  EXPECT_EQ(report.has_value(), compiled.has_value()) << code;
  if (report && compiled) {
    EXPECT_EQ(report->fault.text, compiled->fault.text);
    EXPECT_EQ(report->fault.lane, compiled->fault.lane);
    EXPECT_EQ(report->code_address, compiled->code_address);
  }
  return report ? report->fault.text : "";
}

// Additions that get lost, as warps have turns between a load and its store: how many depends on the seed alone. The
// longer loop has long turns, too.
TEST(PtxInstructions, have_the_same_turns_when_compiled) {
  for (const std::string rounds : {"200", "20000"}) {
    const std::string code =
        "mov.u32 r3, 0; ld.param.u64 d0, [results];\n"
        "LOOP: ld.global.u32 r0, [d0]; add.s32 r0, r0, 1; st.global.u32 [d0], r0; add.s32 r3, r3, 1; "
        "setp.lt.u32 p0, r3, " +
        rounds + "; @p0 bra LOOP; ret;";
    std::string error;
    const auto module = Module::load(in_kernel(code), error);
    ASSERT_TRUE(module) << error;
    std::set<uint64_t> sums;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Memory interpreted, compiled;
      ASSERT_FALSE(run(*module, "k", interpreted, seed, Schedule::kNever, 128));
      ASSERT_FALSE(run(*module, "k", compiled, seed, 0, 128));
      EXPECT_EQ(interpreted.results[0][0], compiled.results[0][0]);
      sums.insert(interpreted.results[0][0]);
    }
    EXPECT_GT(sums.size(), 1u);
  }
}

TEST(PtxFaults, are_named) {
  EXPECT_EQ(fault_of("mov.u64 d0, 64; ld.u32 r0, [d0];"),
            "reads 4 bytes at 0x40, which are in no allocation that this device reaches");
  EXPECT_EQ(fault_of("st.shared.u32 [own+16], r0;"),
            "writes 4 bytes of shared memory at 0x10; the launch asked for 4 bytes");
  EXPECT_EQ(fault_of("mov.u64 d0, 2; ld.shared.u32 r0, [d0];"), "reads 4 bytes at the misaligned address 0x2");
  EXPECT_EQ(fault_of("ld.param.u64 d0, [results+8];"),
            "reads 8 bytes of the kernel's parameters at 0x8; the launch passed 8 bytes");
  EXPECT_THAT(fault_of("mov.u64 d0, 64; p: .callprototype _ (); call d0, (), p;"), HasSubstr("where no code is"));
  // Accesses with one base are looked at together. After some rounds the second of these is outside or misaligned.
  const std::string twice = "ld.param.u64 d0, [results];\nLOOP: ld.global.u32 r0, [d0]; ld.global.u32 r1, [d0+8]; ";
  EXPECT_THAT(fault_of(twice + "add.s64 d0, d0, 1020; bra LOOP;"), HasSubstr("in no allocation"));
  EXPECT_THAT(fault_of("ld.param.u64 d0, [results];\nLOOP: ld.global.u32 r0, [d0]; ld.global.u64 d1, [d0+8]; "
                       "add.s64 d0, d0, 12; bra LOOP;"),
              HasSubstr("reads 8 bytes at the misaligned address"));
  EXPECT_EQ(fault_of("trap;"), "trap: the program ends the kernel");
  const std::string half = "mov.u32 r1, %laneid; setp.lt.u32 p0, r1, 16; @!p0 bra END; ";
  EXPECT_THAT(fault_of(half + "bar.sync 0; END: add.s32 r0, r1, 1;"),
              HasSubstr("a barrier that not all threads reach: lanes 0-15"));
  EXPECT_THAT(fault_of(half + "shfl.sync.idx.b32 r0, r1, 0, 31, -1; END: add.s32 r0, r1, 1;"),
              HasSubstr("of lanes 0-15 names lanes 16-31, which do not come"));
  EXPECT_THAT(fault_of(half + "vote.sync.all.pred p1, p0, 1; END: add.s32 r0, r1, 1;"),
              HasSubstr("lanes 1-15 take part in what is for"));
  EXPECT_THAT(fault_of("LOOP: bra LOOP;"), HasSubstr("does not end"));
  EXPECT_EQ(fault_of(half + "bar.warp.sync 65535; END: add.s32 r0, r1, 1;"), "");
}

} // namespace
} // namespace emulator::executor::ptx
