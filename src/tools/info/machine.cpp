// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/machine.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#include "image/image_facts.h"
#include "jit/compiled_head.h"
#include "plugin/own_folder.h"
#include "plugin/plugin_candidates.h"
#include "tools/info/plugin_trial.h"

namespace omptarget::info_tool {

namespace {

/// Plugins lie beside libomptarget.so, which is in ../lib of this program's folder.
void add_plugin_folder() {
  const std::string &bin = own_folder();
  if (bin.empty())
    return;
  const std::string folder = bin.substr(0, bin.rfind('/')) + "/lib";
  const char *given = std::getenv("LIBOMPTARGET_PLUGIN_PATH");
  setenv("LIBOMPTARGET_PLUGIN_PATH", (given && *given ? given + (":" + folder) : folder).c_str(), 1);
}

constexpr int kSeconds = 60; ///< that a plugin may take to start

std::string try_start(const std::string &path) { return try_plugin(path, {false, kSeconds}); }
std::string try_devices(const std::string &path) { return try_plugin(path, {true, kSeconds}); }

/// Returns the output of a function on stdout.
template <typename Function> std::string captured(Function function) {
  std::fflush(stdout);
  const int file = memfd_create("properties", MFD_CLOEXEC);
  const int before = ::dup(STDOUT_FILENO);
  if (file < 0 || before < 0)
    return {};
  ::dup2(file, STDOUT_FILENO);
  function();
  std::fflush(stdout);
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  std::string text;
  char buffer[4096];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t count; (count = ::read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  ::close(file);
  return text;
}

DeviceFacts describe(const Plugin &plugin, int32_t device) {
  DeviceFacts facts;
  if (Status status = plugin.init_device(device, OMPTARGET_REQUIRES_NONE); !status) {
    facts.failure = status.to_string();
    return facts;
  }
  facts.arch = plugin.device_arch(device);
  facts.uid = plugin.device_uid(device);
  const std::string text = captured([&] { (void)plugin.print_device_info(device); });
  facts.properties = split_list(text, '\n');
  return facts;
}

} // namespace

Machine Machine::with_plugins(Devices devices) {
  add_plugin_folder();
  Machine machine;
  machine.set_ = load_plugins(PluginNeed::all(), devices == Devices::kUsed ? try_devices : try_start);
  for (const auto &plugin : machine.set_.plugins) {
    PluginFacts facts{plugin.get(), {}};
    for (int32_t i = 0; i < plugin->number_of_devices(); ++i)
      facts.devices.push_back({plugin->device_arch(i), {}, {}, {}});
    machine.plugins_.push_back(std::move(facts));
  }
  if (devices == Devices::kUsed)
    machine.describe_devices();
  return machine;
}

void Machine::describe_devices() {
  for (PluginFacts &plugin : plugins_)
    for (size_t i = 0; i < plugin.devices.size(); ++i)
      plugin.devices[i] = describe(*plugin.plugin, static_cast<int32_t>(i));
}

Verdict Machine::verdict_on(const FileImage &image, bool has_entries) const {
  Verdict verdict;
  if (!image.defect.empty()) {
    verdict.reasons.push_back(image.defect);
    return verdict;
  }
  auto *const begin = const_cast<std::byte *>(image.bytes.data());
  const __tgt_device_image record{begin, begin + image.bytes.size(), nullptr, nullptr};
  const ImageFacts target = image_facts(image.bytes);
  if (const std::string advice = jit::advice_on(target); !advice.empty())
    verdict.reasons.push_back(description_of(target) + advice);
  const std::string &needed = target.architecture;
  for (const PluginFacts &facts : plugins_) {
    const Plugin &plugin = *facts.plugin;
    const std::string have =
        facts.devices.empty() || facts.devices[0].arch.empty() ? "other devices" : facts.devices[0].arch;
    if (!has_entries && !plugin.supports_empty_images()) {
      verdict.reasons.push_back(format("plugin %s takes no images without entries", plugin.name().c_str()));
      continue;
    }
    const auto takes = [&](const __tgt_device_image &asked) { return plugin.accepts(asked, image.arch.c_str()); };
    if (const jit::Taken taken = jit::how_taken(record, plugin.device_arch(0), takes); taken != jit::Taken::kNot) {
      verdict.is_compiled = taken == jit::Taken::kCompiled;
      for (int32_t i = 0; i < plugin.number_of_devices(); ++i) {
        const auto device_takes = [&](const __tgt_device_image &asked) {
          return plugin.accepts_on_device(i, asked, image.arch.c_str());
        };
        if (jit::how_taken(record, plugin.device_arch(i), device_takes) == taken)
          verdict.devices.push_back(i);
      }
      if (!verdict.devices.empty()) {
        verdict.plugin = &facts;
        return verdict;
      }
    }
    verdict.reasons.push_back(format("plugin %s does not take it: built for %s, the plugin has %s",
                                     plugin.name().c_str(), needed.c_str(), have.c_str()));
  }
  for (const PluginRejection &rejection : set_.rejections)
    verdict.reasons.push_back(format("not used: %s: %s", rejection.path.c_str(), rejection.reason.c_str()));
  if (verdict.reasons.empty())
    verdict.reasons.push_back("no plugin was found");
  return verdict;
}

} // namespace omptarget::info_tool
