// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/stack_needs.h"

#include <gtest/gtest.h>

#include "../plugin/section_file.h"

namespace omptarget::cuda {
namespace {

constexpr uint32_t kUnknown = 0xffffffff;

std::string words(const std::vector<uint32_t> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(uint32_t)};
}

/// A cubin as nvlink leaves it: symbols 1 to n are functions, with what is said of their stack and calls.
class Cubin {
public:
  explicit Cubin(const std::vector<std::string> &functions) {
    for (const std::string &name : functions)
      functions_.push_back({name, 8, STT_FUNC, 1});
  }
  Cubin &frame(uint32_t function, uint32_t bytes) { return record(0x11, function, bytes); }
  Cubin &stack(uint32_t kernel, uint32_t bytes) { return record(0x12, kernel, bytes); }
  Cubin &part(int number) { return call(0, 0u - static_cast<uint32_t>(number)); }
  Cubin &call(uint32_t caller, uint32_t called) {
    calls_ += words({caller, called});
    return *this;
  }
  Cubin &info(const std::string &bytes) {
    info_ += bytes;
    return *this;
  }
  std::string bytes() const {
    SectionFile file;
    file.add_sized_symbols(functions_);
    file.add(".nv.info", 0x70000000, info_);
    if (!calls_.empty())
      file.add(".nv.callgraph", 0x70000001, calls_);
    return file.bytes();
  }
  uint64_t need(const char *kernel) const {
    const std::string file = bytes();
    Result<ElfImage> elf = ElfImage::parse(file.data(), file.size());
    EXPECT_TRUE(elf) << elf.status().to_string();
    return elf ? StackNeeds::of_cubin(*elf).of(kernel) : ~uint64_t{0};
  }

private:
  Cubin &record(uint8_t attribute, uint32_t function, uint32_t bytes) {
    info_ += std::string("\x04") + static_cast<char>(attribute) + std::string("\x08\0", 2) + words({function, bytes});
    return *this;
  }
  std::vector<SectionFile::Symbol> functions_;
  std::string info_;
  std::string calls_;
};

TEST(StackNeeds, kernels_of_known_stack_need_nothing) {
  Cubin cubin({"kernel", "callee"});
  cubin.frame(1, 40).frame(2, 5000).stack(1, 5040).part(1).call(1, 2);
  EXPECT_EQ(cubin.need("kernel"), 0u);
  EXPECT_EQ(cubin.need("callee"), 0u);
  EXPECT_EQ(cubin.need("no such kernel"), 0u);
}

TEST(StackNeeds, a_kernel_of_unknown_stack_gets_the_largest_frame_that_it_may_call_for_each_level) {
  Cubin cubin({"kernel", "first", "second", "another", "kernel2", "known"});
  cubin.frame(1, 40).frame(2, 1000).frame(3, 2480).frame(4, 9000).frame(5, 16).frame(6, 700);
  cubin.stack(1, kUnknown).stack(5, kUnknown).stack(6, 700);
  cubin.part(1).call(1, 2).call(2, 3).call(3, 2).call(5, 2);
  EXPECT_EQ(cubin.need("kernel"), 40 + kNestedCalls * 2480);
  EXPECT_EQ(cubin.need("kernel2"), 16 + kNestedCalls * 2480);
  EXPECT_EQ(cubin.need("known"), 0u);
}

TEST(StackNeeds, a_call_by_address_may_come_to_each_function_with_one) {
  Cubin cubin({"kernel", "runs", "region", "another", "kernel2"});
  cubin.frame(2, 100).frame(3, 600).frame(4, 9000).frame(5, 8).stack(1, kUnknown).stack(5, kUnknown);
  cubin.part(1).call(1, 2).part(2).call(3, 77).part(3).call(2, 12345).part(4).call(1, 3);
  EXPECT_EQ(cubin.need("kernel"), kNestedCalls * 600);
  EXPECT_EQ(cubin.need("kernel2"), kLeastUnknownStack); // which calls nothing
}

TEST(StackNeeds, other_records_are_passed_over) {
  Cubin cubin({"kernel", "callee"});
  cubin.info(std::string("\x03\x5f\0\0", 4)).info(std::string("\x04\x17\x0c\0", 4) + words({1, 2, 3}));
  cubin.frame(2, 640).stack(1, kUnknown).info(std::string("\x01\x35\0\0", 4)).part(1).call(1, 2);
  EXPECT_EQ(cubin.need("kernel"), kNestedCalls * 640);
}

TEST(StackNeeds, a_cubin_may_be_damaged) {
  Cubin cubin({"kernel"});
  cubin.stack(1, kUnknown).stack(99, kUnknown).frame(77, 5).part(1).call(1, 4000000).call(1, 1);
  EXPECT_GT(cubin.need("kernel"), 0u);
  cubin.info(std::string("\x04\x12\xff\xff", 4)).frame(1, 5000);
  EXPECT_EQ(cubin.need("kernel"), kLeastUnknownStack);
  EXPECT_EQ(Cubin({"kernel"}).stack(1, kUnknown).info("\x04").need("kernel"), kLeastUnknownStack);
}

// ---- PTX

uint64_t ptx_need(const std::string &text, const char *kernel = "kernel") {
  return StackNeeds::of_ptx(text).of(kernel);
}

TEST(StackNeeds, ptx_that_calls_by_name_has_a_known_stack) {
  EXPECT_EQ(ptx_need(".func (.param .b32 r) callee(.param .b32 p);\n.func g() { ret; }\n"
                     ".visible .entry kernel(.param .u64 p) .maxntid 128, 1, 1 { // callseq of kernel\n"
                     "{ call.uni (r0), callee, (p0); }\n{ call.uni g, (); }\n/* call %rd1, kernel */ ret; }\n"
                     ".func (.param .b32 r) callee(.param .b32 p) { call.uni \n g, \n(\n); ret; }\n"),
            0u);
  EXPECT_EQ(ptx_need(""), 0u);
  EXPECT_EQ(ptx_need(".entry"), 0u);
  EXPECT_EQ(ptx_need(".entry kernel() { call"), 0u);
}

TEST(StackNeeds, ptx_that_comes_to_itself_has_an_unknown_stack) {
  const std::string callees = ".func a() { call.uni b, (); }\n.func b() { call.uni (r), c, (p); ret; }\n"
                              ".func (.param .b32 r) c(.param .b32 p) { call.uni b, (); }\n.func d() { ret; }\n";
  EXPECT_EQ(ptx_need(callees + ".entry kernel() { call.uni a, (); }\n"), kLeastUnknownStack);
  EXPECT_EQ(ptx_need(callees + ".entry kernel() { call.uni d, (); }\n"), 0u);
  EXPECT_EQ(ptx_need(".entry kernel() { call.uni d, (); }\n.entry other() { call.uni a, (); }\n" + callees), 0u);
  EXPECT_EQ(ptx_need(".func d() { call.uni other, (); }\n.alias other, d;\n.entry kernel() { call.uni d, (); }\n"),
            kLeastUnknownStack);
}

TEST(StackNeeds, ptx_that_calls_by_pointer_or_takes_stack_has_an_unknown_stack) {
  EXPECT_EQ(ptx_need(".func f() { call (r0), %rd4, (p0), prototype_0; }\n.entry kernel() { call.uni f, (); }\n"),
            kLeastUnknownStack);
  EXPECT_EQ(ptx_need(".entry kernel() { call %rd4, (p0), prototype_0; }\n"), kLeastUnknownStack);
  EXPECT_EQ(ptx_need(".entry kernel() { alloca.u64 %rd1, %rd2, 8; }\n"), kLeastUnknownStack);
}

} // namespace
} // namespace omptarget::cuda
