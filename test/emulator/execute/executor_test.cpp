// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions one by one. LLVM's assembler encodes each, the executor decodes and executes it, and the result is
// compared with a table (amdgpu/instructions.table). The table was written from AMD's manuals and worked out by hand.
// The parts around them are tested, too.

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <unistd.h>

#include "emulator/execute/amdgpu/code_object.h"
#include "emulator/execute/amdgpu/launch.h"

namespace emulator::executor::amdgpu {
namespace {

using testing::HasSubstr;

const Processor kProcessors[] = {{"gfx1100", 32, false}, {"gfx90a", 64, true}};

struct Row {
  std::string processors, text, before, after;
  int line;
};

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty() || at == '|')
      parts.push_back(part);
  }
  return parts;
}

std::vector<Row> read_table() {
  std::vector<Row> rows;
  std::ifstream file(TABLE);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#')
      continue;
    std::vector<std::string> parts; // |v1| is an operand
    for (size_t end = 0; end != std::string::npos; line.erase(0, end == std::string::npos ? end : end + 3)) {
      end = line.find(" | ");
      parts.push_back(line.substr(0, end));
    }
    if (parts.size() != 4)
      ADD_FAILURE() << "line " << number << " has " << parts.size() << " columns";
    else
      rows.push_back({parts[0], parts[1], parts[2], parts[3], number});
  }
  return rows;
}

// Words of an instruction whose name a newer LLVM has: ".long 0x7f0ad302,0 ; text".
bool is_encoded(const Row &row) { return row.text.starts_with(".long "); }
std::vector<uint8_t> words(const std::string &text) {
  std::vector<uint8_t> bytes;
  for (const std::string &word : split(text.substr(0, text.find(';')), ','))
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<uint8_t>(std::stoul(word, nullptr, 16) >> shift));
  return bytes;
}

// The bytes of all instructions, in order, as llvm-mc has them.
std::vector<std::vector<uint8_t>> assemble(const Processor &processor, const std::vector<Row> &rows) {
  char name[] = "/tmp/executor-XXXXXX";
  const int file = mkstemp(name);
  std::string text;
  for (const Row &row : rows)
    text += (is_encoded(row) ? "s_nop 0" : row.text) + "\n";
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return {};
  close(file);
  const std::string command = std::string(LLVM_MC) + " -triple=amdgcn-amd-amdhsa -mcpu=" + processor.name +
                              (processor.is_gfx9 ? "" : " -mattr=+wavefrontsize32") + " -show-encoding " + name;
  std::vector<std::vector<uint8_t>> encoded;
  if (std::FILE *output = popen(command.c_str(), "r")) {
    char line[1024];
    while (std::fgets(line, sizeof(line), output)) {
      const std::string one = line;
      const size_t begin = one.find("encoding: [");
      if (begin == std::string::npos)
        continue;
      encoded.emplace_back();
      for (const std::string &byte : split(one.substr(begin + 11, one.find(']', begin) - begin - 11), ','))
        encoded.back().push_back(static_cast<uint8_t>(std::strtoul(byte.c_str(), nullptr, 16)));
    }
    EXPECT_EQ(pclose(output), 0) << command;
  }
  unlink(name);
  for (size_t n = 0; n < rows.size() && n < encoded.size(); ++n)
    if (is_encoded(rows[n]))
      encoded[n] = words(rows[n].text.substr(6));
  return encoded;
}

class NoMemory final : public DeviceMemory {
public:
  std::optional<MemoryRange> find(uint64_t) override { return std::nullopt; }
  uint64_t generation() override { return 1; }
};

constexpr uint64_t kPlace = 0x1000;

// Interpreted, or compiled before it runs the first time.
class OneInstruction final : public CodeSpace {
public:
  explicit OneInstruction(const Instruction &instruction, const Processor *compiles_for = nullptr)
      : instruction_(instruction) {
    if (compiles_for)
      segment_ = std::make_unique<CompiledSegment>(*compiles_for, kPlace, kPlace + 16);
  }
  const Instruction *at(uint64_t address, std::string &reason) override {
    reason = "there is one instruction only";
    return address == kPlace ? &instruction_ : nullptr;
  }
  CompiledSegment *compiled_at(uint64_t) override { return segment_.get(); }

private:
  const Instruction &instruction_;
  std::unique_ptr<CompiledSegment> segment_;
};

// "v1", "v1@5" (of lane 5), "v[2:3]", "s4", "s[4:5]", "vcc", "exec", "scc", "m0", "lds+16", "pc".
class Registers {
public:
  Registers(AmdWave &wave, Block &block) : wave_(wave), block_(block) {}

  void set(const std::string &assignment) {
    const size_t equal = assignment.find('=');
    const std::string name = assignment.substr(0, equal);
    const uint64_t value = number(assignment.substr(equal + 1), is_pair(name));
    if (name == "scc")
      wave_.scc = value != 0;
    else if (name == "vcc" || name == "exec")
      wave_.set_scalar64(name == "vcc" ? kVcc : kExec, value);
    else if (name.starts_with("lds+"))
      std::memcpy(&block_.shared[std::stoul(name.substr(4))], &value, 4);
    else if (name[0] == 'v')
      set_vector(name, value);
    else
      wave_.set_scalar64(index(name),
                         is_pair(name) ? value : (value & 0xFFFFFFFF) | uint64_t{wave_.scalar(index(name) + 1)} << 32);
  }
  uint64_t wanted(const std::string &assignment) const {
    const size_t equal = assignment.find('=');
    return number(assignment.substr(equal + 1), is_pair(assignment.substr(0, equal)));
  }
  uint64_t get(const std::string &name) const {
    if (name == "scc")
      return wave_.scc;
    if (name == "pc")
      return wave_.code_address();
    if (name == "vcc" || name == "exec")
      return wave_.mask(name == "vcc" ? kVcc : kExec) & wave_.lane_mask();
    if (name.starts_with("lds+")) {
      uint32_t value = 0;
      std::memcpy(&value, &block_.shared[std::stoul(name.substr(4))], 4);
      return value;
    }
    if (name[0] == 'v') {
      const unsigned lane = lane_of(name);
      return wave_.vector(index(name))[lane] |
             (is_pair(name) ? uint64_t{wave_.vector(index(name) + 1)[lane]} << 32 : 0);
    }
    return is_pair(name) ? wave_.scalar64(index(name)) : wave_.scalar(index(name));
  }

private:
  static bool is_pair(const std::string &name) { return name.find(':') != std::string::npos; }
  static unsigned index(const std::string &name) {
    if (name == "m0")
      return kM0;
    return static_cast<unsigned>(std::stoul(name.substr(name[1] == '[' ? 2 : 1)));
  }
  static unsigned lane_of(const std::string &name) {
    const size_t at = name.find('@');
    return at == std::string::npos ? 0 : static_cast<unsigned>(std::stoul(name.substr(at + 1)));
  }
  // An integer, or a float: 1.5f of 32 bits, 1.5 of 64.
  static uint64_t number(const std::string &text, bool is_wide) {
    if (text == "nan")
      return is_wide ? 0x7FF8000000000000 : 0x7FC00000;
    if (text == "inf")
      return is_wide ? 0x7FF0000000000000 : 0x7F800000;
    if (text.find('.') == std::string::npos)
      return text[0] == '-'
                 ? static_cast<uint64_t>(std::stoll(text, nullptr, 0)) & (is_wide ? ~uint64_t{0} : 0xFFFFFFFF)
                 : std::stoull(text, nullptr, 0);
    return is_wide ? std::bit_cast<uint64_t>(std::stod(text)) : std::bit_cast<uint32_t>(std::stof(text));
  }
  void set_vector(const std::string &name, uint64_t value) {
    for (unsigned lane = 0; lane < wave_.lanes(); ++lane) {
      if (name.find('@') != std::string::npos && lane != lane_of(name))
        continue;
      wave_.vector(index(name))[lane] = static_cast<uint32_t>(value);
      if (is_pair(name))
        wave_.vector(index(name) + 1)[lane] = static_cast<uint32_t>(value >> 32);
    }
  }

  AmdWave &wave_;
  Block &block_;
};

// A wave that carries out one instruction.
struct OneWave {
  OneWave(const Processor &processor, const Instruction &instruction, bool compiles)
      : code(instruction, compiles ? &processor : nullptr) {
    context.processor = processor;
    context.code = &code;
    context.memory = &view;
    context.private_size = 64;
    context.registers = {256, 256, kVcc};
    if (compiles)
      context.compiled = &compiled;
    block.shared.resize(256);
    block.threads = {processor.lanes, 1, 1};
    Random random(7);
    wave = std::make_unique<AmdWave>(context, block, random);
    wave->set_scalar64(kExec, ~uint64_t{0});
    wave->set_scalar64(kVcc, 0);
    wave->set_pc(kPlace);
  }
  NoMemory memory;
  MemoryView view{memory};
  OneInstruction code;
  CompiledLaunch compiled;
  LaunchContext context;
  Block block;
  std::unique_ptr<AmdWave> wave;
};

void check(const Processor &processor, const Row &row, const Instruction &instruction, bool compiles) {
  OneWave one(processor, instruction, compiles);
  Registers registers(*one.wave, one.block);
  for (const std::string &assignment : split(row.before, ' '))
    if (assignment != "-")
      registers.set(assignment);
  one.wave->run(1);
  ASSERT_FALSE(one.wave->fault) << one.wave->fault->text;
  for (const std::string &wanted : split(row.after, ' ')) {
    const std::string name = wanted.substr(0, wanted.find('='));
    EXPECT_EQ(registers.get(name), registers.wanted(wanted)) << name;
  }
}

// Calls back with each row of the table for each processor, and its instruction.
template <class F> void for_rows(F &&f) {
  const std::vector<Row> all = read_table();
  ASSERT_GT(all.size(), 200u);
  for (const Processor &processor : kProcessors) {
    std::vector<Row> rows;
    for (const Row &row : all)
      if (row.processors == "all" || row.processors == processor.name)
        rows.push_back(row);
    const auto encoded = assemble(processor, rows);
    ASSERT_EQ(encoded.size(), rows.size()) << processor.name;
    Decoder decoder(processor);
    ASSERT_TRUE(decoder.works());
    for (size_t n = 0; n < rows.size(); ++n) {
      SCOPED_TRACE(processor.name + ", line " + std::to_string(rows[n].line) + ": " + rows[n].text);
      const Instruction instruction = decoder.decode(encoded[n].data(), encoded[n].size());
      ASSERT_EQ(instruction.size, encoded[n].size());
      ASSERT_TRUE(instruction.handler) << instruction.reason << ": " << instruction.text;
      f(processor, rows[n], instruction);
    }
  }
}

TEST(AmdInstructions, do_what_the_table_says) {
  for_rows([](const Processor &processor, const Row &row, const Instruction &instruction) {
    check(processor, row, instruction, false);
  });
}

TEST(AmdInstructions, do_it_when_compiled) {
  if (!can_compile())
    GTEST_SKIP() << "this build only interprets";
  for_rows([](const Processor &processor, const Row &row, const Instruction &instruction) {
    check(processor, row, instruction, true);
  });
}

// Numbers with which instructions have something special to do, in half of the registers as the upper half of 64 bits.
uint32_t any_value(Random &random) {
  static constexpr uint32_t kSpecial[] = {0,          1,          ~0u,        31,         32,         64,
                                          0x7FF00000, 0xFFF00000, 0x7FF80000, 0x000FFFFF, 0x3FF00000, 0x41E00000,
                                          0x43E00000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000, 0x7FFFFFFF,
                                          0x007FFFFF, 0x3F800000, 0x4F000000, 0x5F000000, 0x40200000, 0xBF000000};
  switch (random.below(4)) {
  case 0: return static_cast<uint32_t>(random.next());
  case 1: return random.below(70) - 3;
  case 2: return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(random.next())) / 65536);
  default: return kSpecial[random.below(std::size(kSpecial))];
  }
}

// All that a wave has.
struct WaveImage {
  explicit WaveImage(OneWave &one) {
    for (unsigned i = 0; i < kScalarRegisters; ++i)
      scalars.push_back(one.wave->scalar(i));
    const uint32_t *const first = one.wave->vector(0);
    vectors.assign(first, first + size_t{kVectorRegisters} * one.wave->lanes());
    shared = one.block.shared;
    scc = one.wave->scc;
    place = one.wave->code_address();
    fault = one.wave->fault ? one.wave->fault->text : "";
  }
  std::vector<uint32_t> scalars, vectors;
  std::vector<uint8_t> shared;
  bool scc;
  uint64_t place;
  std::string fault;
};

// Either of two operands that are no numbers may be the result of an operation on floats.
bool are_same(const Instruction &instruction, const WaveImage &one, const WaveImage &other, size_t index,
              unsigned lanes) {
  if (one.vectors[index] == other.vectors[index])
    return true;
  const auto is_nan = [&](uint32_t value) { return std::isnan(std::bit_cast<float>(value)); };
  const auto is_wide_nan = [&](const WaveImage &of, size_t high) {
    return std::isnan(std::bit_cast<double>(uint64_t{of.vectors[high]} << 32 | of.vectors[high - lanes]));
  };
  const size_t high = index + lanes;
  if (instruction.name.find("_f64") != std::string::npos)
    return (is_wide_nan(one, high) && is_wide_nan(other, high)) ||
           (index >= lanes && is_wide_nan(one, index) && is_wide_nan(other, index));
  return instruction.name.find("_f32") != std::string::npos && is_nan(one.vectors[index]) &&
         is_nan(other.vectors[index]);
}

// is_compiled: set if the code does without the interpreter.
void compare(const Processor &processor, const Row &row, const Instruction &instruction, Random &random,
             bool &is_compiled) {
  constexpr unsigned kRounds = 12;
  OneWave interpreted(processor, instruction, false), compiled(processor, instruction, true);
  for (unsigned round = 0; round < kRounds; ++round) {
    const uint64_t seed = random.next();
    const uint64_t exec = round % 3 == 0 ? ~uint64_t{0} : round == 1 ? 0 : random.next();
    for (OneWave *const one : {&interpreted, &compiled}) {
      Random values(seed);
      AmdWave &wave = *one->wave;
      for (unsigned i = 0; i < 24; ++i)
        for (unsigned lane = 0; lane < wave.lanes(); ++lane)
          wave.vector(i)[lane] = any_value(values);
      for (unsigned i = 0; i < 32; ++i)
        wave.set_scalar(i, any_value(values));
      for (uint8_t &byte : one->block.shared)
        byte = static_cast<uint8_t>(values.next());
      wave.scc = values.below(2);
      wave.set_scalar64(kVcc, values.next());
      Registers registers(wave, one->block);
      for (const std::string &assignment : split(row.before, ' ')) // where addresses must be right
        if (assignment != "-" && (round % 2 || row.text.starts_with("ds_")))
          registers.set(assignment);
      wave.set_scalar64(kExec, exec);
      wave.state = WaveState::kReady;
      wave.fault.reset();
      wave.set_pc(kPlace);
      wave.run(1);
    }
    const WaveImage one(interpreted), other(compiled);
    ASSERT_EQ(one.fault, other.fault);
    ASSERT_EQ(one.scalars, other.scalars);
    ASSERT_EQ(one.scc, other.scc);
    ASSERT_EQ(one.place, other.place);
    ASSERT_EQ(one.shared, other.shared);
    for (size_t i = 0; i < one.vectors.size(); ++i)
      ASSERT_TRUE(are_same(instruction, one, other, i, processor.lanes))
          << "v" << i / processor.lanes << " of lane " << i % processor.lanes << std::hex << ": " << one.vectors[i]
          << " is " << other.vectors[i];
  }
  is_compiled = compiled.compiled.interpreted == 0;
}

TEST(AmdInstructions, compute_the_same_when_compiled) {
  if (!can_compile())
    GTEST_SKIP() << "this build only interprets";
  Random random(1);
  unsigned rows = 0, compiled = 0;
  for_rows([&](const Processor &processor, const Row &row, const Instruction &instruction) {
    bool is_compiled = false;
    if (row.text.find("clock") == std::string::npos && !row.text.starts_with("s_mem"))
      compare(processor, row, instruction, random, is_compiled);
    ++rows;
    compiled += is_compiled;
  });
  EXPECT_GT(compiled, rows / 2) << "most are compiled";
}

TEST(AmdInstructions, what_is_not_there_is_named) {
  const Instruction unknown = parse_instruction("v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]");
  EXPECT_EQ(unknown.handler, nullptr);
  EXPECT_EQ(unknown.reason, "the executor has no such instruction");
  const Instruction modified = parse_instruction("v_readfirstlane_b32 s0, v1 clamp");
  EXPECT_EQ(modified.handler, nullptr);
  EXPECT_EQ(modified.reason, "the executor has this instruction, but not with these modifiers");
  const Instruction strange = parse_instruction("v_add_f32 v0, v1, v2 whatever:3");
  EXPECT_EQ(strange.handler, nullptr);
  EXPECT_EQ(strange.reason, "the executor cannot read the operands");
}

// As LLVM 23 writes what has two sources only, for RDNA 3.
TEST(AmdInstructions, a_third_source_that_is_not_there_is_left_out) {
  const uint32_t product[] = {0xD72C0000, 0x02000103}, constant[] = {0xD72D0005, 0x020208FF, 0x38E38E39},
                 sum[] = {0xD6550000, 0x02020103}, mantissa[] = {0xD5BD0109, 0x02010107};
  Decoder decoder({"gfx1100", 32, false});
  const auto decode = [&](const uint32_t *words, size_t size) {
    return decoder.decode(reinterpret_cast<const uint8_t *>(words), size);
  };
  EXPECT_EQ(decode(product, sizeof(product)).text, "v_mul_lo_u32 v0, v3, s0");
  const Instruction long_one = decode(constant, sizeof(constant));
  EXPECT_EQ(long_one.text, "v_mul_hi_u32 v5, 0x38e38e39, v4");
  EXPECT_EQ(long_one.size, 12);
  EXPECT_EQ(decode(mantissa, sizeof(mantissa)).text, "v_frexp_mant_f64_e64 v[9:10], |v[7:8]|") << "nor a second";
  EXPECT_EQ(decode(sum, sizeof(sum)).text, "v_add3_u32 v0, v3, v0, 0") << "where it is there it stays";
}

// How the wave of a kernel with few registers ends.
std::string fault_with(const RegisterCounts &registers, const std::string &text) {
  NoMemory memory;
  MemoryView view(memory);
  Instruction instruction = parse_instruction(text);
  instruction.size = 4;
  instruction.touched = find_touched(instruction);
  OneInstruction code(instruction);
  LaunchContext context;
  context.processor = kProcessors[0];
  context.code = &code;
  context.memory = &view;
  context.registers = registers;
  Block block;
  Random random(7);
  AmdWave wave(context, block, random);
  wave.set_scalar64(kExec, 0);
  wave.set_pc(kPlace);
  wave.run(1);
  return wave.fault ? wave.fault->text : "";
}

TEST(AmdRegisters, are_those_that_the_descriptor_states) {
  EXPECT_EQ(fault_with({4, 0, 8}, "v_add_f32 v3, v2, v1"), "");
  EXPECT_EQ(fault_with({4, 0, 8}, "v_add_f32 v4, v2, v1"),
            "uses v4; the kernel's descriptor states 4 vector registers: v_add_f32 v4, v2, v1");
  EXPECT_THAT(fault_with({4, 0, 8}, "v_add_f32 v0, v2, v5"), HasSubstr("uses v5; "));
  EXPECT_THAT(fault_with({8, 2, 8}, "v_accvgpr_write_b32 a2, v1"), HasSubstr("states 2 accumulation registers"));
  EXPECT_EQ(fault_with({4, 0, 8}, "s_mov_b64 s[6:7], vcc"), "");
  EXPECT_THAT(fault_with({4, 0, 8}, "s_mov_b64 s[8:9], vcc"),
              HasSubstr("uses s9; the kernel's descriptor states 8 scalar"));
}

TEST(MemoryView, only_what_is_one_allocation) {
  class Two final : public DeviceMemory {
  public:
    std::optional<MemoryRange> find(uint64_t address) override {
      if (address >= 0x1000 && address < 0x1010)
        return MemoryRange{0x1000, 0x1010, true};
      if (address >= 0x1010 && address < end)
        return MemoryRange{0x1010, end, false};
      return std::nullopt;
    }
    uint64_t generation() override { return number; }
    uint64_t end = 0x1020, number = 1;
  } memory;
  MemoryView view(memory);
  EXPECT_NE(view.reach(0x1000, 16, true), nullptr);
  EXPECT_EQ(view.reach(0x100C, 8, false), nullptr);
  EXPECT_NE(view.reach(0x1010, 16, false), nullptr);
  EXPECT_EQ(view.reach(0x1010, 4, true), nullptr);
  EXPECT_EQ(view.reach(0x1FFC, 4, false), nullptr);
  EXPECT_EQ(view.reach(0x1018, ~uint64_t{0}, false), nullptr);
  memory.end = 0x1018; // freed in part
  memory.number = 2;
  EXPECT_EQ(view.reach(0x1018, 4, false), nullptr);
}

// Waves that only count their turns.
class CountingWave final : public Wave {
public:
  CountingWave(std::vector<int> &turns, int number, int barriers, int steps)
      : turns_(turns), number_(number), left_(barriers), steps_(steps) {}
  uint64_t run(uint64_t) override {
    turns_.push_back(number_);
    if (--steps_ > 0)
      return 1;
    if (left_-- > 0) {
      ++barriers;
      steps_ = 3;
      state = WaveState::kAtBarrier;
    } else {
      state = WaveState::kEnded;
    }
    return 1;
  }
  uint64_t code_address() const override { return 0x40; }
  uint64_t running_code() const override { return 0x40; }
  uint32_t lanes_at_barrier() const override { return 32; }

private:
  std::vector<int> &turns_;
  int number_, left_, steps_;
};
class CountingBlocks final : public BlockSource {
public:
  explicit CountingBlocks(std::vector<int> barriers_of_waves) : barriers_(std::move(barriers_of_waves)) {}
  std::unique_ptr<Block> make_block(const Extent &index) override {
    auto block = std::make_unique<Block>();
    block->index = index;
    block->threads = {static_cast<uint32_t>(barriers_.size()), 1, 1};
    for (size_t i = 0; i < barriers_.size(); ++i) {
      block->waves.push_back(std::make_unique<CountingWave>(turns, static_cast<int>(i), barriers_[i], 3));
      block->waves.back()->first_thread = static_cast<uint32_t>(i);
    }
    ++made;
    return block;
  }
  std::vector<int> turns;
  int made = 0;

private:
  std::vector<int> barriers_;
};

TEST(Grid, a_seed_decides_the_order) {
  std::vector<std::vector<int>> orders;
  for (const uint64_t seed : {1, 1, 2}) {
    CountingBlocks blocks({2, 2, 2});
    Schedule schedule;
    schedule.seed = seed;
    EXPECT_FALSE(run_grid({5, 2, 1}, blocks, schedule));
    EXPECT_EQ(blocks.made, 10);
    orders.push_back(blocks.turns);
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
}

TEST(Grid, a_barrier_that_not_all_reach) {
  CountingBlocks blocks({2, 1});
  EXPECT_FALSE(run_grid({1, 1, 1}, blocks, Schedule())); // as GPUs do it
  Schedule schedule;
  schedule.waits_for_ended = true;
  const auto report = run_grid({1, 1, 1}, blocks, schedule);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->fault.kind, FaultKind::kProgram);
  EXPECT_EQ(report->fault.text,
            "a barrier that not all threads reach: the wave of thread 1 has ended after 1 barriers, "
            "this one waits at number 2");
}

TEST(Grid, no_end) {
  CountingBlocks blocks({1000000});
  Schedule schedule;
  schedule.budget = 5000;
  const auto report = run_grid({1, 1, 1}, blocks, schedule);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->fault.text, testing::HasSubstr("does not end"));
}

TEST(CodeObject, what_cannot_be_loaded_is_said) {
  std::string error;
  EXPECT_EQ(CodeObject::load("no ELF", kProcessors[0], error), nullptr);
  EXPECT_EQ(error, "no ELF file");
  EXPECT_FALSE(find_processor("gfx803"));
  EXPECT_EQ(find_processor("gfx90a:sramecc+:xnack-")->lanes, 64u);
}

} // namespace
} // namespace emulator::executor::amdgpu
