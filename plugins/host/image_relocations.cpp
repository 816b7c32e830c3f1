// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations: where they write, and what they make of it.

#include <algorithm>

#include "base/machine.h"
#include "host/block_teams.h"
#include "host/image_dynamic.h"

namespace omptarget::host {

namespace {

constexpr const Relocations &kKinds = kMachine.relocations;
#if defined(__x86_64__)
static_assert(kMachine.elf_machine == EM_X86_64 && kKinds.absolute == R_X86_64_64 &&
              kKinds.glob_dat == R_X86_64_GLOB_DAT && kKinds.jump_slot == R_X86_64_JUMP_SLOT &&
              kKinds.relative == R_X86_64_RELATIVE && kKinds.resolved == R_X86_64_IRELATIVE &&
              kKinds.thread_module == R_X86_64_DTPMOD64 && kKinds.thread_offset == R_X86_64_DTPOFF64 &&
              kKinds.thread_place == R_X86_64_TPOFF64 && kKinds.thread_descriptor == R_X86_64_TLSDESC &&
              kKinds.other_words[0] == R_X86_64_SIZE64 && kKinds.other_words[1] == R_X86_64_RELATIVE64 &&
              kKinds.halves[0] == R_X86_64_32 && kKinds.halves[1] == R_X86_64_PC32 &&
              kKinds.halves[2] == R_X86_64_SIZE32);
#elif defined(__aarch64__)
static_assert(kMachine.elf_machine == EM_AARCH64 && kKinds.absolute == R_AARCH64_ABS64 &&
              kKinds.glob_dat == R_AARCH64_GLOB_DAT && kKinds.jump_slot == R_AARCH64_JUMP_SLOT &&
              kKinds.relative == R_AARCH64_RELATIVE && kKinds.resolved == R_AARCH64_IRELATIVE &&
              kKinds.thread_module == R_AARCH64_TLS_DTPMOD && kKinds.thread_offset == R_AARCH64_TLS_DTPREL &&
              kKinds.thread_place == R_AARCH64_TLS_TPREL && kKinds.thread_descriptor == R_AARCH64_TLSDESC);
#else
static_assert(kMachine.elf_machine == EM_PPC64 && kKinds.absolute == R_PPC64_ADDR64 &&
              kKinds.glob_dat == R_PPC64_GLOB_DAT && kKinds.jump_slot == R_PPC64_JMP_SLOT &&
              kKinds.relative == R_PPC64_RELATIVE && kKinds.resolved == R_PPC64_IRELATIVE &&
              kKinds.thread_module == R_PPC64_DTPMOD64 && kKinds.thread_offset == R_PPC64_DTPREL64 &&
              kKinds.thread_place == R_PPC64_TPREL64 && kKinds.other_words[0] == R_PPC64_UADDR64);
#endif

template <size_t N> bool is_one_of(uint32_t type, const std::array<uint32_t, N> &kinds) {
  return std::find(kinds.begin(), kinds.end(), type) != kinds.end();
}

bool is_of_threads(uint32_t type) {
  return type != kKinds.none && is_one_of<4>(type, {kKinds.thread_module, kKinds.thread_offset, kKinds.thread_place,
                                                    kKinds.thread_descriptor});
}

/// Returns the bytes that the linker writes for a relocation; 0 for kinds that it refuses itself, or that shared
/// objects do not have.
uint64_t written_by(uint32_t type) {
  if (type == kKinds.none)
    return 0;
  if (type == kKinds.thread_descriptor)
    return 2 * sizeof(uint64_t);
  if (is_of_threads(type) || is_one_of(type, kKinds.other_words) ||
      is_one_of<5>(type, {kKinds.absolute, kKinds.glob_dat, kKinds.jump_slot, kKinds.relative, kKinds.resolved}))
    return 8;
  return is_one_of(type, kKinds.halves) ? 4 : 0;
}

} // namespace

/// The two tables, and how far symbols reach by what they name.
Status DynamicTables::find_relocations() {
  const int64_t tables[][2] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
  for (const auto &[tag, size_tag] : tables) {
    const uint64_t size = value(size_tag);
    lazy_begin_ = relocations_.size();
    if (!has(tag) || size == 0)
      continue;
    const std::string_view data = table(value(tag), size);
    if (data.empty() || size % sizeof(Elf64_Rela) != 0)
      return damaged("table of relocations");
    for (uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
      relocations_.push_back(at<Elf64_Rela>(data, i));
      symbol_count_ = std::max<uint64_t>(symbol_count_, ELF64_R_SYM(relocations_.back().r_info) + 1);
    }
  }
  if (has(kRelr) && value(kRelrSize) != 0 && table(value(kRelr), value(kRelrSize)).empty())
    return damaged("table of packed relocations");
  return symbol_count_ <= image_.size() ? Status::ok() : damaged("table of relocations: a symbol does not exist");
}

/// The place must be writable, and in none of the tables that the linker goes on reading.
Status DynamicTables::write_at(Place place) {
  const Segment *segment = segment_of(place.address, place.size);
  if (!segment)
    return damaged("table of relocations: a place lies outside the image");
  const bool may_write_code = has(DT_TEXTREL) || (value(DT_FLAGS) & DF_TEXTREL) != 0;
  if (!segment->is_writable && !may_write_code)
    return damaged("table of relocations: a place cannot be written");
  const auto overlaps = [&](const Range &range) {
    return place.address < range.end && range.begin < place.address + place.size;
  };
  // tables_ was sorted and merged.
  const auto after = std::upper_bound(tables_.begin(), tables_.end(), place.address,
                                      [](uint64_t address, const Range &range) { return address < range.end; });
  if (after != tables_.end() && overlaps(*after))
    return damaged("table of relocations: a place lies in a table of the linker's");
  return Status::ok();
}

Status DynamicTables::check_symbol_of(const Elf64_Rela &relocation) const {
  const uint32_t type = ELF64_R_TYPE(relocation.r_info);
  const uint64_t index = ELF64_R_SYM(relocation.r_info);
  const auto symbol = index < symbol_count_ ? at<Elf64_Sym>(symbols_, index) : Elf64_Sym{};
  if (!is_of_threads(type))
    return Status::ok();
  const bool is_own = index == 0 || symbol.st_shndx != SHN_UNDEF;
  if ((is_own && layout_.thread_size == 0) || (index != 0 && ELF64_ST_TYPE(symbol.st_info) != STT_TLS))
    return damaged("table of relocations: data of a thread's own does not exist");
  return Status::ok();
}

Status DynamicTables::check_relocation(const Elf64_Rela &relocation, bool is_relative, bool is_lazy) {
  const uint32_t type = ELF64_R_TYPE(relocation.r_info);
  if (is_relative && type != kKinds.relative)
    return damaged("table of relocations: fewer are relative than it says");
  if (type == kKinds.none && !is_lazy)
    return Status::ok();
  const uint64_t size = written_by(type);
  if (size == 0 || (is_lazy && type != kKinds.jump_slot && type != kKinds.resolved && type != kKinds.thread_descriptor))
    return Status::error(format("the image's table of relocations is damaged: kind %u makes no sense", type));
  const Place place{relocation.r_offset, size};
  OMPTARGET_TRY(write_at(place));
  const auto target = static_cast<uint64_t>(relocation.r_addend);
  if (type == kKinds.resolved && !is_code(target))
    return damaged("table of relocations: a resolver lies outside the image's code");
  if ((type == kKinds.jump_slot || type == kKinds.glob_dat) && target != 0)
    return damaged("table of relocations: something is added to the address of a symbol");
  if (is_lazy && type == kKinds.jump_slot && kMachine.calls.has_ways_back)
    OMPTARGET_TRY(check_call(relocation.r_offset));
  if (type == kKinds.relative)
    mark_initialiser(place.address, target);
  else if (type == kKinds.absolute)
    initialised_[place.address] = true; // another module's function, or an own symbol
  return check_symbol_of(relocation);
}

/// Until it is bound, a call goes back into the image, to the code that asks the linker to bind it.
Status DynamicTables::check_call(uint64_t slot) {
  const std::string_view content = bytes(slot, sizeof(uint64_t));
  if (content.empty() || !is_code(at<uint64_t>(content, 0)) || !calls_.insert(slot).second)
    return damaged("table of relocations: a call does not ask to be bound");
  return Status::ok();
}

Status DynamicTables::check_relocations() {
  if (has(DT_PLTGOT) && has(DT_JMPREL))
    tables_.push_back({value(DT_PLTGOT) + kMachine.calls.linker_begin, value(DT_PLTGOT) + kMachine.calls.linker_end});
  std::sort(tables_.begin(), tables_.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  std::vector<Range> merged;
  for (const Range &range : tables_)
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  tables_ = std::move(merged);
  // The linker asserts, or believes, the kind of so many.
  const uint64_t relative = std::min<uint64_t>(value(DT_RELACOUNT), lazy_begin_);
  std::set<uint64_t> modules, offsets; // places of thread variables: an offset follows its module
  for (uint64_t i = 0; i < relocations_.size(); ++i) {
    OMPTARGET_TRY(check_relocation(relocations_[i], i < relative, i >= lazy_begin_ && !binds_at_once()));
    if (ELF64_R_TYPE(relocations_[i].r_info) == kKinds.thread_module)
      modules.insert(relocations_[i].r_offset + sizeof(uint64_t));
    else if (ELF64_R_TYPE(relocations_[i].r_info) == kKinds.thread_offset)
      offsets.insert(relocations_[i].r_offset);
  }
  if (!std::includes(modules.begin(), modules.end(), offsets.begin(), offsets.end()))
    return damaged("table of relocations: data of a thread's own has no module");
  return Status::ok();
}

/// Finds the functions that the image has from elsewhere, and its own that it calls by way of the linker.
void DynamicTables::find_device_functions() {
  BlockTeamCalls team_calls;
  for (const Elf64_Rela &relocation : relocations_) {
    const uint32_t type = ELF64_R_TYPE(relocation.r_info);
    const uint64_t index = ELF64_R_SYM(relocation.r_info);
    if (index == 0 || relocation.r_addend != 0 ||
        !is_one_of<3>(type, {kKinds.absolute, kKinds.glob_dat, kKinds.jump_slot}))
      continue;
    const auto symbol = at<Elf64_Sym>(symbols_, index);
    if (symbol.st_shndx != SHN_UNDEF) {
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
        layout_.calls.push_back({relocation.r_offset, symbol.st_value});
      continue;
    }
    const std::string_view name = strings_.data() + symbol.st_name;
    if (const auto function = device_function(name))
      layout_.device_functions.push_back({relocation.r_offset, *function});
    if (const void *const function = team_calls.function_for(name))
      layout_.team_calls.push_back({relocation.r_offset, function});
    if (name == "__kmpc_push_num_threads")
      layout_.calls.push_back({relocation.r_offset, kNumThreadsCall});
  }
  if (team_calls.are_needed())
    return;
  layout_.team_calls.clear();
  layout_.calls.clear();
}

Status DynamicTables::check_packed_relocations() {
  if (!has(kRelr) || value(kRelrSize) == 0)
    return Status::ok();
  const std::string_view data = bytes(value(kRelr), value(kRelrSize));
  if (data.empty() || data.size() % sizeof(uint64_t) != 0 || (at<uint64_t>(data, 0) & 1) != 0)
    return damaged("table of packed relocations");
  uint64_t least = 0; // each word is moved once
  const auto relocate = [&](uint64_t address) -> Status {
    if (address < least)
      return damaged("table of packed relocations: it goes back");
    least = address + sizeof(uint64_t);
    OMPTARGET_TRY(write_at({address, sizeof(uint64_t)}));
    if (const std::string_view slot = bytes(address, sizeof(uint64_t)); !slot.empty())
      mark_initialiser(address, at<uint64_t>(slot, 0));
    return Status::ok();
  };
  uint64_t next = 0;
  for (uint64_t i = 0; i < data.size() / sizeof(uint64_t); ++i) {
    const auto word = at<uint64_t>(data, i);
    if ((word & 1) == 0) {
      OMPTARGET_TRY(relocate(word));
      next = word + sizeof(uint64_t);
      continue;
    }
    for (unsigned bit = 1; bit < 64; ++bit)
      if ((word >> bit & 1) != 0)
        OMPTARGET_TRY(relocate(next + (bit - 1) * sizeof(uint64_t)));
    next += 63 * sizeof(uint64_t);
  }
  return Status::ok();
}

/// Calls that are bound when they are made: the linker writes its own words in the table of addresses before, and later
/// the addresses, which must not have become read-only.
Status DynamicTables::check_lazy_binding() const {
  if (!has(DT_JMPREL) || value(DT_PLTRELSZ) == 0)
    return Status::ok();
  const Segment *segment = segment_of(value(DT_PLTGOT), kMachine.calls.linker_end);
  if (!segment || !segment->is_writable ||
      (kMachine.calls.has_ways_back && bytes(value(DT_PLTGOT), kMachine.calls.linker_end).empty()))
    return damaged("dynamic section: the table of addresses of calls lies outside the image");
  if (binds_at_once())
    return Status::ok();
  const uint64_t page = page_size();
  const uint64_t begin = layout_.protected_begin / page * page;
  const uint64_t end = layout_.protected_end / page * page;
  for (uint64_t i = lazy_begin_; i < relocations_.size(); ++i)
    if (relocations_[i].r_offset >= begin && relocations_[i].r_offset < end)
      return damaged("program headers: addresses of calls become read-only before they are bound");
  return Status::ok();
}

void DynamicTables::mark_initialiser(uint64_t address, uint64_t target) {
  const auto holds = [&](const Range &range) { return address >= range.begin && address < range.end; };
  if (std::any_of(initialisers_.begin(), initialisers_.end(), holds))
    initialised_[address] = is_code(target);
}

/// Each slot of a table of functions gets an address of code.
Status DynamicTables::check_initialisers() const {
  for (const Range &range : initialisers_)
    for (uint64_t slot = range.begin; slot < range.end; slot += sizeof(uint64_t))
      if (const auto found = initialised_.find(slot); found == initialised_.end() || !found->second)
        return damaged("table of initialisation functions");
  return Status::ok();
}

} // namespace omptarget::host
