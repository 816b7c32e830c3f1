// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/report.h"

#include <algorithm>
#include <cstdlib>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "base/process_rank.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "image/image_facts.h"
#include "observe/demangle.h"
#include "observe/source_text.h"
#include "plugin/device_numbering.h"
#include "tools/info/producers.h"

namespace omptarget::info_tool {

namespace {

const char *image_kind_name(ImageKind kind) {
  switch (kind) {
  case ImageKind::kElf: return "ELF";
  case ImageKind::kBitcode: return "LLVM bitcode";
  case ImageKind::kPtx: return "PTX";
  case ImageKind::kFatBinary: return "CUDA fat binary";
  case ImageKind::kIntel: return "for Intel GPUs";
  case ImageKind::kUnknown: break;
  }
  return "unknown";
}

std::string requires_text(uint64_t mask) {
  std::string text;
  const auto add = [&](uint64_t bit, const char *clause) {
    if (mask & bit)
      text.append(text.empty() ? "" : ", ").append(clause);
  };
  add(OMPTARGET_REQUIRES_REVERSE_OFFLOAD, "reverse_offload");
  add(OMPTARGET_REQUIRES_UNIFIED_ADDRESS, "unified_address");
  add(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY, "unified_shared_memory");
  add(OMPTARGET_REQUIRES_DYNAMIC_ALLOCATORS, "dynamic_allocators");
  return text;
}

std::string devices_text(const Verdict &verdict) {
  std::string text = verdict.devices.size() == 1 ? "device" : "devices";
  for (size_t i = 0; i < verdict.devices.size(); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(verdict.devices[i]);
  return text + " of plugin " + verdict.plugin->plugin->name();
}

/// Which of a parallel program's processes this is, if a launcher tells.
std::string rank_text(const Machine &machine) {
  const ProcessRank &rank = process_rank();
  if (!rank.launcher)
    return {};
  std::string text = format("started by %s as %s\n", rank.launcher, describe_process().c_str());
  if (!rank.on_node)
    return text;
  text += format("  place %lld on the node (%s)\n", static_cast<long long>(*rank.on_node), rank.on_node_variable);
  const bool is_dealt = setting_is_set(SettingId::kDefaultDevice) && !std::getenv("OMP_DEFAULT_DEVICE");
  for (const PluginFacts &plugin : machine.plugins())
    if (const auto count = static_cast<int64_t>(plugin.devices.size()); count > 0)
      text += format("  default device of programs for plugin %s%s: its device %lld\n", plugin.plugin->name().c_str(),
                     is_dealt ? "" : ", with LIBOMPTARGET_DEFAULT_DEVICE=local-rank",
                     static_cast<long long>(share_of(rank, count)));
  return text;
}

/// Returns the devices that OMP_AVAILABLE_DEVICES leaves, for a program with images for all of them.
std::string available_text(const Machine &machine) {
  const char *const list = setting_text(SettingId::kAvailableDevices);
  if (!list)
    return {};
  std::vector<const Plugin *> plugins;
  for (const PluginFacts &plugin : machine.plugins())
    plugins.push_back(plugin.plugin);
  const std::vector<DeviceOfPlugin> devices = DeviceNumbering().add(plugins);
  std::string text = format("OMP_AVAILABLE_DEVICES=%s: a program with images for all plugins gets %zu device(s)\n",
                            printable_name(list).c_str(), devices.size());
  for (size_t i = 0; i < devices.size(); ++i)
    text += format("  number %zu: device %d of plugin %s\n", i, devices[i].second, devices[i].first->name().c_str());
  return text;
}

std::string machine_text(const Machine &machine) {
  std::string text = rank_text(machine) + available_text(machine);
  for (const PluginFacts &plugin : machine.plugins()) {
    text += format("plugin %s: %zu device(s)\n  file: %s\n", plugin.plugin->name().c_str(), plugin.devices.size(),
                   printable_name(plugin.plugin->path()).c_str());
    for (size_t i = 0; i < plugin.devices.size(); ++i) {
      const DeviceFacts &device = plugin.devices[i];
      text += format("  device %zu: %s", i, device.arch.empty() ? "architecture not told" : device.arch.c_str());
      text += (device.uid.empty() ? "" : ", " + device.uid) + "\n";
      if (!device.failure.empty())
        text += "    cannot be used: " + printable_name(device.failure) + "\n";
      for (const std::string &property : device.properties)
        text += "    " + printable_name(property) + "\n";
    }
  }
  for (const PluginRejection &rejection : machine.rejections())
    text += format("not used: %s\n  why: %s\n", printable_name(rejection.path).c_str(),
                   printable_name(rejection.reason).c_str());
  return text.empty() ? "no plugin was found in " + printable_name(own_library_folder()) + "\n" : text;
}

std::string compiler_text(const std::string &signature, bool offloads) {
  const std::string remark = offloads ? remark_on_compiler(signature) : "";
  return "compiler: " + printable_name(signature) + (remark.empty() ? "" : " (" + remark + ")") + "\n";
}

std::string image_text(const Machine &machine, const ModuleFile &module, const FileImage &image, size_t number,
                       bool has_entries) {
  const ImageFacts facts = image_facts(image.bytes);
  std::string text = format("  image %zu: %s, %s, %zu bytes", number,
                            image.defect.empty() ? printable_name(facts.architecture).c_str() : "damaged",
                            image_kind_name(facts.kind), image.bytes.size());
  if (!image.triple.empty())
    text += ", " + printable_name(image.triple);
  text += "\n";
  for (const std::string &compiler : image.compilers) // mostly the module's
    if (std::find(module.compilers.begin(), module.compilers.end(), compiler) == module.compilers.end())
      text += "    " + compiler_text(compiler, true);
  const Verdict verdict = machine.verdict_on(image, has_entries);
  for (const FileEntry &entry : image.missing)
    text += format("    lacks the %s %s, which the program has\n", kind_name(entry.kind),
                   printable_name(readable_entry(entry)).c_str());
  if (verdict.plugin)
    return text + "    would run on " + devices_text(verdict) +
           (verdict.is_compiled ? ", compiled at its first use\n" : "\n");
  text += "    would not run here\n";
  for (const std::string &reason : verdict.reasons)
    text += "      " + printable_name(reason) + "\n";
  return text;
}

std::string counted(uint64_t count, const char *what) {
  return format("%llu %s%s", static_cast<unsigned long long>(count), what, count == 1 ? "" : "s");
}

/// Says what libgomp has to offload. Which libgomp that is, the loader's choices say.
std::string gcc_text(const GccTables &gcc) {
  std::string text = "  offloads as GCC does it, by libgomp: " + counted(gcc.kernels, "kernel") + ", " +
                     counted(gcc.variables, "variable");
  if (gcc.has_images)
    text += *gcc.has_images ? ", images for devices" : ", no image for a device";
  return text + "\n    gcc.md says how omptarget runs it on this CPU\n";
}

std::string module_text(const Machine &machine, const ModuleFile &module) {
  std::string text = printable_name(module.path) + "\n";
  for (const std::string &compiler : module.compilers)
    text += "  " + compiler_text(compiler, !module.descriptors.empty());
  if (module.gcc)
    text += gcc_text(*module.gcc);
  else if (module.descriptors.empty())
    text += "  does not offload: it has neither entries nor device images\n";
  for (const FileDescriptor &descriptor : module.descriptors) {
    text += "  offloads as " + descriptor.generation + " does it\n";
    if (const std::string clauses = requires_text(descriptor.requires_mask); !clauses.empty())
      text += "  requires " + clauses + "\n";
    for (size_t i = 0; i < descriptor.images.size(); ++i)
      text += image_text(machine, module, descriptor.images[i], i, !descriptor.entries.empty());
    if (descriptor.images.empty())
      text += "  no device images\n";
    for (const FileEntry &entry : descriptor.entries) {
      text += format("  %s %s", kind_name(entry.kind), printable_name(readable_entry(entry)).c_str());
      text += entry.kind == EntryKind::kVariable
                  ? format(" (%llu bytes)\n", static_cast<unsigned long long>(entry.size))
                  : "\n";
    }
  }
  return text;
}

using llvm::json::OStream;

std::string valid(const std::string &text) { return llvm::json::fixUTF8(text); }

/// JSON lets DEL and the controls of Latin-1 stand as they are; terminals obey them. They occur in strings only.
std::string escape_controls(const std::string &json) {
  std::string result;
  for (size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    if (byte == 0x7f)
      result += "\\u007f";
    else if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
      result += format("\\u%04x", next), ++i;
    else
      result += json[i];
  }
  return result;
}

void write_texts(OStream &json, const char *name, const std::vector<std::string> &texts) {
  json.attributeArray(name, [&] {
    for (const std::string &text : texts)
      json.value(valid(text));
  });
}

void write_device(OStream &json, const DeviceFacts &device) {
  json.object([&] {
    json.attribute("architecture", valid(device.arch));
    json.attribute("uid", valid(device.uid));
    if (!device.failure.empty())
      json.attribute("failure", valid(device.failure));
    write_texts(json, "properties", device.properties);
  });
}

void write_machine(OStream &json, const Machine &machine) {
  if (const ProcessRank &rank = process_rank(); rank.launcher)
    json.attributeObject("process", [&] {
      json.attribute("launcher", rank.launcher);
      if (rank.rank)
        json.attribute("rank", *rank.rank);
      if (rank.on_node)
        json.attribute("placeOnNode", *rank.on_node);
    });
  json.attributeArray("plugins", [&] {
    for (const PluginFacts &plugin : machine.plugins())
      json.object([&] {
        json.attribute("name", valid(plugin.plugin->name()));
        json.attribute("file", valid(plugin.plugin->path()));
        json.attributeArray("devices", [&] {
          for (const DeviceFacts &device : plugin.devices)
            write_device(json, device);
        });
      });
  });
  json.attributeArray("notUsed", [&] {
    for (const PluginRejection &rejection : machine.rejections())
      json.object([&] {
        json.attribute("file", valid(rejection.path));
        json.attribute("reason", valid(rejection.reason));
      });
  });
}

void write_image(OStream &json, const Machine &machine, const FileImage &image, bool has_entries) {
  const ImageFacts facts = image_facts(image.bytes);
  const Verdict verdict = machine.verdict_on(image, has_entries);
  json.object([&] {
    json.attribute("architecture", valid(facts.architecture));
    json.attribute("kind", image_kind_name(facts.kind));
    json.attribute("bytes", static_cast<int64_t>(image.bytes.size()));
    json.attribute("triple", valid(image.triple));
    json.attribute("containerArchitecture", valid(image.arch));
    if (!image.defect.empty())
      json.attribute("defect", valid(image.defect));
    write_texts(json, "compilers", image.compilers);
    json.attributeArray("missing", [&] {
      for (const FileEntry &entry : image.missing)
        json.value(valid(entry.name));
    });
    json.attribute("runsHere", verdict.plugin != nullptr);
    json.attribute("compiledAtFirstUse", verdict.is_compiled);
    if (verdict.plugin)
      json.attribute("plugin", valid(verdict.plugin->plugin->name()));
    json.attributeArray("devices", [&] {
      for (const int32_t device : verdict.devices)
        json.value(device);
    });
    write_texts(json, "reasons", verdict.reasons);
  });
}

void write_libraries(OStream &json, const FileReport &file) {
  const std::string own_folder = own_library_folder();
  json.attributeArray("libraries", [&] {
    for (const LibraryChoice &choice : file.libraries.choices)
      json.object([&] {
        json.attribute("name", valid(choice.name));
        json.attribute("askedBy", valid(choice.asked_by));
        json.attribute("file", valid(choice.file));
        json.attribute("isOmptarget", choice.is_omptarget);
        if (!choice.defect.empty())
          json.attribute("defect", choice.defect);
        json.attribute("reason", valid(reason_text(choice)));
        write_texts(json, "advice", advice_for(choice, file.path, folder_for(choice, own_folder)));
      });
  });
}

void write_missing(OStream &json, const FileReport &file) {
  json.attributeArray("missingLibraries", [&] {
    for (const MissingLibrary &missing : file.libraries.missing)
      json.object([&] {
        json.attribute("name", valid(missing.name));
        json.attribute("askedBy", valid(missing.asked_by));
      });
  });
}

void write_entry(OStream &json, const FileEntry &entry) {
  json.object([&] {
    json.attribute("kind", kind_name(entry.kind));
    json.attribute("name", valid(entry.name));
    json.attribute("readableName", valid(readable_entry(entry)));
    json.attribute("bytes", static_cast<int64_t>(entry.size));
  });
}

void write_descriptor(OStream &json, const Machine &machine, const FileDescriptor &descriptor) {
  json.object([&] {
    json.attribute("generation", descriptor.generation);
    json.attribute("requires", requires_text(descriptor.requires_mask));
    json.attributeArray("images", [&] {
      for (const FileImage &image : descriptor.images)
        write_image(json, machine, image, !descriptor.entries.empty());
    });
    json.attributeArray("entries", [&] {
      for (const FileEntry &entry : descriptor.entries)
        write_entry(json, entry);
    });
  });
}

void write_module(OStream &json, const Machine &machine, const FileReport &file) {
  json.object([&] {
    json.attribute("path", valid(file.path));
    if (!file.failure.empty())
      return json.attribute("failure", valid(file.failure));
    write_texts(json, "compilers", file.module.compilers);
    write_libraries(json, file);
    write_missing(json, file);
    if (const std::optional<GccTables> &gcc = file.module.gcc)
      json.attributeObject("gccTables", [&] {
        json.attribute("kernels", static_cast<int64_t>(gcc->kernels));
        json.attribute("variables", static_cast<int64_t>(gcc->variables));
        if (gcc->has_images)
          json.attribute("hasImages", *gcc->has_images);
      });
    json.attributeArray("parts", [&] {
      for (const FileDescriptor &descriptor : file.module.descriptors)
        write_descriptor(json, machine, descriptor);
    });
  });
}

} // namespace

std::string readable_entry(const FileEntry &entry) {
  const std::string readable = observe::readable_name(entry.name.c_str());
  return readable == entry.name ? observe::readable_symbol(entry.name) : readable;
}

/// Says that a program may bring its own libgomp.
static std::string static_text(const FileReport &file) {
  const bool asks = std::any_of(file.libraries.choices.begin(), file.libraries.choices.end(),
                                [](const LibraryChoice &choice) { return choice.is_libgomp; });
  return !file.module.gcc || asks
             ? ""
             : "  it asks for no libgomp.so.1: if its own is inside (-static), no other takes its place\n";
}

std::string report_as_text(const Machine &machine, std::span<const FileReport> files) {
  if (files.empty())
    return machine_text(machine);
  std::string text;
  for (const FileReport &file : files)
    if (file.failure.empty())
      text += module_text(machine, file.module) + choices_text(file.path, file.libraries) + static_text(file);
  return text;
}

std::string report_as_json(const Machine &machine, std::span<const FileReport> files) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, 2);
  json.object([&] {
    write_machine(json, machine);
    if (!files.empty())
      json.attributeArray("modules", [&] {
        for (const FileReport &file : files)
          write_module(json, machine, file);
      });
  });
  return escape_controls(text) + "\n";
}

} // namespace omptarget::info_tool
