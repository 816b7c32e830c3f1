// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gtest/gtest.h"

#include "plugin/device_selection.h"

using namespace omptarget;

namespace {

using Indexes = std::vector<size_t>;

const std::vector<DeviceTraits> kDevices{
    {"gpu", "nvptx64", "sm_90", "nvidia", "GPU-1"},   {"gpu", "nvptx64", "sm_80", "nvidia", "GPU-2"},
    {"gpu", "amdgcn", "gfx90a", "amd", "GPU-3"},      {"cpu", "x86_64", "x86_64", "", "x86_64-host-0"},
    {"cpu", "x86_64", "x86_64", "", "x86_64-host-1"},
};

struct Case {
  const char *list;
  Indexes wanted;
};

TEST(DeviceSelection, Lists) {
  for (const auto &[list, wanted] : std::initializer_list<Case>{
           {"*", {0, 1, 2, 3, 4}},
           {"3", {3}},
           {"4, 0", {4, 0}},
           {"7", {}},
           {"99999999999999999999", {}},
           {"2,*", {2, 0, 1, 3, 4}},
           {"kind(gpu)", {0, 1, 2}},
           {"kind(GPU)", {0, 1, 2}},
           {"kind(any)", {0, 1, 2, 3, 4}},
           {"kind(nohost)", {0, 1, 2, 3, 4}},
           {"kind(host)", {}},
           {"kind(fpga)", {}},
           {"arch(amdgcn)", {2}},
           {"isa(sm_80)", {1}},
           {"vendor(amd),vendor(nvidia)", {2, 0, 1}},
           {"uid(gpu-3),uid( GPU-1 )", {2, 0}},
           {"!kind(gpu)", {3, 4}},
           {"!kind(gpu)&&!uid(x86_64-host-0)", {4}},
           {"vendor(amd)||isa(sm_80)&&kind(gpu)", {1, 2}},
           {"!(vendor(amd)||kind(cpu))", {0, 1}},
           {"(kind(gpu)&&vendor(nvidia))[0],(kind(cpu))[0:2],*", {0, 3, 4, 1, 2}},
           {"kind(gpu)[1:]", {1, 2}},
           {"kind(gpu)[:2]", {0, 1}},
           {"*[0:3:2]", {0, 2, 4}},
           {"*[::2]", {0, 2, 4}},
           {"*[:]", {0, 1, 2, 3, 4}},
           {"kind(cpu)[1],kind(cpu)[0]", {4, 3}}, // the second one counts what is left
           {"0,0,*[0]", {0, 1}},
           {" kind(cpu) , * [ 1 ] ", {3, 4, 1}},
       }) {
    const auto selected = select_devices(list, kDevices);
    ASSERT_TRUE(selected.is_ok()) << list;
    EXPECT_EQ(selected.value(), wanted) << list;
  }
}

TEST(DeviceSelection, WithoutDevices) {
  for (const char *list : {"*", "0", "kind(gpu)", "!kind(gpu)[0:2]"}) {
    const auto selected = select_devices(list, {});
    ASSERT_TRUE(selected.is_ok()) << list;
    EXPECT_TRUE(selected.value().empty()) << list;
  }
}

TEST(DeviceSelection, Failures) {
  for (const auto &[list, wanted] : std::initializer_list<std::pair<const char *, const char *>>{
           {"", "a number, '*', or kind, arch, isa, vendor or uid is missing at its end"},
           {",0", "a number, '*', or kind, arch, isa, vendor or uid was expected before ',0'"},
           {"0,", "a number, '*', or kind, arch, isa, vendor or uid is missing at its end"},
           {"0 1", "a comma was expected before '1'"},
           {"-1", "a number, '*', or kind, arch, isa, vendor or uid was expected before '-1'"},
           {"KIND(gpu)", "a number, '*', or kind, arch, isa, vendor or uid was expected before 'KIND(gpu)'"},
           {"gpu", "a number, '*', or kind, arch, isa, vendor or uid was expected before 'gpu'"},
           {"kind gpu", "'(' was expected before 'gpu'"},
           {"kind(gpu", "')' was expected before 'gpu'"},
           {"kind()", "a value was expected before ')'"},
           {"(kind(gpu)", "')' is missing at its end"},
           {"kind(gpu)[", "a number or a colon is missing at its end"},
           {"kind(gpu)[]", "a number or a colon was expected before ']'"},
           {"kind(gpu)[0", "']' is missing at its end"},
           {"kind(gpu)[0:1:0]", "a stride is 0"},
           {"kind(gpu)&vendor(amd)", "a comma was expected before '&vendor(amd)'"},
       }) {
    auto selected = select_devices(list, kDevices);
    ASSERT_FALSE(selected.is_ok()) << list;
    EXPECT_NE(selected.take_status().to_string().find(wanted), std::string::npos) << list;
  }
  EXPECT_FALSE(select_devices(std::string(100000, '('), kDevices).is_ok());
  EXPECT_FALSE(select_devices(std::string(100000, '!') + "kind(gpu)", kDevices).is_ok());
}

} // namespace
