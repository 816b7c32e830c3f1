// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/own_entries.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "omptarget/types.h"

namespace omptarget {
namespace {

/// The image of test/loader, loaded: its table names a hidden variable and a hidden function.
class OwnEntries : public testing::Test {
protected:
  OwnEntries() {
    std::ifstream file(OMPTARGET_TEST_IMAGE, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  ~OwnEntries() override { dlclose(handle_); }

  std::vector<Entry> find(const std::string &bytes, const void *inside) const {
    return own_entries(std::as_bytes(std::span(bytes)), inside);
  }

  void *handle_ = dlopen(OMPTARGET_TEST_IMAGE, RTLD_NOW | RTLD_LOCAL);
  const void *inside_ = dlsym(handle_, "variable");
  std::string bytes_;
};

TEST_F(OwnEntries, hidden_symbols_have_their_addresses_in_the_loaded_image) {
  const std::vector<Entry> entries = find(bytes_, inside_);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_STREQ(entries[0].name, "hidden_variable");
  EXPECT_EQ(*static_cast<int *>(raw(entries[0].address)), 17);
  EXPECT_STREQ(entries[1].name, "local_function");
  EXPECT_EQ(entries[1].kind, EntryKind::kFunctionPointer);
  EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(raw(entries[1].address))(14), 42);
}

TEST_F(OwnEntries, there_are_none_around_other_addresses) {
  static int variable;
  EXPECT_TRUE(find(bytes_, &variable).empty());
  EXPECT_TRUE(find(bytes_, reinterpret_cast<const void *>(&std::printf)).empty());
  EXPECT_TRUE(find(bytes_, bytes_.data()).empty());
  EXPECT_TRUE(find(bytes_, nullptr).empty());
}

TEST_F(OwnEntries, damaged_images_have_none) {
  for (size_t size = 0; size < sizeof(Elf64_Ehdr); ++size)
    EXPECT_TRUE(find(bytes_.substr(0, size), inside_).empty()) << size;
  const auto with = [&](size_t offset, char value) {
    std::string changed = bytes_;
    changed[offset] = value;
    return changed;
  };
  EXPECT_TRUE(find(with(0, 'x'), inside_).empty());
  EXPECT_TRUE(find(with(EI_CLASS, ELFCLASS32), inside_).empty());
  EXPECT_TRUE(find(with(offsetof(Elf64_Ehdr, e_machine), EM_PPC64), inside_).empty());
  EXPECT_TRUE(find(with(offsetof(Elf64_Ehdr, e_shoff) + 7, 0x7f), inside_).empty());
  EXPECT_TRUE(find(with(offsetof(Elf64_Ehdr, e_phoff) + 7, 0x7f), inside_).empty());
  EXPECT_TRUE(find(with(offsetof(Elf64_Ehdr, e_phnum), 1), inside_).empty());
}

} // namespace
} // namespace omptarget
