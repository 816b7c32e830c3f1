// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "jit/compile.h"

#include <chrono>
#include <cstring>

#include "base/log.h"
#include "base/mapped_file.h"
#include "base/settings.h"
#include "base/version.h"
#include "image/image_facts.h"
#include "jit/cache.h"
#include "jit/compiled_head.h"
#include "jit/compiler_program.h"
#include "jit/key_maker.h"

namespace omptarget::jit {

namespace {

constexpr int64_t kMostSeconds = 86400;
constexpr int64_t kHighestLevel = 3;

std::vector<std::string> arguments_for(const ImageCopy &image, const std::string &device_arch,
                                       const std::string &libomp, int64_t seconds,
                                       std::span<const LaunchCase> variants) {
  const ImageFacts facts = image_facts(image.bytes());
  const int64_t level = setting_in(SettingId::kJitOptLevel, 0, kHighestLevel);
  std::vector<std::string> arguments{format("--level=%lld", static_cast<long long>(level)),
                                     format("--seconds=%lld", static_cast<long long>(seconds))};
  if (const std::string processor = processor_for(facts, device_arch); !processor.empty())
    arguments.push_back("--processor=" + processor);
  else if (!libomp.empty())
    arguments.push_back("--library=" + libomp);
  for (const LaunchCase &variant : variants)
    arguments.push_back("--variant=" + text_of(variant));
  return arguments;
}

Key key_of(const ImageCopy &image, const std::vector<std::string> &arguments, std::string_view program) {
  KeyMaker maker;
  maker.add(version_text());
  maker.add(program);
  for (const std::string &argument : arguments)
    if (!argument.starts_with("--seconds="))
      maker.add(argument);
  maker.add(image.bytes());
  return maker.key();
}

void take(ImageCopy &image, const std::string &compiled) {
  std::unique_ptr<std::byte[]> bytes(new std::byte[compiled.size()]);
  std::memcpy(bytes.get(), compiled.data(), compiled.size());
  image.replace_bytes(std::move(bytes), compiled.size());
}

} // namespace

Status compile(ImageCopy &image, const std::string &device_arch, const std::string &libomp,
               std::span<const LaunchCase> variants) {
  const std::string &path = compiler_program();
  const std::string what = description_of(image_facts(image.bytes()));
  MappedFile program;
  OMPTARGET_TRY_DURING(program.open(path), "while reading %s", path.c_str());
  const int64_t seconds = setting_in(SettingId::kJitTimeout, 1, kMostSeconds);
  const std::vector<std::string> arguments = arguments_for(image, device_arch, libomp, seconds, variants);
  const Key key = key_of(image, arguments, program.contents());
  const Cache cache;
  std::optional<std::string> compiled = cache.find(key);
  if (!compiled) {
    const auto deadline = [seconds] { return std::chrono::steady_clock::now() + std::chrono::seconds(seconds); };
    const Cache::Lock lock(cache, key, deadline());
    compiled = cache.find(key); // another process may have compiled it meanwhile
    if (!compiled) {
      OMPTARGET_TRACE(Topic::kImage, "compiling %s by %s, and %zu variants of kernels", what.c_str(), path.c_str(),
                      variants.size());
      OMPTARGET_TRY_ASSIGN(compiled, run_compiler(path, arguments, image.bytes(), deadline()));
      cache.keep(key, *compiled);
    }
  }
  OMPTARGET_TRACE(Topic::kImage, "%s is compiled: %zu bytes, %s", what.c_str(), compiled->size(), name_of(key).c_str());
  take(image, *compiled);
  for (size_t i = 0; i < variants.size(); ++i)
    image.add_kernel(variant_name(variants[i], i));
  return Status::ok();
}

} // namespace omptarget::jit
