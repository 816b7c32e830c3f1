// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the tools that relabel images: [--embedded] FILE FIRST SECOND [OUTPUT], where FIRST and SECOND say
// what the images become. A shared object as a whole is an image. In an executable, each image that is embedded in it
// is one. With --embedded only those are, and there may be none.
#pragma once

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>

#include "base/machine.h"

namespace emulator {

struct RelabelArguments {
  bool embedded_only = false;
  const char *tool, *file = nullptr, *first = "", *second = "", *output = nullptr;

  RelabelArguments(int argc, char **argv) : tool(argv[0]) {
    int at = 1;
    if (at < argc && std::strcmp(argv[at], "--embedded") == 0) {
      embedded_only = true;
      ++at;
    }
    if (argc - at < 3)
      return;
    file = argv[at];
    first = argv[at + 1];
    second = argv[at + 2];
    output = argc - at > 3 ? argv[at + 3] : file;
  }
};

/// Returns whether a shared object for this machine begins there.
inline bool is_image(const std::string &bytes, size_t at) {
  Elf64_Ehdr header;
  if (bytes.size() - at < sizeof(header) || std::memcmp(bytes.data() + at, ELFMAG, SELFMAG) != 0)
    return false;
  std::memcpy(&header, bytes.data() + at, sizeof(header));
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == omptarget::kMachine.elf_machine &&
         header.e_type == ET_DYN && header.e_ehsize == sizeof(header);
}

/// Calls relabel(bytes, at) for each image of the file; it says whether it succeeded. Prints how many were changed;
/// returns what the program returns.
template <typename Relabel> int relabel_file(const RelabelArguments &arguments, Relabel relabel) {
  std::ifstream in(arguments.file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in || bytes.empty()) {
    std::fprintf(stderr, "%s: cannot read %s\n", arguments.tool, arguments.file);
    return 1;
  }
  int changed = 0;
  const auto relabel_at = [&](size_t at) {
    const bool succeeds = relabel(bytes, at);
    changed += succeeds;
    return succeeds;
  };
  for (size_t at = bytes.find(ELFMAG, 1); at != std::string::npos; at = bytes.find(ELFMAG, at + 1))
    if (is_image(bytes, at) && !relabel_at(at))
      return 1;
  if (changed == 0 && !arguments.embedded_only && is_image(bytes, 0) && !relabel_at(0))
    return 1;
  std::printf("%d\n", changed);
  if (changed == 0) {
    if (!arguments.embedded_only)
      std::fprintf(stderr, "%s: %s: no image inside\n", arguments.tool, arguments.file);
    return arguments.embedded_only ? 0 : 1;
  }
  std::ofstream out(arguments.output, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out)
    return 0;
  std::fprintf(stderr, "%s: cannot write %s\n", arguments.tool, arguments.output);
  return 1;
}

} // namespace emulator
