// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/library_search.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "base/machine.h"
#include "tools/info/dynamic_file.h"

namespace omptarget::info_tool {
namespace {

namespace fs = std::filesystem;

/// A shared library or program, laid out so that the offsets in the file are the addresses.
struct Image {
  std::vector<std::string> needed;
  std::string soname, rpath, runpath, other_text;
  uint64_t flags = 0;

  std::string bytes() const {
    std::string strings(1, '\0');
    const auto add = [&](const std::string &text) {
      strings += text + '\0';
      return strings.size() - text.size() - 1;
    };
    std::vector<Elf64_Dyn> entries;
    const auto entry = [&](int64_t tag, uint64_t value) { entries.push_back({tag, {value}}); };
    for (const std::string &name : needed)
      entry(DT_NEEDED, add(name));
    for (const auto &[tag, text] : {std::pair(DT_SONAME, soname), {DT_RPATH, rpath}, {DT_RUNPATH, runpath}})
      if (!text.empty())
        entry(tag, add(text));
    add(other_text);
    entry(DT_FLAGS_1, flags);
    entry(DT_STRTAB, sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr));
    entry(DT_STRSZ, strings.size());
    entry(DT_NULL, 0);
    strings.resize((strings.size() + 7) / 8 * 8);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = kMachine.elf_machine;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    Elf64_Phdr segments[2]{};
    const uint64_t dynamic = sizeof header + sizeof segments + strings.size();
    segments[0].p_type = PT_LOAD;
    segments[0].p_filesz = segments[0].p_memsz = dynamic + entries.size() * sizeof(Elf64_Dyn);
    segments[1].p_type = PT_DYNAMIC;
    segments[1].p_offset = segments[1].p_vaddr = dynamic;
    segments[1].p_filesz = entries.size() * sizeof(Elf64_Dyn);
    const auto text = [](const void *data, size_t size) { return std::string(static_cast<const char *>(data), size); };
    return text(&header, sizeof header) + text(segments, sizeof segments) + strings +
           text(entries.data(), entries.size() * sizeof(Elf64_Dyn));
  }
};

class LibrarySearch : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = "/tmp/library-search-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
    setting.default_folders = {at("default")};
  }
  void TearDown() override { fs::remove_all(root); }

  std::string at(const std::string &path) const { return root + "/" + path; }
  void write(const std::string &path, const std::string &bytes) const {
    fs::create_directories(fs::path(at(path)).parent_path());
    std::ofstream(at(path), std::ios::binary) << bytes;
  }
  void write(const std::string &path, const Image &image) const { write(path, image.bytes()); }
  /// The only choice for the program.
  LibraryChoice choice(const std::string &program = "program") const {
    const auto found = choose_libraries(at(program), setting);
    EXPECT_EQ(found.choices.size(), 1u);
    return found.choices.empty() ? LibraryChoice() : found.choices[0];
  }

  const Image foreign{{}, "libomptarget.so.19.1", {}, {}, {}};
  const Image own{{}, "libomptarget.so", {}, {}, "__kmpc_target_translate_fptr"};
  std::string root;
  LoaderSetting setting;
};

TEST_F(LibrarySearch, programs_of_gcc_ask_for_libgomp) {
  const std::string name = "libgomp.so.1";
  write("default/" + name, Image{{}, name, {}, {}, {}});
  write("own/gomp/" + name, Image{{}, name, {}, {}, "__omptarget_run_region"});
  write("program", Image{{name}, {}, {}, {}, {}});
  EXPECT_TRUE(choice().is_libgomp);
  EXPECT_FALSE(choice().is_omptarget);
  EXPECT_EQ(advice_for(choice(), at("program"), folder_for(choice(), at("own"))),
            std::vector<std::string>{"set LD_LIBRARY_PATH=" + at("own/gomp")});
  setting.library_path = at("own/gomp");
  EXPECT_TRUE(choice().is_omptarget);
  EXPECT_EQ(choice().file, at("own/gomp/" + name));
}

TEST_F(LibrarySearch, folders_are_searched_in_the_loaders_order) {
  const std::string name = "libomptarget.so.19.1";
  for (const char *folder : {"rpath", "variable", "runpath", "default"})
    write(folder + ("/" + name), foreign);
  setting.library_path = at("variable");
  write("program", Image{{name}, {}, at("rpath"), {}, {}});
  EXPECT_EQ(choice().found_by, FoundBy::kRpath);
  EXPECT_EQ(choice().file, at("rpath/" + name));
  EXPECT_EQ(choice().holder, at("program"));
  write("program", Image{{name}, {}, at("rpath"), at("runpath"), {}}); // DT_RUNPATH takes DT_RPATH's place
  EXPECT_EQ(choice().found_by, FoundBy::kLibraryPath);
  setting.library_path = at("elsewhere");
  EXPECT_EQ(choice().found_by, FoundBy::kRunpath);
  write("program", Image{{name}, {}, {}, {}, {}});
  EXPECT_EQ(choice().found_by, FoundBy::kDefaultFolder);
  write("program", Image{{name}, {}, {}, {}, {}, DF_1_NODEFLIB});
  EXPECT_EQ(choice().found_by, FoundBy::kNothing);
}

TEST_F(LibrarySearch, rpath_passes_on_to_libraries_and_runpath_does_not) {
  write("ours/libomptarget.so.16", own);
  write("lib/libwork.so", Image{{"libomptarget.so.16"}, {}, {}, {}, {}});
  write("program", Image{{"libwork.so"}, {}, at("lib") + ":" + at("ours"), {}, {}});
  EXPECT_EQ(choice().found_by, FoundBy::kRpath);
  EXPECT_TRUE(choice().is_omptarget);
  EXPECT_EQ(choice().asked_by, at("lib/libwork.so"));
  write("program", Image{{"libwork.so"}, {}, {}, at("lib") + ":" + at("ours"), {}});
  EXPECT_EQ(choice().found_by, FoundBy::kNothing);
  write("lib/libwork.so", Image{{"libomptarget.so.16"}, {}, {}, "$ORIGIN/../ours", {}});
  EXPECT_EQ(choice().found_by, FoundBy::kRunpath);
  EXPECT_EQ(choice().holder, at("lib/libwork.so"));
}

TEST_F(LibrarySearch, names_stand_for_folders) {
  write("somewhere/lib64/v9/libomptarget.so.16", own);
  setting.lib_folder = "lib64";
  setting.platform = "v9";
  write("program", Image{{"libomptarget.so.16"}, {}, {}, "$ORIGINAL:${ORIGIN}/somewhere/$LIB/$PLATFORM/", {}});
  EXPECT_EQ(choice().file, at("somewhere/lib64/v9/libomptarget.so.16"));
  write("program", Image{{"$ORIGIN/somewhere/$LIB/v9/libomptarget.so.16"}, {}, {}, {}, {}});
  EXPECT_EQ(choice().found_by, FoundBy::kPath);
  EXPECT_TRUE(choice().is_omptarget);
}

TEST_F(LibrarySearch, what_is_loaded_is_taken_by_its_soname) {
  write("preloaded/libother.so", Image{{}, "libomptarget.so.19.1", {}, {}, {}});
  write("ours/libomptarget.so.19.1", own);
  write("program", Image{{"libomptarget.so.19.1"}, {}, {}, at("ours"), {}});
  setting.preloaded = {at("preloaded/libother.so")};
  EXPECT_EQ(choice().found_by, FoundBy::kLoaded);
  EXPECT_EQ(choice().file, at("preloaded/libother.so"));
  EXPECT_FALSE(choice().is_omptarget);
}

TEST_F(LibrarySearch, two_names_may_get_two_libraries) {
  write("ours/libomptarget.so.16", own);
  write("llvm/libomptarget.so.19.1", foreign);
  write("lib/libwork.so", Image{{"libomptarget.so.16"}, {}, {}, at("ours"), {}});
  write("program", Image{{"libwork.so", "libomptarget.so.19.1"}, {}, {}, at("lib") + ":" + at("llvm"), {}});
  const auto found = choose_libraries(at("program"), setting).choices;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "libomptarget.so.19.1");
  EXPECT_FALSE(found[0].is_omptarget);
  EXPECT_TRUE(found[1].is_omptarget);
}

TEST_F(LibrarySearch, other_machines_are_passed_over_and_damage_stops) {
  std::string other = own.bytes();
  other[EI_CLASS] = ELFCLASS32;
  write("first/libomptarget.so.16", other);
  write("second/libomptarget.so.16", own);
  setting.library_path = at("first") + ";" + at("second");
  write("program", Image{{"libomptarget.so.16"}, {}, {}, {}, {}});
  EXPECT_EQ(choice().file, at("second/libomptarget.so.16"));
  write("first/libomptarget.so.16", std::string("none"));
  EXPECT_EQ(choice().file, at("first/libomptarget.so.16"));
  EXPECT_EQ(choice().defect, "it is no ELF file");
}

TEST_F(LibrarySearch, privileged_programs_ignore_the_variable) {
  write("ours/libomptarget.so.16", own);
  write("default/libomptarget.so.16", foreign);
  write("program", Image{{"libomptarget.so.16"}, {}, {}, {}, {}});
  setting.library_path = at("ours");
  EXPECT_EQ(choice().found_by, FoundBy::kLibraryPath);
  fs::permissions(at("program"), fs::perms::set_uid, fs::perm_options::add);
  EXPECT_EQ(choice().found_by, FoundBy::kDefaultFolder);
  EXPECT_NE(advice_for(choice(), at("program"), "/opt")[0].find("set-user-ID"), std::string::npos);
}

TEST_F(LibrarySearch, files_cut_off_or_changed_anywhere_are_read_or_refused) {
  const std::string whole = Image{{"libomptarget.so.16"}, "soname", "/rpath", "/runpath", "text"}.bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    write("program", whole.substr(0, size));
    EXPECT_TRUE(choose_libraries(at("program"), setting).choices.empty()) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[i] = value;
      write("program", changed);
      (void)choose_libraries(at("program"), setting);
    }
}

TEST_F(LibrarySearch, libraries_that_need_each_other_come_to_an_end) {
  write("default/liba.so", Image{{"libb.so"}, {}, {}, {}, {}});
  write("default/libb.so", Image{{"liba.so", "libomptarget.so"}, {}, {}, {}, {}});
  write("program", Image{{"liba.so"}, {}, {}, {}, {}});
  EXPECT_EQ(choice().found_by, FoundBy::kNothing);
}

TEST(LoaderCache, has_the_libc_of_this_process) {
  if (getenv("QEMU_LD_PREFIX") != nullptr)
    GTEST_SKIP() << "under an emulator the system's cache and ldconfig are for another machine";
  Dl_info facts{};
  ASSERT_NE(dladdr(reinterpret_cast<void *>(&std::malloc), &facts), 0);
  Dl_info libc{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc), 0);
  const std::string found = LoaderCache::read("/etc/ld.so.cache").find("libc.so.6");
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(fs::equivalent(found, libc.dli_fname)) << found << " " << libc.dli_fname;
}

TEST_F(LibrarySearch, a_cache_that_ldconfig_writes_is_read_and_a_damaged_one_too) {
  if (getenv("QEMU_LD_PREFIX") != nullptr)
    GTEST_SKIP() << "under an emulator the system's cache and ldconfig are for another machine";
  Dl_info libc{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc), 0);
  fs::create_directories(at("cached"));
  fs::copy_file(libc.dli_fname, at("cached/libc.so.6"));
  std::ofstream(at("folders")) << at("cached") << '\n';
  ASSERT_EQ(std::system(("/sbin/ldconfig -X -C " + at("cache") + " -f " + at("folders")).c_str()), 0);
  EXPECT_EQ(LoaderCache::read(at("cache")).find("libc.so.6"), at("cached/libc.so.6"));
  EXPECT_EQ(LoaderCache::read(at("cache")).find("libc.so"), "");
  std::ifstream stream(at("cache"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  for (size_t size = 0; size < whole.size(); size += 97) {
    write("cut", whole.substr(0, size));
    (void)LoaderCache::read(at("cut")).find("libc.so.6");
  }
}

} // namespace
} // namespace omptarget::info_tool
