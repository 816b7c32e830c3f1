// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_adapters.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace omptarget {
namespace {

std::vector<std::string> offered; // names of the entries that the plugin was given

__tgt_target_table *load_binary(int32_t, __tgt_device_image *image) {
  static std::vector<__tgt_offload_entry> entries;
  static __tgt_target_table table;
  offered.clear();
  entries.assign(image->EntriesBegin, image->EntriesEnd);
  for (const __tgt_offload_entry &entry : entries)
    offered.emplace_back(entry.name);
  table = {entries.data(), entries.data() + entries.size()};
  return &table;
}

int32_t set_function_ptr_map(int32_t, uint64_t, __omp_offloading_fptr_map_ty *) { return 0; }

/// A whole image for this CPU with dynamic symbols, printf among them.
std::string image_bytes() {
  Dl_info info{};
  EXPECT_NE(dladdr(reinterpret_cast<const void *>(&std::printf), &info), 0);
  std::ifstream file(info.dli_fname, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PluginAdapters, functions_are_entries_for_plugins_that_take_their_table) {
  static char address;
  std::string bytes = image_bytes();
  __tgt_offload_entry entries[] = {
      {&address, const_cast<char *>("printf"), 0, 0, 0},
      {&address, const_cast<char *>("no_symbol"), 0, 0, 0},
      {&address, const_cast<char *>("no_symbol_function"), 0, OMPTARGET_ENTRY_INDIRECT, 0}};
  __tgt_device_image image{bytes.data(), bytes.data() + bytes.size(), std::begin(entries), std::end(entries)};
  PluginFunctions functions;
  functions.generation = PluginGeneration::kLaunch;
  functions.load_binary = load_binary;
  auto table = load_checked(functions, 0, image);
  ASSERT_TRUE(table.is_ok()) << table.status().to_string();
  EXPECT_THAT(offered, testing::ElementsAre("printf"));
  functions.set_function_ptr_map = set_function_ptr_map;
  table = load_checked(functions, 0, image);
  ASSERT_TRUE(table.is_ok()) << table.status().to_string();
  EXPECT_THAT(offered, testing::ElementsAre("printf", "no_symbol_function"));
  EXPECT_EQ((*table)->EntriesBegin[2].addr, &address);
  EXPECT_EQ((*table)->EntriesBegin[1].addr, nullptr);
}

TEST(PluginAdapters, texts_of_plugins_are_read_as_far_as_there_is_memory) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char *const memory =
      static_cast<char *>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(memory + 2 * page, page, PROT_NONE), 0);
  std::memset(memory, 'x', 2 * page);
  EXPECT_EQ(readable_text(memory), std::nullopt) << "it has no end";
  memory[2 * page - 1] = '\0';
  EXPECT_EQ(readable_text(memory)->size(), 2 * page - 1);
  EXPECT_EQ(readable_text(memory + 2 * page - 4), "xxx");
  EXPECT_EQ(readable_text(memory + 2 * page), std::nullopt);
  EXPECT_EQ(readable_text(nullptr), std::nullopt);
  EXPECT_EQ(readable_text(reinterpret_cast<const char *>(UINTPTR_MAX)), std::nullopt);
  munmap(memory, 3 * page);
}

} // namespace
} // namespace omptarget
