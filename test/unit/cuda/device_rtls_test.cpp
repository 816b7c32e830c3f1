// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/device_rtls.h"

#include <gmock/gmock.h>

#include "../plugin/section_file.h"

namespace omptarget::cuda {
namespace {

using testing::HasSubstr;

constexpr const char *kMark = "__omptarget_device_rtl";
constexpr const char *kOwn = "_ZN9omptarget10device_rtl3gpu4failEPKc";

struct Symbol {
  const char *name;
  uint16_t section = 1;
};

/// Returns the message about a cubin with these symbols; empty: none.
std::string said_of(const std::vector<Symbol> &symbols) {
  SectionFile file;
  std::vector<SectionFile::Symbol> added;
  for (const Symbol &symbol : symbols)
    added.push_back({symbol.name, 8, STT_FUNC, symbol.section});
  file.add_sized_symbols(added);
  const std::string bytes = file.bytes();
  Result<ElfImage> elf = ElfImage::parse(bytes.data(), bytes.size());
  EXPECT_TRUE(elf) << elf.status().to_string();
  Status status = check_device_rtls(*elf);
  return status ? "" : status.to_string();
}

TEST(DeviceRtls, one_is_as_it_should_be) {
  EXPECT_EQ(said_of({{kMark}, {kOwn}, {"_ZN9omptarget10device_rtl3gpuL11any_furtherE"}, {"__omp_rtl_debug_kind"}}), "");
  EXPECT_EQ(said_of({{"kernel"}}), "");
  EXPECT_EQ(said_of({{kMark}, {kOwn}, {kOwn}}), ""); // the same one, in two tables
}

TEST(DeviceRtls, copies_of_llvm_alone_are_left_alone) {
  EXPECT_EQ(
      said_of({{"__omp_rtl_device_memory_pool"}, {"_ZN4ompx5state9TeamStateE"}, {"_ZN4ompx5state9TeamStateE", 2}}), "");
}

TEST(DeviceRtls, that_of_llvm_beside_omptarget_is_named) {
  for (const char *name : {"__omp_rtl_device_memory_pool", "_ZN4ompx5state20enterDataEnvironmentEP7IdentTy"}) {
    EXPECT_THAT(said_of({{kMark}, {"kernel"}, {name}}),
                HasSubstr("it has LLVM's device RTL (" + std::string(name) + ") beside"));
    EXPECT_EQ(said_of({{"kernel"}, {name}}), "");
  }
  EXPECT_EQ(said_of({{kMark}, {"_ZN4ompx9thread_idEi"}}), ""); // a function of ompx.h
}

TEST(DeviceRtls, two_of_omptarget_are_named) {
  EXPECT_THAT(said_of({{kOwn}, {"kernel"}, {kOwn, 2}}),
              HasSubstr("device RTL more than once (" + std::string(kOwn) + ")"));
}

} // namespace
} // namespace omptarget::cuda
