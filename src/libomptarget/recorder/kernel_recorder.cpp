// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/kernel_recorder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/log.h"
#include "base/process_rank.h"
#include "base/version.h"
#include "device/kernel_call.h"
#include "image/image_facts.h"
#include "image/module_bounds.h"
#include "recorder/reached_memory.h"

namespace omptarget {

namespace {

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string compilers_of(const ImageSigns &signs) {
  std::string text;
  for (const Generation &generation : kGenerations)
    if (signs.compilers >> generation.version & 1)
      text += format("%sclang %u", text.empty() ? "" : ", ", generation.version);
  return text;
}

record::Launch launch_of(const LaunchRequest &request) {
  record::Launch launch;
  launch.kernel = reinterpret_cast<uint64_t>(request.host_id);
  launch.block_version = block_version(request.block);
  std::copy(std::begin(request.args.NumTeams), std::end(request.args.NumTeams), launch.teams);
  std::copy(std::begin(request.args.ThreadLimit), std::end(request.args.ThreadLimit), launch.threads);
  launch.trip_count = request.args.Tripcount;
  launch.flags = request.args.Flags & ~uint64_t{OMPTARGET_KERNEL_NOWAIT};
  launch.group_memory = request.args.DynCGroupMem;
  return launch;
}

/// The shape is the one that the launch gets, if the plugin tells, else the one that it asks for.
observe::LaunchKind kind_of(const Device &device, const Kernel &kernel, const LaunchRequest &request) {
  observe::LaunchKind kind{kernel.name, device.id(), {}, {}, request.args.DynCGroupMem};
  std::copy(std::begin(request.args.NumTeams), std::end(request.args.NumTeams), kind.teams);
  std::copy(std::begin(request.args.ThreadLimit), std::end(request.args.ThreadLimit), kind.threads);
  if (const std::optional<__tgt_launch_shape> shape = launch_shape_of(device, kernel, request)) {
    kind.teams[0] = shape->teams;
    kind.threads[0] = shape->threads;
  }
  return kind;
}

} // namespace

KernelRecorder::KernelRecorder(Device &device, const Call &call, const Kernel &kernel, const LaunchRequest &request,
                               observe::RecordedLaunch launch)
    : device_(device), call_(call), kernel_(kernel), launch_(std::move(launch)) {
  recording_.launch = launch_of(request);
}

KernelRecorder::~KernelRecorder() = default;

std::unique_ptr<KernelRecorder> KernelRecorder::claim(Device &device, const Call &call, const Kernel &kernel,
                                                      const LaunchRequest &request) {
  std::optional<observe::RecordedLaunch> launch = observe::claim_launch(kind_of(device, kernel, request));
  if (!launch)
    return nullptr;
  if (device.uses_host_memory()) {
    observe::note_recording_failure(
        *launch, Status::error(format("%s is not recorded: device %d uses the host's memory in place (unified shared "
                                      "memory), and nobody knows how much of it the kernel reaches",
                                      kernel.name, raw(device.id()))));
    return nullptr;
  }
  return std::unique_ptr<KernelRecorder>(new KernelRecorder(device, call, kernel, request, std::move(*launch)));
}

bool KernelRecorder::read_before(const ArgumentRefs &refs) {
  Status status = read_program();
  if (status)
    status = read_memory(refs);
  if (status)
    status = write();
  if (status)
    return true;
  observe::note_recording_failure(launch_, std::move(status).during(format("%s is not recorded", kernel_.name)));
  memory_.reset();
  kept_.reset();
  return false;
}

void KernelRecorder::read_after() {
  Status status = observe::records_results() ? memory_->read_changes() : Status::ok();
  if (status && recording_.has_result)
    status = write();
  memory_.reset();
  kept_.reset();
  if (!status)
    observe::note_recording_failure(
        launch_, std::move(status).during(format("the results of %s are not in its recording", kernel_.name)));
}

Status KernelRecorder::write() {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, device_.id(), "recording %s %s its launch in %s", kernel_.name,
                         recording_.has_result ? "after" : "before", launch_.file.c_str());
  return record::write_recording(launch_.file, recording_);
}

/// The image, and the entries of its module.
Status KernelRecorder::read_program() {
  if (!kernel_.descriptor)
    return Status::error("it is a function of the program, which no image has");
  ModuleRegistry &modules = Runtime::get().modules();
  const std::shared_ptr<OffloadLibrary> library = modules.find(kernel_.descriptor);
  std::optional<std::vector<std::byte>> embedded;
  std::optional<ImageCopy> image;
  if (library) {
    embedded = modules.copy_embedded(library, kernel_.image);
    image = modules.copy_image(library, kernel_.image);
  }
  if (!embedded || !image)
    return Status::error("its module has gone");
  image_ = std::move(*embedded);
  recording_.image = image_;
  recording_.requires_mask = library->requires_mask | modules.requires_mask();
  for (const Entry &entry : image->entries())
    recording_.entries.push_back({static_cast<uint64_t>(entry.address), entry.size, entry.flags, entry.name});
  describe_facts(*library);
  const ImageFacts facts = image_facts(image->bytes());
  recording_.facts.push_back({"architecture", image->arch().empty() ? facts.architecture : image->arch()});
  return Status::ok();
}

void KernelRecorder::describe_facts(const OffloadLibrary &library) {
  const auto add = [&](const char *name, std::string value) { recording_.facts.push_back({name, std::move(value)}); };
  add("omptarget", version_text());
  add("time", time_text());
  add("program", program_invocation_short_name);
  add("module", library.name());
  add("process", describe_process());
  add("launch", std::to_string(launch_.number));
  if (call_.location && call_.location->psource)
    add("place", call_.location->psource);
  add("device", format("%d of plugin %s: %s", device_.local_id(), device_.plugin().name().c_str(),
                       device_.plugin_device().device_arch().c_str()));
  add("compilers", compilers_of(*kernel_.signs));
  if (kernel_.signs->is_for_cpu)
    add("libomp", libomp::library_file());
}

Status KernelRecorder::read_memory(const ArgumentRefs &refs) {
  kept_.emplace();
  memory_ = std::make_unique<ReachedMemory>(device_, recording_);
  memory_->find_ranges(kept_->of(device_.id()), private_);
  for (const ArgumentItem &argument : arguments_)
    recording_.arguments.push_back(describe(argument));
  for (const ArgumentRef &ref : refs)
    (void)memory_->reach(ref.ref());
  for (const record::Entry &entry : recording_.entries)
    if (entry.size != 0 && (entry.flags & ~uint32_t{OMPTARGET_ENTRY_LINK}) == 0)
      memory_->reach_global(static_cast<HostPtr>(entry.address));
  for (const PrivatePointer &pointer : private_pointers_)
    memory_->add_pointer(pointer.place, pointer.value);
  OMPTARGET_TRY(memory_->read(observe::most_recorded_bytes()));
  if (kernel_.signs->is_for_cpu)
    note_program_addresses();
  return Status::ok();
}

/// Code for the CPU can follow an address of the program's module, such as that of a vtable that no entry names. The
/// replay does not have the module.
void KernelRecorder::note_program_addresses() {
  const std::optional<AddressRange> module = module_range(reinterpret_cast<const void *>(recording_.launch.kernel));
  if (!module)
    return;
  const auto is_left_out = [&](uint64_t word) {
    return module->contains(reinterpret_cast<const void *>(word)) &&
           std::none_of(recording_.entries.begin(), recording_.entries.end(), [&](const record::Entry &entry) {
             return word - entry.address < std::max<uint64_t>(entry.size, 1);
           });
  };
  uint64_t count = 0;
  for (const record::Argument &argument : recording_.arguments)
    count += argument.kind == record::ArgumentKind::kValue && is_left_out(argument.value);
  for (const record::Block &block : recording_.blocks)
    for (size_t i = (sizeof(uint64_t) - block.device % sizeof(uint64_t)) % sizeof(uint64_t);
         i + sizeof(uint64_t) <= block.before.size(); i += sizeof(uint64_t)) {
      uint64_t word;
      std::memcpy(&word, block.before.data() + i, sizeof word);
      count += is_left_out(word);
    }
  if (count != 0)
    recording_.facts.push_back({record::kProgramAddresses, std::to_string(count)});
}

record::Argument KernelRecorder::describe(const ArgumentItem &argument) {
  using record::ArgumentKind;
  const MapItem &item = argument.item;
  const auto value = reinterpret_cast<uint64_t>(argument.value);
  const std::string name = item.name ? item.name : "";
  std::optional<ReachedMemory::Place> place;
  if (item.has(map_type::kPrivate) && !item.has(map_type::kLiteral)) {
    place = memory_->reach(private_.begin);
  } else if (!item.has(map_type::kLiteral) && argument.mapping) {
    if (const std::optional<uint32_t> block = memory_->reach(argument.mapping))
      place = {*block, 0};
  } else if (!item.has(map_type::kLiteral) && argument.value != raw(base_of(item))) {
    return {ArgumentKind::kFunction, reinterpret_cast<uint64_t>(raw(base_of(item))), 0, 0, name};
  } else {
    place = memory_->reach(device_ptr(argument.value));
  }
  if (!place)
    return {ArgumentKind::kValue, value, 0, 0, name};
  // A variable may begin before the part of it that is there.
  const uint64_t begin = recording_.blocks[place->block].device;
  return {ArgumentKind::kPointer, value, place->block, static_cast<int64_t>(value - begin), name};
}

} // namespace omptarget
