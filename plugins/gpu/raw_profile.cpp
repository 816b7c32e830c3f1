// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/raw_profile.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>

namespace omptarget::gpu {

namespace {

constexpr uint64_t kMagic = 0xff6c70726f667281; // "\xfflprofr\x81", read as a number
constexpr uint64_t kVersionBits = 0xffffffff;
// Bits of the version that change the sections: records are in debug information, counters are bytes, counts of
// memory, times of calls.
constexpr uint64_t kOtherKinds = uint64_t{1} << 59 | uint64_t{1} << 60 | uint64_t{1} << 62 | uint64_t{1} << 63;
constexpr size_t kWord = sizeof(uint64_t);
constexpr size_t kNone = ~size_t{0};

/// Where a version has what, in bytes, or kNone. The header is words, of which all but these and the first two are 0.
struct Format {
  uint32_t version;
  // Offsets in a record. Pointers to counters are distances from the record, the others addresses.
  size_t record, counters, uniform_counters, bitmap, function, values, count, sites, bitmap_bytes;
  uint32_t kinds; ///< kinds of values counted at sites: a number of 16 bits for each
  // Offsets in the header, in words.
  size_t header, record_count, counter_count, uniform_count, uniform_delta, names_size, counters_delta, last_kind;
};
constexpr Format kFormats[] = {
    {10, 64, 16, kNone, 24, 32, 40, 48, 52, 60, 3, 16, 3, 5, kNone, kNone, 9, 10, 15},
    {11, 72, 16, 24, 32, 40, 48, 56, 60, 68, 3, 19, 3, 5, 9, 11, 12, 13, 18},
};

const Format *format_of(uint64_t version) {
  const auto *const found = std::find_if(std::begin(kFormats), std::end(kFormats), [version](const Format &format) {
    return format.version == (version & kVersionBits);
  });
  return found != std::end(kFormats) ? found : nullptr;
}

template <typename T> T read(std::string_view bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}
template <typename T> void write(std::string &bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}
template <typename T> void append(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}
void pad(std::string &bytes) { bytes.resize((bytes.size() + kWord - 1) / kWord * kWord); }

/// Returns the bytes behind the names for a record that has sites of values: no value at any of them.
std::string no_values(const Format &format, std::string_view record) {
  std::string kinds;
  uint32_t count = 0;
  for (uint32_t kind = 0; kind < format.kinds; ++kind) {
    const auto sites = read<uint16_t>(record, format.sites + kind * sizeof(uint16_t));
    if (sites == 0)
      continue;
    ++count;
    append(kinds, kind);
    append(kinds, uint32_t{sites});
    kinds.append(sites, '\0');
    pad(kinds);
  }
  std::string values;
  if (count != 0) {
    append(values, static_cast<uint32_t>(kinds.size() + 2 * sizeof(uint32_t)));
    append(values, count);
  }
  return values + kinds;
}

/// Checks that the counters of a record, at this distance from it, lie in the section.
Status check_counters(const ProfileData::Section &section, uint64_t record, uint64_t distance, uint64_t count) {
  const uint64_t offset = record + distance - section.address;
  if (offset % kWord != 0 || offset > section.bytes.size() || count > (section.bytes.size() - offset) / kWord)
    return Status::error(format("it points at %" PRIu64 " counters at 0x%" PRIx64 ", and there are %zu at 0x%" PRIx64,
                                count, record + distance, section.bytes.size() / kWord, section.address));
  return Status::ok();
}

Status check_records(const Format &format, const ProfileData &data) {
  const std::string_view records = data.records.bytes;
  for (size_t at = 0; at < records.size(); at += format.record) {
    const uint64_t record = data.records.address + at;
    const uint64_t count = read<uint32_t>(records, at + format.count);
    Status status = check_counters(data.counters, record, read<uint64_t>(records, at + format.counters), count);
    if (status && format.uniform_counters != kNone && !data.uniform_counters.bytes.empty())
      status =
          check_counters(data.uniform_counters, record, read<uint64_t>(records, at + format.uniform_counters), count);
    OMPTARGET_TRY_DURING(std::move(status), "record %zu of %zu in __llvm_prf_data", at / format.record,
                         records.size() / format.record);
  }
  return Status::ok();
}

Status check_sections(const Format &format, const ProfileData &data) {
  const auto whole = [](const char *name, const std::string &bytes, size_t unit) {
    if (bytes.empty())
      return Status::error(omptarget::format("its section %s is missing or empty", name));
    if (bytes.size() % unit != 0)
      return Status::error(
          omptarget::format("its section %s has %zu bytes, which is no multiple of %zu", name, bytes.size(), unit));
    return Status::ok();
  };
  OMPTARGET_TRY(whole("__llvm_prf_names", data.names.bytes, 1));
  OMPTARGET_TRY(whole("__llvm_prf_cnts", data.counters.bytes, kWord));
  OMPTARGET_TRY(whole("__llvm_prf_data", data.records.bytes, format.record));
  if (!data.uniform_counters.bytes.empty())
    OMPTARGET_TRY(whole("__llvm_prf_ucnts", data.uniform_counters.bytes, kWord));
  return check_records(format, data);
}

/// Addresses differ from run to run, and bitmaps are not read: without them the same code has the same records.
void clean_records(const Format &format, std::string &records) {
  for (size_t at = 0; at < records.size(); at += format.record) {
    for (const size_t field : {format.bitmap, format.function, format.values})
      write(records, at + field, uint64_t{0});
    write(records, at + format.bitmap_bytes, uint32_t{0});
  }
}

std::string header_of(const Format &format, const ProfileData &data) {
  std::string header(format.header * kWord, '\0');
  const auto set = [&header](size_t word, uint64_t value) {
    if (word != kNone)
      write(header, word * kWord, value);
  };
  set(0, kMagic);
  set(1, data.version);
  set(format.record_count, data.records.bytes.size() / format.record);
  set(format.counter_count, data.counters.bytes.size() / kWord);
  set(format.names_size, data.names.bytes.size());
  set(format.counters_delta, data.counters.address - data.records.address);
  if (!data.uniform_counters.bytes.empty()) {
    set(format.uniform_count, data.uniform_counters.bytes.size() / kWord);
    set(format.uniform_delta, data.uniform_counters.address - data.records.address);
  }
  set(format.last_kind, format.kinds - 1);
  return header;
}

/// The first profile of a text that holds some; nothing if it is none.
std::optional<RawProfile> first_of(std::string_view text) {
  if (text.size() < 2 * kWord || read<uint64_t>(text, 0) != kMagic)
    return std::nullopt;
  const Format *const format = format_of(read<uint64_t>(text, kWord));
  if (!format || text.size() < format->header * kWord)
    return std::nullopt;
  size_t end = format->header * kWord;
  const auto skip = [&](size_t word, size_t unit) { // false: beyond the end
    const uint64_t count = word != kNone ? read<uint64_t>(text, word * kWord) : 0;
    if (count > (text.size() - end) / unit)
      return false;
    end += count * unit;
    return true;
  };
  RawProfile profile;
  const size_t records = end;
  if (!skip(format->record_count, format->record))
    return std::nullopt;
  profile.counters_at = end;
  if (!skip(format->counter_count, kWord) || !skip(format->uniform_count, kWord))
    return std::nullopt;
  profile.counters_size = end - profile.counters_at;
  if (!skip(format->names_size, 1))
    return std::nullopt;
  end = (end + kWord - 1) / kWord * kWord;
  for (size_t at = records; at < profile.counters_at; at += format->record)
    end += no_values(*format, text.substr(at, format->record)).size();
  if (end > text.size())
    return std::nullopt;
  profile.bytes = text.substr(0, end);
  return profile;
}

bool is_of_same_code(const RawProfile &one, const RawProfile &other) {
  const size_t behind = one.counters_at + one.counters_size;
  return one.bytes.size() == other.bytes.size() && one.counters_at == other.counters_at &&
         one.counters_size == other.counters_size &&
         std::string_view(one.bytes).substr(0, one.counters_at) ==
             std::string_view(other.bytes).substr(0, one.counters_at) &&
         std::string_view(one.bytes).substr(behind) == std::string_view(other.bytes).substr(behind);
}

} // namespace

Result<RawProfile> make_raw_profile(ProfileData data) {
  const Format *const format = format_of(data.version);
  if (!format || (data.version & kOtherKinds) != 0)
    return Status::error(omptarget::format("its format has version %" PRIu64 " (0x%" PRIx64
                                           "); known are 10 and 11, with counters of 64 bits",
                                           data.version & kVersionBits, data.version));
  OMPTARGET_TRY(check_sections(*format, data));
  clean_records(*format, data.records.bytes);
  RawProfile profile;
  profile.bytes = header_of(*format, data) + data.records.bytes;
  profile.counters_at = profile.bytes.size();
  profile.bytes += data.counters.bytes;
  if (format->uniform_count != kNone)
    profile.bytes += data.uniform_counters.bytes;
  profile.counters_size = profile.bytes.size() - profile.counters_at;
  profile.bytes += data.names.bytes;
  pad(profile.bytes);
  for (size_t at = 0; at < data.records.bytes.size(); at += format->record)
    profile.bytes += no_values(*format, std::string_view(data.records.bytes).substr(at, format->record));
  return profile;
}

Status add_profile(std::string &contents, const RawProfile &profile) {
  for (size_t at = 0; at < contents.size();) {
    const std::optional<RawProfile> there = first_of(std::string_view(contents).substr(at));
    if (!there)
      return Status::error(format("what it holds at byte %zu is no raw profile that is known here", at));
    if (is_of_same_code(*there, profile)) {
      for (size_t i = profile.counters_at; i < profile.counters_at + profile.counters_size; i += kWord) {
        const auto more = read<uint64_t>(profile.bytes, i), count = read<uint64_t>(contents, at + i);
        write(contents, at + i, count + std::min(more, std::numeric_limits<uint64_t>::max() - count));
      }
      return Status::ok();
    }
    at += there->bytes.size();
  }
  contents += profile.bytes;
  return Status::ok();
}

uint64_t profile_signature(const RawProfile &profile) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (size_t i = 0; i < profile.bytes.size(); ++i)
    if (i < profile.counters_at || i >= profile.counters_at + profile.counters_size)
      hash = (hash ^ static_cast<unsigned char>(profile.bytes[i])) * 0x100000001b3;
  return hash;
}

std::vector<FunctionCounters> functions_of(const RawProfile &profile) {
  const std::string_view bytes = profile.bytes;
  const Format &format = *format_of(read<uint64_t>(bytes, kWord));
  const size_t records = format.header * kWord;
  const uint64_t delta = read<uint64_t>(bytes, format.counters_delta * kWord);
  std::vector<FunctionCounters> functions;
  for (size_t at = records; at < profile.counters_at; at += format.record) {
    FunctionCounters &function = functions.emplace_back();
    function.name_hash = read<uint64_t>(bytes, at);
    function.counters.resize(read<uint32_t>(bytes, at + format.count));
    const size_t first = profile.counters_at + read<uint64_t>(bytes, at + format.counters) + (at - records) - delta;
    for (size_t i = 0; i < function.counters.size(); ++i)
      function.counters[i] = read<uint64_t>(bytes, first + i * kWord);
  }
  return functions;
}

} // namespace omptarget::gpu
