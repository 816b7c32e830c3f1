// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-jit: compiles one bitcode image from standard input to standard output. The library runs it; nobody else
// needs to. It may crash on hostile bitcode: then the program goes on.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "jit/launch_case.h"
#include "tools/jit/code_generator.h"
#include "tools/jit/linker.h"
#include "tools/jit/process.h"

namespace {

using namespace omptarget::jit_compiler;

constexpr const char kUsage[] =
    "usage: omptarget-jit [OPTION...] <BITCODE >RESULT\n"
    "Compiles a device image of LLVM bitcode, as clang's -fopenmp-target-jit makes it. libomptarget runs it.\n"
    "  --processor=NAME  the GPU that the image is for, such as sm_80 or gfx90a\n"
    "  --level=N         the code generator optimises at level N, 0 to 3; 2\n"
    "  --library=FILE    a library that an image for the CPU may need\n"
    "  --variant=CASE    a kernel, and what to compile a variant of it for, as jit/launch_case.h has it\n"
    "  --seconds=N       end after so much CPU time; 300\n"
    "  --version         which omptarget and which LLVM this is\n";

struct Options {
  std::string processor;
  unsigned level = 2;
  unsigned seconds = 300;
  std::vector<std::string> libraries;
  std::vector<omptarget::jit::LaunchCase> cases;
};

bool read_number(const char *text, unsigned &number) {
  const char *const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end;
}

bool read_case(const char *text, Options &options) {
  std::optional<omptarget::jit::LaunchCase> launch = omptarget::jit::case_of(text);
  if (launch)
    options.cases.push_back(*std::move(launch));
  return launch.has_value();
}

/// The value behind "--name=", or null.
const char *value_of(const char *argument, const char *name) {
  const size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

[[noreturn]] void refuse(const char *argument) {
  std::fprintf(stderr, "omptarget-jit: '%s' is no option\n%s", argument, kUsage);
  _exit(2);
}

Options read_options(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const char *const argument = arguments[i];
    if (const char *processor = value_of(argument, "--processor="))
      options.processor = processor;
    else if (const char *library = value_of(argument, "--library="))
      options.libraries.emplace_back(library);
    else if (const char *level = value_of(argument, "--level="); level && read_number(level, options.level))
      continue;
    else if (const char *seconds = value_of(argument, "--seconds="); seconds && read_number(seconds, options.seconds))
      continue;
    else if (const char *text = value_of(argument, "--variant="); text && read_case(text, options))
      continue;
    else
      refuse(argument);
  }
  return options;
}

} // namespace

int main(int count, char **arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--version") == 0) {
    std::printf("omptarget-jit of omptarget %s, LLVM %s\n", OMPTARGET_VERSION_TEXT, llvm_version().c_str());
    return 0;
  }
  if (count == 2 && std::strcmp(arguments[1], "--help") == 0) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const Options options = read_options(count, arguments);
  limit_process(options.seconds);
  Code code = generate_code(read_input(), options.processor, options.level, options.cases);
  switch (code.form) {
  case Form::kPtx: break;
  case Form::kAmdgpuObject: code.bytes = link_shared(code.bytes, {"--no-undefined"}); break;
  case Form::kCpuObject: code.bytes = link_shared(code.bytes, options_for_cpu(options.libraries)); break;
  }
  write_result(code.bytes);
  std::fflush(stderr);
  _exit(0); // the rest of LLVM's memory goes with the process
}
