// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// relabel [--embedded] FILE ABI SM [OUTPUT]: makes the ELF images for this machine inside of FILE say that they are cubins for sm_<SM> of
// the given layout (7, or 8 of CUDA 13). A shared object as a whole becomes one; of an executable, each image that is embedded
// in it; with --embedded only those. The code stays what it is: the stand-in for libcuda.so.1 runs it. Prints how many images were changed.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>

namespace {

bool is_image(const std::string &bytes, size_t at) {
  Elf64_Ehdr header;
  if (bytes.size() - at < sizeof(header) || std::memcmp(bytes.data() + at, ELFMAG, SELFMAG) != 0)
    return false;
  std::memcpy(&header, bytes.data() + at, sizeof(header));
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64 && header.e_type == ET_DYN &&
         header.e_ehsize == sizeof(header);
}

void relabel(std::string &bytes, size_t at, int layout, uint32_t sm) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data() + at, sizeof(header));
  header.e_machine = 190;
  header.e_ident[EI_ABIVERSION] = static_cast<unsigned char>(layout);
  header.e_ident[EI_OSABI] = layout == 7 ? 0x33 : 0x41;
  header.e_flags = layout == 7 ? 0x500 | sm | sm << 16 : 0x06000004 | sm << 8;
  std::memcpy(bytes.data() + at, &header, sizeof(header));
}

} // namespace

int main(int argc, char **argv) {
  const bool embedded_only = argc > 1 && std::strcmp(argv[1], "--embedded") == 0;
  if (embedded_only) {
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s [--embedded] FILE 7|8 SM [OUTPUT]\n", argv[0]);
    return 2;
  }
  const int layout = std::atoi(argv[2]);
  const int sm = std::atoi(argv[3]);
  if ((layout != 7 && layout != 8) || sm <= 0 || sm > 255) {
    std::fprintf(stderr, "%s: layout %s and architecture %s: expected 7 or 8, and 1 to 255\n", argv[0], argv[2], argv[3]);
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in || bytes.empty()) {
    std::fprintf(stderr, "%s: cannot read %s\n", argv[0], argv[1]);
    return 1;
  }
  int changed = 0;
  for (size_t at = bytes.find(ELFMAG, 1); at != std::string::npos; at = bytes.find(ELFMAG, at + 1))
    if (is_image(bytes, at)) {
      relabel(bytes, at, layout, static_cast<uint32_t>(sm));
      ++changed;
    }
  if (changed == 0 && !embedded_only && is_image(bytes, 0)) {
    relabel(bytes, 0, layout, static_cast<uint32_t>(sm));
    changed = 1;
  }
  std::ofstream out(argc > 4 ? argv[4] : argv[1], std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out || changed == 0) {
    std::fprintf(stderr, "%s: %s: %s\n", argv[0], argv[1], changed == 0 ? "no image inside" : "cannot write");
    return 1;
  }
  std::printf("%d\n", changed);
  return 0;
}
