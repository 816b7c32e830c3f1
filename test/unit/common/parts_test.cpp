// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smaller parts that plugins of GPUs share.

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/machine.h"
#include "common/elf_image.h"
#include "common/entry_table.h"
#include "common/global_calls.h"
#include "common/handle_pool.h"
#include "common/locked_ranges.h"
#include "common/schedule_text.h"
#include "common/stack_setting.h"

namespace omptarget {
namespace {

void *on_device(void *host) { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(host) + 0x1000); }

TEST(ScheduleText, kinds_modifiers_and_chunks) {
  const auto read = [](const char *text) {
    const auto schedule = schedule_of(text);
    return schedule ? std::pair{schedule->kind, schedule->chunk} : std::pair{0u, 0u};
  };
  EXPECT_EQ(read("static"), std::pair(1u, 0u));
  EXPECT_EQ(read(" Dynamic , 12 "), std::pair(2u, 12u));
  EXPECT_EQ(read("nonmonotonic:guided,3"), std::pair(3u, 3u));
  EXPECT_EQ(read("monotonic:auto"), std::pair(0x80000004u, 0u));
  for (const char *wrong : {"", "often", "static,", "static,0", "static,-1", "static,4x", "slow:static", "2"})
    EXPECT_FALSE(schedule_of(wrong)) << wrong;
}

TEST(StackSetting, sizes_have_units) {
  EXPECT_EQ(stack_size_of("64"), uint64_t{64} << 10);
  EXPECT_EQ(stack_size_of(" 512 b "), 512u);
  EXPECT_EQ(stack_size_of("3k"), 3072u);
  EXPECT_EQ(stack_size_of("2M"), uint64_t{2} << 20);
  EXPECT_EQ(stack_size_of("1G"), uint64_t{1} << 30);
  for (const char *wrong : {"", "k", "0", "-1", "2G", "1kb", "1 2", "9999999999999999999999"})
    EXPECT_FALSE(stack_size_of(wrong)) << wrong;
}

TEST(StackSetting, the_library_s_own_variable_goes_first) {
  setenv("OMP_STACKSIZE_DEV", "8", 1);
  EXPECT_EQ(stack_setting(0).bytes, 8192u);
  setenv("OMP_STACKSIZE_DEV_0", "16K", 1);
  EXPECT_EQ(stack_setting(0).variable, "OMP_STACKSIZE_DEV_0");
  EXPECT_EQ(stack_setting(0).bytes, 16384u);
  setenv("LIBOMPTARGET_STACK_SIZE", "2000", 1);
  EXPECT_EQ(stack_setting(0).bytes, 2000u);
  for (const char *name : {"OMP_STACKSIZE_DEV", "OMP_STACKSIZE_DEV_0", "LIBOMPTARGET_STACK_SIZE"})
    unsetenv(name);
}

class FakePinner : public HostPinner {
public:
  Result<void *> pin(void *host, size_t, bool &is_foreign) override {
    ++pinned;
    is_foreign = foreign;
    return on_device(host);
  }
  Status unpin(void *) override {
    ++unpinned;
    return Status::ok();
  }
  PinnedView find_pinned(void *host, size_t) override {
    return {pinned_elsewhere ? on_device(host) : nullptr, counts_elsewhere};
  }
  size_t reach() override { return devices; }
  size_t devices = 1;
  int pinned = 0, unpinned = 0;
  bool foreign = false;
  bool pinned_elsewhere = false, counts_elsewhere = false;
};

TEST(LockedRanges, inner_ranges_are_counted_and_translated) {
  char memory[256];
  FakePinner pinner;
  LockedRanges ranges(pinner);
  EXPECT_EQ(*ranges.lock(memory, 256), on_device(memory));
  EXPECT_EQ(*ranges.lock(memory + 10, 20), on_device(memory + 10));
  EXPECT_EQ(pinner.pinned, 1);
  EXPECT_TRUE(ranges.holds(memory, 256));
  EXPECT_FALSE(ranges.holds(memory, 257));
  EXPECT_TRUE(ranges.unlock(memory + 200));
  EXPECT_EQ(pinner.unpinned, 0);
  EXPECT_TRUE(ranges.unlock(memory));
  EXPECT_EQ(pinner.unpinned, 1);
  EXPECT_FALSE(ranges.unlock(memory));
}

TEST(LockedRanges, what_was_pinned_for_fewer_devices_is_pinned_again_before_it_is_used) {
  char memory[256];
  FakePinner pinner;
  LockedRanges ranges(pinner);
  EXPECT_TRUE(ranges.lock(memory, 256));
  pinner.devices = 2;
  EXPECT_TRUE(ranges.lock(memory + 8, 8));
  EXPECT_TRUE(ranges.lock(memory + 8, 8));
  EXPECT_EQ(pinner.pinned, 2);
  pinner.devices = 3;
  EXPECT_TRUE(ranges.lock_if_pinned(memory, 16).is_counted);
  EXPECT_EQ(pinner.pinned, 3);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(ranges.unlock(memory));
  EXPECT_EQ(pinner.unpinned, 0);
  EXPECT_TRUE(ranges.unlock(memory));
  EXPECT_EQ(pinner.unpinned, 3);
}

TEST(LockedRanges, partial_overlaps_and_empty_ranges_are_errors) {
  char memory[256];
  FakePinner pinner;
  LockedRanges ranges(pinner);
  EXPECT_TRUE(ranges.lock(memory + 100, 50));
  EXPECT_FALSE(ranges.lock(memory + 90, 20));
  EXPECT_FALSE(ranges.lock(memory + 140, 20));
  EXPECT_FALSE(ranges.lock(memory + 50, 200));
  EXPECT_FALSE(ranges.lock(memory, 0));
  EXPECT_TRUE(ranges.lock(memory + 50, 50));
  EXPECT_TRUE(ranges.unlock_all());
  EXPECT_EQ(pinner.unpinned, 2);
}

TEST(LockedRanges, what_the_program_pinned_stays_pinned) {
  char memory[16];
  FakePinner pinner;
  pinner.foreign = true;
  LockedRanges ranges(pinner);
  EXPECT_TRUE(ranges.lock(memory, 16));
  EXPECT_TRUE(ranges.unlock(memory));
  EXPECT_EQ(pinner.unpinned, 0);
}

TEST(LockedRanges, pinned_memory_is_used_without_pinning) {
  char memory[64];
  FakePinner pinner;
  LockedRanges ranges(pinner);
  EXPECT_EQ(ranges.lock_if_pinned(memory, 64).device, nullptr);
  EXPECT_TRUE(ranges.lock(memory, 32));
  const PinnedView own = ranges.lock_if_pinned(memory + 8, 8);
  EXPECT_EQ(own.device, on_device(memory + 8));
  EXPECT_TRUE(own.is_counted);
  EXPECT_EQ(ranges.lock_if_pinned(memory + 8, 32).device, nullptr);
  EXPECT_TRUE(ranges.unlock(memory));
  EXPECT_EQ(pinner.unpinned, 0);
  EXPECT_TRUE(ranges.unlock(memory + 8));
  EXPECT_EQ(pinner.unpinned, 1);
  // The program pinned it: not ours to count.
  pinner.pinned_elsewhere = true;
  EXPECT_FALSE(ranges.lock_if_pinned(memory, 64).is_counted);
  EXPECT_FALSE(ranges.unlock(memory));
  // Another of us pinned it.
  pinner.counts_elsewhere = true;
  EXPECT_TRUE(ranges.lock_if_pinned(memory, 64).is_counted);
  EXPECT_TRUE(ranges.unlock(memory));
  EXPECT_EQ(pinner.unpinned, 2);
}

TEST(HandlePool, gives_the_last_one_first) {
  HandlePool<int *> pool;
  int a = 0, b = 0;
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(&a);
  pool.give_back(&b);
  EXPECT_EQ(pool.take(), &b);
  EXPECT_EQ(pool.take_all().size(), 0u); // none was made here
  EXPECT_EQ(pool.take(), nullptr);
}

TEST(HandlePool, knows_what_it_made) {
  HandlePool<int *> pool;
  int values[3];
  size_t made = 0;
  const auto make = [&]() -> Result<int *> {
    return made < 3 ? Result<int *>(&values[made++]) : Status::error("no more");
  };
  EXPECT_TRUE(pool.fill(1, make));
  EXPECT_EQ(*pool.take_or(make), &values[0]);
  EXPECT_EQ(*pool.take_or(make), &values[1]);
  pool.give_back(&values[1]);
  EXPECT_EQ(*pool.take_or(make), &values[1]);
  EXPECT_FALSE(pool.fill(2, make));
  EXPECT_EQ(pool.take_all().size(), 3u);
  EXPECT_EQ(pool.take(), nullptr);
}

TEST(GlobalCalls, names_tell_kind_and_priority) {
  uint32_t priority = 0;
  EXPECT_TRUE(
      parse_global_call("__init_array_object__GLOBAL__sub_I_a.cpp_1a2b_65535", GlobalCall::kConstructors, priority));
  EXPECT_EQ(priority, 65535u);
  EXPECT_FALSE(parse_global_call("__init_array_object_x_101", GlobalCall::kDestructors, priority));
  EXPECT_TRUE(parse_global_call("__fini_array_object_x_101", GlobalCall::kDestructors, priority));
  EXPECT_EQ(priority, 101u);
  for (const char *name : {"__init_array_object_x", "__init_array_object_x_", "__init_array_object_x_70000", "x_5"})
    EXPECT_FALSE(parse_global_call(name, GlobalCall::kConstructors, priority)) << name;
}

TEST(GlobalCalls, priority_orders_and_doubles_go) {
  std::vector<GlobalCallSymbol> symbols = {{"c", 300}, {"a", 100}, {"b", 300}, {"a", 100}};
  order_global_calls(symbols);
  ASSERT_EQ(symbols.size(), 3u);
  EXPECT_EQ(symbols[0].name, "a");
  EXPECT_EQ(symbols[1].name, "c");
  EXPECT_EQ(symbols[2].name, "b");
}

TEST(EntryTable, kinds_follow_flags_and_sizes) {
  char name[] = "v";
  const auto kind = [&](size_t size, int32_t flags) { return kind_of({name, name, size, flags, 0}); };
  EXPECT_EQ(kind(0, 0), EntryKind::kKernel);
  EXPECT_EQ(kind(0, OMPTARGET_ENTRY_CTOR), EntryKind::kKernel);
  EXPECT_EQ(kind(4, 0), EntryKind::kVariable);
  EXPECT_EQ(kind(8, OMPTARGET_ENTRY_LINK), EntryKind::kPointer);
  EXPECT_EQ(kind(8, OMPTARGET_ENTRY_INDIRECT), EntryKind::kPointer);
  EXPECT_EQ(kind(0, OMPTARGET_ENTRY_INDIRECT), EntryKind::kFunction);
  EXPECT_EQ(kind(40, OMPTARGET_ENTRY_INDIRECT_VTABLE), EntryKind::kPointer);
  EXPECT_EQ(kind(0, OMPTARGET_ENTRY_REQUIRES), EntryKind::kNothing);
}

TEST(EntryTable, unaligned_tables_are_read_and_broken_ones_refused) {
  alignas(8) char bytes[2 * sizeof(__tgt_offload_entry) + 1];
  char first[] = "first", second[] = "second";
  const __tgt_offload_entry entries[] = {{first, first, 4, 0, 0}, {second, second, 0, 0, 0}};
  std::memcpy(bytes + 1, entries, sizeof(entries));
  __tgt_device_image image{};
  image.EntriesBegin = reinterpret_cast<__tgt_offload_entry *>(bytes + 1);
  image.EntriesEnd = reinterpret_cast<__tgt_offload_entry *>(bytes + 1 + sizeof(entries));
  const auto resolve = [](EntryKind, const std::string &name, size_t) -> Result<void *> {
    return name == "first" ? reinterpret_cast<void *>(0x10) : nullptr;
  };
  EntryTable table;
  ASSERT_TRUE(build_entry_table(image, resolve, table));
  ASSERT_EQ(table.table.EntriesEnd - table.table.EntriesBegin, 2);
  EXPECT_EQ(table.table.EntriesBegin[0].addr, reinterpret_cast<void *>(0x10));
  EXPECT_EQ(table.table.EntriesBegin[1].addr, nullptr);
  EXPECT_STREQ(table.table.EntriesBegin[1].name, "second");
  image.EntriesEnd = reinterpret_cast<__tgt_offload_entry *>(bytes + 1 + sizeof(entries) - 8);
  EntryTable other;
  EXPECT_FALSE(build_entry_table(image, resolve, other));
}

extern "C" const int32_t omptarget_elf_image_probe;
extern "C" const int32_t omptarget_elf_image_probe = 0x12345678;

std::string own_file() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(ElfImage, symbols_and_their_bytes_are_found) {
  const std::string bytes = own_file();
  Result<ElfImage> image = ElfImage::parse(bytes.data(), bytes.size());
  ASSERT_TRUE(image) << image.status().to_string();
  EXPECT_EQ(image->header().machine, kMachine.elf_machine);
  const ElfSymbol *symbol = image->find("omptarget_elf_image_probe");
  ASSERT_NE(symbol, nullptr);
  int32_t value = 0;
  EXPECT_TRUE(image->read(*symbol, &value, sizeof(value)));
  EXPECT_EQ(value, omptarget_elf_image_probe);
  EXPECT_FALSE(image->read(*symbol, &value, 5));
  EXPECT_EQ(image->find("no such symbol"), nullptr);
}

TEST(ElfImage, broken_files_are_refused_or_read_in_bounds) {
  const std::string good = own_file().substr(0, 1 << 16);
  EXPECT_FALSE(ElfImage::parse(good.data(), 10));
  EXPECT_FALSE(ElfImage::parse(good.data(), good.size())); // the section table lies behind the end
  // A small image of one's own with any byte replaced: no crash, whatever it says.
  struct {
    Elf64_Ehdr header;
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[2];
    char names[16];
  } small{};
  std::memcpy(small.header.e_ident, ELFMAG, SELFMAG);
  small.header.e_ident[EI_CLASS] = ELFCLASS64;
  small.header.e_ident[EI_DATA] = ELFDATA2LSB;
  small.header.e_shoff = offsetof(decltype(small), sections);
  small.header.e_shentsize = sizeof(Elf64_Shdr);
  small.header.e_shnum = 3;
  small.header.e_shstrndx = 2;
  small.sections[1].sh_type = SHT_SYMTAB;
  small.sections[1].sh_offset = offsetof(decltype(small), symbols);
  small.sections[1].sh_size = sizeof(small.symbols);
  small.sections[1].sh_link = 2;
  small.sections[2].sh_type = SHT_STRTAB;
  small.sections[2].sh_offset = offsetof(decltype(small), names);
  small.sections[2].sh_size = sizeof(small.names);
  small.symbols[1] = {1, 0, 0, 2, 0, 8};
  std::memcpy(small.names, "\0probe\0", 7);
  ASSERT_TRUE(ElfImage::parse(&small, sizeof(small)));
  EXPECT_NE(ElfImage::parse(&small, sizeof(small))->find("probe"), nullptr);
  std::vector<char> bytes(sizeof(small)); // on the heap, so that sanitizers see its ends
  for (size_t at = 0; at < bytes.size(); ++at)
    for (const int value : {0, 1, 0x7f, 0xff}) {
      std::memcpy(bytes.data(), &small, sizeof(small));
      bytes[at] = static_cast<char>(value);
      Result<ElfImage> image = ElfImage::parse(bytes.data(), bytes.size());
      char buffer[8];
      if (image)
        for (const ElfSymbol &symbol : image->symbols())
          image->read(symbol, buffer, sizeof(buffer));
    }
}

} // namespace
} // namespace omptarget
