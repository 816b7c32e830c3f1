// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files given to omptarget-info, and what it says about them.

#include "tools/info/module_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "files.h"
#include "tools/info/report.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int count, char **arguments) { return files(count, arguments); }

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  using namespace omptarget::fuzz;
  static const int file = memfd_create("module", MFD_CLOEXEC);
  static const info_tool::Machine machine;
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    return 0;
  info_tool::FileReport report{"a file", {}, {}, {}};
  auto module = info_tool::read_module_file("/proc/self/fd/" + std::to_string(file));
  if (module.is_ok())
    report.module = std::move(*module);
  else
    report.failure = module.status().to_string();
  const info_tool::FileReport reports[] = {std::move(report)};
  const std::string text = info_tool::report_as_text(machine, reports);
  require(text.find_first_of("\x1b\x07\x7f") == std::string::npos, "a report controls no terminal");
  (void)info_tool::report_as_json(machine, reports);
  return 0;
}
