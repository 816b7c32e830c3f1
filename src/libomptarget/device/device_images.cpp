// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/device_images.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/sched_point.h"
#include "base/settings.h"
#include "device/kernel_variants.h"
#include "device/libomp.h"
#include "device/process_exit.h"
#include "image/image_facts.h"
#include "indirect/caller_registry.h"
#include "jit/compile.h"
#include "jit/launch_notes.h"
#include "observe/device_events.h"
#include "observe/info.h"

namespace omptarget {

namespace {

/// Set once two images of this process had a kernel or a variable in common. Guarded by the locks of loading.
constinit std::atomic<bool> has_shared{false};

__tgt_kernel_args plain_launch() {
  __tgt_kernel_args args{};
  args.Version = 2;
  args.NumTeams[0] = 1;
  args.ThreadLimit[0] = 1;
  return args;
}

/// How well an image that the device takes fits it: exact architecture, then machine code for the newest one, then code
/// that is still to be compiled.
int64_t fitness(const ImageCopy &image, const std::string &device_arch) {
  const ImageFacts facts = image_facts(image.bytes());
  if (facts.kind != ImageKind::kElf)
    return 1;
  if (!device_arch.empty() && (facts.architecture == device_arch || image.arch() == device_arch))
    return INT64_MAX;
  const int64_t number = facts.architecture.starts_with("sm_") ? std::atoi(facts.architecture.c_str() + 3) : 0;
  return 2 + number;
}

bool is_unified_memory_pointer(const Entry &entry) {
  constexpr const char kSuffix[] = "_decl_tgt_ref_ptr";
  const size_t length = std::strlen(entry.name);
  return entry.size == sizeof(void *) && length >= sizeof kSuffix - 1 &&
         std::strcmp(entry.name + length - (sizeof kSuffix - 1), kSuffix) == 0;
}

} // namespace

void DeviceImages::load_new(const std::vector<std::shared_ptr<OffloadLibrary>> &libraries, bool uses_zero_copy) {
  uses_zero_copy_ = uses_zero_copy;
  for (const auto &library : libraries)
    if (!is_seen(*library) || !lock_.wait_for_others(library.get()))
      load(library);
  publish_functions();
  run_constructors();
}

bool DeviceImages::is_seen(const OffloadLibrary &library) {
  auto seen = seen_.lock();
  return std::any_of(seen->begin(), seen->end(), [&](const Seen &known) { return known.library.get() == &library; });
}

bool DeviceImages::has_loaded(const OffloadLibrary &library) const {
  return std::any_of(loaded_.begin(), loaded_.end(),
                     [&](const auto &loaded) { return loaded->library.get() == &library; });
}

jit::Taken DeviceImages::taken(ImageCopy &image) const {
  const auto accepts = [&](const __tgt_device_image &record) { return device_.accepts(record, image.arch().c_str()); };
  return jit::how_taken(image.record(), device_.device_arch(), accepts);
}

std::optional<ImageCopy> DeviceImages::choose_image(const std::shared_ptr<OffloadLibrary> &library) const {
  std::optional<ImageCopy> best;
  int64_t best_fitness = 0;
  const std::string arch = device_.device_arch();
  for (size_t i = 0; i < library->images.size(); ++i) {
    std::optional<ImageCopy> image = modules_.copy_image(library, i);
    if (!image || (image->entries().empty() && !plugin().supports_empty_images()) || taken(*image) == jit::Taken::kNot)
      continue;
    const int64_t fits = fitness(*image, arch);
    if (fits > best_fitness) {
      best = std::move(image);
      best_fitness = fits;
    }
  }
  return best;
}

void DeviceImages::note_seen(const std::shared_ptr<OffloadLibrary> &library, bool fits) {
  const auto is_kernel = [](const Entry &entry) { return entry.kind == EntryKind::kKernel; };
  const bool has_kernels = std::any_of(library->entries.begin(), library->entries.end(), is_kernel);
  const auto image = fits ? Seen::Image::kFits : has_kernels ? Seen::Image::kDoesNotFit : Seen::Image::kNotNeeded;
  if (!is_seen(*library))
    seen_.lock()->push_back({library, image});
  if (image != Seen::Image::kFits)
    lacks_images_.store(true, std::memory_order_relaxed);
}

/// Tells it once. From now on constructs look whether they need the image.
void DeviceImages::note_failure(const OffloadLibrary &library, const std::string &reason) {
  lacks_images_.store(true, std::memory_order_relaxed);
  {
    auto seen = seen_.lock();
    const auto known =
        std::find_if(seen->begin(), seen->end(), [&](const Seen &one) { return one.library.get() == &library; });
    if (known == seen->end() || !known->failure.empty()) // it has gone, or another thread has told it
      return;
    known->failure = reason;
  }
  print_message(
      format("the image of %s could not be loaded on device %d: %s", library.path.c_str(), raw(id_), reason.c_str()));
}

Status DeviceImages::check_variables(HostPtr begin, int64_t size, bool needs_all) {
  std::vector<Seen> lacking;
  {
    auto seen = seen_.lock();
    std::copy_if(seen->begin(), seen->end(), std::back_inserter(lacking),
                 [&](const Seen &known) { return known.lacks_image(needs_all); });
  }
  const auto is_there = [&](const Entry &entry) {
    const bool is_variable = entry.kind == EntryKind::kVariable || entry.kind == EntryKind::kLinkVariable;
    return is_variable && begin < entry.address + static_cast<int64_t>(entry.size) && entry.address < begin + size;
  };
  for (const auto &[library, image, failure] : lacking) {
    const auto entry = std::find_if(library->entries.begin(), library->entries.end(), is_there);
    if (entry == library->entries.end() || !modules_.has(*library)) // a closed one's memory may be anybody's
      continue;
    Status status = failure.empty()
                        ? Status::error(format("no image of %s fits device %d", library->path.c_str(), raw(id_)))
                        : Status::error(failure).during(format("the image of %s could not be loaded on device %d",
                                                               library->path.c_str(), raw(id_)));
    return std::move(status).during(format("the variable %s is not on device %d", entry->name, raw(id_)));
  }
  return Status::ok();
}

/// A module may have several descriptors: if the image of one fits, nobody knows which a data construct belongs to.
std::string DeviceImages::unfit_module_of(const void *code) {
  const auto address = reinterpret_cast<uintptr_t>(code);
  std::string path;
  auto all = seen_.lock();
  for (const Seen &known : *all) {
    const AddressRange &range = known.library->range;
    if (address < range.begin || address >= range.end || known.image == Seen::Image::kNotNeeded)
      continue;
    if (known.image == Seen::Image::kFits)
      return {};
    path = known.library->path;
  }
  return path;
}

void DeviceImages::load(const std::shared_ptr<OffloadLibrary> &library) {
  std::optional<ImageCopy> image = choose_image(library);
  if (!image && !modules_.has(*library))
    return; // it has gone
  note_seen(library, image.has_value());
  if (!image) {
    OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "no image of %s fits", library->path.c_str());
    return;
  }
  Status status = load_image(library, std::move(*image));
  if (!status && has_loaded(*library)) {
    status.consume(); // another thread has done it
  } else if (!status) {
    note_failure(*library, status.to_string());
  }
}

/// Compiles bitcode, with variants of kernels for the cases if the notes of earlier launches have any.
Status DeviceImages::compile(ImageCopy &image, std::shared_ptr<jit::LaunchNotes> &notes,
                             std::vector<jit::LaunchCase> &cases) const {
  const std::string arch = device_.device_arch();
  const std::string libomp = libomp::library_file();
  notes = jit::LaunchNotes::read(image, arch);
  if (notes)
    cases = notes->cases();
  if (!cases.empty()) {
    Status status = jit::compile(image, arch, libomp, cases);
    if (status)
      return status;
    cases.clear();
    warn_about_setting(SettingId::kJitVariants,
                       format("the image gets no variants of its kernels: %s", status.to_string().c_str()));
    status.consume();
  }
  return jit::compile(image, arch, libomp, {});
}

Status DeviceImages::load_image(const std::shared_ptr<OffloadLibrary> &library, ImageCopy image) {
  OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "loading an image of %s (%zu bytes)", library->path.c_str(),
                         image.bytes().size());
  std::shared_ptr<jit::LaunchNotes> notes;
  std::vector<jit::LaunchCase> cases;
  if (taken(image) == jit::Taken::kCompiled)
    OMPTARGET_TRY_DURING(compile(image, notes, cases), "while compiling the image");
  __tgt_device_image record = image.record();
  OMPTARGET_TRY_ASSIGN(__tgt_target_table *const table, load_binary(*library, record));
  if (has_loaded(*library) || !is_seen(*library)) {
    OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "the image is loaded already, or its module has gone");
    unload_binary(table);
    return Status::ok();
  }
  ImageSigns signs = read_signs(image.bytes(), image.wrapping());
  const uint64_t number = last_number_++;
  observe::image_loaded(id_, record.ImageStart, image.bytes().size(), number);
  auto loaded = std::make_unique<Loaded>(Loaded{library, std::move(image), table, std::move(signs), number});
  loaded->notes = std::move(notes);
  Status status;
  for (size_t i = 0; i < loaded->image.entries().size() && status.is_ok(); ++i)
    status = resolve(*loaded, loaded->image.entries()[i], table->EntriesBegin[i]);
  add_variants(*loaded, cases);
  if (status.is_ok())
    status = collect_functions(*loaded);
  if (!plugin().keeps_images())
    loaded->image.drop_bytes();
  if (!status) {
    destroy(*loaded);
    return status;
  }
  register_code(*loaded);
  expect_process_exit(); // before its module is unregistered
  loaded_.push_back(std::move(loaded));
  return Status::ok();
}

Status DeviceImages::resolve(Loaded &loaded, const Entry &entry, const __tgt_offload_entry &target) {
  if (!target.addr) {
    OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "the image has no %s", entry.name);
    return needs(loaded.signs, entry.kind) ? Status::error(format("the image lacks the %s '%s', which its program has",
                                                                  kind_name(entry.kind), entry.name))
                                           : Status::ok();
  }
  switch (entry.kind) {
  case EntryKind::kKernel: add_kernel(loaded, entry, target.addr); break;
  case EntryKind::kConstructor: loaded.constructors.push_back({target.addr, entry.name}); break;
  case EntryKind::kDestructor: loaded.destructors.push_back({target.addr, entry.name}); break;
  case EntryKind::kVariable:
  case EntryKind::kLinkVariable: return add_variable(loaded, entry, device_ptr(target.addr));
  case EntryKind::kIndirect:
  case EntryKind::kFunctionPointer:
  case EntryKind::kVtable: break;
  }
  return Status::ok();
}

void DeviceImages::add_kernel(Loaded &loaded, const Entry &entry, void *handle) {
  auto kernel = std::make_unique<Kernel>(Kernel{
      handle, entry.name, parameter_forms(loaded.signs, entry.name), loaded.signs.tasks, &loaded.signs,
      plugin().separates_images() ? &loaded.functions : nullptr, loaded.library->descriptor, loaded.image.number()});
  if (plugin().always_leads())
    for (ParameterForm &form : kernel->forms)
      if (form != ParameterForm::kLeading)
        form = ParameterForm::kRefused;
  if (loaded.notes) {
    loaded.variants.push_back(std::make_shared<KernelVariants>(loaded.notes->of_kernel(entry.name)));
    kernel->variants = loaded.variants.back().get();
  }
  // Modules may share a kernel (an inline function): the first one's counts, as for variables.
  if (!kernels_.find(static_cast<uintptr_t>(entry.address)))
    kernels_.insert(static_cast<uintptr_t>(entry.address), kernel.get());
  else
    has_shared.store(true, std::memory_order_relaxed);
  loaded.kernels.emplace_back(entry.address, std::move(kernel));
}

/// Their entries are behind those that the program has.
void DeviceImages::add_variants(Loaded &loaded, const std::vector<jit::LaunchCase> &cases) const {
  const __tgt_offload_entry *const entries = loaded.table->EntriesBegin + loaded.image.entries().size();
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto general = std::find_if(loaded.kernels.begin(), loaded.kernels.end(),
                                      [&](const auto &kernel) { return cases[i].kernel == kernel.second->name; });
    const bool is_there = entries[i].addr && general != loaded.kernels.end();
    OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "the image has %s variant for %s", is_there ? "a" : "no",
                           jit::text_of(cases[i]).c_str());
    if (!is_there)
      continue;
    Kernel kernel = *general->second;
    kernel.handle = entries[i].addr;
    kernel.variants = nullptr;
    general->second->variants->add(cases[i], kernel);
  }
  for (const auto &variants : loaded.variants)
    variants->complete();
}

/// Returns whether the device has a pointer instead of the variable, and no construct will set it: under unified shared
/// memory, and for linked variables also where data are used in place, it must point to the host's variable.
bool DeviceImages::points_to_host(const Entry &entry) const {
  if (!is_unified_memory_pointer(entry))
    return false;
  const bool has_unified_memory = modules_.requires_unified_shared_memory();
  return entry.kind == EntryKind::kLinkVariable ? has_unified_memory || uses_zero_copy_ : has_unified_memory;
}

Status DeviceImages::add_variable(Loaded &loaded, const Entry &entry, DevicePtr target) {
  if (points_to_host(entry))
    OMPTARGET_TRY_DURING(device_.data_submit(raw(target), raw(entry.address), sizeof(void *), nullptr),
                         "while pointing %s to the host's variable", entry.name);
  const NewRange range{entry.address, entry.address + static_cast<int64_t>(entry.size),
                       entry.address, entry.name,
                       nullptr,       Counter::kDynamic};
  // The same variable may be in several images of one program: the first one stays.
  if (!map_.insert_infinite(range, target)) {
    has_shared.store(true, std::memory_order_relaxed);
    OMPTARGET_TRACE_DEVICE(Topic::kMapping, id_, "%s at %p is present already", entry.name, raw(entry.address));
    return Status::ok();
  }
  loaded.variables.push_back(entry.address);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, id_, "global %s: host %p, device %p, %llu bytes", entry.name,
                         raw(entry.address), raw(target), static_cast<unsigned long long>(entry.size));
  return Status::ok();
}

/// Other modules' kernels and variables that the module had in common with them count from now on. Nothing is looked
/// through as long as no two had any in common, so that closing many modules takes no time that grows with the square
/// of their number.
void DeviceImages::take_over(const Loaded &gone) {
  if (!has_shared.load(std::memory_order_relaxed))
    return;
  const auto was_shared = [&](const Entry &entry) {
    const bool is_variable = entry.kind == EntryKind::kVariable || entry.kind == EntryKind::kLinkVariable;
    return is_variable &&
           std::find(gone.variables.begin(), gone.variables.end(), entry.address) != gone.variables.end();
  };
  for (const auto &other : loaded_) {
    if (other.get() == &gone)
      continue;
    for (const auto &[address, kernel] : other->kernels)
      if (!kernels_.find(static_cast<uintptr_t>(address)))
        kernels_.insert(static_cast<uintptr_t>(address), kernel.get());
    for (size_t i = 0; i < other->image.entries().size() && !gone.variables.empty(); ++i) {
      const Entry &entry = other->image.entries()[i];
      if (void *const target = other->table->EntriesBegin[i].addr; target && was_shared(entry))
        if (Status status = add_variable(*other, entry, device_ptr(target)); !status)
          OMPTARGET_TRACE_DEVICE(Topic::kMapping, id_, "%s", status.to_string().c_str());
    }
  }
}

void DeviceImages::unload(const OffloadLibrary &library, bool has_ended) {
  std::erase_if(*seen_.lock(), [&](const Seen &seen) { return seen.library.get() == &library; });
  const auto place = std::find_if(loaded_.begin(), loaded_.end(),
                                  [&](const auto &loaded) { return loaded->library.get() == &library; });
  if (place == loaded_.end())
    return;
  OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "unloading the image of %s", library.path.c_str());
  if (has_ended)
    return;
  finish(**place);
  const std::unique_ptr<Loaded> loaded = std::move(*place);
  loaded_.erase(place);
  OMPTARGET_SCHED_POINT("unload: forgotten, still in the tables");
  destroy(*loaded);
}

/// Calls the plugin without the lock, if it can be called by several threads.
Result<__tgt_target_table *> DeviceImages::load_binary(const OffloadLibrary &library, __tgt_device_image &record) {
  std::optional<LoaderLock::Open> open;
  if (plugin().loads_side_by_side())
    open.emplace(lock_, &library);
  return device_.load_binary(record);
}

void DeviceImages::unload_binary(__tgt_target_table *table) {
  std::optional<LoaderLock::Open> open;
  if (plugin().loads_side_by_side())
    open.emplace(lock_, table);
  device_.unload_binary(table);
}

void DeviceImages::destroy(Loaded &loaded) {
  take_apart(loaded);
  OMPTARGET_SCHED_POINT("unload: taken apart");
  take_over(loaded);
  unload_binary(loaded.table);
  observe::image_unloaded(id_, loaded.number);
}

/// From now on nobody finds anything of it.
void DeviceImages::take_apart(Loaded &loaded) {
  if (functions_.remove(loaded.library.get())) {
    functions_changed_ = true;
    publish_functions();
  }
  if (loaded.code)
    forget_cpu_image(raw(id_), loaded.code);
  for (const auto &[address, kernel] : loaded.kernels)
    if (kernels_.find(static_cast<uintptr_t>(address)) == kernel.get())
      kernels_.erase(static_cast<uintptr_t>(address));
  OMPTARGET_SCHED_POINT("unload: kernels gone, variables there");
  for (const HostPtr variable : loaded.variables)
    (void)map_.remove_infinite(variable);
}

Status DeviceImages::run(const Kernel &kernel) {
  void *slots[1] = {nullptr};
  __tgt_kernel_args args = plain_launch();
  OwnedQueue queue(device_);
  OMPTARGET_TRY(device_.launch_kernel(kernel.handle, slots + 1, args, queue.get()));
  return queue.complete();
}

Status DeviceImages::run_constructors(Loaded &loaded) {
  for (const Kernel &constructor : std::exchange(loaded.constructors, {}))
    OMPTARGET_TRY_DURING(run(constructor), "constructor %s failed", constructor.name);
  return Status::ok();
}

/// An image whose globals are not constructed goes again.
void DeviceImages::run_constructors() {
  for (size_t i = 0; i < loaded_.size();) {
    Status status = run_constructors(*loaded_[i]);
    if (status) {
      ++i;
      continue;
    }
    const std::unique_ptr<Loaded> failed = std::move(loaded_[i]);
    loaded_.erase(loaded_.begin() + static_cast<ptrdiff_t>(i));
    note_failure(*failed->library, status.to_string());
    destroy(*failed);
  }
}

/// Runs destructors in the reverse order of constructors.
void DeviceImages::run_destructors(Loaded &loaded) {
  std::vector<Kernel> destructors = std::exchange(loaded.destructors, {});
  for (auto destructor = destructors.rbegin(); destructor != destructors.rend(); ++destructor)
    if (Status status = run(*destructor); !status)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, id_, "destructor %s failed: %s", destructor->name,
                             status.to_string().c_str());
}

void DeviceImages::finish(Loaded &loaded) {
  run_destructors(loaded);
  if (loaded.notes)
    loaded.notes->keep();
}

void DeviceImages::finish() {
  for (auto loaded = loaded_.rbegin(); loaded != loaded_.rend(); ++loaded)
    finish(**loaded);
}

void DeviceImages::end_module_use(const OffloadLibrary &library, bool runs_destructors) {
  for (const auto &loaded : loaded_) {
    if (loaded->library.get() != &library)
      continue;
    if (runs_destructors)
      finish(*loaded);
    for (Kernel &destructor : loaded->destructors)
      destructor.name = "of a module that has gone";
  }
}

std::string DeviceImages::failure_of(const OffloadLibrary &library) {
  auto seen = seen_.lock();
  for (const Seen &known : *seen)
    if (known.library.get() == &library)
      return known.failure;
  return {};
}

void DeviceImages::report_unloaded() const {
  for (const auto &loaded : loaded_)
    observe::image_unloaded(id_, loaded->number);
}

} // namespace omptarget
