// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels of AMD's code with branches, loops, functions, barriers and accesses: compiled ones do what
// interpreted ones do, in the same turns. FLOW_SEED=N begins with another seed than 1, FLOW_KERNELS=N tries as many.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/elf_image.h"
#include "emulator/execute/amdgpu/wave.h"

namespace emulator::executor::amdgpu {
namespace {

constexpr unsigned kValues = 6; ///< registers with values: v1 and so on, s4 and so on

// Writes a kernel that ends. Memory is shared by all lanes and waves: what it holds in the end depends on all turns.
// v0 is the number of the thread and s[0:1] the address of memory.
class Writer {
public:
  Writer(uint64_t seed, const Processor &processor) : random_(seed), is_gfx9_(processor.is_gfx9) {}

  std::string kernel(unsigned rounds) {
    for (unsigned i = 0; i < kValues; ++i) {
      line("v_mul_u32_u24_e32 " + vector(i) + ", " + std::to_string(37 + 5 * i) + ", v0");
      line("s_movk_i32 " + scalar(i) + ", " + std::to_string(3 + 11 * i));
    }
    line("v_lshlrev_b32_e32 v20, 2, v0\nv_and_b32_e32 v20, 0x3fc, v20");
    line((is_gfx9_ ? "ds_write_b32" : "ds_store_b32") + std::string(" v20, v1") + "\n" + wait() + "\ns_barrier");
    line("s_movk_i32 s3, 0\nROUND:");
    statements(0, 6);
    line("s_add_i32 s3, s3, 1\ns_cmp_lt_u32 s3, " + std::to_string(rounds) + "\ns_cbranch_scc1 ROUND");
    line("v_mov_b32_e32 v20, 0");
    for (unsigned i = 0; i < kValues; ++i)
      line(std::string(is_gfx9_ ? "global_atomic_add" : "global_atomic_add_u32") + " v20, " + vector(i) +
           ", s[0:1] offset:" + std::to_string(1024 + 4 * i));
    line("s_endpgm");
    for (unsigned i = 0; i < kFunctions; ++i)
      function(i);
    return text_;
  }

private:
  void line(const std::string &one) { text_ += one + "\n"; }
  static std::string vector(unsigned n) { return "v" + std::to_string(1 + n); }
  static std::string scalar(unsigned n) { return "s" + std::to_string(4 + n); }
  std::string any() { return vector(random_.below(kValues)); }
  std::string any_scalar() { return scalar(random_.below(kValues)); }
  std::string label() { return "L" + std::to_string(labels_++); }
  std::string exec() const { return is_gfx9_ ? "exec" : "exec_lo"; }
  std::string vcc() const { return is_gfx9_ ? "vcc" : "vcc_lo"; }
  std::string of_masks(const std::string &name) const { return name + (is_gfx9_ ? "_b64 " : "_b32 "); }
  // A register that keeps a mask at this depth.
  std::string kept(unsigned depth) const {
    const unsigned first = 20 + 2 * (depth + (is_function_ ? 4 : 0));
    return is_gfx9_ ? "s[" + std::to_string(first) + ":" + std::to_string(first + 1) + "]"
                    : "s" + std::to_string(first);
  }
  static std::string wait() { return "s_waitcnt vmcnt(0) lgkmcnt(0)"; }

  void compute() {
    static constexpr const char *kOperations[] = {"v_mul_lo_u32", "v_xor_b32_e32", "v_min_u32_e32", "v_max_i32_e32",
                                                  "v_lshrrev_b32_e32"};
    static constexpr const char *kScalars[] = {"s_add_u32", "s_mul_i32", "s_xor_b32", "s_min_u32", "s_addc_u32"};
    switch (random_.below(7)) {
    case 0:
      return line(std::string(kScalars[random_.below(std::size(kScalars))]) + " " + any_scalar() + ", " + any_scalar() +
                  ", " + (random_.below(2) ? any_scalar() : std::to_string(random_.below(60))));
    case 1:
      return line((is_gfx9_ ? "v_add_u32_e32 " : "v_add_nc_u32_e32 ") + any() + ", " + any_scalar() + ", " + any());
    case 2: return line("v_cndmask_b32_e32 " + any() + ", " + any() + ", " + any() + ", " + vcc());
    case 3: return line("v_readfirstlane_b32 " + any_scalar() + ", " + any());
    case 4: return line("v_perm_b32 " + any() + ", " + any() + ", " + any() + ", " + any()); // not compiled
    case 5: {
      const std::string lane = std::to_string(random_.below(30));
      return line(random_.below(2) ? "v_writelane_b32 " + any() + ", " + any_scalar() + ", " + lane
                                   : "v_readlane_b32 " + any_scalar() + ", " + any() + ", " + lane);
    }
    default:
      line(std::string(kOperations[random_.below(std::size(kOperations))]) + " " + any() + ", " + any() + ", " + any());
    }
  }
  void compare() {
    static constexpr const char *kComparisons[] = {"lt_u32", "ge_i32", "eq_u32", "ne_u32"};
    line("v_and_b32_e32 v20, 31, " + any() + "\nv_cmp_" + kComparisons[random_.below(std::size(kComparisons))] +
         "_e32 " + vcc() + ", " + std::to_string(random_.below(32)) + ", v20");
  }
  // Some accesses with the same base: a place of each lane, the same for all, or any.
  // The stack, by flat addresses.
  void access_stack() {
    line("v_and_b32_e32 v22, 0x3c, " + any() + "\nv_mov_b32_e32 v23, 0x20000");
    line((is_gfx9_ ? "flat_store_dword v[22:23], " : "flat_store_b32 v[22:23], ") + any());
    for (unsigned i = 0, count = 1 + random_.below(2); i < count; ++i)
      line((is_gfx9_ ? "flat_load_dword " : "flat_load_b32 ") + any() + ", v[22:23]");
    line(wait());
  }
  void access() {
    if (random_.below(3) == 0)
      return access_stack();
    const bool is_shared = random_.below(2), is_flat = random_.below(3) == 0;
    switch (random_.below(3)) {
    case 0: line("v_and_b32_e32 v20, 63, v0\nv_lshlrev_b32_e32 v20, 2, v20"); break;
    case 1: line("v_mov_b32_e32 v20, s3\nv_and_b32_e32 v20, 0x7c, v20"); break;
    default: line("v_and_b32_e32 v20, 0xfc, " + any());
    }
    if (is_flat && !is_shared) // the memory lies below a multiple of 4 GB, so there is no carry
      line(std::string("v_mov_b32_e32 v23, s1\n") + (is_gfx9_ ? "v_add_u32_e32" : "v_add_nc_u32_e32") +
           " v22, s0, v20");
    for (unsigned i = 0, count = 1 + random_.below(3); i < count; ++i) {
      const std::string offset = " offset:" + std::to_string(4 * random_.below(100));
      const auto name = [&](const char *of_gfx9, const char *of_rdna) {
        return std::string(is_gfx9_ ? of_gfx9 : of_rdna);
      };
      const std::string wide = random_.below(2) ? "v[2:3]" : "v[4:5]";
      const unsigned kind = random_.below(7);
      if (is_shared) {
        switch (kind) {
        case 0: line(name("ds_add_rtn_u32 ", "ds_add_rtn_u32 ") + any() + ", v20, " + any() + offset); break;
        case 1:
        case 2: line(name("ds_write_b32 ", "ds_store_b32 ") + "v20, " + any() + offset); break;
        case 3: line(name("ds_write_b8 ", "ds_store_b8 ") + "v20, " + any() + offset); break;
        case 4: line(name("ds_read2_b32 ", "ds_load_2addr_b32 ") + wide + ", v20 offset0:9 offset1:3"); break;
        default: line(name("ds_read_b32 ", "ds_load_b32 ") + any() + ", v20" + offset);
        }
      } else {
        const std::string space = is_flat ? "flat" : "global", address = is_flat ? "v[22:23]" : "v20",
                          base = is_flat ? "" : ", s[0:1]";
        switch (kind) {
        case 0:
          line(space + name("_atomic_add ", "_atomic_add_u32 ") + any() + ", " + address + ", " + any() + base +
               offset + " glc");
          break;
        case 1:
        case 2: line(space + name("_store_dword ", "_store_b32 ") + address + ", " + any() + base + offset); break;
        case 3: line(space + name("_load_dwordx2 ", "_load_b64 ") + wide + ", " + address + base + offset); break;
        case 4: line(space + name("_load_sshort ", "_load_i16 ") + any() + ", " + address + base + offset); break;
        default: line(space + name("_load_dword ", "_load_b32 ") + any() + ", " + address + base + offset);
        }
      }
    }
    line(wait());
    if (random_.below(4) == 0)
      line(std::string(is_gfx9_ ? "s_load_dword " : "s_load_b32 ") + any_scalar() + ", s[0:1], 0x" +
           std::to_string(10 * random_.below(10)) + "\n" + wait());
  }
  // Some of the lanes.
  void skip(unsigned depth) {
    const std::string end = label(), mask = kept(depth);
    compare();
    if (random_.below(3))
      line("s_and_saveexec" + of_masks("") + mask + ", " + vcc());
    else // the comparison is not compiled
      line(of_masks("s_mov") + mask + ", " + exec() + "\nv_cmpx_class_f32_e32 " + (is_gfx9_ ? "vcc, " : "") + any() +
           ", " + any());
    if (random_.below(2))
      line("s_cbranch_execz " + end);
    statements(depth + 1, 1 + random_.below(3));
    line(end + ":\n" + of_masks("s_or") + exec() + ", " + exec() + ", " + mask);
  }
  void choose(unsigned depth) {
    const std::string mask = kept(depth);
    compare();
    line("s_and_saveexec" + of_masks("") + mask + ", " + vcc() + "\n" + of_masks("s_xor") + mask + ", " + exec() +
         ", " + mask);
    statements(depth + 1, 1 + random_.below(2));
    line("s_mov" + of_masks("") + vcc() + ", " + exec() + "\n" + of_masks("s_mov") + exec() + ", " + mask + "\n" +
         of_masks("s_mov") + mask + ", " + vcc());
    line("s_or" + of_masks("") + mask + ", " + mask + ", " + exec());
    statements(depth + 1, 1); // may change vcc, not the mask
    line(of_masks("s_mov") + exec() + ", " + mask);
  }
  // The wave as a whole.
  void choose_by_scalar(unsigned depth) {
    const std::string other = label(), end = label();
    line("s_bitcmp1_b32 " + any_scalar() + ", " + std::to_string(random_.below(8)) + "\ns_cbranch_scc0 " + other);
    statements(depth + 1, 1 + random_.below(2));
    line("s_branch " + end + "\n" + other + ":");
    statements(depth + 1, 1 + random_.below(2));
    line(end + ":");
  }
  // As often as the lane says, at most seven times.
  void repeat(unsigned depth) {
    const std::string begin = label(), mask = kept(depth),
                      count = "v" + std::to_string(24 + depth + (is_function_ ? 4 : 0));
    line("v_and_b32_e32 " + count + ", 7, " + any() + "\n" + of_masks("s_mov") + mask + ", " + exec() + "\n" + begin +
         ":");
    statements(depth + 1, 1 + random_.below(2));
    line("v_cmp_ne_u32_e32 " + vcc() + ", 0, " + count + "\n" +
         (is_gfx9_ ? "v_subrev_u32_e32 " : "v_subrev_nc_u32_e32 ") + count + ", 1, " + count + "\n" +
         of_masks("s_and") + exec() + ", " + exec() + ", " + vcc() + "\ns_cbranch_execnz " + begin + "\n" +
         of_masks("s_mov") + exec() + ", " + mask);
  }
  // It has the registers of its caller, but masks and a counter of its own; a loop of a few rounds is in it.
  void function(unsigned number) {
    const std::string loop = label();
    is_function_ = true;
    line("F" + std::to_string(number) + ":\ns_movk_i32 s40, 0\n" + loop + ":");
    statements(0, 1 + random_.below(2));
    line("s_add_i32 s40, s40, 1\ns_cmp_lt_u32 s40, " + std::to_string(1 + random_.below(4)) + "\ns_cbranch_scc1 " +
         loop);
    statements(0, 1);
    line("s_setpc_b64 s[44:45]");
    is_function_ = false;
  }
  void call() {
    const std::string here = label();
    line("s_getpc_b64 s[42:43]\n" + here + ":\ns_add_u32 s42, s42, F" + std::to_string(random_.below(kFunctions)) +
         "-" + here + "\ns_addc_u32 s43, s43, 0\ns_swappc_b64 s[44:45], s[42:43]");
  }
  void statements(unsigned depth, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      switch (random_.below(depth < 2 ? 12 : 6)) {
      case 0: compare(); break;
      case 1:
      case 2: access(); break;
      case 3:
      case 4:
      case 5: compute(); break;
      case 6: skip(depth); break;
      case 7: choose(depth); break;
      case 8: repeat(depth); break;
      case 9: choose_by_scalar(depth); break;
      case 10:
        if (!is_function_)
          call();
        break;
      default:
        if (depth == 0 && !is_function_) // all waves come here
          line("s_barrier");
      }
  }

  Random random_;
  const bool is_gfx9_;
  std::string text_;
  static constexpr unsigned kFunctions = 2;
  unsigned labels_ = 0;
  bool is_function_ = false; ///< that is being written
};

uint64_t number_from(const char *variable, uint64_t otherwise) {
  const char *const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The code's bytes.
std::string assemble(const Processor &processor, const std::string &text) {
  char name[] = "/tmp/executor-flow-XXXXXX";
  const int file = mkstemp(name);
  std::string bytes;
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return bytes;
  close(file);
  const std::string command = std::string(LLVM_MC) + " -triple=amdgcn-amd-amdhsa -mcpu=" + processor.name +
                              (processor.is_gfx9 ? "" : " -mattr=+wavefrontsize32") + " -filetype=obj -o - " + name;
  if (std::FILE *const output = popen(command.c_str(), "r")) {
    char part[4096];
    while (const size_t size = std::fread(part, 1, sizeof(part), output))
      bytes.append(part, size);
    EXPECT_EQ(pclose(output), 0) << command << "\n" << text;
  }
  unlink(name);
  auto elf = omptarget::ElfImage::parse(bytes.data(), bytes.size());
  if (!elf)
    return {};
  for (const omptarget::ElfSection &section : elf->sections())
    if (section.name == ".text")
      return std::string(section.contents);
  return {};
}

class Code final : public CodeSpace {
public:
  Code(const Processor &processor, const std::string &bytes)
      : bytes_(bytes), decoder_(processor), instructions_(bytes.size() / 4),
        segment_(processor, begin(), begin() + bytes.size()) {}
  uint64_t begin() const { return reinterpret_cast<uint64_t>(bytes_.data()); }
  const Instruction *at(uint64_t address, std::string &reason) override {
    reason = "no code";
    const uint64_t offset = address - begin();
    if (offset >= bytes_.size() || offset % 4 != 0)
      return nullptr;
    auto &one = instructions_[offset / 4];
    if (!one)
      one = std::make_unique<Instruction>(
          decoder_.decode(reinterpret_cast<const uint8_t *>(address), bytes_.size() - offset));
    return one->size == 0 ? nullptr : one.get();
  }
  CompiledSegment *compiled_at(uint64_t) override { return &segment_; }

private:
  const std::string bytes_;
  Decoder decoder_;
  std::vector<std::unique_ptr<Instruction>> instructions_;
  CompiledSegment segment_;
};

class Memory final : public DeviceMemory {
public:
  std::optional<MemoryRange> find(uint64_t address) override {
    const uint64_t begin = reinterpret_cast<uint64_t>(words);
    if (address >= begin && address < begin + sizeof(words))
      return MemoryRange{begin, begin + sizeof(words), true};
    return std::nullopt;
  }
  uint64_t generation() override { return 1; }
  alignas(4096) uint32_t words[512] = {};
};

class Blocks final : public BlockSource {
public:
  Blocks(const LaunchContext &context, uint64_t begin, Memory &memory, uint32_t threads, uint64_t seed)
      : context_(context), begin_(begin), memory_(memory), threads_(threads), random_(seed) {}
  std::unique_ptr<Block> make_block(const Extent &index) override {
    auto block = std::make_unique<Block>();
    block->index = index;
    block->threads = {threads_, 1, 1};
    block->shared.resize(1024, 7);
    for (uint32_t first = 0; first < threads_; first += context_.processor.lanes) {
      auto wave = std::make_unique<AmdWave>(context_, *block, random_);
      wave->first_thread = first;
      wave->set_pc(begin_);
      const uint32_t lanes = std::min(context_.processor.lanes, threads_ - first);
      wave->set_scalar64(kExec, lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1);
      wave->set_scalar64(kVcc, 0);
      wave->set_scalar64(0, reinterpret_cast<uint64_t>(memory_.words));
      for (uint32_t lane = 0; lane < context_.processor.lanes; ++lane)
        wave->vector(0)[lane] = first + lane;
      block->waves.push_back(std::move(wave));
    }
    return block;
  }

private:
  const LaunchContext &context_;
  uint64_t begin_;
  Memory &memory_;
  uint32_t threads_;
  Random random_;
};

std::optional<Report> run(const Processor &processor, const std::string &bytes, Memory &memory, uint64_t seed,
                          uint32_t compile_after, uint32_t threads,
                          const RegisterCounts &registers = {256, 256, kVcc}) {
  Code code(processor, bytes);
  MemoryView view(memory);
  Schedule schedule;
  schedule.seed = seed;
  schedule.budget = 30000000;
  schedule.has_long_turns = true;
  LaunchContext context;
  context.processor = processor;
  context.code = &code;
  context.memory = &view;
  context.registers = registers;
  context.private_size = 64;
  context.quantum = schedule.quantum;
  context.has_long_turns = true;
  CompiledLaunch compiled;
  compiled.after = compile_after;
  if (compile_after != Schedule::kNever)
    context.compiled = &compiled;
  Blocks blocks(context, code.begin(), memory, threads, seed);
  auto report = run_grid({2, 1, 1}, blocks, schedule);
  if (report)
    report->code_address -= code.begin();
  return report;
}

// 0: compiled at once. Others are compiled in several pieces, as their blocks have run.
class AmdFlow : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Compiled, AmdFlow, testing::Values(0u, 1u, 20u));

TEST_P(AmdFlow, does_the_same_as_interpreted) {
  if (!can_compile())
    GTEST_SKIP() << "this build only interprets";
  const uint64_t first = number_from("FLOW_SEED", 1), kernels = number_from("FLOW_KERNELS", 6);
  for (const Processor &processor : {Processor{"gfx90a", 64, true}, Processor{"gfx1100", 32, false}})
    for (uint64_t seed = first; seed < first + kernels; ++seed) {
      const bool is_long = seed % 2 == 0; // has long turns
      const std::string text = Writer(seed, processor).kernel(is_long ? 1500 : 6);
      const std::string bytes = assemble(processor, text);
      ASSERT_FALSE(bytes.empty()) << text;
      for (const uint32_t threads : {64u, 21u, 256u, 1024u}) {
        if (is_long ? threads != 256 : threads == 1024 && seed % 3 != 0)
          continue;
        SCOPED_TRACE(processor.name + ", seed " + std::to_string(seed) + ", " + std::to_string(threads) + " threads");
        Memory interpreted, compiled;
        const auto one = run(processor, bytes, interpreted, seed, Schedule::kNever, threads);
        const auto other = run(processor, bytes, compiled, seed, GetParam(), threads);
        ASSERT_FALSE(one) << one->fault.text << "\n" << text;
        ASSERT_FALSE(other) << other->fault.text << "\n" << text;
        ASSERT_EQ(std::memcmp(interpreted.words, compiled.words, sizeof(compiled.words)), 0) << text;
      }
    }
}

// Loops that end with a fault.
TEST_P(AmdFlow, has_the_same_faults) {
  if (!can_compile())
    GTEST_SKIP() << "this build only interprets";
  static constexpr struct {
    const char *text, *fault;
  } kKernels[] = {
      {"global_load_dword v1, v20, s[0:1]", "reads 4 bytes at"},
      {"global_store_dwordx2 v20, v[2:3], s[0:1]", "writes 8 bytes at"},
      {"s_load_dword s4, s[0:1], s3", "reads 4 bytes at"},
      {"ds_read_b64 v[2:3], v20", "reads 8 bytes of shared memory at"},
      {"ds_write_b8 v20, v1", "writes 1 bytes of shared memory at"},
      {"s_bitcmp1_b32 s3, 9\ns_cbranch_scc0 ON\nv_mov_b32_e32 v40, v0\nON:", "uses v40; "},
  };
  const Processor processor{"gfx90a", 64, true};
  for (const auto &kernel : kKernels) {
    SCOPED_TRACE(kernel.text);
    const std::string bytes =
        assemble(processor, "v_lshlrev_b32_e32 v20, 3, v0\ns_movk_i32 s3, 0\nAGAIN:\n" + std::string(kernel.text) +
                                "\nv_add_u32_e32 v20, 8, v20\ns_add_i32 s3, s3, 4\ns_branch AGAIN\n");
    Memory memory; // the same addresses
    const RegisterCounts registers{32, 0, kVcc};
    const auto one = run(processor, bytes, memory, 1, Schedule::kNever, 64, registers);
    const auto other = run(processor, bytes, memory, 1, GetParam(), 64, registers);
    ASSERT_TRUE(one && other);
    EXPECT_THAT(one->fault.text, testing::StartsWith(kernel.fault));
    EXPECT_EQ(one->fault.text, other->fault.text);
    EXPECT_EQ(one->fault.lane, other->fault.lane);
    EXPECT_EQ(one->fault.address, other->fault.address);
    EXPECT_EQ(one->block, other->block);
    EXPECT_EQ(one->code_address, other->code_address);
  }
}

} // namespace
} // namespace emulator::executor::amdgpu
