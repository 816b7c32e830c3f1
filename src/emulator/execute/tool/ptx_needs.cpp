// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptx_needs FILE: what the executor counts for the kernels and functions of PTX, to be compared with what ptxas and nvlink report.

#include <cstdio>
#include <fstream>
#include <iterator>

#include "emulator/execute/ptx/module.h"

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::string error;
  const auto module = emulator::executor::ptx::Module::load(text, error);
  if (!module) {
    std::fprintf(stderr, "ptx_needs: %s: %s\n", argc > 1 ? argv[1] : "no file", error.c_str());
    return 1;
  }
  for (const emulator::executor::ptx::Function *const one : module->functions())
    if (one->is_entry)
      std::printf("kernel %s frame %u stack %s shared %u\n", one->name.c_str(), one->frame_bytes,
                  one->is_undetermined ? "unknown" : std::to_string(one->stack_need).c_str(), one->dynamic_at);
    else
      std::printf("function %s frame %u\n", one->name.c_str(), one->frame_bytes);
}
