// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/line_table.h"

#include <algorithm>
#include <cstring>

namespace omptarget {

namespace {

/// Reads numbers one after the other. Behind the end there are zeros.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool is_at_end() const { return bytes_.empty(); }
  template <typename T> T read() {
    T value{};
    const std::string_view from = take(sizeof(T));
    if (from.size() == sizeof(T))
      std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  /// An offset or a length.
  uint64_t read_word(bool is_long) { return is_long ? read<uint64_t>() : read<uint32_t>(); }
  uint64_t read_unsigned() {
    uint64_t value = 0;
    uint32_t shift = 0;
    (void)read_groups(value, shift);
    return value;
  }
  int64_t read_signed() {
    uint64_t value = 0;
    uint32_t shift = 0;
    const bool is_negative = (read_groups(value, shift) & 0x40) != 0;
    if (is_negative && shift < 64)
      value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  std::string_view read_text() {
    const std::string_view text = bytes_.substr(0, bytes_.find('\0'));
    take(text.size() + 1);
    return text;
  }
  std::string_view take(uint64_t size) {
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

private:
  /// Returns the last group of seven bits.
  uint8_t read_groups(uint64_t &value, uint32_t &shift) {
    for (;;) {
      const auto byte = read<uint8_t>();
      if (shift < 64)
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) == 0)
        return byte;
    }
  }
  std::string_view bytes_;
};

std::string_view text_at(std::string_view section, uint64_t offset) {
  return offset < section.size() ? Reader(section.substr(offset)).read_text() : std::string_view();
}

/// Numbers that DWARF gives.
enum Content : uint64_t { kPath = 1, kFolder = 2 };
enum Form : uint64_t {
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kStringAt = 0x0e,
  kNumber = 0x0f,
  kData16 = 0x1e,
  kLineStringAt = 0x1f
};
enum Standard : uint8_t {
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kAddConstant = 8,
  kAdvanceFixed = 9
};
enum Extended : uint8_t { kEndSequence = 1, kSetAddress = 2 };

struct File {
  std::string_view name;
  uint64_t folder = 0;
};

/// The lines of one unit of the compiler's.
class Unit {
public:
  Unit(const LineSections &sections, std::string_view bytes, bool is_long)
      : sections_(sections), program_(bytes), is_long_(is_long) {}

  bool read_header();
  /// Sets the lines of those addresses that are the unit's.
  void find(std::span<const uint64_t> addresses, std::vector<SourceLine> &lines);

private:
  struct Row {
    uint64_t address = 0, file = 1;
    int64_t line = 1;
  };
  void read_old_names(Reader &header);
  void read_names(Reader &header);
  template <typename Take> void read_entries(Reader &header, Take take);
  void read_value(Reader &header, uint64_t form, std::string_view &text, uint64_t &number);
  void run_special(uint8_t operation);
  bool run_extended();
  void run_standard(uint8_t operation);
  void add_row();
  std::string name_of(uint64_t file) const;

  const LineSections &sections_;
  Reader program_;
  const bool is_long_;
  uint16_t version_ = 0;
  uint8_t address_size_ = sizeof(void *), step_ = 1, line_range_ = 1, first_special_ = 1;
  int8_t line_base_ = 0;
  std::string_view lengths_; ///< how many operands a standard operation has
  std::vector<std::string_view> folders_;
  std::vector<File> files_;

  std::span<const uint64_t> addresses_;
  std::vector<SourceLine> *lines_ = nullptr;
  Row row_, before_;
  bool has_before_ = false;
};

bool Unit::read_header() {
  constexpr uint16_t kOldest = 2, kWithOperations = 4, kNewest = 5;
  version_ = program_.read<uint16_t>();
  if (version_ < kOldest || version_ > kNewest)
    return false;
  if (version_ == kNewest) {
    address_size_ = program_.read<uint8_t>();
    (void)program_.read<uint8_t>(); // size of a segment's number
  }
  Reader header(program_.take(program_.read_word(is_long_)));
  step_ = header.read<uint8_t>();
  if (version_ >= kWithOperations)
    (void)header.read<uint8_t>(); // of an instruction; more than one where several make one word
  (void)header.read<uint8_t>();   // whether rows are statements at first
  line_base_ = header.read<int8_t>();
  line_range_ = header.read<uint8_t>();
  first_special_ = header.read<uint8_t>();
  if (line_range_ == 0 || first_special_ == 0)
    return false;
  lengths_ = header.take(first_special_ - 1u);
  if (lengths_.size() != first_special_ - 1u)
    return false;
  if (version_ == kNewest)
    read_names(header);
  else
    read_old_names(header);
  return true;
}

void Unit::read_old_names(Reader &header) {
  folders_.emplace_back(); // the compiler's, which another section has
  files_.emplace_back();
  for (std::string_view text = header.read_text(); !text.empty(); text = header.read_text())
    folders_.push_back(text);
  for (std::string_view text = header.read_text(); !text.empty(); text = header.read_text()) {
    files_.push_back({text, header.read_unsigned()});
    (void)header.read_unsigned(); // time
    (void)header.read_unsigned(); // size
  }
}

void Unit::read_names(Reader &header) {
  read_entries(header, [&](const File &file) { folders_.push_back(file.name); });
  read_entries(header, [&](const File &file) { files_.push_back(file); });
}

/// Reads a table that begins with the description of its columns.
template <typename Take> void Unit::read_entries(Reader &header, Take take) {
  std::vector<std::pair<uint64_t, uint64_t>> columns(header.read<uint8_t>());
  for (auto &[content, form] : columns) {
    content = header.read_unsigned();
    form = header.read_unsigned();
  }
  const uint64_t count = columns.empty() ? 0 : header.read_unsigned();
  for (uint64_t i = 0; i < count && !header.is_at_end(); ++i) {
    File file;
    for (const auto &[content, form] : columns) {
      std::string_view text;
      uint64_t number = 0;
      read_value(header, form, text, number);
      if (content == kPath)
        file.name = text;
      else if (content == kFolder)
        file.folder = number;
    }
    take(file);
  }
}

void Unit::read_value(Reader &header, uint64_t form, std::string_view &text, uint64_t &number) {
  constexpr uint64_t kHash = 16;
  switch (form) {
  case kString: text = header.read_text(); return;
  case kLineStringAt: text = text_at(sections_.line_strings, header.read_word(is_long_)); return;
  case kStringAt: text = text_at(sections_.strings, header.read_word(is_long_)); return;
  case kNumber: number = header.read_unsigned(); return;
  case kData1: number = header.read<uint8_t>(); return;
  case kData2: number = header.read<uint16_t>(); return;
  case kData4: number = header.read<uint32_t>(); return;
  case kData8: number = header.read<uint64_t>(); return;
  case kData16: header.take(kHash); return;
  case kBlock: header.take(header.read_unsigned()); return;
  case kBlock1: header.take(header.read<uint8_t>()); return;
  case kBlock2: header.take(header.read<uint16_t>()); return;
  case kBlock4: header.take(header.read<uint32_t>()); return;
  default: header.take(UINT64_MAX); // nobody knows where the next one begins
  }
}

void Unit::find(std::span<const uint64_t> addresses, std::vector<SourceLine> &lines) {
  addresses_ = addresses;
  lines_ = &lines;
  while (!program_.is_at_end()) {
    const auto operation = program_.read<uint8_t>();
    if (operation >= first_special_)
      run_special(operation);
    else if (operation != 0)
      run_standard(operation);
    else if (!run_extended())
      return;
  }
}

/// A row holds up to the next one of its sequence. Code that the linker has left out lies at 0.
void Unit::add_row() {
  if (has_before_ && before_.address != 0 && before_.address < row_.address) {
    auto at = std::lower_bound(addresses_.begin(), addresses_.end(), before_.address);
    for (; at != addresses_.end() && *at < row_.address; ++at) {
      SourceLine &line = (*lines_)[static_cast<size_t>(at - addresses_.begin())];
      line = {name_of(before_.file), static_cast<uint32_t>(before_.line)};
    }
  }
  before_ = row_;
  has_before_ = true;
}

void Unit::run_special(uint8_t operation) {
  const auto adjusted = static_cast<uint8_t>(operation - first_special_);
  row_.address += uint64_t{step_} * (adjusted / line_range_);
  row_.line += line_base_ + adjusted % line_range_;
  add_row();
}

/// Returns false if the program cannot go on.
bool Unit::run_extended() {
  Reader operands(program_.take(program_.read_unsigned()));
  if (operands.is_at_end())
    return false;
  switch (operands.read<uint8_t>()) {
  case kEndSequence:
    add_row();
    row_ = {};
    has_before_ = false;
    break;
  case kSetAddress:
    row_.address = address_size_ == sizeof(uint32_t) ? operands.read<uint32_t>() : operands.read<uint64_t>();
    break;
  default: break;
  }
  return true;
}

void Unit::run_standard(uint8_t operation) {
  constexpr uint8_t kLastSpecial = 255;
  switch (operation) {
  case kCopy: return add_row();
  case kAdvanceAddress: row_.address += step_ * program_.read_unsigned(); return;
  case kAdvanceLine: row_.line += program_.read_signed(); return;
  case kSetFile: row_.file = program_.read_unsigned(); return;
  case kAddConstant: row_.address += uint64_t{step_} * ((kLastSpecial - first_special_) / line_range_); return;
  case kAdvanceFixed: row_.address += program_.read<uint16_t>(); return;
  default:
    for (auto i = static_cast<uint8_t>(lengths_[operation - 1u]); i != 0; --i)
      (void)program_.read_unsigned();
  }
}

std::string Unit::name_of(uint64_t number) const {
  if (number >= files_.size())
    return {};
  const File &file = files_[number];
  const std::string_view folder = file.folder < folders_.size() ? folders_[file.folder] : std::string_view();
  if (file.name.starts_with('/') || folder.empty())
    return std::string(file.name);
  std::string name = std::string(folder) + "/" + std::string(file.name);
  if (folder.starts_with('/') || file.folder == 0 || folders_[0].empty())
    return name;
  return std::string(folders_[0]) + "/" + name;
}

} // namespace

std::vector<SourceLine> find_source_lines(const LineSections &sections, std::span<const uint64_t> addresses) {
  constexpr uint32_t kLong = 0xffffffff;
  std::vector<SourceLine> lines(addresses.size());
  for (Reader units(sections.lines); !units.is_at_end();) {
    const auto length = units.read<uint32_t>();
    const bool is_long = length == kLong;
    Unit unit(sections, units.take(is_long ? units.read<uint64_t>() : length), is_long);
    if (unit.read_header())
      unit.find(addresses, lines);
  }
  return lines;
}

} // namespace omptarget
