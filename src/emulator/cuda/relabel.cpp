// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emulator_cuda_relabel [--embedded] FILE LAYOUT SM [OUTPUT]: makes cubins of the ELF images for this machine in FILE.
// They are for sm_<SM>, of the given layout (7, or 8 of CUDA 13).
// The code stays what it is: the stand-in for libcuda.so.1 runs it.

#include <cstdint>
#include <cstdlib>

#include "emulator/relabel_file.h"

namespace {

bool relabel(std::string &bytes, size_t at, int layout, uint32_t sm) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data() + at, sizeof(header));
  header.e_machine = 190;
  header.e_ident[EI_ABIVERSION] = static_cast<unsigned char>(layout);
  header.e_ident[EI_OSABI] = layout == 7 ? 0x33 : 0x41;
  header.e_flags = layout == 7 ? 0x500 | sm | sm << 16 : 0x06000004 | sm << 8;
  std::memcpy(bytes.data() + at, &header, sizeof(header));
  return true;
}

} // namespace

int main(int argc, char **argv) {
  const emulator::RelabelArguments arguments(argc, argv);
  const int layout = std::atoi(arguments.first);
  const int sm = std::atoi(arguments.second);
  if (!arguments.file || (layout != 7 && layout != 8) || sm <= 0 || sm > 255) {
    std::fprintf(stderr, "usage: %s [--embedded] FILE 7|8 SM [OUTPUT], SM from 1 to 255\n", argv[0]);
    return 2;
  }
  return emulator::relabel_file(
      arguments, [&](std::string &bytes, size_t at) { return relabel(bytes, at, layout, static_cast<uint32_t>(sm)); });
}
