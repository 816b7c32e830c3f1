// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-info: what this machine can offload to, and what is in a module that offloads.

#include <cctype>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/format.h"
#include "base/result_file.h"
#include "base/text_output.h"
#include "base/version.h"
#include "image/image_facts.h"
#include "tools/info/report.h"

using namespace omptarget;
using namespace omptarget::info_tool;

namespace {

constexpr const char *kUsage =
    "usage: omptarget-info [--json] [FILE...]\n"
    "       omptarget-info --extract FOLDER FILE...\n"
    "Tells what a machine can offload to, and what is in a program that offloads.\n"
    "Without files: the plugins and devices of this machine, and why a plugin is not used.\n"
    "With executables or shared libraries: their device images and entries, and where each image would run; which\n"
    "libomptarget the dynamic loader would give them, started with the variables of now, and why.\n"
    "  --json            all of it for scripts\n"
    "  --extract FOLDER  writes the device images of the files there, as FILE.image-N.ARCHITECTURE, and names them\n"
    "  --version         which omptarget this is\n"
    "Exit status: 0, 1 if a file cannot be read, no plugin can be used or the output cannot be written, 2 for wrong\n"
    "arguments.\n";

/// The characters of an architecture's name that a file's name may have.
std::string for_file_name(std::string text) {
  for (char &byte : text)
    if (!std::isalnum(static_cast<unsigned char>(byte)) && byte != '_' && byte != '+' && byte != '-')
      byte = '_';
  return text;
}

/// Writes the images of a module as files of their own, and prints the names.
Status extract_images(const std::string &folder, const FileReport &file) {
  const std::string name = file.path.substr(file.path.rfind('/') + 1); // all of it without a folder
  size_t count = 0;
  for (const FileDescriptor &descriptor : file.module.descriptors)
    for (const FileImage &image : descriptor.images) {
      const std::string path = format("%s/%s.image-%zu.%s", folder.c_str(), name.c_str(), count++,
                                      for_file_name(image_facts(image.bytes).architecture).c_str());
      OMPTARGET_TRY(
          replace_result_file(path, {reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size()}));
      std::puts(printable_name(path).c_str());
    }
  return count != 0 ? Status::ok() : Status::error("it has no device images");
}

int extract(const std::string &folder, const std::vector<FileReport> &files, bool has_failed) {
  for (const FileReport &file : files) {
    Status status = file.failure.empty() ? extract_images(folder, file) : Status::ok();
    if (!status.is_ok()) {
      write_error_line(format("omptarget-info: %s: %s", file.path.c_str(), status.to_string().c_str()));
      has_failed = true;
    }
    status.consume();
  }
  return status_after_output("omptarget-info", has_failed ? 1 : 0, 1);
}

} // namespace

int main(int count, char **arguments) {
  bool as_json = false;
  std::string folder; // to extract images to
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
    } else if (std::strcmp(argument, "--extract") == 0 && i + 1 < count) {
      folder = arguments[++i];
    } else if (argument[0] == '-') {
      write_error_line(format("omptarget-info: there is no option %s, or its value is missing", argument));
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
      if (!file.module.gcc) // other programs may use libgomp without offloading by it
        std::erase_if(file.libraries.choices, [](const LibraryChoice &choice) { return choice.is_libgomp; });
      continue;
    }
    file.failure = module.status().to_string();
    has_failed = true;
    write_error_line(format("omptarget-info: %s: %s", file.path.c_str(), file.failure.c_str()));
  }
  if (!folder.empty())
    return extract(folder, files, has_failed);
  const Machine machine =
      Machine::with_plugins(files.empty() || as_json ? Machine::Devices::kUsed : Machine::Devices::kCounted);
  std::fputs((as_json ? report_as_json(machine, files) : report_as_text(machine, files)).c_str(), stdout);
  if (files.empty() && machine.plugins().empty())
    has_failed = true; // nothing is installed, or nothing can be used
  return status_after_output("omptarget-info", has_failed ? 1 : 0, 1);
}
