// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of PTX that several cores carry out: results, faults, memory that comes and goes, blocks that wait for one
// another.

#include <cfenv>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cores_memory.h"
#include "emulator/execute/ptx/builtins.h"

namespace emulator::executor::ptx {
namespace {

struct Settings {
  uint32_t cores = 1, compile_after = Schedule::kNever, alone = 0, blocks = kBlocks;
  uint64_t budget = uint64_t{1} << 60; // what does not end is found by the test's time
};

// Registers of each text: the address of all words is in %rd0, that of the thread's own in %rd1. The number of the
// thread in its block is in %r0, that of the block in %r1.
std::string kernel(const std::string &body, const std::string &before = "") {
  return ".version 7.8\n.target sm_80\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 words)\n{\n.reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<4>;\n"
         ".reg .f64 %f<4>;\nld.param.u64 %rd0, [words];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
         "mov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;\nmul.wide.u32 %rd1, %r3, 8;\n"
         "add.u64 %rd1, %rd1, %rd0;\nadd.u64 %rd1, %rd1, 128;\n" +
         body + "ret;\n}\n";
}

std::optional<Report> run_on_cores(const std::string &text, CoresMemory &memory, const Settings &settings) {
  std::string error;
  const auto module = Module::load(text, error);
  EXPECT_TRUE(module) << error;
  if (!module)
    return std::nullopt;
  Dispatch dispatch;
  dispatch.blocks = {settings.blocks, 1, 1};
  dispatch.threads = {kThreads, 1, 1};
  dispatch.arguments.resize(8);
  std::memcpy(dispatch.arguments.data(), &memory.pointer, 8);
  memory.find_in_code = [&](uint64_t address) { return module->find_memory(address); };
  Schedule schedule;
  schedule.budget = settings.budget;
  schedule.compile_after = settings.compile_after;
  schedule.cores = settings.cores;
  schedule.alone = settings.alone;
  auto report = launch(*module, *module->find_function("k"), memory, memory, dispatch, schedule);
  memory.find_in_code = nullptr;
  return report;
}

// Each of the numbers of cores, interpreted and compiled.
class PtxCores : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {
protected:
  static Settings settings() { return {.cores = std::get<0>(GetParam()), .compile_after = std::get<1>(GetParam())}; }
};
INSTANTIATE_TEST_SUITE_P(All, PtxCores,
                         testing::Combine(testing::Values(1u, 2u, 7u), testing::Values(Schedule::kNever, 5u)));

// Adds 0 to 99 in a loop, for itself and for all.
const char *const kSum = "mov.u32 %r4, 0;\nmov.u64 %rd2, 0;\nLOOP:\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd2, %rd2, %rd3;\n"
                         "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p0, %r4, 100;\n@%p0 bra LOOP;\n"
                         "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd3, %rd3, %rd2;\nst.global.u64 [%rd1], %rd3;\n"
                         "red.global.add.u64 [%rd0], %rd2;\ncvt.rn.f64.u64 %f0, %rd2;\n"
                         "red.global.add.f64 [%rd0+8], %f0;\natom.global.max.u32 %r5, [%rd0+16], %r3;\n";

TEST_P(PtxCores, every_thread_runs_once) {
  CoresMemory memory;
  const auto report = run_on_cores(kernel(kSum), memory, settings());
  ASSERT_FALSE(report) << report->fault.text;
  constexpr uint64_t kAll = kBlocks * kThreads;
  for (uint64_t i = 0; i < kAll; ++i)
    ASSERT_EQ(memory.words[16 + i], 4950 + i);
  EXPECT_EQ(memory.words[0], 4950 * kAll);
  double sum = 0;
  std::memcpy(&sum, &memory.words[1], 8);
  EXPECT_EQ(sum, 4950.0 * kAll);
  EXPECT_EQ(memory.words[2], kAll - 1);
}

// Each block's first thread adds 1 under a lock 20 times, by plain accesses.
TEST_P(PtxCores, a_lock_is_held_by_one_block) {
  CoresMemory memory;
  const auto report = run_on_cores(
      kernel("setp.ne.u32 %p0, %r0, 0;\n@%p0 bra END;\nmov.u32 %r4, 0;\nNEXT:\n"
             "WAIT:\natom.global.cas.b32 %r5, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra WAIT;\nmembar.gl;\n"
             "ld.global.u64 %rd2, [%rd0+64];\nld.global.u64 %rd3, [%rd0+72];\nadd.u64 %rd2, %rd2, 1;\n"
             "add.u64 %rd3, %rd3, 2;\nst.global.u64 [%rd0+64], %rd2;\nst.global.u64 [%rd0+72], %rd3;\n"
             "membar.gl;\nst.volatile.global.u32 [%rd0], 0;\n"
             "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 20;\n@%p1 bra NEXT;\nEND:\n"),
      memory, settings());
  ASSERT_FALSE(report) << report->fault.text;
  EXPECT_EQ(memory.words[8], 20 * kBlocks);
  EXPECT_EQ(memory.words[9], 40 * kBlocks);
}

// All blocks wait for each other three times: each counts itself, and looks until all have. A thread has only its share
// of them.
TEST_P(PtxCores, blocks_wait_for_blocks) {
  CoresMemory memory;
  Settings own = settings();
  own.blocks = 4;
  const auto report = run_on_cores(
      kernel("setp.ne.u32 %p0, %r0, 0;\nmov.u32 %r4, 4;\nNEXT:\n@%p0 bra MEET;\nst.global.u32 [%rd1], %r4;\n"
             "membar.gl;\nred.global.add.u32 [%rd0], 1;\n"
             "WAIT:\nld.acquire.gpu.global.u32 %r5, [%rd0];\nsetp.lt.u32 %p1, %r5, %r4;\n@%p1 bra WAIT;\n"
             "MEET:\nbar.sync 0;\nld.global.u32 %r6, [%rd0+128];\nsetp.ne.u32 %p2, %r6, %r4;\n"
             "@%p2 red.global.add.u32 [%rd0+8], 1;\nbar.sync 0;\n@%p0 bra ON;\nred.global.add.u32 [%rd0+16], 1;\n"
             "AGAIN:\nld.acquire.gpu.global.u32 %r5, [%rd0+16];\nsetp.lt.u32 %p1, %r5, %r4;\n@%p1 bra AGAIN;\n"
             "ON:\nbar.sync 0;\nadd.u32 %r4, %r4, 4;\nsetp.le.u32 %p1, %r4, 12;\n@%p1 bra NEXT;\n"),
      memory, own);
  ASSERT_FALSE(report) << report->fault.text;
  EXPECT_EQ(memory.words[0], 12u);
  EXPECT_EQ(memory.words[1], 0u);
  EXPECT_EQ(memory.askers(), std::min(own.cores, own.blocks));
}

TEST_P(PtxCores, the_first_fault_ends_the_launch) {
  CoresMemory memory;
  const auto report = run_on_cores(kernel("setp.ge.u32 %p0, %r1, 30;\n@%p0 bra FAULT;\nEVER:\n"
                                          "ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p1, %r4, 0;\n"
                                          "setp.eq.u32 %p2, %r1, 3;\n@%p2 bra FAULT;\n@%p1 bra EVER;\n"
                                          "FAULT:\nst.global.u32 [%rd0+-8], %r0;\n"),
                                   memory, settings());
  ASSERT_TRUE(report);
  EXPECT_THAT(report->fault.text, testing::HasSubstr("writes 4 bytes"));
  EXPECT_THAT(report->block[0], testing::AnyOf(testing::Eq(3u), testing::Ge(30u)));
}

TEST_P(PtxCores, the_budget_is_all_threads) {
  CoresMemory memory;
  Settings own = settings();
  own.budget = 300000;
  const auto report = run_on_cores(kernel("EVER:\nred.global.add.u64 [%rd0], 1;\nbra EVER;\n"), memory, own);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->fault.text, testing::HasSubstr("does not end"));
  EXPECT_LT(memory.words[0], 300000u * 32);
}

// Each thread asks for memory, swaps it for another's, and gives that back. It calls a function through a pointer, and
// prints.
TEST_P(PtxCores, memory_comes_and_goes) {
  CoresMemory memory;
  testing::internal::CaptureStdout();
  const auto report = run_on_cores(
      kernel("{\n.param .b64 a; .param .b64 b;\nst.param.b64 [a], 16;\ncall (b), malloc, (a);\n"
             "ld.param.b64 %rd2, [b];\n}\n"
             "cvt.u64.u32 %rd3, %r3;\nst.u64 [%rd2], %rd3;\nmembar.gl;\n"
             "and.b32 %r4, %r0, 7;\nmul.wide.u32 %rd4, %r4, 8;\nadd.u64 %rd4, %rd4, %rd0;\n"
             "atom.global.exch.b64 %rd5, [%rd4], %rd2;\nmembar.gl;\nsetp.eq.u64 %p0, %rd5, 0;\n@%p0 bra END;\n"
             "ld.u64 %rd6, [%rd5];\nst.global.u64 [%rd1], %rd6;\nred.global.add.u64 [%rd0+64], %rd6;\n"
             "{\n.param .b64 a;\nst.param.b64 [a], %rd5;\ncall free, (a);\n}\n"
             "END:\nmov.u64 %rd7, twice;\n"
             "{\n.param .b32 a; .param .b32 b;\nst.param.b32 [a], 21;\n"
             "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd7, (a), P;\n"
             "ld.param.b32 %r5, [b];\n}\n"
             "red.global.add.u32 [%rd0+72], %r5;\n"
             ".local .align 8 .b8 buffer[8];\nst.local.u32 [buffer], %r3;\nmov.u64 %rd8, buffer;\n"
             "cvta.local.u64 %rd8, %rd8;\nmov.u64 %rd9, text;\ncvta.global.u64 %rd9, %rd9;\n"
             "{\n.param .b64 a; .param .b64 b; .param .b32 c;\nst.param.b64 [a], %rd9;\nst.param.b64 [b], %rd8;\n"
             "call (c), vprintf, (a, b);\n}\n",
             ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n"
             ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
             ".global .align 1 .b8 text[5] = {60, 37, 100, 62, 0};\n"
             ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r0, [a];\n"
             "add.u32 %r1, %r0, %r0;\nst.param.b32 [r], %r1;\nret;\n}\n"),
      memory, settings());
  write_prints();
  std::fflush(stdout);
  const std::string printed = testing::internal::GetCapturedStdout();
  ASSERT_FALSE(report) << report->fault.text;
  constexpr uint64_t kAll = uint64_t{kBlocks} * kThreads;
  EXPECT_EQ(memory.allocated(), 8u);
  uint64_t left = 0;
  for (unsigned i = 0; i < 8; ++i)
    left += *reinterpret_cast<const uint64_t *>(memory.words[i]);
  EXPECT_EQ(memory.words[8] + left, kAll * (kAll - 1) / 2);
  EXPECT_EQ(memory.words[9], 42 * kAll);
  for (uint64_t i = 0; i < kAll; ++i)
    ASSERT_THAT(printed, testing::HasSubstr("<" + std::to_string(i) + ">"));
}

TEST_P(PtxCores, floats_are_those_of_a_gpu_on_each) {
  CoresMemory memory;
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  const auto report = run_on_cores(kernel("mov.f64 %f0, 0d3FF0000000000000;\nmov.f64 %f1, 0d4008000000000000;\n"
                                          "div.rn.f64 %f2, %f0, %f1;\nst.global.f64 [%rd1], %f2;\n"),
                                   memory, settings());
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(before);
  ASSERT_FALSE(report) << report->fault.text;
  const volatile double one = 1, three = 3, third = one / three;
  uint64_t bits = 0;
  std::memcpy(&bits, const_cast<const double *>(&third), 8);
  for (uint64_t i = 0; i < uint64_t{kBlocks} * kThreads; ++i)
    ASSERT_EQ(memory.words[16 + i], bits);
}

TEST(PtxCores, a_short_launch_stays_on_its_thread) {
  CoresMemory memory;
  EXPECT_FALSE(run_on_cores(kernel("st.global.u32 [%rd1], 1;\n"), memory, {.cores = 7, .alone = 1 << 14}));
  EXPECT_EQ(memory.askers(), 1u);
}

TEST(PtxCores, a_seed_asks_for_one_core) {
  for (const char *const variable : {"SIM_EXECUTOR_SEED", "SIM_EXECUTOR_CORES"})
    unsetenv(variable);
  EXPECT_GE(Schedule::from_environment().cores, 1u);
  setenv("SIM_EXECUTOR_CORES", "3", 1);
  EXPECT_EQ(Schedule::from_environment().cores, 3u);
  unsetenv("SIM_EXECUTOR_CORES");
  setenv("SIM_EXECUTOR_SEED", "1", 1);
  EXPECT_EQ(Schedule::from_environment().cores, 1u);
  unsetenv("SIM_EXECUTOR_SEED");
}

} // namespace
} // namespace emulator::executor::ptx
