// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <gtest/gtest.h>

#include "host/function_map.h"
#include "host/launch.h"
#include "test_image.h"

// Exported by this program, as a program's own declare-target variable may be.
extern "C" __attribute__((visibility("default"))) int interposed;
int interposed = 1000;

namespace omptarget::host {
namespace {

void call(void *kernel, std::vector<void *> values, bool has_implicit = false) {
  const std::vector<ptrdiff_t> offsets(values.size() + 1, 0);
  Status status =
      call_kernel(kernel, {values.data(), offsets.data(), static_cast<uint32_t>(values.size()), has_implicit});
  EXPECT_TRUE(status.is_ok()) << status.to_string();
}

std::unique_ptr<LoadedImage> load(DescribedImage &image) {
  Result<std::unique_ptr<LoadedImage>> loaded = LoadedImage::load(0, image.description());
  EXPECT_TRUE(loaded.is_ok()) << loaded.status().to_string();
  return loaded.is_ok() ? std::move(loaded.value()) : nullptr;
}

TEST(LoadedImage, table_has_every_entry_in_order_and_null_for_what_is_missing) {
  DescribedImage image(read_test_image());
  image.add("kernel_increment");
  image.add("no_such_kernel");
  image.add("variable", 4);
  image.add("environ", 8); // libc has it, the image does not
  image.add("", 0, OMPTARGET_ENTRY_REQUIRES);
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  const __tgt_target_table &table = *loaded->table();
  ASSERT_EQ(table.EntriesEnd - table.EntriesBegin, 5);
  EXPECT_NE(table.EntriesBegin[0].addr, nullptr);
  EXPECT_EQ(table.EntriesBegin[1].addr, nullptr);
  EXPECT_EQ(*static_cast<int *>(table.EntriesBegin[2].addr), 41);
  EXPECT_EQ(table.EntriesBegin[3].addr, nullptr);
  EXPECT_EQ(table.EntriesBegin[4].addr, nullptr);
  int value = 1;
  call(table.EntriesBegin[0].addr, {&value});
  EXPECT_EQ(value, 42);
}

TEST(LoadedImage, an_entry_whose_symbol_is_of_another_kind_is_refused_and_named) {
  const auto failure_of = [](const char *name, size_t size, int32_t flags = 0) {
    DescribedImage image(read_test_image());
    image.add("kernel_increment");
    image.add(name, size, flags);
    Result<std::unique_ptr<LoadedImage>> loaded = LoadedImage::load(0, image.description());
    return loaded.is_ok() ? "loaded" : loaded.status().to_string();
  };
  EXPECT_EQ(failure_of("variable", 0), "the image's kernel 'variable' lies outside its code");
  EXPECT_EQ(failure_of("hidden_variable", 0), "the image's kernel 'hidden_variable' lies outside its code");
  EXPECT_EQ(failure_of("variable", 0, OMPTARGET_ENTRY_CTOR), "the image's kernel 'variable' lies outside its code");
  EXPECT_EQ(failure_of("variable", 1 << 24), "the image's variable 'variable' lies outside its data");
  EXPECT_EQ(failure_of("variable", 4), "loaded");
}

TEST(LoadedImage, a_variable_in_memory_that_cannot_be_written_is_refused_unless_the_programs_is_constant) {
  static int changes = 1;
  static const int stays = 2;
  const auto failure_of = [](const char *name, const int *address) {
    DescribedImage image(read_test_image());
    image.add(name, sizeof *address, 0, address);
    Result<std::unique_ptr<LoadedImage>> loaded = LoadedImage::load(0, image.description());
    return loaded.is_ok() ? "loaded" : loaded.status().to_string();
  };
  EXPECT_EQ(failure_of("variable", &changes), "loaded");
  EXPECT_EQ(failure_of("kernel_increment", &changes),
            "the image's variable 'kernel_increment' lies in memory that cannot be written");
  EXPECT_EQ(failure_of("constant", &changes), "the image's variable 'constant' lies in memory that cannot be written");
  EXPECT_EQ(failure_of("constant", &stays), "loaded");
  EXPECT_EQ(failure_of("constant_pointer", &changes),
            "the image's variable 'constant_pointer' lies in memory that cannot be written");
  EXPECT_EQ(failure_of("constant_pointer", &stays), "loaded");
}

TEST(LoadedImage, constructors_have_run) {
  DescribedImage image(read_test_image());
  image.add("constructed", 8);
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*static_cast<uint64_t *>(loaded->table()->EntriesBegin[0].addr), 99u);
}

TEST(LoadedImage, each_load_has_globals_of_its_own) {
  DescribedImage image(read_test_image());
  image.add("variable", 4);
  image.add("kernel_increment");
  const auto first = load(image);
  const auto second = load(image);
  ASSERT_TRUE(first && second);
  *static_cast<int *>(first->table()->EntriesBegin[0].addr) = 7;
  EXPECT_EQ(*static_cast<int *>(second->table()->EntriesBegin[0].addr), 41);
  int value = 0;
  call(first->table()->EntriesBegin[1].addr, {&value});
  EXPECT_EQ(value, 7);
}

TEST(LoadedImage, a_closed_image_is_not_found_again) {
  DescribedImage image(read_test_image());
  image.add("variable", 4);
  auto first = load(image);
  ASSERT_TRUE(first);
  *static_cast<int *>(first->table()->EntriesBegin[0].addr) = 7;
  first.reset();
  const auto second = load(image);
  ASSERT_TRUE(second);
  EXPECT_EQ(*static_cast<int *>(second->table()->EntriesBegin[0].addr), 41);
}

TEST(LoadedImage, many_hold_few_descriptors) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = open_files();
  std::vector<std::unique_ptr<LoadedImage>> images;
  for (int i = 0; i < 100; ++i) {
    DescribedImage image(read_test_image());
    image.add("variable", 4);
    images.push_back(load(image));
    ASSERT_TRUE(images.back());
    // None is taken for one whose descriptor has been closed.
    auto &variable = *static_cast<int *>(images.back()->table()->EntriesBegin[0].addr);
    EXPECT_EQ(variable, 41);
    variable = i;
  }
  EXPECT_LE(open_files(), before + 64);
}

TEST(LoadedImage, what_has_no_symbol_is_found_in_the_own_table) {
  DescribedImage image(read_test_image());
  image.add("hidden_variable", 4);
  image.add("local_function", 0, OMPTARGET_ENTRY_INDIRECT);
  image.add("kernel_hidden");
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  const __tgt_offload_entry *entries = loaded->table()->EntriesBegin;
  ASSERT_NE(entries[0].addr, nullptr);
  EXPECT_EQ(*static_cast<int *>(entries[0].addr), 17);
  ASSERT_NE(entries[1].addr, nullptr);
  EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(entries[1].addr)(5), 15);
  *static_cast<int *>(entries[0].addr) = 70;
  int value = 0;
  call(entries[2].addr, {&value});
  EXPECT_EQ(value, 70);
}

TEST(LoadedImage, references_of_unified_shared_memory_lead_to_the_host) {
  static int host_variable = 4711;
  static int *host_reference = &host_variable;
  DescribedImage image(read_test_image());
  image.add("shared_decl_tgt_ref_ptr", 8);
  image.add("constructed", 8);
  image.entries[0].addr = &host_reference;
  image.entries[1].addr = &host_reference;
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*static_cast<int **>(loaded->table()->EntriesBegin[0].addr), nullptr);
  loaded->refer_to_host(image.description());
  EXPECT_EQ(*static_cast<int **>(loaded->table()->EntriesBegin[0].addr), &host_variable);
  EXPECT_EQ(*static_cast<uint64_t *>(loaded->table()->EntriesBegin[1].addr), 99u) << "no reference";
}

TEST(LoadedImage, symbols_of_the_program_do_not_take_the_place_of_its_own) {
  DescribedImage image(read_test_image());
  image.add("kernel_interposed");
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  int value = 0;
  call(loaded->table()->EntriesBegin[0].addr, {&value});
  EXPECT_EQ(value, 5);
}

// lld leaves no entry of the dynamic section to spare.
TEST(LoadedImage, nor_where_the_dynamic_section_has_no_room) {
  DescribedImage image(read_test_image());
  auto &header = *reinterpret_cast<Elf64_Ehdr *>(image.bytes.data());
  auto *programs = reinterpret_cast<Elf64_Phdr *>(image.bytes.data() + header.e_phoff);
  auto *dynamic = std::find_if(programs, programs + header.e_phnum,
                               [](const Elf64_Phdr &each) { return each.p_type == PT_DYNAMIC; });
  const auto *entries = reinterpret_cast<const Elf64_Dyn *>(image.bytes.data() + dynamic->p_offset);
  size_t count = 1;
  while (entries[count - 1].d_tag != DT_NULL)
    ++count;
  dynamic->p_filesz = dynamic->p_memsz = count * sizeof(Elf64_Dyn);
  image.add("kernel_interposed");
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  int value = 0;
  call(loaded->table()->EntriesBegin[0].addr, {&value});
  EXPECT_EQ(value, 5);
}

TEST(LoadedImage, an_image_that_needs_what_nobody_has_is_refused_with_the_linkers_words) {
  DescribedImage image(read_test_image());
  const size_t at = image.bytes.find("libm.so.6");
  ASSERT_NE(at, std::string::npos);
  std::memcpy(image.bytes.data() + at, "libq.so.6", 9);
  Result<std::unique_ptr<LoadedImage>> loaded = LoadedImage::load(0, image.description());
  ASSERT_FALSE(loaded.is_ok());
  EXPECT_NE(loaded.status().to_string().find("libq.so.6"), std::string::npos) << loaded.status().to_string();
}

TEST(Launch, passes_any_number_of_arguments) {
  DescribedImage image(read_test_image());
  image.add("kernel_empty");
  image.add("kernel_11");
  image.add("kernel_31");
  image.add("kernel_51");
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  call(loaded->table()->EntriesBegin[0].addr, {});
  int64_t factor = 0;
  for (int tens = 1; tens <= 5; tens += 2) {
    int64_t result = 0;
    int64_t expected = 0;
    std::vector<void *> values{&result};
    factor = 1;
    for (int ten = 0; ten < tens; ++ten, factor *= 10)
      for (int i = 0; i < 10; ++i) {
        values.push_back(reinterpret_cast<void *>(static_cast<intptr_t>(ten * 7 + i)));
        expected += factor * (i + 1) * (ten * 7 + i);
      }
    call(loaded->table()->EntriesBegin[1 + tens / 2].addr, values);
    EXPECT_EQ(result, expected) << tens;
  }
}

TEST(Launch, adds_offsets_and_supplies_the_implicit_parameter) {
  DescribedImage image(read_test_image());
  image.add("kernel_implicit");
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  int64_t seen[4] = {};
  void *values[] = {seen, reinterpret_cast<void *>(uintptr_t{77})};
  const ptrdiff_t offsets[] = {8, 0};
  Status status = call_kernel(loaded->table()->EntriesBegin[0].addr, {values, offsets, 2, true});
  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(seen[0], 0);
  EXPECT_EQ(seen[1], -1);
  EXPECT_EQ(seen[2], 77);
}

TEST(FunctionMap, kernels_find_functions_and_old_tables_stay_readable) {
  DescribedImage image(read_test_image());
  image.add("kernel_indirect");
  image.add("local_function", 0, OMPTARGET_ENTRY_INDIRECT);
  image.add("__omp_offloading_fptr_map_p", 8);
  image.add("__omp_rtl_device_environment", 48);
  const auto loaded = load(image);
  ASSERT_TRUE(loaded);
  const __tgt_offload_entry *entries = loaded->table()->EntriesBegin;
  const uint64_t function = reinterpret_cast<uintptr_t>(entries[1].addr);
  FunctionMap map(2);
  const __omp_offloading_fptr_map_ty two[] = {{100, 1}, {104, function}};
  ASSERT_TRUE(map.set(2, two).is_ok());
  map.announce(*loaded);
  int64_t result = 5;
  call(entries[0].addr, {reinterpret_cast<void *>(uintptr_t{104}), &result});
  EXPECT_EQ(result, 15);

  const auto *pairs = *static_cast<__omp_offloading_fptr_map_ty **>(entries[2].addr);
  uint64_t environment[6];
  std::memcpy(environment, entries[3].addr, sizeof environment);
  EXPECT_EQ(environment[1] & 0xffffffffu, 2u) << "the device's number";
  EXPECT_EQ(environment[3], reinterpret_cast<uintptr_t>(pairs));
  EXPECT_EQ(environment[4], 2u);

  const __omp_offloading_fptr_map_ty one[] = {{104, function}};
  ASSERT_TRUE(map.set(1, one).is_ok());
  map.announce(*loaded);
  EXPECT_NE(*static_cast<__omp_offloading_fptr_map_ty **>(entries[2].addr), pairs);
  EXPECT_EQ(pairs[1].host_ptr, 104u) << "the old table is still there";
  ASSERT_TRUE(map.set(2, two).is_ok());
  map.announce(*loaded);
  EXPECT_EQ(*static_cast<__omp_offloading_fptr_map_ty **>(entries[2].addr), pairs) << "a table that comes back";
  ASSERT_TRUE(map.set(0, nullptr).is_ok());
  map.announce(*loaded);
  result = 5;
  call(entries[0].addr, {reinterpret_cast<void *>(uintptr_t{104}), &result});
  EXPECT_EQ(result, 5);
}

TEST(FunctionMap, refuses_tables_that_are_not_sorted) {
  FunctionMap map(0);
  const __omp_offloading_fptr_map_ty pairs[] = {{100, 1}, {100, 2}};
  Status status = map.set(2, pairs);
  EXPECT_EQ(status.to_string(), "the table of indirect functions is not sorted at pair 1");
}

} // namespace
} // namespace omptarget::host
