// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of AMD's code that several cores carry out. The kernels are in amdgpu/cores.c.

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

#include "cores_memory.h"
#include "emulator/execute/amdgpu/launch.h"

namespace emulator::executor::amdgpu {
namespace {

// Compiled once for each processor.
const std::string &code_for(const std::string &processor) {
  static std::map<std::string, std::string> all;
  std::string &code = all[processor];
  if (code.empty()) {
    const std::string name = testing::TempDir() + "/executor-cores-" + std::to_string(getpid());
    const std::string command =
        CLANG " --target=amdgcn-amd-amdhsa -nogpulib -O2 -Wall -mcpu=" + processor + " " SOURCE " -o " + name;
    if (std::system(command.c_str()) != 0)
      ADD_FAILURE() << command;
    std::stringstream bytes;
    bytes << std::ifstream(name).rdbuf();
    code = bytes.str();
    std::remove(name.c_str());
  }
  return code;
}

class Code final : public CodeSpace {
public:
  explicit Code(CodeObject &object) : object_(object) {}
  const Instruction *at(uint64_t address, std::string &reason) override { return object_.at(address, reason); }
  CompiledSegment *compiled_at(uint64_t address) override { return object_.compiled_at(address); }

private:
  CodeObject &object_;
};

class AmdCores : public testing::TestWithParam<std::tuple<std::string, uint32_t, uint32_t>> {
protected:
  std::optional<Report> run(const std::string &kernel, uint32_t blocks = kBlocks) {
    const auto &[processor, cores, compile_after] = GetParam();
    std::string error;
    const auto object = CodeObject::load(code_for(processor), *find_processor(processor), error);
    const KernelDescriptor *const descriptor = object ? object->find_descriptor(kernel) : nullptr;
    EXPECT_TRUE(descriptor) << error;
    if (!descriptor)
      return std::nullopt;
    Code code(*object);
    memory.find_in_code = [&](uint64_t address) { return object->find(address); };
    Dispatch dispatch;
    dispatch.grid = {blocks * kThreads, 1, 1};
    dispatch.threads = {kThreads, 1, 1};
    dispatch.group_size = descriptor->group_size;
    dispatch.private_size = descriptor->private_size;
    dispatch.arguments = reinterpret_cast<uint64_t>(&memory.pointer);
    dispatch.kernel = kernel;
    Schedule schedule;
    schedule.budget = uint64_t{1} << 60; // a thread that does not stop never ends
    schedule.cores = cores;
    schedule.compile_after = compile_after;
    schedule.alone = 0;
    auto report = launch(*object, code, memory, dispatch, schedule);
    memory.find_in_code = nullptr;
    return report;
  }
  CoresMemory memory;
};
INSTANTIATE_TEST_SUITE_P(All, AmdCores,
                         testing::Combine(testing::Values("gfx90a", "gfx1100"), testing::Values(1u, 2u, 7u),
                                          testing::Values(Schedule::kNever, 5u)));

TEST_P(AmdCores, every_thread_runs_once) {
  const auto report = run("sum");
  ASSERT_FALSE(report) << report->fault.text;
  constexpr uint64_t kAll = uint64_t{kBlocks} * kThreads;
  for (uint64_t i = 0; i < kAll; ++i)
    ASSERT_EQ(memory.words[16 + i], 4950 + i);
  EXPECT_EQ(memory.words[0], 4950 * kAll);
  EXPECT_EQ(memory.words[1], kAll - 1);
  EXPECT_EQ(memory.words[2], kBlocks * 2016u); // by shared memory
}

TEST_P(AmdCores, a_lock_is_held_by_one_block) {
  const auto report = run("locked");
  ASSERT_FALSE(report) << report->fault.text;
  EXPECT_EQ(memory.words[8], 20 * kBlocks);
  EXPECT_EQ(memory.words[9], 40 * kBlocks);
}

TEST_P(AmdCores, blocks_wait_for_blocks) {
  const auto report = run("meet", 4);
  ASSERT_FALSE(report) << report->fault.text;
  EXPECT_EQ(memory.words[0], 12u);
  EXPECT_EQ(memory.words[1], 0u);
  EXPECT_EQ(memory.askers(), std::min(std::get<1>(GetParam()), 4u));
}

TEST_P(AmdCores, the_first_fault_ends_the_launch) {
  const auto report = run("fault");
  ASSERT_TRUE(report);
  EXPECT_THAT(report->fault.text, testing::HasSubstr("writes 4 bytes"));
  EXPECT_THAT(report->block[0], testing::AnyOf(testing::Eq(3u), testing::Ge(30u)));
}

} // namespace
} // namespace emulator::executor::amdgpu
