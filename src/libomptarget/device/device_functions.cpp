// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of DeviceImages that deals with indirect functions: reads their device addresses after loading, and hands
// the merged table to the plugin and to the lookups of code that runs on this CPU.

#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"
#include "device/device_images.h"
#include "device/invariants.h"
#include "device/runtime.h"
#include "image/own_entries.h"
#include "indirect/caller_registry.h"
#include "observe/info.h"
#include "observe/info_lines.h"

namespace omptarget {

namespace {

/// Returns whether the host has it listed in case that the device has it: vtables of classes that the device may
/// never use, and functions whose addresses are taken.
bool is_offered(const Entry &entry) {
  return entry.kind == EntryKind::kVtable || std::string_view(entry.name).starts_with(OMPTARGET_OFFERED_FUNCTION);
}

/// The addresses that the image's own table has for indirect functions. The plugin's table lacks them if the plugin
/// looks at dynamic symbols only, since compilers hide these functions. Only images in this process have such
/// addresses.
class OwnFunctions {
public:
  OwnFunctions(const ImageCopy &image, const __tgt_target_table &table) : image_(image), table_(table) {}

  /// Returns the address, or null. A vtable's own entry does not have the address of the variable.
  void *find(const Entry &wanted) {
    if (wanted.kind == EntryKind::kVtable)
      return nullptr;
    if (!std::exchange(has_read_, true))
      read();
    for (const Entry &entry : entries_)
      if (entry.kind == wanted.kind && std::strcmp(entry.name, wanted.name) == 0)
        return raw(entry.address);
    return nullptr;
  }

private:
  /// Any address that the plugin gave for a part of the image tells where the image is.
  void read() {
    for (size_t i = 0; i < image_.entries().size() && entries_.empty(); ++i)
      if (const void *const address = table_.EntriesBegin[i].addr)
        entries_ = own_entries(image_.bytes(), address);
  }

  const ImageCopy &image_;
  const __tgt_target_table &table_;
  bool has_read_ = false;
  std::vector<Entry> entries_;
};

/// For plugins: describe of __tgt_image_functions.
size_t describe_indirect(const void *function, char *buffer, size_t size) {
  const std::string text = Runtime::get().modules().describe_indirect(function);
  if (size != 0) {
    std::strncpy(buffer, text.c_str(), size - 1);
    buffer[size - 1] = '\0';
  }
  return text.size();
}

} // namespace

Status DeviceImages::collect_functions(Loaded &loaded) {
  const std::vector<Entry> &entries = loaded.image.entries();
  std::vector<uint64_t> targets(entries.size(), 0);
  OwnedQueue queue(device_); // gone before what it reads into
  std::string missing;
  OwnFunctions own(loaded.image, *loaded.table);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!is_indirect(entries[i].kind))
      continue;
    void *address = loaded.table->EntriesBegin[i].addr;
    if (!address)
      address = own.find(entries[i]);
    if (!address) {
      if (!is_offered(entries[i]))
        missing += (missing.empty() ? "" : ", ") + std::string(entries[i].name);
    } else if (entries[i].kind == EntryKind::kFunctionPointer) {
      targets[i] = reinterpret_cast<uint64_t>(address);
    } else { // a global that holds the address
      observe::print_copy(
          {observe::DataOperationKind::kFromDevice, id_, &targets[i], address, sizeof targets[i], entries[i].name});
      OMPTARGET_TRY_DURING(device_.data_retrieve(&targets[i], address, sizeof targets[i], queue.get()),
                           "while reading the device address of %s", entries[i].name);
    }
  }
  OMPTARGET_TRY(queue.complete());
  if (!missing.empty())
    print_message(format("device %d: the image of %s has no device version of the indirect function(s) %s", raw(id_),
                         loaded.library->path.c_str(), missing.c_str()));
  std::vector<FunctionPair> pairs;
  for (size_t i = 0; i < entries.size(); ++i)
    if (targets[i] != 0)
      append_function_pairs(pairs, entries[i].kind, static_cast<uint64_t>(entries[i].address), targets[i],
                            entries[i].size);
  if (plugin().separates_images())
    OMPTARGET_TRY(separate_functions(loaded, pairs));
  functions_changed_ = functions_.add(loaded.library.get(), std::move(pairs)) || functions_changed_;
  return Status::ok();
}

/// The image's own table, where its device code calls no functions of other images.
Status DeviceImages::separate_functions(Loaded &loaded, std::vector<FunctionPair> pairs) {
  FunctionTable own;
  own.add(&loaded, std::move(pairs));
  std::vector<FunctionConflict> conflicts;
  loaded.functions = own.build(conflicts);
  report_conflicts(conflicts);
  const std::string module = loaded.library->name();
  return device_.set_image_functions(
      loaded.table, {loaded.functions.size(), loaded.functions.data(), module.c_str(), describe_indirect});
}

void DeviceImages::report_conflicts(std::span<const FunctionConflict> conflicts) const {
  if (!conflicts.empty())
    print_message(format("device %d: %s", raw(id_), conflicts_text(conflicts).c_str()));
}

/// Code of the image finds its device's table by its own address: any address of a global or function in it will do.
void DeviceImages::register_code(Loaded &loaded) {
  for (size_t i = 0; i < loaded.image.entries().size() && !loaded.code; ++i) {
    const void *const address = loaded.table->EntriesBegin[i].addr;
    if (address && register_cpu_image(raw(id_), address, raw(loaded.image.entries()[i].address)))
      loaded.code = address;
  }
}

/// Returns whether there are others than vtables, which compilers list unasked.
bool DeviceImages::has_indirect_functions() const {
  for (const auto &loaded : loaded_)
    for (const Entry &entry : loaded->image.entries())
      if (entry.kind == EntryKind::kIndirect || entry.kind == EntryKind::kFunctionPointer)
        return true;
  return false;
}

void DeviceImages::publish_functions() {
  if (!std::exchange(functions_changed_, false))
    return;
  std::vector<FunctionConflict> conflicts;
  std::vector<FunctionPair> table = functions_.build(conflicts);
  if (!plugin().separates_images()) // otherwise each image has its own, and those of one image were reported
    report_conflicts(conflicts);
  trace_function_table(raw(id_), table);
  publish_function_table(raw(id_), table);
  check_function_table(id_, table);
  if (!plugin().has_function_map()) {
    const std::string text =
        format("plugin %s takes no table of indirect functions: pointers to the %zu of them are not "
               "translated on its devices",
               plugin().name().c_str(), table.size());
    OMPTARGET_TRACE_DEVICE(Topic::kIndirect, id_, "%s", text.c_str());
    if (has_indirect_functions() && plugin().is_first_to_miss_map())
      print_message(text);
    return;
  }
  if (Status status = device_.set_function_ptr_map(table.size(), table.data()); !status)
    print_message(format("device %d: the table of %zu indirect functions could not be set: %s", raw(id_), table.size(),
                         status.to_string().c_str()));
}

} // namespace omptarget
