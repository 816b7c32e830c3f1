// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/launch.h"

#include "base/log.h"
#include "device/kernel_call.h"
#include "device/process_exit.h"
#include "device/runtime.h"
#include "recorder/kernel_recorder.h"
#include "region/chosen_variant.h"
#include "region/deferred_mapping_construct.h"
#include "region/ended_device.h"
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
                         "kernel %s of %s is in no image that fits the device, and the host cannot run it instead",
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

/// Runs a region with data.
[[gnu::noinline]] Status run_with_data(Device &device, const Region &region, bool is_observed) {
  MapArguments arguments(region.request.list);
  Status status;
  const Ended so_far = run_region(device, region, arguments, is_observed, status);
  return so_far == Ended::kDone ? std::move(status)
                                : conclude(device, region.kernel.name, arguments, so_far, std::move(status));
}

/// Starts a region, and defers the rest: libomp keeps its handle in the slot.
[[gnu::noinline]] Status run_deferred(Device &device, const Call &call, const Kernel &kernel, LaunchRequest &request,
                                      void *&slot) {
  const std::unique_ptr<KernelRecorder> recorder = KernelRecorder::of(device, call, kernel, request);
  return DeferredMappingConstruct::run(std::make_unique<DeferredMappingConstruct>(
                                           device, call, observe::ConstructKind::kTarget, request.list, kernel.name),
                                       slot, [&](DeferredMappingConstruct &construct, Status &status) {
                                         return construct.launch({kernel, request, recorder.get()}, status);
                                       });
}

[[gnu::cold, gnu::noinline]] Status abandon_without_data(Device &device, const Kernel &kernel, const MapList &list,
                                                         Status failure) {
  MapArguments none(list);
  return conclude(device, kernel.name, none, Ended::kFailed, std::move(failure));
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

bool are_values(const MapList &list) {
  for (int32_t i = 0; i < list.count; ++i)
    if (!is_value(static_cast<uint64_t>(list.types[i])))
      return false;
  return true;
}

/// Calls a kernel with values, which all are its arguments. Complete on return.
Status call_with_values(Device &device, const Kernel &kernel, ParameterForm form, LaunchRequest &request) {
  llvm::SmallVector<void *, 16> slots;
  slots.resize_for_overwrite(static_cast<size_t>(request.list.count) + 2);
  void **last = slots.data();
  for (int32_t i = 0; i < request.list.count; ++i)
    if (request.list.types[i] & static_cast<int64_t>(map_type::kTargetParam))
      *++last = request.list.bases[i];
  Status status = call_kernel(device, kernel, form, request.args, slots.data(),
                              static_cast<uint32_t>(last - slots.data()), nullptr);
  return status.is_ok() ? Status::ok() : abandon_without_data(device, kernel, request.list, std::move(status));
}

/// Runs a region to its end.
[[gnu::always_inline]] inline Status run_to_end(Device &device, const Kernel &kernel, ParameterForm form,
                                                LaunchRequest &request, bool is_observed) {
  if (request.list.count != 0)
    return run_with_data(device, {kernel, request}, is_observed);
  Status status = call_without_arguments(device, kernel, form, request, is_observed);
  return status.is_ok() ? Status::ok() : abandon_without_data(device, kernel, request.list, std::move(status));
}
[[gnu::cold, gnu::noinline]] Status run_observed(Device &device, const Call &call, const Kernel &kernel,
                                                 ParameterForm form, LaunchRequest &request) {
  const ReportedConstruct reported(call, device, observe::ConstructKind::kTarget, request.list);
  if (const std::unique_ptr<KernelRecorder> recorder = KernelRecorder::of(device, call, kernel, request))
    return run_with_data(device, {kernel, request, recorder.get()}, true);
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
      return run_deferred(device, call, *chosen, request, *slot);
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

Status launch_function(Device &device, const Call &call, const Kernel &kernel, LaunchRequest &request) {
  const ParameterForm form = kernel.forms[static_cast<size_t>(request.block)];
  const bool is_plain = !is_observed() && !device.launch_defaults().is_any() && are_values(request.list);
  return is_plain ? call_with_values(device, kernel, form, request) : run_on(device, call, kernel, form, request);
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
