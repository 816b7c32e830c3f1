// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_adapters.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "plugin/loaded_object.h"
#include "plugin/plugin.h"
#include "plugin/plugin_image.h"

namespace omptarget {

namespace {

constinit ptrdiff_t zeros[kZeroOffsets] = {};

/// The version of the argument block that has the implicit leading parameter.
constexpr uint32_t kImplicitVersion = 3;
constexpr uint32_t kNoTeams = 0xffffffffu;

/// LLVM 18's plugins do so for every kernel, whatever the block says; those of 17 and before do not know of it.
bool supplies_implicit_parameter(const PluginFunctions &functions) {
  return functions.generation == PluginGeneration::kBinary ||
         (functions.features & OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT) != 0;
}

int32_t launch_region(const PluginFunctions &functions, const PluginLaunch &request, ptrdiff_t *offsets) {
  const __tgt_kernel_args &args = *request.args;
  const int32_t count = static_cast<int32_t>(args.NumArgs);
  // A construct without teams has a form of its own there: one team, one thread.
  if (args.NumTeams[0] == kNoTeams) {
    if (request.queue && functions.run_target_region_async)
      return functions.run_target_region_async(request.device, request.kernel, request.arguments, offsets, count,
                                               request.queue);
    return functions.run_target_region(request.device, request.kernel, request.arguments, offsets, count);
  }
  const int32_t teams = static_cast<int32_t>(args.NumTeams[0]);
  const int32_t threads = static_cast<int32_t>(args.ThreadLimit[0]);
  if (request.queue && functions.run_target_team_region_async)
    return functions.run_target_team_region_async(request.device, request.kernel, request.arguments, offsets, count,
                                                  teams, threads, args.Tripcount, request.queue);
  return functions.run_target_team_region(request.device, request.kernel, request.arguments, offsets, count, teams,
                                          threads, args.Tripcount);
}

/// The plugins of LLVM 16 that queue work need somewhere to put the queue.
int32_t launch_with_queue(const PluginFunctions &functions, const PluginLaunch &request, ptrdiff_t *offsets) {
  if (request.queue)
    return functions.launch_kernel(request.device, request.kernel, request.arguments, offsets, request.args,
                                   request.queue);
  __tgt_async_info own{};
  int32_t result =
      functions.launch_kernel(request.device, request.kernel, request.arguments, offsets, request.args, &own);
  if (own.Queue && functions.synchronize)
    if (const int32_t waited = functions.synchronize(request.device, &own); result == 0)
      result = waited;
  return result;
}

int32_t launch_in_form(const PluginFunctions &functions, const PluginLaunch &request, ptrdiff_t *offsets) {
  switch (functions.generation) {
  case PluginGeneration::kRegion: return launch_region(functions, request, offsets);
  case PluginGeneration::kLaunch: return launch_with_queue(functions, request, offsets);
  case PluginGeneration::kTable:
  case PluginGeneration::kBinary:
  case PluginGeneration::kCurrent: break;
  }
  return functions.launch_kernel(request.device, request.kernel, request.arguments, offsets, request.args,
                                 request.queue);
}

/// Returns whether memory can be read, without touching it: the kernel looks at the set of signals before it refuses
/// the request. The words that are probed belong to the memory, since valgrind checks what a call is given.
bool is_readable(const void *begin, size_t size) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = reinterpret_cast<uintptr_t>(begin);
  if (first < page || size > UINTPTR_MAX - first) // the first page: a null set would be none to the kernel
    return false;
  constexpr int kNoSuchRequest = ~0;
  constexpr uintptr_t kWord = sizeof(uint64_t);
  for (uintptr_t at = first & ~(page - 1); at < first + size; at += page) {
    const uintptr_t probed = (std::min(at + page, first + std::max<size_t>(size, 1)) - 1) & ~(kWord - 1);
    if (syscall(SYS_rt_sigprocmask, kNoSuchRequest, probed, nullptr, sizeof(uint64_t)) != 0 && errno == EFAULT)
      return false;
  }
  return true;
}

size_t entries_of(const __tgt_device_image &image) {
  return static_cast<size_t>(image.EntriesEnd - image.EntriesBegin);
}

/// Checks that a plugin returned a table at all.
Status check_table(const PluginFunctions &functions, const __tgt_target_table *table) {
  if (!table) {
    const std::string words = last_error_text(functions);
    return Status::error("__tgt_rtl_load_binary returns null" + (words.empty() ? words : ": " + words));
  }
  if (!is_readable(table, sizeof *table))
    return Status::error(format("__tgt_rtl_load_binary returns a table at %p, where there is no memory",
                                static_cast<const void *>(table)));
  return Status::ok();
}

/// Checks the entries of a table, whatever the image.
Status check_table_entries(const __tgt_target_table &table, const __tgt_device_image &image) {
  const char *begin = reinterpret_cast<const char *>(table.EntriesBegin);
  const char *end = reinterpret_cast<const char *>(table.EntriesEnd);
  if (begin > end || static_cast<size_t>(end - begin) % sizeof(__tgt_offload_entry) != 0 || (!begin && end))
    return Status::error(format("__tgt_rtl_load_binary returns a table from %p to %p, which is no array of entries",
                                static_cast<const void *>(begin), static_cast<const void *>(end)));
  if (begin != end && !is_readable(begin, static_cast<size_t>(end - begin))) // an empty table may be anywhere
    return Status::error(
        format("__tgt_rtl_load_binary returns a table whose entries are at %p, where there is no memory",
               static_cast<const void *>(begin)));
  if (begin != end && begin < reinterpret_cast<const char *>(image.EntriesEnd) &&
      end > reinterpret_cast<const char *>(image.EntriesBegin))
    return Status::error("__tgt_rtl_load_binary returns the program's own table of entries, not one of the device");
  return Status::ok();
}

Status check_table_size(const __tgt_target_table &table, const __tgt_device_image &image) {
  const size_t found = static_cast<size_t>(table.EntriesEnd - table.EntriesBegin);
  if (found != entries_of(image))
    return Status::error(
        format("__tgt_rtl_load_binary returns a table of %zu entries; the image has %zu", found, entries_of(image)));
  return Status::ok();
}

__tgt_target_table *keep(PluginFunctions &functions, std::unique_ptr<AdaptedTable> adapted) {
  adapted->table.EntriesBegin = adapted->entries.data();
  adapted->table.EntriesEnd = adapted->entries.data() + adapted->entries.size();
  __tgt_target_table *table = &adapted->table;
  functions.tables.lock()->push_back(std::move(adapted));
  return table;
}

/// A function of OMP_DECLARE_TARGET_FPTR. Plugins with a function map find it in the image's own table of entries.
bool is_function(const __tgt_offload_entry &entry) {
  return entry.flags == OMPTARGET_ENTRY_INDIRECT && entry.size == 0;
}

/// The entries that a plugin of LLVM can be given: those of 16 and 17 refuse an image over one without a host address,
/// and, for CPUs, over one that is no dynamic symbol of the image. A plugin that takes the table of indirect functions
/// knows more than LLVM's and takes these entries, too.
std::vector<__tgt_offload_entry> entries_for_llvm(const PluginFunctions &functions, const __tgt_device_image &image) {
  const bool looks_up = functions.generation != PluginGeneration::kRegion;
  const std::set<std::string_view> symbols = looks_up ? dynamic_symbols(image) : std::set<std::string_view>();
  std::vector<__tgt_offload_entry> offered;
  for (const __tgt_offload_entry *entry = image.EntriesBegin; entry != image.EntriesEnd; ++entry)
    if (entry->addr && entry->flags != OMPTARGET_ENTRY_REQUIRES &&
        (symbols.empty() || symbols.contains(entry->name) || (functions.set_function_ptr_map && is_function(*entry))))
      offered.push_back(*entry);
  return offered;
}

/// The plugins for CPUs of LLVM 14 and 15 return the table that lies in the loaded device image: in another order,
/// possibly unaligned, without what only the host has, and without the pointers of variables of "declare target link"
/// and of "requires unified_shared_memory". They give it as many entries as the program has; what follows is no
/// table.
bool is_in_image(const PluginFunctions &functions, const __tgt_device_image &image) {
  return functions.generation == PluginGeneration::kRegion && is_for_this_machine(image);
}

/// A copy of the entries of a table that a plugin returned; they need not be aligned.
std::vector<__tgt_offload_entry> read_entries(const __tgt_target_table &table) {
  const char *begin = reinterpret_cast<const char *>(table.EntriesBegin);
  const char *end = reinterpret_cast<const char *>(table.EntriesEnd);
  std::vector<__tgt_offload_entry> entries(static_cast<size_t>(end - begin) / sizeof(__tgt_offload_entry));
  if (!entries.empty())
    std::memcpy(entries.data(), begin, entries.size() * sizeof(__tgt_offload_entry));
  return entries;
}

Result<std::vector<std::string_view>> names_of(const std::vector<__tgt_offload_entry> &entries) {
  std::vector<std::string_view> names;
  for (const __tgt_offload_entry &entry : entries) {
    const std::optional<std::string_view> name = readable_text(entry.name);
    if (!name)
      return Status::error(
          format("__tgt_rtl_load_binary returns a table of %zu entries, and entry %zu has its name at %p, "
                 "where no text is",
                 entries.size(), names.size(), static_cast<const void *>(entry.name)));
    names.push_back(*name);
  }
  return names;
}

/// The image's entries with the addresses that the plugin's table has for them, found by name, or else with those that
/// symbols of the loaded image have.
Status match_by_name(AdaptedTable &adapted, const __tgt_target_table &found, const __tgt_device_image &image,
                     const LoadedObject &object) {
  const std::vector<__tgt_offload_entry> entries = read_entries(found);
  OMPTARGET_TRY_ASSIGN(const std::vector<std::string_view> names, names_of(entries));
  size_t missing = 0;
  for (const __tgt_offload_entry *wanted = image.EntriesBegin; wanted != image.EntriesEnd; ++wanted) {
    __tgt_offload_entry entry = *wanted;
    entry.addr = nullptr;
    for (size_t i = 0; wanted->name && i < entries.size(); ++i)
      if (names[i] == wanted->name)
        entry.addr = entries[i].addr;
    if (!entry.addr && wanted->name)
      entry.addr = object.find(wanted->name);
    missing += entry.addr == nullptr;
    adapted.entries.push_back(entry);
  }
  OMPTARGET_TRACE(Topic::kPlugin, "the plugin's table has %zu entries, the image %zu; matched by name, %zu missing",
                  entries.size(), entries_of(image), missing);
  return Status::ok();
}

/// Loads with the entries that plugins of LLVM know, and returns a table for all of them.
Result<__tgt_target_table *> load_for_llvm(PluginFunctions &functions, int32_t device, __tgt_device_image &image) {
  auto adapted = std::make_unique<AdaptedTable>();
  adapted->offered = entries_for_llvm(functions, image);
  // The plugin may keep the description of the image.
  adapted->image = image;
  adapted->image.EntriesBegin = adapted->offered.data();
  adapted->image.EntriesEnd = adapted->offered.data() + adapted->offered.size();
  const __tgt_target_table *table = functions.load_binary(device, &adapted->image);
  const bool is_image_own = is_in_image(functions, image);
  if (!table && is_image_own && own_entry_count(image) == 0)
    return Status::error("__tgt_rtl_load_binary returns null: plugins of LLVM 14 and 15 look for the section "
                         "omp_offloading_entries, which images of clang 20 and later do not have");
  OMPTARGET_TRY(check_table(functions, table));
  __tgt_target_table found = *table;
  if (is_image_own && found.EntriesBegin)
    found.EntriesEnd = found.EntriesBegin + own_entry_count(image);
  OMPTARGET_TRY(check_table_entries(found, adapted->image));
  OMPTARGET_TRY(check_table_entries(found, image));
  if (functions.generation != PluginGeneration::kRegion)
    OMPTARGET_TRY(check_table_size(found, adapted->image));
  OMPTARGET_TRY(
      match_by_name(*adapted, found, image, LoadedObject::around(is_image_own ? found.EntriesBegin : nullptr)));
  return keep(functions, std::move(adapted));
}

Result<__tgt_target_table *> load_device_binary(PluginFunctions &functions, int32_t device, __tgt_device_image &image) {
  if (const char *maker = maker_without_leading_parameter(image))
    return Status::error(
        format("the image was made by %s, and plugins of LLVM 18 give every kernel a leading parameter "
               "that kernels of those do not have",
               maker));
  DeviceBinary binary{0};
  if (const int32_t result = functions.load_device_binary(device, &image, &binary); result != 0)
    return Status::error(format("__tgt_rtl_load_binary fails with %d", result));
  auto adapted = std::make_unique<AdaptedTable>();
  for (const __tgt_offload_entry *wanted = image.EntriesBegin; wanted != image.EntriesEnd; ++wanted) {
    __tgt_offload_entry entry = *wanted;
    entry.addr = nullptr;
    const bool is_global = wanted->size != 0;
    void *address = nullptr;
    const int32_t result = is_global ? functions.get_global(binary, wanted->size, wanted->name, &address)
                                     : functions.get_function(binary, wanted->name, &address);
    if (result == 0)
      entry.addr = address;
    adapted->entries.push_back(entry);
  }
  return keep(functions, std::move(adapted));
}

} // namespace

std::optional<std::string_view> readable_text(const char *text) {
  constexpr size_t kLongest = 1 << 20;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t length = 0; length < kLongest;) {
    const char *const at = text + length;
    const size_t left = page - reinterpret_cast<uintptr_t>(at) % page;
    if (!is_readable(at, 1))
      return std::nullopt;
    if (const void *const end = std::memchr(at, '\0', left))
      return std::string_view(text, static_cast<size_t>(static_cast<const char *>(end) - text));
    length += left;
  }
  return std::nullopt;
}

ptrdiff_t *zero_offsets(size_t count) { return count <= kZeroOffsets ? zeros : nullptr; }

int32_t launch_adapted(const PluginFunctions &functions, const PluginLaunch &request) {
  PluginLaunch adapted = request;
  __tgt_kernel_args args = *request.args;
  adapted.args = &args;
  if (args.Version >= kImplicitVersion && !supplies_implicit_parameter(functions)) {
    --adapted.arguments;
    adapted.arguments[0] = reinterpret_cast<void *>(~uintptr_t{0});
    ++args.NumArgs;
    args.Version = kImplicitVersion - 1;
  }
  if (ptrdiff_t *offsets = zero_offsets(args.NumArgs))
    return launch_in_form(functions, adapted, offsets);
  std::vector<ptrdiff_t> offsets(args.NumArgs, 0);
  return launch_in_form(functions, adapted, offsets.data());
}

Result<__tgt_target_table *> load_checked(PluginFunctions &functions, int32_t device, __tgt_device_image &image) {
  if (functions.generation != PluginGeneration::kCurrent)
    OMPTARGET_TRY(check_image_is_whole(image));
  if (functions.generation == PluginGeneration::kBinary)
    return load_device_binary(functions, device, image);
  if (functions.generation != PluginGeneration::kCurrent)
    return load_for_llvm(functions, device, image);
  __tgt_target_table *table = functions.load_binary(device, &image);
  OMPTARGET_TRY(check_table(functions, table));
  OMPTARGET_TRY(check_table_entries(*table, image));
  OMPTARGET_TRY(check_table_size(*table, image));
  return table;
}

} // namespace omptarget
