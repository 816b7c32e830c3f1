// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The needs of PTX kernels: stack and shared memory, as ptxas and nvlink of CUDA 13 report them for the same text.
// Where the tools are, they are asked again. And what a launch ends with that needs more.

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "emulator/execute/ptx/launch.h"

namespace emulator::executor::ptx {
namespace {

using testing::HasSubstr;

std::string head(int target = 80) {
  return ".version 8.4\n.target sm_" + std::to_string(target) + "\n.address_size 64\n";
}

std::unique_ptr<Module> load(const std::string &text) {
  std::string error;
  auto module = Module::load(text, error);
  EXPECT_TRUE(module) << error;
  return module;
}

// A function and a kernel that keep some words over a call with some arguments of 8 bytes.
std::string with_call(const std::string &kind, const std::string &name, int words, int arguments) {
  std::string text = kind + " " + name + "(.param .u64 from) {\n.reg .b32 r<" + std::to_string(words + 1) +
                     ">; .reg .b64 d<2>;\nld.param.u64 d1, [from];\n";
  const auto all = [&](const std::string &one, int count) {
    for (int i = 0; i < count; ++i)
      for (const char c : one)
        text += c == '#' ? std::to_string(i) : c == '@' ? std::to_string(4 * i) : std::string(1, c);
  };
  all("ld.volatile.u32 r#, [d1+@];\n", words);
  text += "{\n";
  all(".param .b64 p#; st.param.b64 [p#], d1;\n", arguments);
  text += "call leaf" + std::to_string(arguments) + ", (";
  all("p#,", arguments);
  if (arguments > 0)
    text.pop_back();
  text += ");\n}\n";
  all("st.volatile.u32 [d1+@], r#;\n", words);
  return text + "ret;\n}\n";
}

std::string leaf(int arguments, bool is_here) {
  std::string text = (is_here ? ".func leaf" : ".extern .func leaf") + std::to_string(arguments) + "(";
  for (int i = 0; i < arguments; ++i)
    text += (i ? ", " : "") + (".param .b64 a" + std::to_string(i));
  return text + (is_here ? ") {\nret;\n}\n" : ");\n");
}

std::string with_local(const std::string &kind, const std::string &name, int size, int align) {
  return kind + " " + name + "(.param .u64 to) {\n.local .align " + std::to_string(align) + " .b8 place[" +
         std::to_string(size) +
         "];\n.reg .b64 d<4>;\nld.param.u64 d1, [to];\nmov.u64 d2, place;\ncvta.local.u64 d3, d2;\n"
         "st.global.u64 [d1], d3;\nret;\n}\n";
}

// Bytes that ptxas 13 reports for sm_80, of words kept over a call and arguments; of variables and their alignment.
constexpr struct {
  int words, arguments;
  uint32_t function, kernel;
} kCalls[] = {{0, 0, 8, 0},   {1, 0, 24, 0},  {4, 1, 32, 0},    {16, 6, 80, 0},     {60, 6, 256, 0},
              {0, 8, 24, 16}, {1, 8, 40, 16}, {20, 8, 112, 16}, {10, 20, 168, 112}, {1, 66, 504, 480}};
constexpr struct {
  int size, align;
  uint32_t function, kernel;
} kLocals[] = {{1, 1, 8, 8}, {12, 4, 16, 16}, {24, 8, 24, 24}, {24, 16, 40, 32}, {144, 16, 152, 144}, {40, 32, 88, 80}};

// If ptxas sees what a function does to registers, its callers save fewer.
std::string text_of_frames(bool has_leaves) {
  std::string text = head();
  for (const int arguments : {0, 1, 6, 8, 20, 66})
    text += leaf(arguments, has_leaves);
  for (size_t i = 0; i < std::size(kCalls); ++i)
    for (const auto &[kind, name] : {std::pair(".func", "f"), {".visible .entry", "k"}})
      text += with_call(kind, name + std::to_string(i), kCalls[i].words, kCalls[i].arguments);
  for (size_t i = 0; i < std::size(kLocals); ++i)
    for (const auto &[kind, name] : {std::pair(".func", "fl"), {".visible .entry", "kl"}})
      text += with_local(kind, name + std::to_string(i), kLocals[i].size, kLocals[i].align);
  return text;
}

TEST(PtxFrames, are_as_large_as_those_of_ptxas) {
  const auto module = load(text_of_frames(true));
  ASSERT_TRUE(module);
  const auto frame = [&](const char *name, size_t i) {
    return module->find_function(name + std::to_string(i))->frame_bytes;
  };
  for (size_t i = 0; i < std::size(kCalls); ++i) {
    SCOPED_TRACE(std::to_string(kCalls[i].words) + " words, " + std::to_string(kCalls[i].arguments) + " arguments");
    EXPECT_EQ(frame("f", i), kCalls[i].function);
    EXPECT_EQ(frame("k", i), kCalls[i].kernel);
  }
  for (size_t i = 0; i < std::size(kLocals); ++i) {
    SCOPED_TRACE(std::to_string(kLocals[i].size) + " bytes, aligned to " + std::to_string(kLocals[i].align));
    EXPECT_EQ(frame("fl", i), kLocals[i].function);
    EXPECT_EQ(frame("kl", i), kLocals[i].kernel);
  }
}

// Two kernels with shared variables, a function with its own, recursion, calls through pointers.
const std::string kNeeds = head() + R"(
.visible .shared .align 8 .b8 common[40];
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 r) again(.param .b32 a) {
.reg .b32 x<4>; .reg .pred p;
ld.param.b32 x1, [a];
setp.eq.s32 p, x1, 0;
mov.u32 x3, 0;
@p bra END;
add.s32 x2, x1, -1;
{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], x2; call (q0), again, (p0); ld.param.b32 x3, [q0]; }
END: add.s32 x3, x3, x1;
st.param.b32 [r], x3;
ret; }
.func large(.param .u64 a) {
.local .align 8 .b8 place[144];
.reg .b64 d<4>;
ld.param.u64 d1, [a]; mov.u64 d2, place; cvta.local.u64 d3, d2; st.global.u64 [d1], d3;
ret; }
.func other(.param .u64 a, .param .u64 b) {
.local .align 8 .b8 place[560];
.reg .b64 d<4>;
ld.param.u64 d1, [a]; mov.u64 d2, place; cvta.local.u64 d3, d2; st.global.u64 [d1], d3;
ret; }
.func uses_shared() {
.shared .align 2 .b8 six[6];
st.shared.u8 [six+5], 1;
ret; }
.visible .entry recursive(.param .u64 to) {
.reg .b32 x<3>; .reg .b64 d;
.shared .align 4 .b8 mine[100];
ld.param.u64 d, [to]; mov.u32 x1, %tid.x;
{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0], x1; call (q0), again, (p0); ld.param.b32 x2, [q0]; }
st.shared.u32 [mine], x2; st.shared.u32 [common], x2; st.global.u32 [d], x2;
ret; }
.visible .entry pointed(.param .u64 to) {
.reg .b64 d<3>;
ld.param.u64 d1, [to];
{ .param .b64 p0; st.param.b64 [p0], d1; type: .callprototype _ (.param .b64 _); call d1, (p0), type; }
ret; }
.visible .entry addresses(.param .u64 to) {
.reg .b64 d<4>;
ld.param.u64 d1, [to]; mov.u64 d2, large; mov.u64 d3, other; st.global.u64 [d1], d2; st.global.u64 [d1], d3;
ret; }
.visible .entry shared(.param .u64 to) {
.reg .b64 d<3>;
ld.param.u64 d1, [to];
call uses_shared;
mov.u64 d2, dynamic; st.global.u64 [d1], d2;
ret; }
)";

TEST(PtxNeeds, are_those_that_nvlink_adds_up) {
  const auto module = load(kNeeds);
  ASSERT_TRUE(module);
  const auto of = [&](const char *name) -> const Function & { return *module->find_function(name); };
  EXPECT_TRUE(of("recursive").is_undetermined);
  EXPECT_FALSE(of("pointed").is_undetermined);
  EXPECT_EQ(of("pointed").stack_need, 144u); // with what has its parameters
  EXPECT_EQ(of("addresses").stack_need, 0u);
  EXPECT_EQ(of("recursive").shared_bytes, 140u);
  EXPECT_EQ(of("shared").shared_bytes, 6u);
  EXPECT_EQ(of("shared").dynamic_at, 16u);
  EXPECT_EQ(of("pointed").shared_bytes, 0u);
}

// ---- The same by ptxas and nvlink

std::string output_of(const std::string &command) {
  std::string text;
  if (std::FILE *const file = popen((command + " 2>&1").c_str(), "r")) {
    char line[1024];
    while (std::fgets(line, sizeof(line), file))
      text += line;
    EXPECT_EQ(pclose(file), 0) << command << "\n" << text;
  }
  return text;
}

std::string compile(const std::string &text, const std::string &name) {
  const std::string path = testing::TempDir() + "/executor-" + name;
  std::ofstream(path + ".ptx") << text;
  return output_of(std::string(PTXAS) + " -c -v -arch=sm_80 -o " + path + ".o " + path + ".ptx");
}

TEST(PtxFrames, ptxas_says_the_same) {
  if (std::string(PTXAS).empty())
    GTEST_SKIP() << "there is no ptxas";
  const auto module = load(text_of_frames(true));
  std::stringstream said(compile(text_of_frames(false), "frames"));
  size_t functions = 0;
  const std::string mark = "Function properties for ";
  for (std::string line, sizes; std::getline(said, line);) {
    const size_t at = line.find(mark);
    if (at == std::string::npos || !std::getline(said, sizes))
      continue;
    const Function *const function = module->find_function(line.substr(at + mark.size()));
    ASSERT_TRUE(function) << line;
    EXPECT_EQ(function->frame_bytes, std::stoul(sizes)) << function->name << ": " << sizes;
    ++functions;
  }
  EXPECT_GE(functions, 2 * (std::size(kCalls) + std::size(kLocals)));
}

TEST(PtxNeeds, nvlink_says_the_same) {
  if (std::string(PTXAS).empty() || std::string(NVLINK).empty())
    GTEST_SKIP() << "there is no ptxas or no nvlink";
  compile(kNeeds, "needs");
  const std::string path = testing::TempDir() + "/executor-needs";
  const std::string said = output_of(std::string(NVLINK) + " -v -arch=sm_80 -o " + path + ".cubin " + path + ".o");
  const auto module = load(kNeeds);
  for (const char *const name : {"recursive", "pointed", "addresses", "shared"}) {
    const Function &kernel = *module->find_function(name);
    const size_t at = said.find("Function properties for '" + kernel.name + "'");
    ASSERT_NE(at, std::string::npos) << said;
    const size_t line = said.find('\n', at) + 1;
    const std::string sizes = said.substr(line, said.find('\n', line) - line);
    EXPECT_THAT(sizes, HasSubstr(" " + std::to_string(kernel.dynamic_at) + " bytes smem")) << name;
    if (!kernel.is_undetermined) {
      EXPECT_THAT(sizes, HasSubstr(" " + std::to_string(kernel.stack_need) + " stack")) << name;
    }
    EXPECT_EQ(kernel.is_undetermined,
              said.find("entry function '" + kernel.name + "' cannot be statically determined") != std::string::npos)
        << name;
  }
}

// ---- Launches

class Nothing final : public DeviceMemory, public DeviceHeap {
public:
  std::optional<MemoryRange> find(uint64_t address) override {
    const uint64_t begin = reinterpret_cast<uint64_t>(bytes);
    return address - begin < sizeof(bytes) ? std::optional(MemoryRange{begin, begin + sizeof(bytes), true})
                                           : std::nullopt;
  }
  uint64_t generation() override { return 1; }
  uint64_t allocate(uint64_t) override { return 0; }
  bool release(uint64_t) override { return false; }
  alignas(16) uint8_t bytes[4096] = {};
};

struct Run {
  uint32_t threads = 32, shared = 0, stack = 1024;
  uint64_t value = 0; ///< the parameter; 0: the address of memory
  uint64_t seed = 1;
};

std::string fault_of(const Module &module, const char *kernel, const Run &given, Nothing &memory) {
  Dispatch dispatch;
  dispatch.blocks = {1, 1, 1};
  dispatch.threads = {given.threads, 1, 1};
  dispatch.dynamic_shared = given.shared;
  dispatch.stack_limit = given.stack;
  dispatch.arguments.resize(8);
  const uint64_t value = given.value ? given.value : reinterpret_cast<uint64_t>(memory.bytes);
  std::memcpy(dispatch.arguments.data(), &value, 8);
  Schedule schedule;
  schedule.budget = 400000;
  schedule.seed = given.seed;
  const auto report = launch(module, *module.find_function(kernel), memory, memory, dispatch, schedule);
  return report ? report->fault.text : "";
}
std::string fault_of(const Module &module, const char *kernel, const Run &given) {
  Nothing memory;
  return fault_of(module, kernel, given, memory);
}

// The function takes 16 bytes: a word that it keeps and where it returns to.
TEST(PtxStack, recursion_is_as_deep_as_the_limit_allows) {
  const auto module = load(kNeeds);
  EXPECT_EQ(fault_of(*module, "recursive", {.stack = 512}), "");
  EXPECT_EQ(fault_of(*module, "recursive", {.stack = 511}),
            "again needs 16 bytes of stack behind 496; threads have 511 bytes (CU_LIMIT_STACK_SIZE)");
}

TEST(PtxStack, what_is_known_is_there_whatever_the_limit_says) {
  const auto module = load(kNeeds);
  Nothing memory;
  EXPECT_EQ(fault_of(*module, "addresses", {.stack = 8}, memory), "");
  uint64_t functions[1];
  std::memcpy(functions, memory.bytes, 8);
  EXPECT_THAT(fault_of(*module, "pointed", {.stack = 8, .value = functions[0]}),
              HasSubstr("whose parameters are others"));
}

TEST(PtxShared, the_dynamic_part_begins_behind_variables_as_it_is_aligned) {
  Nothing memory;
  const auto place = [&] {
    uint64_t value;
    std::memcpy(&value, memory.bytes, 8);
    return value;
  };
  EXPECT_EQ(fault_of(*load(kNeeds), "shared", {.shared = 64}, memory), "");
  EXPECT_EQ(place(), 16u);
  std::string text = kNeeds;
  text.replace(text.find(".extern .shared .align 16"), 25, ".extern .shared .align 2 ");
  const auto module = load(text);
  EXPECT_EQ(fault_of(*module, "shared", {.shared = 64}, memory), "");
  EXPECT_EQ(place(), 6u);
}

TEST(PtxShared, more_than_may_be_declared_is_refused) {
  std::string text = kNeeds, error;
  text.replace(text.find("common[40]"), 10, "common[49100]");
  EXPECT_EQ(Module::load(text, error), nullptr);
  EXPECT_EQ(error, "kernel recursive has 49200 bytes of shared variables; 49152 may be declared");
}

TEST(PtxModules, have_no_functions_of_each_other) {
  const std::string callee = head() + ".func far(.param .u64 a) {\nret;\n}\n"
                                      ".visible .entry tell(.param .u64 to) {\n.reg .b64 d<3>;\n"
                                      "ld.param.u64 d1, [to]; mov.u64 d2, far; st.global.u64 [d1], d2;\nret;\n}\n";
  const auto one = load(callee), other = load(kNeeds);
  Nothing memory;
  EXPECT_EQ(fault_of(*one, "tell", {}, memory), "");
  uint64_t address;
  std::memcpy(&address, memory.bytes, 8);
  EXPECT_EQ(
      fault_of(*other, "pointed", {.value = address}),
      "calls far of another module: a kernel has registers, stack and shared memory for its own module's functions");
}

TEST(PtxTargets, refuse_what_they_do_not_have) {
  const auto error_of = [](int target, const std::string &code) {
    std::string error;
    Module::load(head(target) + ".entry k() {\n.reg .b32 x<3>; .reg .b64 d<3>;\n" + code + "\nret;\n}\n", error);
    return error;
  };
  EXPECT_EQ(error_of(60, "nanosleep.u32 40;"),
            "line 6: nanosleep.u32: it is for sm_70 and later, the text is for sm_60");
  EXPECT_EQ(error_of(70, "nanosleep.u32 40;"), "");
  EXPECT_THAT(error_of(35, "atom.add.f64 d0, [d1], d2;"), HasSubstr("it is for sm_60 and later"));
  EXPECT_EQ(error_of(35, "atom.add.u64 d0, [d1], d2;"), "");
}

// ---- Barriers

std::string in_kernel(int target, const std::string &code) {
  return head(target) +
         ".visible .entry k(.param .u64 to) {\n.reg .b32 x<5>; .reg .b64 d<3>; .reg .pred p<3>;\n"
         "mov.u32 x1, %tid.x; mov.u32 x2, %laneid; setp.lt.u32 p0, x2, 16; setp.lt.u32 p1, x1, 32;\n" +
         code + "\nret;\n}\n";
}

// The same for all orders of lanes and warps, or one text for each that differs.
std::string fault_by_any_order(int target, const std::string &code, uint32_t threads = 64) {
  std::string texts;
  const auto module = load(in_kernel(target, code));
  for (uint64_t seed = 1; seed <= 10; ++seed)
    if (const std::string text = fault_of(*module, "k", {.threads = threads, .seed = seed});
        texts.find(text) == std::string::npos || seed == 1)
      texts += (texts.empty() ? "" : "\n") + text;
  return texts;
}

constexpr const char *kEachHalf = "@p0 bra LOW; @ 0; bra END; LOW: @ 0; END: add.u32 x1, x1, 1;";
std::string each_half(const std::string &barrier) {
  std::string text = kEachHalf;
  for (size_t at = text.find("@ 0"); at != std::string::npos; at = text.find("@ 0"))
    text.replace(at, 3, barrier + " 0");
  return text;
}

TEST(PtxBarriers, from_sm_70_on_lanes_may_come_from_several_places) {
  EXPECT_EQ(fault_by_any_order(70, each_half("barrier.sync")), "");
  EXPECT_THAT(fault_by_any_order(70, each_half("bar.sync")), HasSubstr("an aligned barrier for lanes "));
  EXPECT_THAT(fault_by_any_order(80, each_half("barrier.sync.aligned")), HasSubstr("wait at another instruction"));
}

TEST(PtxBarriers, below_sm_70_parts_of_a_warp_have_none) {
  EXPECT_THAT(fault_by_any_order(60, each_half("barrier.sync")),
              HasSubstr("below sm_70 it counts the warp for each part"));
  EXPECT_EQ(fault_by_any_order(60, "bar.sync 0;"), "");
}

TEST(PtxBarriers, below_sm_70_lanes_have_no_turns) {
  const std::string lock =
      "ld.param.u64 d0, [to];\nAGAIN: atom.cas.b32 x3, [d0], 0, 1; setp.ne.u32 p2, x3, 0; @p2 bra AGAIN; "
      "atom.exch.b32 x3, [d0], 0; st.volatile.u32 [d0+4], x1;";
  EXPECT_EQ(fault_by_any_order(70, lock, 8), "");
  EXPECT_THAT(fault_by_any_order(60, lock, 8), HasSubstr("does not end"));
  const std::string shuffle = "@!p0 bra END; shfl.sync.idx.b32 x3, x1, 0, 31, 65535; END: add.u32 x1, x1, 1;";
  EXPECT_EQ(fault_by_any_order(60, shuffle), "");
  const std::string apart =
      "@p0 bra LOW; shfl.sync.idx.b32 x3, x1, 0, 31, -1; bra END; LOW: shfl.sync.idx.b32 x3, x1, 0, 31, -1; "
      "END: add.u32 x1, x1, 1;";
  EXPECT_THAT(fault_by_any_order(60, apart), HasSubstr("below sm_70 they must be together"));
}

TEST(PtxBarriers, count_warps_whose_lanes_all_wait_there) {
  EXPECT_THAT(
      fault_by_any_order(80, "@p0 bra LOW; barrier.sync 1; bra END; LOW: barrier.sync 2; END: add.u32 x1, x1, 1;"),
      HasSubstr("a barrier that not all threads reach"));
  EXPECT_EQ(fault_by_any_order(80, "@!p1 bra END; barrier.sync 1, 32; END: barrier.sync 0;"), "");
  EXPECT_THAT(fault_by_any_order(80, "@!p1 bra END; barrier.sync 1, 64; END: barrier.sync 0;"),
              HasSubstr("a barrier that not all threads reach"));
}

TEST(PtxBarriers, do_not_miss_warps_that_have_ended) {
  EXPECT_EQ(fault_by_any_order(80, "@p1 bra END; bar.sync 0; END: add.u32 x1, x1, 1;"), "");
  EXPECT_EQ(fault_by_any_order(80, "@p0 exit; bar.sync 0;"), "");
}

TEST(PtxBarriers, have_one_number_of_threads) {
  EXPECT_EQ(fault_by_any_order(80, "mov.u32 x3, 40; barrier.sync 1, x3;"),
            "a barrier of 40 threads, which is no multiple of a warp's");
  EXPECT_THAT(fault_by_any_order(
                  80, "@p1 bra LOW; barrier.sync 1, 64; bra END; LOW: barrier.sync 1, 96; END: add.u32 x1, x1, 1;"),
              HasSubstr("for which others wait as one of"));
}

} // namespace
} // namespace emulator::executor::ptx
