// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of code objects for AMD GPUs: the input is the MessagePack document in an image's note.

#include "amdgpu/metadata.h"

#include <cstring>
#include <elf.h>

#include "target.h"

namespace omptarget::fuzz {

namespace {

void text(std::string &bytes, std::string_view value) {
  bytes += static_cast<char>(0xa0 + value.size());
  bytes += value;
}

/// {"amdhsa.kernels": [{".name": ..., ".kernarg_segment_size": 64, ".args": [{...}]}]}
std::string document() {
  std::string bytes = "\x81";
  text(bytes, "amdhsa.kernels");
  bytes += "\x91\x85";
  text(bytes, ".name");
  text(bytes, "kernel");
  text(bytes, ".symbol");
  text(bytes, "kernel.kd");
  text(bytes, ".kernarg_segment_size");
  bytes += '\x40';
  text(bytes, ".wavefront_size");
  bytes += '\x40';
  text(bytes, ".args");
  bytes += "\x91\x83";
  text(bytes, ".offset");
  bytes += '\x08';
  text(bytes, ".size");
  bytes += '\x08';
  text(bytes, ".value_kind");
  text(bytes, "by_value");
  return bytes;
}

std::string image_with_note(std::string_view contents) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_AMDGPU;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  header.e_shoff = sizeof header;
  Elf64_Shdr note{};
  note.sh_type = SHT_NOTE;
  note.sh_offset = sizeof header + 2 * sizeof note;
  note.sh_size = sizeof(Elf64_Nhdr) + 8 + contents.size();
  std::string bytes;
  append(bytes, header);
  append(bytes, Elf64_Shdr{});
  append(bytes, note);
  append(bytes, Elf64_Nhdr{7, static_cast<Elf64_Word>(contents.size()), 32});
  bytes.append("AMDGPU\0\0", 8).append(contents);
  return bytes;
}

} // namespace

std::vector<std::string> seeds(int, char **) {
  return {document(), std::string("\x80"), std::string("\xdf\xff\xff\xff\xff")};
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  using namespace omptarget::fuzz;
  const std::string image = image_with_note({reinterpret_cast<const char *>(data), size});
  Result<ElfImage> elf = ElfImage::parse(image.data(), image.size());
  require(elf.is_ok(), "the image around the document is sound");
  Result<amdgpu::CodeObjectMetadata> kernels = amdgpu::read_metadata(*elf);
  require(kernels.is_ok() || !kernels.status().to_string().empty(), "refused metadata has a reason");
  return 0;
}
