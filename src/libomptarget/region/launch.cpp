// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/launch.h"

#include <cstring>

#include "base/log.h"
#include "device/process_exit.h"
#include "device/runtime.h"
#include "mapping/private_layout.h"
#include "region/chosen_variant.h"
#include "region/direct_constructs.h"
#include "region/ended_device.h"
#include "region/kernel_call.h"
#include "region/kernel_recorder.h"
#include "region/left_construct.h"
#include "region/map_arguments.h"
#include "region/unfit_module.h"

namespace omptarget {

namespace {

void report_host(const Call &call, const char *kernel, const char *reason) {
  const auto host = static_cast<DeviceId>(Runtime::get().number_of_devices_so_far());
  observe::host_fallback({observe::ConstructKind::kTarget, call.is_nowait, host, call.location, call.code}, kernel,
                         reason);
}

/// Why the kernel is not on the device: nothing fits it (then the host runs the region, unless offloading is
/// mandatory), or loading failed, or nobody registered it.
[[gnu::cold, gnu::noinline]] Result<Outcome> missing_kernel(Device &device, const LaunchRequest &request,
                                                            const Call &call) {
  Runtime &runtime = Runtime::get();
  const void *const host_id = request.host_id;
  const auto library = runtime.modules().library_of(host_id);
  if (!library && is_process_exiting() && !runtime.is_mandatory()) {
    OMPTARGET_TRY_DURING(
        check_host_can_run(device, nullptr, request.list),
        "a region of a module that is unregistered, since the program ends, cannot be run by the host");
    report_host(call, nullptr, "its module is unregistered, since the program is ending");
    return Outcome::kRunOnHost;
  }
  if (!library)
    return Status::error(
        format("Host ptr %p does not have a matching target pointer: no registered module has a kernel "
               "of that address",
               host_id));
  if (const std::string failure = device.load_failure(*library); !failure.empty())
    return Status::error(failure).during(
        format("the image of %s could not be loaded on device %d", library->path.c_str(), raw(device.id())));
  const char *name = "?";
  for (const Entry &entry : library->entries)
    if (entry.address == host_ptr(host_id))
      name = entry.name;
  if (!runtime.is_mandatory()) {
    OMPTARGET_TRY_DURING(check_host_can_run(device, library.get(), request.list),
                         "kernel %s of %s is in no image that fits the device, and the host cannot run it in its stead",
                         name, library->path.c_str());
    report_host(call, name, "no image of its module fits the device");
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, device.id(), "%s of %s is not on this device: the host runs it", name,
                           library->path.c_str());
    return Outcome::kRunOnHost;
  }
  Status status = Status::error(
      format("kernel %s of %s is in no image that fits device %d", name, library->path.c_str(), raw(device.id())));
  for (const std::string &line : runtime.explain_devices())
    status = std::move(status).during(line);
  return status;
}

/// The kernel's parameters are not known, so that calling it could only go wrong.
[[gnu::cold, gnu::noinline]] Status refused(Device &device, const Kernel &kernel, const LaunchRequest &request) {
  const auto library = Runtime::get().modules().library_of(request.host_id);
  std::string reason = explain_refusal(*kernel.signs, kernel.name, request.block);
  if (reason.empty())
    reason = format("plugin %s, of LLVM 18, gives every kernel a leading parameter, which this one does not have",
                    device.plugin().name().c_str());
  return Status::error(std::move(reason))
      .during(format("kernel %s of %s cannot be launched on device %d", kernel.name,
                     library ? library->path.c_str() : "an unknown module", raw(device.id())));
}

/// Teams on a CPU have no dynamic group-private memory: the program says by its fallback whether the kernel can do
/// without (OpenMP 6.1, dyn_groupprivate). clang before 23 has no fallback, and its kernels are run.
[[gnu::cold, gnu::noinline]] Status check_group_memory(Device &device, const Kernel &kernel,
                                                       const LaunchRequest &request) {
  if (!kernel.signs->is_for_cpu || request.block != BlockForm::kVersion5 ||
      (request.args.Flags & OMPTARGET_KERNEL_GROUP_MEMORY_FALLBACK) != OMPTARGET_KERNEL_GROUP_MEMORY_ABORT)
    return Status::ok();
  return Status::error(
      format("kernel %s asks for %u bytes of dynamic group-private memory per team, which device %d does "
             "not have; dyn_groupprivate(fallback(default_mem): ...) lets it run without",
             kernel.name, request.args.DynCGroupMem, raw(device.id())));
}

/// The kernel's name in the table of entries, or null.
const char *name_of(const void *host_id) {
  if (const auto library = Runtime::get().modules().library_of(host_id))
    for (const Entry &entry : library->entries)
      if (entry.address == host_ptr(host_id))
        return entry.name;
  return nullptr;
}

const char *reason_for_host(int64_t device_number) {
  Runtime &runtime = Runtime::get();
  if (runtime.is_disabled())
    return "offloading is disabled (OMP_TARGET_OFFLOAD=DISABLED)";
  if (ended_device_for(device_number))
    return "the program is ending";
  if (runtime.number_of_devices() == 0)
    return "there is no device for the program's images";
  return device_number == runtime.number_of_devices() ? "the device clause names the initial device"
                                                      : "the default device is the initial device";
}

class Launch {
public:
  /// recorder: null if the launch is not recorded.
  Launch(DeviceWork &work, const Kernel &kernel, LaunchRequest &request, MapItems &items, KernelRecorder *recorder)
      : work_(work), queue_(work.queue()), kernel_(kernel), request_(request), items_(items), recorder_(recorder) {}

  /// Queues everything: data in, the kernel, data out.
  Status run() {
    if (Status status = prepare_data(); !status) {
      work_.abandon(items_).consume(); // what entering took, if it was not entering that failed
      return std::move(status).during(kBeforeKernel);
    }
    work_.set_kernel(kernel_.name);
    if (Status status = start(); !status) {
      work_.abandon(items_).consume(); // the kernel's failure is what counts
      return blamed_on_kernel(work_.device(), kernel_.name, std::move(status));
    }
    return work_.start_exit(items_, true);
  }

private:
  Status prepare_data() {
    OMPTARGET_TRY_DURING(work_.enter(items_), kDuringEntry);
    report_placed(items_);
    report_kernel_arguments(items_);
    OMPTARGET_TRY(prepare_private());
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].has(map_type::kTargetParam))
        add_argument(i);
      else if ((items_[i].type & map_type::kLambdaCapture) == map_type::kLambdaCapture)
        OMPTARGET_TRY(set_lambda_capture(items_[i]));
    }
    return Status::ok();
  }

  void add_argument(size_t index) {
    void *const value = argument(index);
    slots_.push_back(value);
    if (recorder_) [[unlikely]]
      recorder_->add_argument(items_[index], value);
  }

  void *argument(size_t index) {
    const MapItem &item = items_[index];
    if (item.has(map_type::kLiteral))
      return raw(item.base);
    if (item.has(map_type::kPrivate))
      return raw(private_address(index));
    const HostPtr base = base_of(item);
    if (item.mapping)
      if (const std::optional<DevicePtr> target = target_of(item.mapping, base)) [[likely]]
        return raw(*target);
    return unmapped_argument(work_.device(), kernel_, item.size, raw(base));
  }

  /// The device address of the variable's base, which may lie before what is copied.
  DevicePtr private_address(size_t index) const {
    const MapItem &item = items_[index];
    return private_block_ + private_.offsets[index] + (is_private_pointer(item) ? 0 : item.base - item.begin);
  }

  Status prepare_private() {
    bool has_private = false;
    for (const MapItem &item : items_) {
      has_private = has_private || item.has(map_type::kPrivate);
      if (is_private(item))
        OMPTARGET_TRY(check_range(item, private_source(item), item.size));
    }
    if (!has_private)
      return Status::ok();
    private_ = lay_out_private(items_);
    if (private_.size == 0)
      return Status::ok();
    OMPTARGET_TRY_ASSIGN(private_block_, queue_.allocate_temporary(private_.size));
    if (recorder_) [[unlikely]]
      recorder_->set_private(private_block_, private_.size);
    if (private_.packed != 0)
      OMPTARGET_TRY(copy_packed());
    return private_.has_large ? copy_large() : Status::ok();
  }

  Status copy_packed() {
    llvm::SmallVector<std::byte, 256> values(static_cast<size_t>(private_.packed));
    for (size_t i = 0; i < items_.size(); ++i) {
      const int64_t offset = private_.offsets[i];
      if (offset < 0 || offset >= private_.packed || items_[i].size <= 0)
        continue;
      std::memcpy(values.data() + offset, raw(private_source(items_[i])), static_cast<size_t>(items_[i].size));
      translate_pointer(items_[i], values.data() + offset, private_block_ + offset);
    }
    return queue_.write_value(private_block_, values.data(), private_.packed);
  }

  Status copy_large() {
    for (size_t i = 0; i < items_.size(); ++i) {
      const MapItem &item = items_[i];
      if (private_.offsets[i] < private_.packed || !is_first_private(item))
        continue;
      const DevicePtr target = private_block_ + private_.offsets[i];
      OMPTARGET_TRY(queue_.write_from_host(target, private_source(item), item.size));
      DevicePtr value{};
      if (translate_pointer(item, &value, target))
        OMPTARGET_TRY(queue_.write_value(target, &value, sizeof value));
    }
    return Status::ok();
  }

  /// The value of a private pointer at this place of the device, if what it points to is present there.
  bool translate_pointer(const MapItem &item, void *value, DevicePtr place) {
    if (!is_private_pointer(item) || item.size < static_cast<int64_t>(sizeof(void *)))
      return false;
    const Found target = work_.device().map().find(item.begin, 0);
    if (!target.is_contained)
      return false;
    const std::optional<DevicePtr> translated = target_of(target.ref, load_pointer(item.base));
    if (!translated)
      return false; // removed since it was found, or not there yet
    std::memcpy(value, &*translated, sizeof *translated);
    if (recorder_) [[unlikely]]
      recorder_->add_pointer(place, *translated);
    return true;
  }

  /// A lambda's copy on the device captured a variable by reference: the reference must name the device's variable.
  Status set_lambda_capture(const MapItem &item) {
    if (item.parent < 0)
      return Status::ok();
    const auto parent = static_cast<size_t>(item.parent);
    const MapItem &closure = items_[parent];
    const Found target = work_.device().map().find(item.begin, item.size);
    if (!target.is_contained)
      return Status::ok();
    if (closure.mapping)
      return queue_.attach({closure.mapping, item.base, static_cast<int64_t>(sizeof(void *)), target.ref, item.begin});
    if (!is_private(closure))
      return Status::ok();
    const DevicePtr field = private_address(parent) + (item.base - closure.base);
    const std::optional<DevicePtr> value = target_of(target.ref, item.begin);
    if (recorder_ && value) [[unlikely]]
      recorder_->add_pointer(field, *value);
    return value ? queue_.write_value(field, &*value, sizeof *value) : Status::ok();
  }

  Status start() {
    const Device &device = work_.device();
    const auto count = static_cast<uint32_t>(slots_.size() - 1);
    slots_.push_back(nullptr);
    const ParameterForm form = kernel_.forms[static_cast<size_t>(request_.block)];
    const auto call = [&](Queue *queue) {
      return call_kernel(device, kernel_, form, request_.args, slots_.data(), count, queue);
    };
    const auto run = [&] {
      return queue_.is_observed() ? launch_observed(kernel_, request_, count, queue_, false, call)
                                  : call(&queue_.plugin_queue());
    };
    return recorder_ ? recorder_->record(queue_, items_, run) : run();
  }

  DeviceWork &work_;
  ConstructQueue &queue_;
  const Kernel &kernel_;
  LaunchRequest &request_;
  MapItems &items_;
  llvm::SmallVector<void *, 16> slots_ = {nullptr}; ///< of call_kernel
  KernelRecorder *const recorder_;
  PrivateLayout private_;
  DevicePtr private_block_{};
};

/// Data in, the kernel, data out, by plans. refs: what is retained already. recorder: null if the launch is not
/// recorded.
Status run_planned(DeviceWork &work, const Kernel &kernel, LaunchRequest &request, const PresentRefs &refs,
                   KernelRecorder *recorder = nullptr) {
  MapItems items;
  OMPTARGET_TRY(gather_items(request.list, refs, items));
  return Launch(work, kernel, request, items, recorder).run();
}
[[gnu::noinline]] Status run_planned(Device &device, const Kernel &kernel, LaunchRequest &request,
                                     const PresentRefs &refs) {
  DeviceWork work(device);
  OMPTARGET_TRY(run_planned(work, kernel, request, refs));
  return work.complete();
}

/// Runs a region with data.
[[gnu::noinline]] Status run_with_data(Device &device, const Kernel &kernel, LaunchRequest &request, bool is_observed) {
  PresentRefs refs;
  Status status;
  const DirectLaunch so_far = launch_directly(device, kernel, request, refs, is_observed, status);
  if (so_far == DirectLaunch::kDone) [[likely]]
    return status;
  if (so_far == DirectLaunch::kNotEntered)
    return run_planned(device, kernel, request, refs);
  return conclude(device, kernel.name, request.list, refs, so_far, std::move(status));
}

/// Starts a region, and leaves it to libomp, which keeps it in the slot.
[[gnu::noinline]] Status run_and_leave(Device &device, const Call &call, const Kernel &kernel, LaunchRequest &request,
                                       void *&slot) {
  const std::unique_ptr<KernelRecorder> recorder = KernelRecorder::of(device, call, kernel, request);
  return LeftConstruct::run(
      std::make_unique<LeftConstruct>(device, call, observe::ConstructKind::kTarget, request.list, kernel.name), slot,
      [&](LeftConstruct &construct, Status &status) {
        return recorder ? DirectLaunch::kNotEntered : construct.launch(kernel, request, status);
      },
      [&](DeviceWork &work, const PresentRefs &refs) {
        return run_planned(work, kernel, request, refs, recorder.get());
      });
}

[[gnu::cold, gnu::noinline]] Status abandon_without_data(Device &device, const Kernel &kernel, const MapList &list,
                                                         Status failure) {
  PresentRefs none;
  return conclude(device, kernel.name, list, none, DirectLaunch::kFailed, std::move(failure));
}

/// Calls a kernel without arguments. Complete on return.
[[gnu::always_inline]] inline Status call_without_arguments(Device &device, const Kernel &kernel, ParameterForm form,
                                                            LaunchRequest &request, bool is_observed) {
  void *slots[2];
  const auto call = [&device, &kernel, form, &request, &slots](Queue *queue) {
    return call_kernel(device, kernel, form, request.args, slots, 0, queue);
  };
  if (!is_observed)
    return call(nullptr);
  ConstructQueue queue(device, true);
  Status status = launch_observed(kernel, request, 0, queue, true, call);
  status.keep_first(queue.wait());
  return status;
}

/// Runs a region to its end.
[[gnu::always_inline]] inline Status run_to_end(Device &device, const Kernel &kernel, ParameterForm form,
                                                LaunchRequest &request, bool is_observed) {
  if (request.list.count != 0)
    return run_with_data(device, kernel, request, is_observed);
  Status status = call_without_arguments(device, kernel, form, request, is_observed);
  return status.is_ok() ? Status::ok() : abandon_without_data(device, kernel, request.list, std::move(status));
}
[[gnu::cold, gnu::noinline]] Status run_observed(Device &device, const Call &call, const Kernel &kernel,
                                                 ParameterForm form, LaunchRequest &request) {
  const ReportedConstruct reported(call, device, observe::ConstructKind::kTarget, request.list);
  if (const std::unique_ptr<KernelRecorder> recorder = KernelRecorder::of(device, call, kernel, request)) {
    DeviceWork work(device);
    OMPTARGET_TRY(run_planned(work, kernel, request, {}, recorder.get()));
    return work.complete();
  }
  return run_to_end(device, kernel, form, request, true);
}

[[gnu::cold, gnu::noinline]] void apply_defaults(Device &device, LaunchRequest &request) {
  device.launch_defaults().apply(request.args);
}

[[gnu::always_inline]] inline Status run_on(Device &device, const Call &call, const Kernel &kernel, ParameterForm form,
                                            LaunchRequest &request) {
  if (device.launch_defaults().is_any()) [[unlikely]]
    apply_defaults(device, request);
  const Kernel *chosen = &kernel;
  if (kernel.variants) [[unlikely]]
    chosen = &chosen_variant(device, kernel, form, request);
  if (call.is_nowait)
    if (void **slot = DeferredConstruct::free_slot(device, call))
      return run_and_leave(device, call, *chosen, request, *slot);
  if (is_observed()) [[unlikely]]
    return run_observed(device, call, *chosen, form, request);
  return run_to_end(device, *chosen, form, request, false);
}

Result<Outcome> launch_on(Device &device, const Call &call, LaunchRequest &request) {
  const Kernel *const kernel = device.kernel(request.host_id);
  if (!kernel) [[unlikely]]
    return missing_kernel(device, request, call);
  const ParameterForm form = kernel->forms[static_cast<size_t>(request.block)];
  if (form == ParameterForm::kRefused) [[unlikely]]
    return refused(device, *kernel, request);
  if (request.args.DynCGroupMem != 0) [[unlikely]]
    OMPTARGET_TRY(check_group_memory(device, *kernel, request));
  OMPTARGET_TRY(run_on(device, call, *kernel, form, request));
  return Outcome::kRanOnDevice;
}

} // namespace

bool launch_at_once(const Call &call, LaunchRequest &request, Status &status) {
  const DeviceUse device = ready_device_for(call.device_number);
  if (!device) [[unlikely]]
    return false;
  const Kernel *const kernel = device->kernel(request.host_id);
  if (!kernel || request.args.DynCGroupMem != 0) [[unlikely]]
    return false;
  const ParameterForm form = kernel->forms[static_cast<size_t>(request.block)];
  if (form == ParameterForm::kRefused) [[unlikely]]
    return false;
  status = run_on(*device, call, *kernel, form, request);
  return true;
}

Result<Outcome> launch(const Call &call, LaunchRequest &request) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, device_for(call.device_number));
  if (device)
    return launch_on(*device, call, request);
  OMPTARGET_TRY(run_without_ended_device(call, request.list));
  Runtime::connect_tool();
  if (observe::reports_host_fallback()) [[unlikely]]
    report_host(call, name_of(request.host_id), reason_for_host(call.device_number));
  return Outcome::kRunOnHost;
}

} // namespace omptarget
