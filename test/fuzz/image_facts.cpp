// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/image_facts.h"

#include <elf.h>

#include "target.h"
#include "test/unit/image/bitcode_bytes.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int, char **) {
  std::vector<std::string> all{"BC\xC0\xDE", "\x50\xED\x55\xBA", "//\n.version 7.8\n.target sm_80\n", ""};
  for (const uint16_t machine : {EM_X86_64, 190, 224, EM_PPC64}) {
    Elf64_Ehdr header{};
    __builtin_memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = machine;
    header.e_flags = 0x33f;
    all.emplace_back();
    append(all.back(), header);
  }
  all.push_back(test::bitcode("nvptx64-nvidia-cuda", {{"sm_80", "+ptx85"}, {"sm_90", ""}}));
  all.push_back(test::bitcode("amdgcn-amd-amdhsa", {{"gfx90a", "+xnack"}}));
  return all;
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  const ImageFacts facts = image_facts({reinterpret_cast<const std::byte *>(data), size});
  fuzz::require(!facts.architecture.empty(), "every image has a name for what it is");
  return 0;
}
