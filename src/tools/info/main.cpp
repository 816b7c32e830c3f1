// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-info: what this machine can offload to, and what is in a module that offloads.

#include <cstdio>
#include <cstring>
#include <vector>

#include "base/format.h"
#include "base/text_output.h"
#include "base/version.h"
#include "tools/info/report.h"

using namespace omptarget;
using namespace omptarget::info_tool;

namespace {

constexpr const char *kUsage =
    "usage: omptarget-info [--json] [FILE...]\n"
    "Tells what a machine can offload to, and what is in a program that offloads.\n"
    "Without files: the plugins and devices of this machine, and why a plugin is not used.\n"
    "With executables or shared libraries: their device images and entries, and where each image would run; which\n"
    "libomptarget the dynamic loader would give them, started with the variables of now, and why.\n"
    "  --json     all of it for scripts\n"
    "  --version  which omptarget this is\n"
    "Exit status: 0, 1 if a file cannot be read or the output cannot be written, 2 for wrong arguments.\n";

} // namespace

int main(int count, char **arguments) {
  bool as_json = false;
  std::vector<FileReport> files;
  for (int i = 1; i < count; ++i) {
    const char *argument = arguments[i];
    if (std::strcmp(argument, "--json") == 0) {
      as_json = true;
    } else if (std::strcmp(argument, "--help") == 0 || std::strcmp(argument, "-h") == 0) {
      std::fputs(kUsage, stdout);
      return status_after_output("omptarget-info", 0, 1);
    } else if (std::strcmp(argument, "--version") == 0) {
      std::printf("omptarget-info %s\n", version_text());
      return status_after_output("omptarget-info", 0, 1);
    } else if (argument[0] == '-') {
      write_error_line(format("omptarget-info: there is no option %s", argument));
      std::fputs(kUsage, stderr);
      return 2;
    } else {
      files.push_back({argument, {}, {}, {}});
    }
  }
  bool has_failed = false;
  const LoaderSetting loader = LoaderSetting::of_this_process();
  for (FileReport &file : files) {
    auto module = read_module_file(file.path);
    if (module.is_ok()) {
      file.module = std::move(*module);
      file.libraries = choose_libraries(file.path, loader);
      continue;
    }
    file.failure = module.status().to_string();
    has_failed = true;
    write_error_line(format("omptarget-info: %s: %s", file.path.c_str(), file.failure.c_str()));
  }
  const Machine machine =
      Machine::with_plugins(files.empty() || as_json ? Machine::Devices::kUsed : Machine::Devices::kCounted);
  std::fputs((as_json ? report_as_json(machine, files) : report_as_text(machine, files)).c_str(), stdout);
  return status_after_output("omptarget-info", has_failed ? 1 : 0, 1);
}
