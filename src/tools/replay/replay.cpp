// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/replay/replay.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine.h"
#include "image/container.h"
#include "image/image_facts.h"
#include "image/image_signs.h"

namespace omptarget::replay {

using record::ArgumentKind;
using record::Block;
using record::BlockKind;

namespace {

constexpr uint64_t kWord = sizeof(uint64_t);
constexpr uint64_t kAlignment = 256; ///< bytes: a moved block begins as its recorded address does, modulo this

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr size_t kShown = 8;
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kShown)))
    text += format("%s%02x", text.empty() ? "" : " ", static_cast<unsigned>(byte));
  return text;
}

} // namespace

bool is_for_cpu(const record::Recording &recording) {
  std::span<const std::byte> bytes = recording.image;
  if (is_container(bytes)) {
    auto contained = open_container(bytes);
    if (!contained.is_ok()) {
      contained.take_status().consume();
      return false;
    }
    bytes = contained->bytes;
    return read_signs(bytes, Wrapping::kContainer).is_for_cpu;
  }
  return read_signs(bytes, Wrapping::kRaw).is_for_cpu;
}

Replay::~Replay() {
  for (void *const memory : allocated_)
    library_.free(memory, device_);
  if (is_registered_)
    library_.unregister_lib(&descriptor_);
}

/// The descriptor that the program's module had, with one image.
void Replay::describe_image() {
  entries_.reserve(recording_.entries.size() + 1);
  const auto add = [&](uint64_t address, const std::string &name, uint64_t size, uint32_t flags, uint64_t data) {
    entries_.push_back({0, 1, OMPTARGET_ENTRY_KIND_OPENMP, flags, pointer(address), const_cast<char *>(name.c_str()),
                        size, data, nullptr});
  };
  for (const record::Entry &entry : recording_.entries)
    add(entry.address, entry.name, entry.size, entry.flags, 0);
  static const std::string kNoName;
  if (recording_.requires_mask != 0)
    add(0, kNoName, 0, OMPTARGET_ENTRY_REQUIRES, recording_.requires_mask);
  auto *const first = reinterpret_cast<__tgt_offload_entry *>(entries_.data());
  auto *const last = reinterpret_cast<__tgt_offload_entry *>(entries_.data() + entries_.size());
  auto *const bytes = const_cast<std::byte *>(recording_.image.data());
  image_ = {bytes, bytes + recording_.image.size(), first, last};
  descriptor_ = {1, &image_, first, last};
}

Status Replay::prepare(int device) {
  describe_image();
  library_.register_lib(&descriptor_);
  is_registered_ = true;
  const int count = library_.number_of_devices();
  if (device >= count)
    return Status::error(count == 0 ? format("no device takes the recorded image, which is for %.*s",
                                             static_cast<int>(recording_.fact("architecture").size()),
                                             recording_.fact("architecture").data())
                                    : format("there is no device %d: %d take the recorded image", device, count));
  device_ = device;
  OMPTARGET_TRY(place_blocks());
  relocate();
  fill_arguments();
  return Status::ok();
}

Status Replay::place_blocks() {
  places_.assign(recording_.blocks.size(), 0);
  is_in_place_ = is_for_cpu(recording_) && map_in_place();
  for (size_t i = 0; i < places_.size(); ++i) {
    const Block &block = recording_.blocks[i];
    if (block.kind == BlockKind::kGlobal) {
      places_[i] = reinterpret_cast<uint64_t>(library_.mapped_address(pointer(block.host), device_));
      if (places_[i] == 0)
        return Status::error(format("the image has no global variable '%s' on device %d", block.name.c_str(), device_));
    } else if (is_in_place_) {
      places_[i] = block.device;
    } else {
      OMPTARGET_TRY(allocate(i));
    }
  }
  return Status::ok();
}

/// Maps the pages of all blocks where they were. False: something else of this process is there.
bool Replay::map_in_place() {
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<std::pair<uint64_t, uint64_t>> ranges; // begin and end
  for (const Block &block : recording_.blocks)
    if (block.kind != BlockKind::kGlobal)
      ranges.emplace_back(block.device / page * page, (block.device + block.size + page - 1) / page * page);
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::pair<uint64_t, uint64_t>> whole;
  for (const auto &range : ranges) {
    if (!whole.empty() && range.first <= whole.back().second)
      whole.back().second = std::max(whole.back().second, range.second);
    else
      whole.push_back(range);
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    const auto [begin, end] = whole[i];
    void *const memory = ::mmap(pointer(begin), end - begin, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == pointer(begin))
      continue;
    if (memory != MAP_FAILED) // a kernel that does not know the flag
      ::munmap(memory, end - begin);
    for (size_t k = 0; k < i; ++k)
      ::munmap(pointer(whole[k].first), whole[k].second - whole[k].first);
    return false;
  }
  return true;
}

Status Replay::allocate(size_t i) {
  const Block &block = recording_.blocks[i];
  void *const memory = library_.allocate(block.size + kAlignment, device_);
  if (!memory)
    return Status::error(format("%" PRIu64 " bytes for %s could not be allocated on device %d", block.size,
                                block.name.c_str(), device_));
  allocated_.push_back(memory);
  const auto address = reinterpret_cast<uint64_t>(memory);
  places_[i] = address + (block.device - address) % kAlignment;
  return Status::ok();
}

/// Gives pointers in blocks the addresses that their targets have now.
void Replay::relocate() {
  relocated_.resize(recording_.blocks.size());
  for (const record::Pointer &known : recording_.pointers) {
    if (places_[known.target] == recording_.blocks[known.target].device)
      continue;
    const Block &block = recording_.blocks[known.block];
    std::vector<std::byte> &bytes = relocated_[known.block];
    if (bytes.empty())
      bytes.assign(block.before.begin(), block.before.end());
    const uint64_t value = place_of(known.target, known.target_offset);
    std::memcpy(bytes.data() + known.offset, &value, sizeof value);
  }
}

void Replay::fill_arguments() {
  for (const record::Argument &argument : recording_.arguments) {
    const bool is_function = argument.kind == ArgumentKind::kFunction; // the library translates it
    const uint64_t value =
        argument.kind == ArgumentKind::kPointer ? place_of(argument.block, argument.offset) : argument.value;
    values_.push_back(pointer(value));
    sizes_.push_back(is_function ? 0 : static_cast<int64_t>(kWord));
    types_.push_back(OMPTARGET_MAP_TARGET_PARAM | (is_function ? 0 : OMPTARGET_MAP_LITERAL));
  }
  constexpr uint32_t kVersionWithImplicit = 5;
  if (recording_.launch.block_version == kVersionWithImplicit) {
    values_.push_back(nullptr);
    sizes_.push_back(0);
    types_.push_back(OMPTARGET_MAP_TARGET_PARAM | OMPTARGET_MAP_LITERAL);
  }
}

Status Replay::restore() {
  const int host = library_.initial_device();
  for (size_t i = 0; i < places_.size(); ++i) {
    const Block &block = recording_.blocks[i];
    const void *const bytes = relocated_[i].empty() ? block.before.data() : relocated_[i].data();
    if (library_.copy(pointer(places_[i]), bytes, block.size, 0, 0, device_, host) != 0)
      return Status::error(format("%" PRIu64 " bytes could not be copied to device %d", block.size, device_));
  }
  return Status::ok();
}

Result<uint64_t> Replay::launch(const Shape &shape) {
  const record::Launch &recorded = recording_.launch;
  const uint32_t teams = shape.teams.value_or(recorded.teams[0]);
  const uint32_t threads = shape.threads.value_or(recorded.threads[0]);
  const std::string place(recording_.fact("place"));
  ident_t location{0, 2, 0, 0, place.empty() ? ";unknown;unknown;0;0;;" : place.c_str()};
  const auto count = static_cast<int32_t>(values_.size());
  void *const kernel = pointer(recorded.kernel);
  // Neither is written, but the library's interface does not say so.
  __tgt_kernel_args args{recorded.block_version,
                         static_cast<uint32_t>(count),
                         values_.data(),
                         values_.data(),
                         sizes_.data(),
                         types_.data(),
                         nullptr,
                         nullptr,
                         recorded.trip_count,
                         recorded.flags,
                         {teams, recorded.teams[1], recorded.teams[2]},
                         {threads, recorded.threads[1], recorded.threads[2]},
                         recorded.group_memory,
                         0};
  const bool has_block = recorded.block_version != 0;
  if (!has_block && recorded.trip_count != 0)
    library_.push_trip_count(&location, device_, recorded.trip_count);
  const uint64_t begin = now_ns();
  const int status = has_block ? library_.target_kernel(&location, device_, static_cast<int32_t>(teams),
                                                        static_cast<int32_t>(threads), kernel, &args)
                               : library_.target_teams(&location, device_, kernel, count, values_.data(),
                                                       values_.data(), sizes_.data(), types_.data(), nullptr, nullptr,
                                                       static_cast<int32_t>(teams), static_cast<int32_t>(threads));
  const uint64_t end = now_ns();
  if (status != 0)
    return Status::error(format("device %d does not run the kernel", device_));
  return end - begin;
}

/// The bytes that the recorded launch has left in the block, with the addresses that its pointers have now.
std::vector<std::byte> Replay::expected(size_t i) const {
  const Block &block = recording_.blocks[i];
  std::vector<std::byte> bytes(block.before.begin(), block.before.end());
  for (const record::Change &change : block.changes)
    std::copy(change.bytes.begin(), change.bytes.end(), bytes.begin() + static_cast<int64_t>(change.offset));
  if (relocated_[i].empty())
    return bytes;
  for (const record::Pointer &known : recording_.pointers)
    if (known.block == i && std::memcmp(bytes.data() + known.offset, block.before.data() + known.offset, kWord) == 0)
      std::memcpy(bytes.data() + known.offset, relocated_[i].data() + known.offset, kWord);
  return bytes;
}

/// Returns whether both point to the same place of the same block.
bool Replay::is_same_pointer(uint64_t recorded, uint64_t found) const {
  for (size_t i = 0; i < recording_.blocks.size(); ++i) {
    const Block &block = recording_.blocks[i];
    if (recorded - block.device < block.size && places_[i] + (recorded - block.device) == found)
      return true;
  }
  return false;
}

Difference Replay::compare(size_t i, const std::vector<std::byte> &found) const {
  const Block &block = recording_.blocks[i];
  const std::vector<std::byte> wanted = expected(i);
  Difference difference{i, 0, 0, {}, {}};
  for (uint64_t k = 0; k < block.size; ++k) {
    if (wanted[k] == found[k])
      continue;
    // A pointer that the kernel has written.
    const uint64_t word = k - (block.device + k) % kWord;
    if (word <= k && word + kWord <= block.size) {
      uint64_t recorded, now;
      std::memcpy(&recorded, wanted.data() + word, sizeof recorded);
      std::memcpy(&now, found.data() + word, sizeof now);
      if (is_same_pointer(recorded, now)) {
        k = word + kWord - 1;
        continue;
      }
    }
    if (difference.count++ != 0)
      continue;
    difference.first = k;
    difference.recorded = hexadecimal(std::span(wanted).subspan(k));
    difference.found = hexadecimal(std::span(found).subspan(k));
  }
  return difference;
}

Result<std::vector<Difference>> Replay::compare() {
  const int host = library_.initial_device();
  std::vector<Difference> differences;
  for (size_t i = 0; i < places_.size(); ++i) {
    const Block &block = recording_.blocks[i];
    if (block.kind == BlockKind::kPrivate)
      continue; // nobody reads it after the launch
    std::vector<std::byte> found(block.size);
    if (library_.copy(found.data(), pointer(places_[i]), block.size, 0, 0, host, device_) != 0)
      return Status::error(format("%" PRIu64 " bytes could not be copied from device %d", block.size, device_));
    if (Difference difference = compare(i, found); difference.count != 0)
      differences.push_back(std::move(difference));
  }
  return differences;
}

} // namespace omptarget::replay
