// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/recording.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstring>
#include <type_traits>

#include "base/result_file.h"
#include "record/layout.h"

namespace omptarget::record {

static_assert(std::endian::native == std::endian::little, "files have the order of bytes that all our machines have");

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

constexpr uint64_t kUnit = 8; ///< bytes: each part of a file is a multiple of it
uint64_t padding_of(uint64_t size) { return (kUnit - size % kUnit) % kUnit; }
constexpr char kZeros[kUnit] = {};

/// The description of a recording, or its changes, as they are written.
class Writer {
public:
  template <typename Number> void add(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    text_.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  void add(const std::string &text) {
    add(static_cast<uint32_t>(text.size()));
    text_ += text;
  }
  void pad() { text_.append(kZeros, padding_of(text_.size())); }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

std::string describe(const Recording &recording) {
  Writer writer;
  writer.add(static_cast<uint32_t>(recording.facts.size()));
  for (const Fact &fact : recording.facts) {
    writer.add(fact.name);
    writer.add(fact.value);
  }
  writer.add(recording.requires_mask);
  writer.add(static_cast<uint32_t>(recording.entries.size()));
  for (const Entry &entry : recording.entries) {
    writer.add(entry.address);
    writer.add(entry.size);
    writer.add(entry.flags);
    writer.add(entry.name);
  }
  const Launch &launch = recording.launch;
  writer.add(launch.kernel);
  writer.add(launch.block_version);
  for (const uint32_t count : launch.teams)
    writer.add(count);
  for (const uint32_t count : launch.threads)
    writer.add(count);
  writer.add(launch.trip_count);
  writer.add(launch.flags);
  writer.add(launch.group_memory);
  writer.add(static_cast<uint32_t>(recording.arguments.size()));
  for (const Argument &argument : recording.arguments) {
    writer.add(static_cast<uint32_t>(argument.kind));
    writer.add(argument.value);
    writer.add(argument.block);
    writer.add(argument.offset);
    writer.add(argument.name);
  }
  writer.add(static_cast<uint32_t>(recording.blocks.size()));
  for (const Block &block : recording.blocks) {
    writer.add(block.device);
    writer.add(block.host);
    writer.add(block.size);
    writer.add(static_cast<uint32_t>(block.kind));
    writer.add(block.name);
  }
  writer.add(static_cast<uint32_t>(recording.pointers.size()));
  for (const Pointer &pointer : recording.pointers) {
    writer.add(pointer.block);
    writer.add(pointer.offset);
    writer.add(pointer.target);
    writer.add(pointer.target_offset);
  }
  writer.add(recording.unknown_pointers);
  writer.pad();
  return writer.take();
}

/// Parts of a file, one after the other, each padded.
class Parts {
public:
  void add(std::string_view part) {
    size_ += part.size() + padding_of(part.size());
    parts_.push_back(part);
    if (const uint64_t padding = padding_of(part.size()))
      parts_.emplace_back(kZeros, padding);
  }
  uint64_t size() const { return size_; }
  const std::vector<std::string_view> &all() const { return parts_; }

private:
  std::vector<std::string_view> parts_;
  uint64_t size_ = 0;
};

/// The bytes of blocks: what they were, or what has changed of them. heads: keeps the numbers between the bytes.
uint64_t add_contents(const Recording &recording, Parts &parts) {
  const uint64_t begin = parts.size();
  for (const Block &block : recording.blocks)
    parts.add(text_of(block.before));
  return parts.size() - begin;
}
uint64_t add_changes(const Recording &recording, std::vector<std::string> &heads, Parts &parts) {
  const uint64_t begin = parts.size();
  for (const Block &block : recording.blocks) {
    Writer writer;
    writer.add(static_cast<uint64_t>(block.changes.size()));
    for (const Change &change : block.changes) {
      writer.add(change.offset);
      writer.add(static_cast<uint64_t>(change.bytes.size()));
    }
    heads.push_back(writer.take());
  }
  for (size_t i = 0; i < recording.blocks.size(); ++i) {
    parts.add(heads[i]);
    for (const Change &change : recording.blocks[i].changes)
      parts.add(text_of(change.bytes));
  }
  return parts.size() - begin;
}

/// Reads numbers and texts as far as there are any. Once something is missing, all that follows is 0.
class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}

  template <typename Number> Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  std::string text() { return std::string(take(u32())); }
  /// Nothing, and has_failed(), if there are less.
  std::string_view take(uint64_t size) {
    if (size > rest_.size()) {
      has_failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::string_view take_padded(uint64_t size) {
    const std::string_view bytes = take(size);
    take(padding_of(size));
    return bytes;
  }
  /// The number of records of at least that size which follow; 0, and has_failed(), if there cannot be so many.
  size_t count(uint64_t number, size_t least_size) {
    if (number <= rest_.size() / least_size)
      return number;
    has_failed_ = true;
    return 0;
  }
  bool has_failed() const { return has_failed_; }
  size_t left() const { return rest_.size(); }

private:
  std::string_view rest_;
  bool has_failed_ = false;
};

Status damaged(const std::string &text) { return Status::error("it is damaged: " + text); }

class RecordingReader {
public:
  explicit RecordingReader(std::string_view contents) : contents_(contents) {}

  Result<Recording> read() {
    OMPTARGET_TRY(read_header());
    Reader description(part(header_.description_bytes));
    const std::string_view image = part(header_.image_bytes);
    Reader contents(part(header_.contents_bytes));
    Reader changes(part(header_.changes_bytes));
    OMPTARGET_TRY(read_program(description));
    OMPTARGET_TRY(read_arguments(description));
    OMPTARGET_TRY(read_blocks(description));
    OMPTARGET_TRY(read_pointers(description));
    if (image.size() < header_.image_padding)
      return damaged("its image has less bytes than it is padded with");
    result_.image = std::as_bytes(std::span(image.substr(0, image.size() - header_.image_padding)));
    result_.has_result = header_.has_result != 0;
    OMPTARGET_TRY(read_contents(contents));
    OMPTARGET_TRY(read_changes(changes));
    OMPTARGET_TRY(check());
    return std::move(result_);
  }

private:
  Status read_header() {
    if (!contents_.starts_with(std::string_view(kMagic, sizeof kMagic)))
      return Status::error("it is no recording of a kernel (LIBOMPTARGET_RECORD)");
    if (contents_.size() < sizeof header_)
      return Status::error(
          format("it is cut off: it has %zu bytes, and its header alone has %zu", contents_.size(), sizeof header_));
    std::memcpy(&header_, contents_.data(), sizeof header_);
    if (header_.version != kVersion)
      return Status::error(format("it has format %u; this omptarget reads format %u", header_.version, kVersion));
    if (header_.file_bytes > contents_.size())
      return Status::error(
          format("it is cut off: it has %zu of %" PRIu64 " bytes", contents_.size(), header_.file_bytes));
    if (header_.file_bytes < contents_.size())
      return Status::error(
          format("it has %zu bytes, and its header says %" PRIu64, contents_.size(), header_.file_bytes));
    OMPTARGET_TRY(check_parts());
    FileHeader cleared = header_;
    cleared.checksum = 0;
    Checksum checksum;
    checksum.add({reinterpret_cast<const char *>(&cleared), sizeof cleared});
    checksum.add(contents_.substr(sizeof header_));
    if (checksum.value() != header_.checksum)
      return damaged(format("its checksum is %016" PRIx64 ", and its header says %016" PRIx64, checksum.value(),
                            header_.checksum));
    at_ = sizeof header_;
    return Status::ok();
  }

  Status check_parts() const {
    const uint64_t sizes[] = {header_.description_bytes, header_.image_bytes, header_.contents_bytes,
                              header_.changes_bytes};
    uint64_t rest = header_.file_bytes - std::min<uint64_t>(header_.file_bytes, sizeof header_);
    bool is_right = true;
    for (const uint64_t size : sizes) {
      is_right = is_right && size <= rest && size % kUnit == 0;
      rest -= std::min(size, rest);
    }
    if (is_right && rest == 0)
      return Status::ok();
    return damaged(format("its description, image, contents and changes have %" PRIu64 ", %" PRIu64 ", %" PRIu64
                          " and %" PRIu64 " bytes by its header, which are no multiples of %zu or do not fill the file",
                          sizes[0], sizes[1], sizes[2], sizes[3], size_t{kUnit}));
  }

  /// The next part; the header has been checked.
  std::string_view part(uint64_t size) {
    const std::string_view bytes = contents_.substr(at_, size);
    at_ += size;
    return bytes;
  }

  Status read_program(Reader &from) {
    result_.facts.resize(from.count(from.u32(), 2 * sizeof(uint32_t)));
    for (Fact &fact : result_.facts) {
      fact.name = from.text();
      fact.value = from.text();
    }
    result_.requires_mask = from.u64();
    result_.entries.resize(from.count(from.u32(), 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t)));
    for (Entry &entry : result_.entries) {
      entry.address = from.u64();
      entry.size = from.u64();
      entry.flags = from.u32();
      entry.name = from.text();
    }
    Launch &launch = result_.launch;
    launch.kernel = from.u64();
    launch.block_version = from.u32();
    for (uint32_t &count : launch.teams)
      count = from.u32();
    for (uint32_t &count : launch.threads)
      count = from.u32();
    launch.trip_count = from.u64();
    launch.flags = from.u64();
    launch.group_memory = from.u32();
    return from.has_failed() ? damaged("its description ends within the entries") : Status::ok();
  }

  Status read_arguments(Reader &from) {
    result_.arguments.resize(from.count(from.u32(), 3 * sizeof(uint32_t) + 2 * sizeof(uint64_t)));
    for (Argument &argument : result_.arguments) {
      argument.kind = static_cast<ArgumentKind>(from.u32());
      argument.value = from.u64();
      argument.block = from.u32();
      argument.offset = from.number<int64_t>();
      argument.name = from.text();
    }
    return from.has_failed() ? damaged("its description ends within the arguments") : Status::ok();
  }

  Status read_blocks(Reader &from) {
    result_.blocks.resize(from.count(from.u32(), 3 * sizeof(uint64_t) + 2 * sizeof(uint32_t)));
    for (Block &block : result_.blocks) {
      block.device = from.u64();
      block.host = from.u64();
      block.size = from.u64();
      block.kind = static_cast<BlockKind>(from.u32());
      block.name = from.text();
    }
    return from.has_failed() ? damaged("its description ends within the blocks of memory") : Status::ok();
  }

  Status read_pointers(Reader &from) {
    result_.pointers.resize(from.count(from.u32(), 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t)));
    for (Pointer &pointer : result_.pointers) {
      pointer.block = from.u32();
      pointer.offset = from.u64();
      pointer.target = from.u32();
      pointer.target_offset = from.number<int64_t>();
    }
    result_.unknown_pointers = from.u64();
    if (from.has_failed())
      return damaged("its description ends within the pointers");
    return from.left() < kUnit ? Status::ok()
                               : damaged(format("its description has %zu bytes behind the pointers", from.left()));
  }

  Status read_contents(Reader &from) {
    for (size_t i = 0; i < result_.blocks.size(); ++i) {
      Block &block = result_.blocks[i];
      block.before = std::as_bytes(std::span(from.take_padded(block.size)));
      if (from.has_failed())
        return damaged(format("its contents end within block %zu of %zu", i, result_.blocks.size()));
    }
    return from.left() == 0 ? Status::ok()
                            : damaged(format("its contents have %zu bytes behind the last block", from.left()));
  }

  Status read_changes(Reader &from) {
    for (size_t i = 0; i < result_.blocks.size(); ++i) {
      Block &block = result_.blocks[i];
      uint64_t end = 0;
      block.changes.resize(from.count(from.u64(), 2 * sizeof(uint64_t)));
      std::vector<uint64_t> sizes(block.changes.size());
      for (size_t k = 0; k < sizes.size(); ++k) {
        Change &change = block.changes[k];
        change.offset = from.u64();
        sizes[k] = from.u64();
        if (change.offset < end || change.offset > block.size || sizes[k] > block.size - change.offset)
          return damaged(format("change %zu of block %zu lies outside of the block", k, i));
        end = change.offset + sizes[k];
      }
      for (size_t k = 0; k < sizes.size(); ++k)
        block.changes[k].bytes = std::as_bytes(std::span(from.take_padded(sizes[k])));
      if (from.has_failed())
        return damaged(format("its changes end within block %zu of %zu", i, result_.blocks.size()));
    }
    return from.left() == 0 ? Status::ok()
                            : damaged(format("its changes have %zu bytes behind the last block", from.left()));
  }

  Status check() const {
    if (!result_.kernel())
      return damaged("no entry is that of the kernel");
    for (const Entry &entry : result_.entries)
      if (entry.address == 0 || entry.name.empty() || entry.name.find('\0') != std::string::npos)
        return damaged("an entry has no address or no name");
    if (result_.image.empty())
      return damaged("its image is empty");
    for (size_t i = 0; i < result_.arguments.size(); ++i)
      OMPTARGET_TRY(check_argument(i));
    return check_memory();
  }

  Status check_argument(size_t i) const {
    const Argument &argument = result_.arguments[i];
    if (argument.kind > ArgumentKind::kFunction)
      return damaged(format("argument %zu is of the unknown kind %u", i, static_cast<unsigned>(argument.kind)));
    if (argument.kind == ArgumentKind::kPointer && argument.block >= result_.blocks.size())
      return damaged(format("argument %zu points into block %u of %zu", i, argument.block, result_.blocks.size()));
    return Status::ok();
  }

  Status check_memory() const {
    for (size_t i = 0; i < result_.blocks.size(); ++i) {
      const Block &block = result_.blocks[i];
      if (block.kind > BlockKind::kAllocated)
        return damaged(format("block %zu is of the unknown kind %u", i, static_cast<unsigned>(block.kind)));
      if (block.size == 0 || block.device == 0 || block.device + block.size < block.device)
        return damaged(format("block %zu has no address or no size", i));
    }
    for (size_t i = 0; i < result_.pointers.size(); ++i) {
      const Pointer &pointer = result_.pointers[i];
      if (pointer.block >= result_.blocks.size() || pointer.target >= result_.blocks.size())
        return damaged(format("pointer %zu is in or points to a block that is not there", i));
      const uint64_t size = result_.blocks[pointer.block].size;
      if (size < sizeof(uint64_t) || pointer.offset > size - sizeof(uint64_t))
        return damaged(format("pointer %zu lies outside of block %u", i, pointer.block));
    }
    return Status::ok();
  }

  const std::string_view contents_;
  FileHeader header_{};
  size_t at_ = 0;
  Recording result_;
};

} // namespace

const char *kind_name(BlockKind kind) {
  switch (kind) {
  case BlockKind::kMapped: return "mapped";
  case BlockKind::kGlobal: return "global";
  case BlockKind::kPrivate: return "private";
  case BlockKind::kAllocated: return "allocated";
  }
  return "?";
}

const Entry *Recording::kernel() const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry &entry) {
    return entry.address == launch.kernel && entry.size == 0;
  });
  return found == entries.end() ? nullptr : &*found;
}

std::string_view Recording::fact(std::string_view name) const {
  for (const Fact &fact : facts)
    if (fact.name == name)
      return fact.value;
  return {};
}

Status write_recording(const std::string &path, const Recording &recording) {
  const std::string description = describe(recording);
  std::vector<std::string> heads;
  FileHeader header{};
  Parts parts;
  parts.add({reinterpret_cast<const char *>(&header), sizeof header});
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.has_result = recording.has_result ? 1 : 0;
  header.description_bytes = description.size();
  parts.add(description);
  header.image_bytes = recording.image.size() + padding_of(recording.image.size());
  header.image_padding = static_cast<uint32_t>(padding_of(recording.image.size()));
  parts.add(text_of(recording.image));
  header.contents_bytes = add_contents(recording, parts);
  header.changes_bytes = add_changes(recording, heads, parts);
  header.file_bytes = parts.size();
  Checksum checksum;
  for (const std::string_view part : parts.all())
    checksum.add(part);
  header.checksum = checksum.value();
  return replace_result_file(path, parts.all());
}

Result<Recording> read_recording(std::string_view contents) { return RecordingReader(contents).read(); }

} // namespace omptarget::record
