// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of ELF images that plugins of GPUs read: sections, symbols, initial bytes; and which GPU a cubin or PTX is
// for.

#include "common/elf_image.h"
#include "cuda/image.h"
#include "files.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int count, char **arguments) {
  std::vector<std::string> all = files(count, arguments);
  for (size_t i = 0, count_of_files = all.size(); i < count_of_files; ++i) {
    std::string cubin = all[i]; // the same file, as CUDA's machine and ABI would have it
    cubin[8] = 7;
    cubin[18] = static_cast<char>(190);
    cubin[48] = 80, cubin[49] = 4;
    all.push_back(cubin);
  }
  all.push_back("// a text\n.version 8.0\n.target sm_90a, debug\n.address_size 64\n");
  return all;
}

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  using namespace omptarget::fuzz;
  Result<ElfImage> elf = ElfImage::parse(data, size);
  if (elf.is_ok())
    for (const ElfSymbol &symbol : elf->symbols()) {
      require(elf->find(symbol.name) == &symbol, "a symbol is found by its name");
      uint64_t value;
      (void)elf->read(symbol, &value, sizeof value);
    }
  else
    require(!elf.status().to_string().empty(), "a refused image has a reason");
  Result<cuda::ImageTarget> target = cuda::read_image_target(data, size);
  require(target.is_ok() ? target->sm > 0 : !target.status().to_string().empty(), "an architecture or a reason");
  if (elf.is_ok())
    (void)cuda::ptx_of(*elf);
  return 0;
}
