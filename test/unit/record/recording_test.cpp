// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/recording.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "record/layout.h"

namespace omptarget::record {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string contents_of(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::byte> bytes_from(uint8_t first, size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

/// Two blocks, of which one has changes, an odd size and a pointer to the other one; an image of an odd size.
struct Sample {
  std::vector<std::byte> image = bytes_from(100, 21), mapped = bytes_from(0, 43), global = bytes_from(50, 8),
                         changed = bytes_from(200, 3), more = bytes_from(220, 9);
  Recording recording;

  Sample() {
    recording.facts = {{"program", "a.out"}, {"empty", ""}};
    recording.requires_mask = 0x12345678900;
    recording.entries = {{0x1000, 0, 0, "kernel"}, {0x2000, 8, 1, "global"}};
    recording.launch = {0x1000, 3, {1, 2, 3}, {4, 5, 6}, 1ULL << 40, 7, 64};
    recording.arguments = {{ArgumentKind::kPointer, 0x7008, 0, -8, ";a;a.c;1;2;;"},
                           {ArgumentKind::kValue, ~uint64_t{0}, 0, 0, ""},
                           {ArgumentKind::kFunction, 0x4000, 0, 0, "f"}};
    recording.blocks = {{0x7000, 0x3000, mapped.size(), BlockKind::kMapped, "a", mapped, {{5, changed}, {30, more}}},
                        {0x8000, 0x2000, global.size(), BlockKind::kGlobal, "global", global, {}}};
    recording.pointers = {{0, 8, 1, -16}};
    recording.unknown_pointers = 2;
    recording.image = image;
    recording.has_result = true;
  }
};

class RecordingFile : public testing::Test {
protected:
  RecordingFile() {
    char name[] = "/tmp/omptarget-record-XXXXXX";
    folder_ = ::mkdtemp(name);
    path_ = folder_ + "/r";
  }
  ~RecordingFile() override {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string written(const Recording &recording) {
    const Status status = write_recording(path_, recording);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
    return contents_of(path_);
  }

  std::string folder_, path_;
};

/// Returns what reading the bytes fails with; empty if it does not.
std::string refusal(const std::string &bytes) {
  auto result = read_recording(bytes);
  if (result.is_ok())
    return "";
  Status status = result.take_status();
  std::string text = status.to_string();
  status.consume();
  return text;
}

FileHeader header_of(const std::string &bytes) {
  FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

/// With the header, its size of the file and its checksum.
std::string sealed(std::string bytes, FileHeader header) {
  header.file_bytes = bytes.size();
  header.checksum = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  Checksum checksum;
  checksum.add(bytes);
  header.checksum = checksum.value();
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST(RecordChecksum, is_fnv_1a_over_words_however_the_bytes_come) {
  const std::string bytes = "0123456789abcdefghijklmn"; // three words
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
  }
  for (size_t first = 0; first <= bytes.size(); ++first)
    for (size_t second = first; second <= bytes.size(); ++second) {
      Checksum checksum;
      checksum.add(std::string_view(bytes).substr(0, first));
      checksum.add(std::string_view(bytes).substr(first, second - first));
      checksum.add(std::string_view(bytes).substr(second));
      ASSERT_EQ(checksum.value(), hash) << first << " " << second;
    }
}

TEST_F(RecordingFile, is_read_as_it_was_written) {
  const Sample sample;
  const std::string bytes = written(sample.recording);
  auto read = read_recording(bytes);
  ASSERT_TRUE(read.is_ok()) << read.take_status().to_string();
  const Recording &wanted = sample.recording;
  ASSERT_EQ(read->facts.size(), 2u);
  EXPECT_EQ(read->fact("program"), "a.out");
  EXPECT_EQ(read->facts[1].name, "empty");
  EXPECT_EQ(read->fact("absent"), "");
  EXPECT_EQ(read->requires_mask, wanted.requires_mask);
  ASSERT_EQ(read->entries.size(), 2u);
  EXPECT_EQ(read->entries[1].address, 0x2000u);
  EXPECT_EQ(read->entries[1].size, 8u);
  EXPECT_EQ(read->entries[1].flags, 1u);
  EXPECT_EQ(read->entries[1].name, "global");
  EXPECT_EQ(read->kernel(), read->entries.data());
  EXPECT_EQ(read->launch.kernel, wanted.launch.kernel);
  EXPECT_EQ(read->launch.block_version, wanted.launch.block_version);
  EXPECT_TRUE(std::ranges::equal(read->launch.teams, wanted.launch.teams));
  EXPECT_TRUE(std::ranges::equal(read->launch.threads, wanted.launch.threads));
  EXPECT_EQ(read->launch.trip_count, wanted.launch.trip_count);
  EXPECT_EQ(read->launch.flags, wanted.launch.flags);
  EXPECT_EQ(read->launch.group_memory, wanted.launch.group_memory);
  ASSERT_EQ(read->arguments.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read->arguments[i].kind, wanted.arguments[i].kind);
    EXPECT_EQ(read->arguments[i].value, wanted.arguments[i].value);
    EXPECT_EQ(read->arguments[i].offset, wanted.arguments[i].offset);
    EXPECT_EQ(read->arguments[i].name, wanted.arguments[i].name);
  }
  ASSERT_EQ(read->blocks.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->blocks[i].device, wanted.blocks[i].device);
    EXPECT_EQ(read->blocks[i].host, wanted.blocks[i].host);
    EXPECT_EQ(read->blocks[i].kind, wanted.blocks[i].kind);
    EXPECT_EQ(read->blocks[i].name, wanted.blocks[i].name);
    EXPECT_TRUE(std::ranges::equal(read->blocks[i].before, wanted.blocks[i].before));
    ASSERT_EQ(read->blocks[i].changes.size(), wanted.blocks[i].changes.size());
    for (size_t k = 0; k < wanted.blocks[i].changes.size(); ++k) {
      EXPECT_EQ(read->blocks[i].changes[k].offset, wanted.blocks[i].changes[k].offset);
      EXPECT_TRUE(std::ranges::equal(read->blocks[i].changes[k].bytes, wanted.blocks[i].changes[k].bytes));
    }
  }
  ASSERT_EQ(read->pointers.size(), 1u);
  EXPECT_EQ(read->pointers[0].offset, 8u);
  EXPECT_EQ(read->pointers[0].target, 1u);
  EXPECT_EQ(read->pointers[0].target_offset, -16);
  EXPECT_EQ(read->unknown_pointers, 2u);
  EXPECT_TRUE(std::ranges::equal(read->image, wanted.image));
  EXPECT_TRUE(read->has_result);
}

TEST_F(RecordingFile, has_no_results_before_the_launch_has_ended) {
  Sample sample;
  sample.recording.has_result = false;
  sample.recording.blocks[0].changes.clear();
  const std::string bytes = written(sample.recording);
  auto read = read_recording(bytes);
  ASSERT_TRUE(read.is_ok());
  EXPECT_FALSE(read->has_result);
  EXPECT_TRUE(read->blocks[0].changes.empty());
}

TEST_F(RecordingFile, begins_with_the_header_that_the_page_describes) {
  const std::string bytes = written(Sample().recording);
  const auto number = [&](size_t at, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    return value;
  };
  EXPECT_EQ(bytes.substr(0, 8), "OMPTREC\n");
  EXPECT_EQ(number(8, 4), 1u);
  EXPECT_EQ(number(12, 4), 1u);
  EXPECT_EQ(number(16, 8), bytes.size());
  EXPECT_EQ(72 + number(32, 8) + number(40, 8) + number(48, 8) + number(56, 8), bytes.size());
  EXPECT_EQ(number(40, 8), 24u); // the image's 21 bytes
  EXPECT_EQ(number(48, 8), 48u + 8u);
  EXPECT_EQ(number(56, 8), 8u + 32u + 8u + 16u + 8u); // numbers, places, and the padded bytes of two changes; a number
  EXPECT_EQ(number(64, 4), 3u);
  EXPECT_EQ(number(68, 4), 0u);
}

TEST_F(RecordingFile, cut_off_anywhere_is_refused_as_that) {
  const std::string bytes = written(Sample().recording);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string text = refusal(bytes.substr(0, size));
    if (size < sizeof kMagic)
      ASSERT_EQ(text, "it is no recording of a kernel (LIBOMPTARGET_RECORD)") << size;
    else if (size < sizeof(FileHeader))
      ASSERT_EQ(text, "it is cut off: it has " + std::to_string(size) + " bytes, and its header alone has 72");
    else
      ASSERT_EQ(text,
                "it is cut off: it has " + std::to_string(size) + " of " + std::to_string(bytes.size()) + " bytes");
  }
  EXPECT_THAT(refusal(bytes + "x"), HasSubstr("and its header says"));
}

TEST_F(RecordingFile, with_any_bit_changed_is_refused) {
  const std::string bytes = written(Sample().recording);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (const int bit : {0, 7}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      const std::string text = refusal(changed);
      ASSERT_NE(text, "") << i;
      if (i >= sizeof(FileHeader)) {
        ASSERT_THAT(text, StartsWith("it is damaged: its checksum is ")) << i;
      }
    }
}

// Each part is cut by 8 bytes, or has 8 more. The description has 7 of padding, too. The file comes
// with a header and a checksum that agree.
TEST_F(RecordingFile, with_a_part_of_another_size_is_refused_by_that_part) {
  const std::string bytes = written(Sample().recording);
  const FileHeader header = header_of(bytes);
  const struct {
    uint64_t FileHeader::*size;
    const char *shorter, *longer;
  } parts[] = {
      {&FileHeader::description_bytes, "its description ends within the pointers",
       "its description has 15 bytes behind the pointers"},
      {&FileHeader::contents_bytes, "its contents end within block 1 of 2",
       "its contents have 8 bytes behind the last block"},
      {&FileHeader::changes_bytes, "its changes end within block 1 of 2",
       "its changes have 8 bytes behind the last block"},
  };
  for (const auto &part : parts) {
    uint64_t end = sizeof header + header.description_bytes;
    if (part.size != &FileHeader::description_bytes)
      end += header.image_bytes + header.contents_bytes;
    if (part.size == &FileHeader::changes_bytes)
      end += header.changes_bytes;
    FileHeader other = header;
    other.*part.size -= 8;
    EXPECT_THAT(refusal(sealed(std::string(bytes).erase(end - 8, 8), other)), HasSubstr(part.shorter));
    other.*part.size += 16;
    EXPECT_THAT(refusal(sealed(std::string(bytes).insert(end, 8, '\0'), other)), HasSubstr(part.longer));
    other.*part.size += 8; // not in the file
    EXPECT_THAT(refusal(sealed(std::string(bytes).insert(end, 8, '\0'), other)), HasSubstr("do not fill the file"));
    other.*part.size -= 9;
    EXPECT_THAT(refusal(sealed(std::string(bytes).insert(end, 7, '\0'), other)), HasSubstr("do not fill the file"));
  }
  FileHeader other = header;
  other.image_padding = 25;
  EXPECT_THAT(refusal(sealed(bytes, other)), HasSubstr("its image has less bytes than it is padded with"));
  other.image_padding = 24;
  EXPECT_THAT(refusal(sealed(bytes, other)), HasSubstr("its image is empty"));
}

// The description loses more and more of its end: what is missing first is named.
TEST_F(RecordingFile, with_a_description_that_ends_early_is_refused_by_the_list_that_it_ends_in) {
  const std::string bytes = written(Sample().recording);
  const FileHeader header = header_of(bytes);
  const std::vector<std::string> order{"the pointers", "the blocks of memory", "the arguments", "the entries"};
  size_t at = 0;
  for (uint64_t left = header.description_bytes; left > 0;) {
    left -= 8;
    FileHeader other = header;
    other.description_bytes = left;
    const std::string text =
        refusal(sealed(std::string(bytes).erase(sizeof header + left, header.description_bytes - left), other));
    while (at < order.size() && text != "it is damaged: its description ends within " + order[at])
      ++at;
    ASSERT_LT(at, order.size()) << left << ": " << text;
  }
  EXPECT_EQ(at, order.size() - 1);
}

// Written whole and with the right checksum, but with something that makes no sense.
TEST_F(RecordingFile, that_makes_no_sense_is_refused_by_what_is_wrong) {
  const struct {
    std::function<void(Recording &)> change;
    const char *text;
  } cases[] = {
      {[](Recording &r) { r.launch.kernel = 0x1001; }, "no entry is that of the kernel"},
      {[](Recording &r) { r.entries[0].size = 1; }, "no entry is that of the kernel"},
      {[](Recording &r) { r.entries.clear(); }, "no entry is that of the kernel"},
      {[](Recording &r) { r.entries[1].address = 0; }, "an entry has no address or no name"},
      {[](Recording &r) { r.entries[1].name = std::string("a\0b", 3); }, "an entry has no address or no name"},
      {[](Recording &r) { r.entries[0].name.clear(); }, "an entry has no address or no name"},
      {[](Recording &r) { r.image = {}; }, "its image is empty"},
      {[](Recording &r) { r.arguments[1].kind = static_cast<ArgumentKind>(3); }, "argument 1 is of the unknown kind 3"},
      {[](Recording &r) { r.arguments[0].block = 2; }, "argument 0 points into block 2 of 2"},
      {[](Recording &r) { r.blocks[1].kind = static_cast<BlockKind>(4); }, "block 1 is of the unknown kind 4"},
      {[](Recording &r) { r.blocks[0].device = 0; }, "block 0 has no address or no size"},
      {[](Recording &r) { r.blocks[0].device = ~uint64_t{0} - 5; }, "block 0 has no address or no size"},
      {[](Recording &r) { r.blocks[1].size = 0, r.blocks[1].before = {}; }, "block 1 has no address or no size"},
      {[](Recording &r) { r.blocks[0].size = 1ULL << 60; }, "its contents end within block 0 of 2"},
      {[](Recording &r) { r.blocks[0].size = 16; }, "its contents have 32 bytes behind the last block"},
      {[](Recording &r) { r.blocks[0].changes[1].offset = 7; }, "change 1 of block 0 lies outside of the block"},
      {[](Recording &r) { r.blocks[0].changes[1].offset = 35; }, "change 1 of block 0 lies outside of the block"},
      {[](Recording &r) { r.blocks[0].changes[0].offset = ~uint64_t{0}; }, "change 0 of block 0 lies outside"},
      {[](Recording &r) { r.pointers[0].block = 2; }, "pointer 0 is in or points to a block that is not there"},
      {[](Recording &r) { r.pointers[0].target = 77; }, "pointer 0 is in or points to a block that is not there"},
      {[](Recording &r) { r.pointers[0].offset = 36; }, "pointer 0 lies outside of block 0"},
      {[](Recording &r) { r.pointers[0].offset = ~uint64_t{0}; }, "pointer 0 lies outside of block 0"},
  };
  for (const auto &one : cases) {
    Sample sample;
    one.change(sample.recording);
    EXPECT_THAT(refusal(written(sample.recording)), HasSubstr(one.text));
  }
}

TEST_F(RecordingFile, of_another_version_or_kind_is_refused) {
  const std::string bytes = written(Sample().recording);
  FileHeader other = header_of(bytes);
  other.version = 2;
  EXPECT_EQ(refusal(sealed(bytes, other)), "it has format 2; this omptarget reads format 1");
  EXPECT_EQ(refusal(""), "it is no recording of a kernel (LIBOMPTARGET_RECORD)");
  EXPECT_EQ(refusal(std::string(1000, 'x')), "it is no recording of a kernel (LIBOMPTARGET_RECORD)");
}

TEST_F(RecordingFile, that_cannot_be_written_leaves_nothing_behind) {
  const Status status = write_recording(folder_ + "/absent/r", Sample().recording);
  ASSERT_FALSE(status.is_ok());
  EXPECT_THAT(status.to_string(), HasSubstr(folder_ + "/absent/r"));
  struct stat facts;
  EXPECT_NE(::stat((folder_ + "/absent").c_str(), &facts), 0);
}

TEST_F(RecordingFile, takes_the_place_of_an_older_one_whole) {
  Sample sample;
  const std::string first = written(sample.recording);
  sample.recording.facts[0].value = "another program with a longer name";
  const std::string second = written(sample.recording);
  EXPECT_NE(first.size(), second.size());
  auto read = read_recording(second);
  ASSERT_TRUE(read.is_ok());
  EXPECT_EQ(read->fact("program"), sample.recording.facts[0].value);
}

TEST(RecordKinds, have_names) {
  EXPECT_STREQ(kind_name(BlockKind::kMapped), "mapped");
  EXPECT_STREQ(kind_name(BlockKind::kGlobal), "global");
  EXPECT_STREQ(kind_name(BlockKind::kPrivate), "private");
  EXPECT_STREQ(kind_name(BlockKind::kAllocated), "allocated");
}

} // namespace
} // namespace omptarget::record
