// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Runtime that deals with the end of the process. A plugin with a driver ends in a handler that
// runs before the driver's own. Everything else ends when this library is finalised, after the modules that need it.

#include "device/runtime.h"

#include <cstdlib>
#include <cxxabi.h>

#include "base/bounded_call.h"
#include "base/inside_loader.h"
#include "base/log.h"
#include "base/settings.h"
#include "device/libomp.h"
#include "device/process_exit.h"
#include "image/module_bounds.h"
#include "observe/device_events.h"
#include "observe/info.h"

extern "C" [[gnu::visibility("hidden")]] void *__dso_handle; // NOLINT(readability-identifier-naming)

namespace omptarget {

namespace {

constinit std::atomic<Runtime::Drain> drain{nullptr};

/// The end of a plugin's devices, with failures of unfinished work. Shared with a thread that may outlive the handler.
struct Ending {
  const Plugin *plugin;
  std::vector<Device *> devices;
  int32_t own_uses;
  Deadline deadline;
  std::vector<std::string> failures{};

  bool run() {
    for (Device *device : devices) {
      if (!wait_until(deadline, [&] { return device->is_idle(own_uses); }))
        return false;
      if (const Runtime::Drain finish_deferred = drain.load(std::memory_order_acquire))
        finish_deferred(*device, failures);
    }
    for (Device *device : devices)
      if (!device->finish(deadline))
        return false;
    plugin->deinit();
    return true;
  }
};

[[gnu::destructor]] void end_of_library() {
  if (Runtime *const runtime = Runtime::if_made())
    runtime->end();
}

} // namespace

void Runtime::set_drain(Drain function) { drain.store(function, std::memory_order_release); }

void Runtime::end_at_exit(const Plugin &plugin) {
  const auto handler = [](void *argument) { get().end_plugin(*static_cast<const Plugin *>(argument)); };
  abi::__cxa_atexit(handler, const_cast<Plugin *>(&plugin), static_cast<void *>(&__dso_handle));
}

void Runtime::note_initialised(const Plugin &plugin) {
  if (!plugin.lasts() && plugin.starts_driver_late())
    end_at_exit(plugin);
  expect_process_exit();
}

/// Tells of a module that is unregistered whether the end of the process finalises it: where no exit handler has told
/// it, exit is among the callers, or the callers cannot be told and nothing can close the module.
bool Runtime::ends_with_process(const OffloadLibrary &library) {
  if (library.cannot_be_closed && is_process_exiting())
    return true;
  const LoaderCall call = nearest_loader_call();
  return call == LoaderCall::kExit || (call == LoaderCall::kNotTold && library.cannot_be_closed);
}

/// Notes that the process ends, if that is not known yet. An exit handler that a needed library's constructor has
/// registered runs late, possibly after the drivers' end. after the modules that were loaded with the
/// program.
void Runtime::note_end_by_module(OffloadLibrary &library) {
  libomp::note_end();
  if (!library.cannot_be_closed) {
    library.may_vanish.store(true, std::memory_order_release);
    may_vanish_.store(true, std::memory_order_release);
  }
  if (is_process_exiting())
    return;
  note_process_exit();
  end_drivers(0);
}

/// newcomer: an address in a module that lies where none is any more, or null.
void Runtime::forget_vanished(const void *newcomer) {
  if (!may_vanish_.load(std::memory_order_acquire))
    return;
  const AddressRange taken = newcomer ? module_range(newcomer).value_or(AddressRange{}) : AddressRange{};
  for (const auto &library : modules_.libraries()) {
    const bool is_overlaid = library->range.begin < taken.end && taken.begin < library->range.end;
    if (!library->may_vanish.load(std::memory_order_acquire) || (!is_overlaid && library->is_there()))
      continue;
    OMPTARGET_TRACE(Topic::kRegistration, "%s, which exit has finalised, is closed", library->path.c_str());
    remove(library);
  }
}

void Runtime::remove(const std::shared_ptr<OffloadLibrary> &library) {
  modules_.remove(library);
  for (int32_t i = 0; Device *const device = known_device(i); ++i)
    device->unload(library);
}

void Runtime::end_drivers(int32_t first) {
  for (int32_t i = first; Device *const device = known_device(i); ++i)
    if (!device->lasts())
      end_plugin(device->plugin());
}

std::vector<Device *> Runtime::devices_of(const Plugin &plugin) const {
  std::vector<Device *> devices;
  for (int32_t i = 0; Device *const device = known_device(i); ++i)
    if (&device->plugin() == &plugin)
      devices.push_back(device);
  return devices;
}

void Runtime::end_plugin(const Plugin &plugin) {
  note_process_exit();
  if (!plugin.is_first_to_end())
    return;
  OMPTARGET_TRACE(Topic::kDevice, "the program ends: so do the devices of plugin %s", plugin.name().c_str());
  const int64_t limit = setting_in(SettingId::kExitTimeout, 0, INT32_MAX);
  auto ending = std::make_shared<Ending>(Ending{&plugin, devices_of(plugin), Device::own_uses(),
                                                std::chrono::steady_clock::now() + std::chrono::milliseconds(limit)});
  bool is_loading_here = false;
  for (Device *device : ending->devices) {
    device->close();
    is_loading_here = is_loading_here || device->is_loading_here();
  }
  const auto is_done = std::make_shared<std::atomic<bool>>(false);
  const auto work = [ending, is_done] { is_done->store(ending->run(), std::memory_order_release); };
  if (is_loading_here)
    OMPTARGET_TRACE(Topic::kDevice, "plugin %s is loading an image in this thread: its devices are left as they are",
                    plugin.name().c_str());
  else if (plugin.lasts())
    work();
  else if (!call_until(ending->deadline, work) || !is_done->load(std::memory_order_acquire))
    print_message(format("the devices of plugin %s have not come to an end within %lld ms (LIBOMPTARGET_EXIT_TIMEOUT); "
                         "they are left as they are",
                         plugin.name().c_str(), static_cast<long long>(limit)));
  for (Device *device : ending->devices)
    device->report_end();
  if (!is_done->load(std::memory_order_acquire))
    return; // the list of failures may still be written
  for (const std::string &failure : ending->failures)
    print_error(failure);
  if (!ending->failures.empty() && is_mandatory()) {
    print_line("omptarget fatal error 1: failure of target construct while offloading is mandatory");
    observe::flush_reports();
    std::abort();
  }
}

void Runtime::end() {
  ending_thread_ = pthread_self();
  if (has_ended_.exchange(true, std::memory_order_acq_rel))
    return;
  const Deadline deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(setting_in(SettingId::kExitTimeout, 0, INT32_MAX));
  const bool is_listed = !enumeration_mutex_.is_held_here() &&
                         wait_until(deadline, [this] { return enumeration_mutex_.try_lock_closed(); });
  if (is_listed) {
    const std::lock_guard enumeration(enumeration_mutex_, std::adopt_lock);
    for (const auto &plugin : plugins_.plugins)
      end_plugin(*plugin);
  }
  observe::flush_reports();
}

} // namespace omptarget
