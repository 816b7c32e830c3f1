// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices an image is for: the two layouts of cubins' ELF headers, and PTX.

#include "cuda/image.h"

#include <cctype>
#include <charconv>
#include <elf.h>

#include "common/elf_image.h"

namespace omptarget::cuda {

namespace {

constexpr uint16_t kMachineCuda = 190;
constexpr uint8_t kAbiBeforeCuda13 = 7;
constexpr uint8_t kAbiSinceCuda13 = 8;
constexpr int kCuda13 = 13000;
constexpr uint32_t kFlag64Bit = 0x400; // layout 7
constexpr uint32_t kFlagAccelerated7 = 0x800;
constexpr uint32_t kFlagAccelerated8 = 0x8;

// Moves past blanks and comments.
void skip_blanks(std::string_view &text) {
  while (!text.empty()) {
    if (std::isspace(static_cast<unsigned char>(text.front()))) {
      text.remove_prefix(1);
    } else if (text.starts_with("//")) {
      const size_t end = text.find('\n');
      text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    } else if (text.starts_with("/*")) {
      const size_t end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else {
      return;
    }
  }
}

bool is_ptx(std::string_view text) {
  skip_blanks(text);
  return text.starts_with(".version");
}

// ".target sm_90a, texmode_independent"
Result<ImageTarget> read_ptx(std::string_view text, ImageTarget::Form form) {
  constexpr std::string_view kDirective = ".target";
  const size_t found = text.find(kDirective);
  std::string_view rest = found == std::string_view::npos ? std::string_view() : text.substr(found + kDirective.size());
  skip_blanks(rest);
  ImageTarget target{form, 0, ImageTarget::Match::kForward};
  if (rest.starts_with("sm_")) {
    rest.remove_prefix(3);
    const std::string_view digits = rest.substr(0, 6);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), target.sm);
    rest.remove_prefix(static_cast<size_t>(end - digits.begin()));
    if (error == std::errc() && target.sm > 0) {
      if (rest.starts_with("a"))
        target.match = ImageTarget::Match::kExact;
      else if (rest.starts_with("f"))
        target.match = ImageTarget::Match::kFamily;
      return target;
    }
  }
  return Status::error("PTX without a .target sm_N directive");
}

Result<ImageTarget> read_cubin(const ElfHeader &header) {
  ImageTarget target{ImageTarget::Form::kCubin, 0, ImageTarget::Match::kFamily};
  // The layout decides, not EI_OSABI, of which several values are about.
  if (header.abi_version == kAbiBeforeCuda13) {
    if (!(header.flags & kFlag64Bit))
      return Status::error(format("a cubin for 32 bits (e_flags %#x)", header.flags));
    target.sm = static_cast<int>(header.flags & 0xff);
    if (header.flags & kFlagAccelerated7)
      target.match = ImageTarget::Match::kExact;
  } else if (header.abi_version == kAbiSinceCuda13) {
    target.sm = static_cast<int>(header.flags >> 8 & 0xff);
    target.least_driver = kCuda13;
    if (header.flags & kFlagAccelerated8)
      target.match = ImageTarget::Match::kExact;
  } else {
    return Status::error(format("a cubin with ELF ABI version %u; known are 7 and 8", header.abi_version));
  }
  if (target.sm == 0)
    return Status::error(format("a cubin for no architecture (e_flags %#x)", header.flags));
  return target;
}

// PTX that a linker without CUDA's tools wrapped: no code, one section of text.
std::string_view ptx_in(const ElfImage &elf) {
  std::string_view ptx;
  for (const ElfSection &section : elf.sections()) {
    if (section.name.starts_with(".text.") && !section.contents.empty())
      return {};
    if (section.type != SHT_STRTAB && is_ptx(section.contents))
      ptx = section.contents;
  }
  return ptx;
}

} // namespace

std::string ImageTarget::name() const {
  const char *suffix = match == Match::kExact ? "a" : form != Form::kCubin && match == Match::kFamily ? "f" : "";
  return format("%ssm_%d%s%s", form == Form::kCubin ? "" : "PTX for ", sm, suffix,
                least_driver == kCuda13 ? " by CUDA 13 (driver 580 or later)" : "");
}

int ImageTarget::rank(const Runs &device) const {
  constexpr int kNative = 1000;
  const int device_sm = device.sm;
  const bool same_major = sm / 10 == device_sm / 10;
  const bool fits = match == Match::kExact    ? sm == device_sm
                    : match == Match::kFamily ? same_major && sm <= device_sm
                                              : sm <= device_sm;
  if (!fits || device.driver < least_driver)
    return 0;
  return 2 * sm + (match == Match::kExact ? 1 : 0) + (form == Form::kCubin ? kNative : 0);
}

Result<ImageTarget> read_image_target(const void *image, size_t size) {
  const std::string_view bytes(static_cast<const char *>(image), size);
  if (is_ptx(bytes))
    return read_ptx(bytes, ImageTarget::Form::kPtx);
  OMPTARGET_TRY_ASSIGN(const ElfHeader header, ElfHeader::read(image, size));
  if (header.machine != kMachineCuda)
    return Status::error(format("an ELF file for machine %u instead of %u", header.machine, kMachineCuda));
  OMPTARGET_TRY_ASSIGN(const ElfImage elf, ElfImage::parse(image, size));
  if (const std::string_view ptx = ptx_in(elf); !ptx.empty())
    return read_ptx(ptx, ImageTarget::Form::kPtxInElf);
  return read_cubin(header);
}

std::string_view ptx_of(const ElfImage &elf) { return ptx_in(elf); }

} // namespace omptarget::cuda
