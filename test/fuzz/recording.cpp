// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of omptarget-replay. Each input is also tried with the checksum that belongs to it, since a damaged one is
// refused before anything else is looked at.

#include <cstring>
#include <unistd.h>

#include "base/mapped_file.h"
#include "record/layout.h"
#include "record/recording.h"
#include "target.h"

namespace omptarget::fuzz {

namespace {

std::string seed() {
  static const std::byte bytes[40] = {};
  static const std::byte changed[3] = {std::byte{1}, std::byte{2}, std::byte{3}};
  record::Recording recording;
  recording.facts = {{"program", "a"}};
  recording.entries = {{0x1000, 0, 0, "kernel"}, {0x2000, 8, 0, "global"}};
  recording.launch.kernel = 0x1000;
  recording.arguments = {{record::ArgumentKind::kPointer, 0x7000, 0, 0, "a"},
                         {record::ArgumentKind::kValue, 3, 0, 0, ""}};
  recording.blocks = {{0x7000, 0x3000, sizeof bytes, record::BlockKind::kMapped, "a", bytes, {{5, changed}}},
                      {0x8000, 0x2000, 8, record::BlockKind::kGlobal, "global", std::span(bytes).first(8), {}}};
  recording.pointers = {{0, 8, 1, 0}};
  recording.image = std::span(bytes).first(20);
  recording.has_result = true;
  char path[] = "/tmp/omptarget-recording-XXXXXX";
  const int file = ::mkstemp(path);
  require(file >= 0, "there is a temporary file");
  ::close(file);
  require(record::write_recording(path, recording).is_ok(), "the seed can be written");
  MappedFile written;
  require(written.open(path).is_ok(), "the seed can be read");
  ::unlink(path);
  require(record::read_recording(written.contents()).is_ok(), "the seed is a recording");
  return std::string(written.contents());
}

void read(const std::string &text) {
  auto recording = record::read_recording(text);
  if (!recording.is_ok())
    return recording.take_status().consume();
  require(recording->kernel() != nullptr, "there is a kernel");
  const auto is_inside = [&](std::span<const std::byte> bytes) {
    const auto *const begin = reinterpret_cast<const char *>(bytes.data());
    return bytes.empty() || (begin >= text.data() && begin + bytes.size() <= text.data() + text.size());
  };
  for (const record::Block &block : recording->blocks) {
    require(block.before.size() == block.size && is_inside(block.before), "the bytes of a block lie in the file");
    for (const record::Change &change : block.changes)
      require(is_inside(change.bytes) && change.offset + change.bytes.size() <= block.size,
              "changes lie in their block");
  }
  for (const record::Pointer &pointer : recording->pointers)
    require(pointer.offset + 8 <= recording->blocks.at(pointer.block).size, "pointers lie in their block");
}

} // namespace

std::vector<std::string> seeds(int, char **) { return {seed()}; }

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  std::string text(reinterpret_cast<const char *>(data), size);
  fuzz::read(text);
  record::FileHeader header{};
  if (size < sizeof header)
    return 0;
  std::memcpy(&header, text.data(), sizeof header);
  header.file_bytes = size;
  header.checksum = 0;
  std::memcpy(text.data(), &header, sizeof header);
  record::Checksum checksum;
  checksum.add(text);
  header.checksum = checksum.value();
  std::memcpy(text.data(), &header, sizeof header);
  fuzz::read(text);
  return 0;
}
