// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See code_object.h.

#include "code_object.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>

namespace emulator::executor::amdgpu {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr uint32_t kAbs32Lo = 1, kAbs32Hi = 2, kAbs64 = 3, kRel32 = 4, kRel64 = 5, kAbs32 = 6, kRelative64 = 13;

template <class T> bool read_at(const std::string &bytes, uint64_t offset, T &value) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%#llx", static_cast<unsigned long long>(value));
  return text;
}

bool fails(std::string &error, std::string text) {
  error = std::move(text);
  return false;
}

std::vector<Elf64_Phdr> read_program_headers(const std::string &bytes) {
  Elf64_Ehdr header;
  std::vector<Elf64_Phdr> result;
  if (read_at(bytes, 0, header) && header.e_phentsize == sizeof(Elf64_Phdr))
    for (unsigned i = 0; i < header.e_phnum; ++i)
      if (Elf64_Phdr one; read_at(bytes, header.e_phoff + i * sizeof(one), one))
        result.push_back(one);
  return result;
}

} // namespace

std::optional<Processor> find_processor(const std::string &target) {
  const std::string name = target.substr(0, target.find(':'));
  if (name == "gfx90a" || name == "gfx942")
    return Processor{name, 64, true};
  for (const char *one : {"gfx1100", "gfx1101", "gfx1102", "gfx1103"})
    if (name == one)
      return Processor{name, 32, false};
  return std::nullopt;
}

CodeObject::~CodeObject() { std::free(memory_); }

std::unique_ptr<CodeObject> CodeObject::load(const std::string &bytes, const Processor &processor, std::string &error) {
  std::unique_ptr<CodeObject> object(new CodeObject(bytes, processor));
  auto elf = omptarget::ElfImage::parse(object->bytes_.data(), object->bytes_.size());
  if (!elf) {
    error = "no ELF file";
    return nullptr;
  }
  object->elf_ = std::move(*elf);
  object->decoder_ = std::make_unique<Decoder>(processor);
  if (!object->decoder_->works())
    error = "LLVM does not know the processor " + processor.name;
  if (!object->decoder_->works() || !object->load_segments(error) || !object->relocate(error))
    return nullptr;
  return object;
}

bool CodeObject::load_segments(std::string &error) {
  const std::vector<Elf64_Phdr> headers = read_program_headers(bytes_);
  uint64_t lowest = ~uint64_t{0}, highest = 0;
  for (const Elf64_Phdr &one : headers) {
    if (one.p_type != PT_LOAD)
      continue;
    if (one.p_offset > bytes_.size() || one.p_filesz > bytes_.size() - one.p_offset || one.p_filesz > one.p_memsz ||
        one.p_vaddr > kMostBytes || one.p_memsz > kMostBytes)
      return fails(error, "a segment at " + hex(one.p_vaddr) + " lies outside of the file");
    lowest = std::min<uint64_t>(lowest, one.p_vaddr);
    highest = std::max<uint64_t>(highest, one.p_vaddr + one.p_memsz);
  }
  if (highest == 0)
    return fails(error, "there is no segment to load");
  lowest_ = lowest & ~(kPage - 1);
  size_ = (highest - lowest_ + kPage - 1) & ~(kPage - 1);
  memory_ = static_cast<uint8_t *>(std::aligned_alloc(kPage, size_));
  if (!memory_)
    return fails(error, "no memory for " + std::to_string(size_) + " bytes");
  std::memset(memory_, 0, size_);
  const uint64_t base = reinterpret_cast<uint64_t>(memory_) - lowest_;
  for (const Elf64_Phdr &one : headers) {
    if (one.p_type != PT_LOAD || one.p_memsz == 0)
      continue;
    std::memcpy(memory_ + (one.p_vaddr - lowest_), bytes_.data() + one.p_offset, one.p_filesz);
    segments_.push_back(
        {base + one.p_vaddr, base + one.p_vaddr + one.p_memsz, (one.p_flags & PF_W) != 0, (one.p_flags & PF_X) != 0});
    if ((one.p_flags & PF_X) == 0)
      continue;
    words_.push_back(std::make_unique<Words>(processor_, base + one.p_vaddr, one.p_memsz / 4));
  }
  return true;
}

bool CodeObject::relocate(std::string &error) {
  const uint64_t base = reinterpret_cast<uint64_t>(memory_) - lowest_;
  std::string_view symbols, names;
  for (const omptarget::ElfSection &section : elf_.sections()) {
    if (section.type == SHT_DYNSYM)
      symbols = section.contents;
    if (section.name == ".dynstr")
      names = section.contents;
  }
  for (const omptarget::ElfSection &section : elf_.sections()) {
    if (section.type != SHT_RELA || section.address == 0)
      continue;
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= section.contents.size(); at += sizeof(Elf64_Rela)) {
      Elf64_Rela one;
      std::memcpy(&one, section.contents.data() + at, sizeof(one));
      const uint32_t type = ELF64_R_TYPE(one.r_info), number = ELF64_R_SYM(one.r_info);
      uint64_t value = base + static_cast<uint64_t>(one.r_addend);
      if (number != 0) {
        Elf64_Sym symbol;
        if ((number + uint64_t{1}) * sizeof(symbol) > symbols.size())
          return fails(error, "a relocation names symbol " + std::to_string(number) + ", which is not there");
        std::memcpy(&symbol, symbols.data() + number * sizeof(symbol), sizeof(symbol));
        if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_WEAK)
          return fails(error,
                       "the code object needs " +
                           (symbol.st_name < names.size() ? std::string(names.data() + symbol.st_name) : "a symbol") +
                           ", which it does not define");
        value = (symbol.st_shndx == SHN_UNDEF ? 0 : base + symbol.st_value) + static_cast<uint64_t>(one.r_addend);
      }
      const bool is_wide = type == kAbs64 || type == kRelative64 || type == kRel64;
      if (one.r_offset < lowest_ || one.r_offset - lowest_ > size_ - 8)
        return fails(error, "a relocation at " + hex(one.r_offset) + " lies outside");
      if (type == kRel32 || type == kRel64)
        value -= base + one.r_offset;
      else if (type == kAbs32Hi)
        value >>= 32;
      else if (!is_wide && type != kAbs32Lo && type != kAbs32)
        return fails(error, "a relocation of type " + std::to_string(type) + ", which the executor does not know");
      std::memcpy(memory_ + (one.r_offset - lowest_), &value, is_wide ? 8 : 4);
    }
  }
  return true;
}

uint64_t CodeObject::address_of(const std::string &symbol) const {
  const omptarget::ElfSymbol *found = elf_.find(symbol);
  return found ? reinterpret_cast<uint64_t>(memory_) - lowest_ + found->value : 0;
}

const KernelDescriptor *CodeObject::find_descriptor(const std::string &kernel) const {
  const uint64_t address = address_of(kernel + ".kd");
  const auto segment = address == 0 ? std::nullopt : find(address);
  if (!segment || segment->end - address < sizeof(KernelDescriptor))
    return nullptr;
  return reinterpret_cast<const KernelDescriptor *>(address);
}

std::optional<MemoryRange> CodeObject::find(uint64_t address) const {
  for (const Segment &one : segments_)
    if (address >= one.begin && address < one.end)
      return MemoryRange{one.begin, one.end, one.may_write};
  return std::nullopt;
}

CodeObject::Words *CodeObject::find_words(uint64_t address) const {
  for (const auto &one : words_)
    if (address >= one->begin && address < one->end)
      return one.get();
  return nullptr;
}

bool CodeObject::has_code(uint64_t address) const { return find_words(address) != nullptr; }

const Instruction *CodeObject::at(uint64_t address, std::string &reason) {
  Words *words = find_words(address);
  if (!words || address % 4 != 0) {
    reason = "a jump to " + hex(address) + ", where no code is";
    return nullptr;
  }
  if (const Instruction *known = words->instructions[(address - words->begin) / 4].load(std::memory_order_acquire))
    return known;
  return decode(*words, address, reason);
}

const Instruction *CodeObject::decode(Words &words, uint64_t address, std::string &reason) {
  const std::lock_guard lock(mutex_);
  const size_t word = (address - words.begin) / 4;
  if (words.is_inner[word]) {
    reason = "a jump to " + hex(address) + ", into the middle of an instruction";
    return nullptr;
  }
  Instruction decoded = decoder_->decode(reinterpret_cast<const uint8_t *>(address), words.end - address);
  if (decoded.size == 0) {
    reason = "the bytes at " + hex(address) + " are no instruction of " + processor_.name;
    return nullptr;
  }
  if (decoded.text.starts_with("s_code_end")) {
    reason = "the end of a function's code is reached without a jump";
    return nullptr;
  }
  for (size_t inner = word + 1; inner < word + decoded.size / 4; ++inner)
    words.is_inner[inner] = 1;
  instructions_.push_back(std::make_unique<Instruction>(std::move(decoded)));
  words.instructions[word].store(instructions_.back().get(), std::memory_order_release);
  return instructions_.back().get();
}

DebugInfo *CodeObject::debug_info() {
  if (!has_read_debug_info_)
    debug_info_ = DebugInfo::read(bytes_);
  has_read_debug_info_ = true;
  return debug_info_.get();
}

SourceLine CodeObject::line_at(uint64_t address) {
  const std::lock_guard lock(mutex_);
  DebugInfo *const info = debug_info();
  return info ? info->line_at(address - (reinterpret_cast<uint64_t>(memory_) - lowest_)) : SourceLine{};
}

std::vector<SourceVariable> CodeObject::variables_at(uint64_t address) {
  const std::lock_guard lock(mutex_);
  DebugInfo *const info = debug_info();
  return info ? info->variables_at(address - (reinterpret_cast<uint64_t>(memory_) - lowest_))
              : std::vector<SourceVariable>{};
}

std::string CodeObject::describe(uint64_t address) {
  const uint64_t offset = address - (reinterpret_cast<uint64_t>(memory_) - lowest_);
  const omptarget::ElfSymbol *function = nullptr;
  for (const omptarget::ElfSymbol &one : elf_.symbols())
    if (one.type == STT_FUNC && one.value <= offset && offset - one.value < one.size)
      function = &one;
  std::string text = function ? std::string(function->name) : "code";
  if (const SourceLine line = line_at(address); line.line != 0)
    text += ", " + line.path.substr(line.path.rfind('/') + 1) + ":" + std::to_string(line.line);
  return text;
}

} // namespace emulator::executor::amdgpu
