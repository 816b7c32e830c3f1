// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/entry_table.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace omptarget {
namespace {

using testing::HasSubstr;

char kernel_id = 0;
int variable = 0;
char kernel_name[] = "kernel";
char variable_name[] = "variable";
char empty_name[] = "";

constexpr size_t kOldSize = sizeof(__tgt_offload_entry);
constexpr size_t kNewSize = sizeof(__tgt_offload_entry_v1);

__tgt_offload_entry old_kernel() { return {&kernel_id, kernel_name, 0, 0, 0}; }
__tgt_offload_entry old_variable(int32_t flags = 0) { return {&variable, variable_name, sizeof variable, flags, 0}; }
__tgt_offload_entry old_requires(int32_t mask) { return {nullptr, empty_name, 0, OMPTARGET_ENTRY_REQUIRES, mask}; }
__tgt_offload_entry_v1 new_kernel() { return {0, 1, 1, 0, &kernel_id, kernel_name, 0, 0, nullptr}; }
__tgt_offload_entry_v1 new_entry(uint32_t flags, uint64_t size) {
  return {0, 1, 1, flags, &variable, variable_name, size, 0, nullptr};
}

/// Records one after the other, from an address that is aligned to nothing.
class Table {
public:
  template <typename... Records> explicit Table(const Records &...records) : bytes_(1) { (add(records), ...); }
  template <typename Record> void add(const Record &record) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof record);
    std::memcpy(bytes_.data() + at, &record, sizeof record);
  }
  void cut(size_t bytes) { bytes_.resize(bytes_.size() - bytes); }
  EntryTable get(const ModuleBounds *bounds = nullptr) const {
    return {bytes_.data() + 1, bytes_.data() + bytes_.size(), bounds};
  }
  uint32_t size_of_entry() const {
    Result<uint32_t> size = entry_size(get());
    return size.is_ok() ? *size : 1;
  }
  std::string refusal(const ModuleBounds *bounds = nullptr) const {
    Result<uint32_t> size = entry_size(get(bounds));
    return size.is_ok() ? read_entries(get(bounds), *size).status().to_string() : size.status().to_string();
  }
  EntriesRead read(const ModuleBounds *bounds = nullptr) const {
    Result<uint32_t> size = entry_size(get(bounds));
    if (!size.is_ok()) {
      ADD_FAILURE() << size.status().to_string();
      return {};
    }
    Result<EntriesRead> entries = read_entries(get(bounds), *size);
    if (!entries.is_ok()) {
      ADD_FAILURE() << entries.status().to_string();
      return {};
    }
    return *entries;
  }

private:
  std::vector<std::byte> bytes_;
};

TEST(EntryTable, an_empty_one_is_of_no_generation) {
  const Table table;
  EXPECT_EQ(table.size_of_entry(), 0u);
  EXPECT_TRUE(table.read().entries.empty());
}

TEST(EntryTable, both_generations_say_the_same) {
  for (const EntriesRead &read :
       {Table(old_kernel(), old_variable()).read(), Table(new_kernel(), new_entry(0, sizeof variable)).read()}) {
    ASSERT_EQ(read.entries.size(), 2u);
    EXPECT_EQ(read.entries[0].kind, EntryKind::kKernel);
    EXPECT_EQ(read.entries[0].address, host_ptr(&kernel_id));
    EXPECT_STREQ(read.entries[0].name, "kernel");
    EXPECT_EQ(read.entries[1].kind, EntryKind::kVariable);
    EXPECT_EQ(read.entries[1].size, sizeof variable);
    EXPECT_EQ(read.requires_mask, 0u);
    EXPECT_THAT(read.index, testing::ElementsAre(0, 1));
  }
}

TEST(EntryTable, flags_and_sizes_tell_the_kind) {
  const std::pair<std::pair<uint32_t, uint64_t>, EntryKind> cases[] = {
      {{0, 0}, EntryKind::kKernel},
      {{0, 4}, EntryKind::kVariable},
      {{OMPTARGET_ENTRY_LINK, 8}, EntryKind::kLinkVariable},
      {{OMPTARGET_ENTRY_CTOR, 0}, EntryKind::kConstructor},
      {{OMPTARGET_ENTRY_DTOR, 0}, EntryKind::kDestructor},
      {{OMPTARGET_ENTRY_INDIRECT, 8}, EntryKind::kIndirect},
      {{OMPTARGET_ENTRY_INDIRECT, 0}, EntryKind::kFunctionPointer},
      {{OMPTARGET_ENTRY_INDIRECT_VTABLE, 40}, EntryKind::kVtable},
  };
  for (const auto &[given, kind] : cases) {
    const EntriesRead read = Table(new_entry(given.first, given.second)).read();
    ASSERT_EQ(read.entries.size(), 1u);
    EXPECT_EQ(read.entries[0].kind, kind) << given.first;
    EXPECT_EQ(read.entries[0].flags, given.first);
  }
}

TEST(EntryTable, a_target_region_is_no_constructor_whatever_its_flags_say) {
  const auto failure_of = [](const char *name, uint32_t flags) {
    __tgt_offload_entry_v1 entry = new_entry(flags, 0);
    entry.symbol_name = const_cast<char *>(name);
    return Table(entry).refusal();
  };
  for (const uint32_t flag : {OMPTARGET_ENTRY_CTOR, OMPTARGET_ENTRY_DTOR})
    for (const char *const name : {"__omp_offloading_fe00_a7_main_l12", "__omp_offloading_fe00_a7_main_l12_1"}) {
      EXPECT_THAT(failure_of(name, flag), HasSubstr(name));
      EXPECT_THAT(failure_of(name, flag), HasSubstr("is a target region's, and its flags 0x"));
    }
  EXPECT_EQ(failure_of("__omp_offloading__fe00_a7_counter_l12_ctor", OMPTARGET_ENTRY_CTOR), "success");
  EXPECT_EQ(failure_of("__omp_offloading__fe00_a7_counter_l12_dtor", OMPTARGET_ENTRY_DTOR), "success");
  EXPECT_EQ(failure_of("__omp_offloading_fe00_a7_main_l12", 0), "success");
}

TEST(EntryTable, requires_records_are_collected_and_left_out) {
  const EntriesRead older = Table(old_kernel(), old_requires(8), old_variable(), old_requires(4)).read();
  EXPECT_EQ(older.requires_mask, 12u);
  EXPECT_THAT(older.index, testing::ElementsAre(0, 2));
  __tgt_offload_entry_v1 record = new_entry(OMPTARGET_ENTRY_REQUIRES, 0);
  record.address = nullptr;
  record.data = 0x10;
  const EntriesRead newer = Table(record, new_kernel()).read();
  EXPECT_EQ(newer.requires_mask, 0x10u);
  EXPECT_EQ(newer.requires_by_all, 0x10u);
  EXPECT_THAT(newer.index, testing::ElementsAre(1));
}

TEST(EntryTable, requires_records_tell_what_each_of_them_has) {
  EXPECT_EQ(Table(old_kernel()).read().requires_by_all, ~0ull);
  EXPECT_EQ(Table(old_requires(12), old_kernel(), old_requires(8), old_requires(0)).read().requires_by_all, 8u);
  EXPECT_EQ(Table(old_requires(1), old_requires(2)).read().requires_by_all, 0u);
}

TEST(EntryTable, an_old_table_may_begin_with_requires) {
  EXPECT_EQ(Table(old_requires(8)).size_of_entry(), kOldSize);
  EXPECT_EQ(Table(old_requires(8), old_kernel()).size_of_entry(), kOldSize);
}

TEST(EntryTable, lengths_that_fit_both_layouts_are_told_apart_by_the_first_record) {
  Table older(old_requires(8));
  Table newer(new_kernel());
  Table plain(old_kernel());
  for (int i = 1; i < 7; ++i) {
    older.add(old_kernel());
    plain.add(old_kernel());
  }
  for (int i = 1; i < 4; ++i)
    newer.add(new_kernel());
  EXPECT_EQ(older.size_of_entry(), kOldSize);
  EXPECT_EQ(plain.size_of_entry(), kOldSize);
  EXPECT_EQ(newer.size_of_entry(), kNewSize);
  EXPECT_EQ(older.read().requires_mask, 8u);
  EXPECT_EQ(newer.read().entries.size(), 4u);
}

TEST(EntryTable, a_new_first_record_that_reads_as_an_old_requires_is_told_by_its_name) {
  // A newer requires record whose name lies at ...10: read as an older one it is "requires", but its name lies nowhere.
  __tgt_offload_entry_v1 record{0, 1, 1, 0, nullptr, nullptr, 0, 8, nullptr};
  alignas(4096) static char names[64] = "";
  record.symbol_name = names + 0x10;
  Table table;
  for (int i = 0; i < 4; ++i) {
    __tgt_offload_entry_v1 copy = record;
    std::memcpy(reinterpret_cast<char *>(&copy) + 24, "\x10\0\0\0", 4);
    copy.flags = OMPTARGET_ENTRY_REQUIRES;
    table.add(copy);
  }
  const std::optional<ModuleBounds> bounds = module_of(&variable);
  EXPECT_EQ(*entry_size(table.get(&*bounds)), kNewSize);
}

TEST(EntryTable, lengths_that_fit_no_layout_are_refused) {
  Table table(old_kernel());
  table.cut(1);
  EXPECT_THAT(table.refusal(), HasSubstr("the entry table has 31 bytes, which is no multiple of 32 or 56"));
  EXPECT_THAT(Table(new_kernel(), 'x').refusal(), HasSubstr("57 bytes"));
}

TEST(EntryTable, first_records_of_no_layout_are_refused) {
  __tgt_offload_entry nothing{};
  EXPECT_THAT(Table(nothing).refusal(), HasSubstr("begins like no known layout"));
  __tgt_offload_entry_v1 no_kind = new_kernel();
  no_kind.kind = 3;
  EXPECT_THAT(Table(no_kind).refusal(), HasSubstr("begins like no known layout (record version 1)"));
  __tgt_offload_entry_v1 not_zero = new_kernel();
  not_zero.reserved = 7;
  EXPECT_THAT(Table(not_zero).refusal(), HasSubstr("has the size of new entries, but does not begin like one"));
}

TEST(EntryTable, unknown_versions_of_records_are_refused) {
  __tgt_offload_entry_v1 newer = new_kernel();
  newer.version = 2;
  EXPECT_EQ(Table(newer).refusal(), "entry 0 has version 2; 1 is the only one known");
  EXPECT_EQ(Table(new_kernel(), newer).refusal(), "entry 1 has version 2; 1 is the only one known");
}

TEST(EntryTable, records_of_other_languages_are_skipped) {
  __tgt_offload_entry_v1 cuda = new_kernel();
  cuda.kind = 2;
  cuda.symbol_name = nullptr;
  cuda.address = nullptr;
  const EntriesRead read = Table(cuda, new_kernel(), cuda, new_entry(0, 4)).read();
  EXPECT_THAT(read.index, testing::ElementsAre(1, 3));
}

TEST(EntryTable, names_must_lie_in_the_module) {
  const std::optional<ModuleBounds> bounds = module_of(&variable);
  ASSERT_TRUE(bounds.has_value());
  EXPECT_EQ(Table(old_kernel(), old_variable()).refusal(&*bounds), "success");
  for (const uintptr_t address : {uintptr_t{0}, uintptr_t{1}, uintptr_t{0xffffffffffff}, UINTPTR_MAX}) {
    __tgt_offload_entry bad = old_kernel();
    bad.name = reinterpret_cast<char *>(address);
    EXPECT_EQ(Table(old_variable(), bad).refusal(&*bounds), "the name of entry 1 lies outside of the module");
  }
  __tgt_offload_entry null = old_kernel();
  null.name = nullptr;
  EXPECT_EQ(Table(null).refusal(), "the name of entry 0 lies outside of the module");
}

TEST(EntryTable, addresses_must_lie_in_some_module) {
  const std::optional<ModuleBounds> bounds = module_of(&variable);
  __tgt_offload_entry bad = old_kernel();
  bad.addr = nullptr;
  EXPECT_EQ(Table(old_variable(), bad).refusal(&*bounds), "entry 1 (kernel) has no address");
  bad.addr = reinterpret_cast<void *>(0x10);
  EXPECT_THAT(Table(old_variable(), bad).refusal(&*bounds),
              HasSubstr("entry 1 (kernel) is at 0x10 (0 bytes), where no module has them"));
  __tgt_offload_entry foreign = old_variable(); // a variable that the program shares with a library
  foreign.addr = &stderr;
  EXPECT_EQ(Table(foreign).refusal(&*bounds), "success");
}

TEST(EntryTable, sizes_must_be_possible) {
  for (const uint64_t size : {UINT64_MAX, uint64_t{1} << 63, uint64_t{1} << 47}) {
    EXPECT_THAT(Table(new_entry(0, size)).refusal(), HasSubstr("entry 0 (variable) claims"));
    EXPECT_THAT(Table(new_entry(OMPTARGET_ENTRY_INDIRECT_VTABLE, size)).refusal(),
                HasSubstr("entry 0 (variable) claims"));
  }
  EXPECT_THAT(Table(new_entry(OMPTARGET_ENTRY_INDIRECT_VTABLE, 1 << 25)).refusal(), HasSubstr("claims 33554432 bytes"));
  const std::optional<ModuleBounds> bounds = module_of(&variable);
  EXPECT_THAT(Table(new_entry(0, uint64_t{1} << 40)).refusal(&*bounds), HasSubstr("where no module has them"));
}

} // namespace
} // namespace omptarget
