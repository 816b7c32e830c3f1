// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/module_registry.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "generations/names.h"
#include "image/image_facts.h"
#include "image/module_bounds.h"
#include "jit/compiled_head.h"
#include "observe/demangle.h"
#include "omptarget/compiler.h"

namespace omptarget {

namespace {

/// The bits on which all modules of a program must agree (OpenMP 5.2, section 8.2).
struct Requirement {
  uint64_t bit;
  const char *clause;
};
constexpr Requirement kRequirements[] = {
    {OMPTARGET_REQUIRES_REVERSE_OFFLOAD, "reverse_offload"},
    {OMPTARGET_REQUIRES_UNIFIED_ADDRESS, "unified_address"},
    {OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY, "unified_shared_memory"},
};

Status inconsistent(const Requirement &requirement, std::string cause) {
  return Status::fatal(1, format("'#pragma omp requires %s' not used consistently!", requirement.clause))
      .during(std::move(cause));
}

std::string of_one_module(const std::string &module, const Requirement &requirement) {
  return format("one part of %s requires %s, another does not", module.c_str(), requirement.clause);
}

/// Translation units that were linked into one module have a record each.
Status check_parts(const OffloadLibrary &library) {
  for (const Requirement &requirement : kRequirements)
    if (library.requires_mask & ~library.requires_by_all & requirement.bit)
      return inconsistent(requirement, of_one_module(library.path, requirement));
  return Status::ok();
}

} // namespace

Status ModuleRegistry::add(const __tgt_bin_desc *descriptor) {
  OMPTARGET_TRY_ASSIGN(std::shared_ptr<OffloadLibrary> library, read_descriptor(descriptor));
  OMPTARGET_TRACE(Topic::kRegistration, "registering %s: %zu images, %zu entries of %u bytes, requires 0x%llx",
                  library->path.c_str(), library->images.size(), library->entries.size(), library->entry_generation,
                  static_cast<unsigned long long>(library->requires_mask));
  Status status = check_parts(*library);
  if (library->requires_mask != 0)
    status.keep_first(note_requires(library->path, library->requires_mask));
  {
    auto tables = tables_.lock();
    tables->libraries.push_back(library);
    tables->added.push_back(std::move(library));
  }
  generation_.fetch_add(1, std::memory_order_acq_rel);
  return status;
}

std::shared_ptr<OffloadLibrary> ModuleRegistry::find(const __tgt_bin_desc *descriptor) {
  auto tables = tables_.lock();
  for (const auto &library : tables->libraries)
    if (library->descriptor == descriptor)
      return library;
  OMPTARGET_TRACE(Topic::kRegistration, "unregistering %p, which is not registered",
                  static_cast<const void *>(descriptor));
  return nullptr;
}

void ModuleRegistry::remove(const std::shared_ptr<OffloadLibrary> &library) {
  auto tables = tables_.lock();
  if (std::erase(tables->libraries, library) == 0)
    return;
  std::erase(tables->added, library);
  forget_requires(*tables, library->path);
}

Status ModuleRegistry::add_requires(int64_t mask, const void *address) {
  const std::optional<ModuleBounds> module = module_of(address);
  return note_requires(module ? module->path : "a module", static_cast<uint64_t>(mask));
}

Status ModuleRegistry::note_requires(const std::string &module, uint64_t mask) {
  auto tables = tables_.lock();
  for (const RequiresSource &other : tables->requires_sources)
    for (const Requirement &requirement : kRequirements)
      if ((mask ^ other.mask) & requirement.bit) {
        const std::string &with = (mask & requirement.bit) != 0 ? module : other.module;
        const std::string &without = (mask & requirement.bit) != 0 ? other.module : module;
        return inconsistent(requirement, with == without ? of_one_module(with, requirement)
                                                         : format("%s requires %s, %s does not", with.c_str(),
                                                                  requirement.clause, without.c_str()));
      }
  for (const RequiresSource &other : tables->requires_sources)
    if (other.module == module && other.mask == mask)
      return Status::ok();
  tables->requires_sources.push_back({module, mask});
  requires_mask_.fetch_or(mask, std::memory_order_relaxed);
  return Status::ok();
}

/// Forgets the requirements of a module that is gone.
void ModuleRegistry::forget_requires(Tables &tables, const std::string &module) {
  const auto is_of_module = [&](const auto &library) { return library->path == module; };
  if (std::any_of(tables.libraries.begin(), tables.libraries.end(), is_of_module))
    return;
  std::erase_if(tables.requires_sources, [&](const RequiresSource &source) { return source.module == module; });
  uint64_t mask = 0;
  for (const RequiresSource &source : tables.requires_sources)
    mask |= source.mask;
  requires_mask_.store(mask, std::memory_order_relaxed);
}

std::vector<std::shared_ptr<OffloadLibrary>> ModuleRegistry::libraries() { return tables_.lock()->libraries; }

bool ModuleRegistry::has(const OffloadLibrary &library) {
  auto tables = tables_.lock();
  return std::any_of(tables->libraries.begin(), tables->libraries.end(),
                     [&](const auto &known) { return known.get() == &library; });
}

std::vector<std::shared_ptr<OffloadLibrary>> ModuleRegistry::new_libraries() { return tables_.lock()->added; }

std::vector<std::shared_ptr<OffloadLibrary>>
ModuleRegistry::take(const std::vector<std::shared_ptr<OffloadLibrary>> &libraries) {
  std::vector<std::shared_ptr<OffloadLibrary>> taken;
  auto tables = tables_.lock();
  for (const auto &library : libraries)
    if (std::erase(tables->added, library) != 0)
      taken.push_back(library);
  return taken;
}

std::shared_ptr<OffloadLibrary> ModuleRegistry::library_of(const void *host_id) {
  for (const auto &library : libraries())
    for (const Entry &entry : library->entries)
      if (entry.address == host_ptr(host_id))
        return library;
  return nullptr;
}

// With the lock held: a module that leaves takes its names with it.
std::string ModuleRegistry::describe_indirect(const void *function) {
  const auto is_meant = [=](const Entry &entry) {
    const uint64_t offset = reinterpret_cast<uint64_t>(function) - static_cast<uint64_t>(entry.address);
    return is_indirect(entry.kind) && (offset == 0 || (entry.kind == EntryKind::kVtable && offset < entry.size));
  };
  auto tables = tables_.lock();
  for (const auto &library : tables->libraries)
    for (const Entry &entry : library->entries)
      if (is_meant(entry))
        return format("%s is in the image of %s", observe::readable_symbol(source_of_indirect(entry.name)).c_str(),
                      library->name().c_str());
  return {};
}

const DeviceImage *ModuleRegistry::Tables::sound_image(const std::shared_ptr<OffloadLibrary> &library,
                                                       size_t index) const {
  const bool is_sound = std::find(libraries.begin(), libraries.end(), library) != libraries.end() &&
                        library->images[index].defect.empty();
  return is_sound ? &library->images[index] : nullptr;
}

std::optional<ImageCopy> ModuleRegistry::copy_image(const std::shared_ptr<OffloadLibrary> &library, size_t index) {
  auto tables = tables_.lock();
  const DeviceImage *const image = tables->sound_image(library, index);
  return image ? std::optional<ImageCopy>(*image) : std::nullopt;
}

std::optional<std::vector<std::byte>> ModuleRegistry::copy_embedded(const std::shared_ptr<OffloadLibrary> &library,
                                                                    size_t index) {
  auto tables = tables_.lock();
  const DeviceImage *const image = tables->sound_image(library, index);
  if (!image)
    return std::nullopt;
  return std::vector<std::byte>(image->embedded.begin(), image->embedded.end());
}

std::optional<ImageFacts> ModuleRegistry::facts_of(const std::shared_ptr<OffloadLibrary> &library, size_t index) {
  auto tables = tables_.lock();
  const DeviceImage *const image = tables->sound_image(library, index);
  return image ? std::optional(image_facts({image->begin, image->size()})) : std::nullopt;
}

std::string ModuleRegistry::architecture_of(const std::shared_ptr<OffloadLibrary> &library, size_t index) {
  const std::optional<ImageFacts> facts = facts_of(library, index);
  return facts ? description_of(*facts) + jit::advice_on(*facts) : "damaged: " + library->images[index].defect;
}

} // namespace omptarget
