// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constructs, as code of GCC 4.9 to 14 calls them.

#include <cstdlib>
#include <new>

#include "gomp/core.h"
#include "gomp/declared.h"
#include "gomp/deferred.h"
#include "gomp/devices.h"
#include "gomp/kinds.h"
#include "gomp/map_list.h"
#include "gomp/system_libgomp.h"

namespace omptarget::gomp {

namespace {

constexpr unsigned kNowait = 1, kExitData = 2;

/// A region that runs on a device. Lives as long as its construct.
struct Region {
  const TargetCall &call;
  int device;
};

/// The calling thread is about to run this one.
[[gnu::tls_model("initial-exec")]] thread_local constinit const Region *starting = nullptr;

/// Called by the system's libgomp, in the state of a thread that it gives to a region.
void run_on_device(void *values) {
  const Region &region = *starting;
  const OnDevice on_device(region.device);
  region.call.function(values);
}

/// Calls the function by the system's libgomp, which gives a region the state of a thread of its own.
void call_by_system(const TargetCall &call, void (*function)(void *), void **values) {
  system::target(kHost, function, call.entries.count, values, call.entries.sizes, call.entries.kinds, 0u,
                 static_cast<void **>(nullptr), call.arguments);
}

/// The host library calls it with the region and, behind it, the vector that the region takes.
void run_region(void **addresses) {
  void **const values = static_cast<void **>(addresses[0]);
  starting = static_cast<const Region *>(values[0]);
  call_by_system(starting->call, run_on_device, values + 1);
}

void run_on_host(const TargetCall &call) { call_by_system(call, call.function, call.entries.addresses); }

/// A region in a region stays on its device, and has its addresses.
void run_in_region(const TargetCall &call, int device) {
  const Region region{call, device};
  starting = &region;
  call_by_system(call, run_on_device, call.entries.addresses);
}

/// Numbers of teams and threads in a list of GCC's.
__omptarget_region describe(const TargetCall &call) {
  constexpr uintptr_t kDevices = 0x7f;
  __omptarget_region region{reinterpret_cast<const void *>(call.function), run_region, 0, 0};
  for (void **at = call.arguments; at && *at; ++at) {
    const auto word = reinterpret_cast<uintptr_t>(*at);
    const bool is_for_all = (word & kDevices) == 0;
    const auto value = word & kValueFollows ? reinterpret_cast<intptr_t>(*++at) : static_cast<intptr_t>(word) >> 16;
    const unsigned id = (word >> 8) & 0xff;
    if (is_for_all && value > 0 && id == 1)
      region.teams = static_cast<uint32_t>(value);
    if (is_for_all && value > 0 && id == 2)
      region.threads = static_cast<uint32_t>(value);
  }
  return region;
}

/// Warns if data that a variable with declare target leads to have a copy on the device: regions use the host's.
[[gnu::cold]] void check_in_place(const __omptarget_construct &construct, const void *variable) {
  static constinit KnownAddresses<64> warned;
  for (int32_t i = 0; i < construct.count; ++i) {
    const void *const data = construct.begins[i];
    if (!(construct.types[i] & OMPTARGET_IN_PLACE))
      continue;
    if (const void *const copy = __omptarget_device_address(data, construct.device); copy && copy != data)
      if (!warned.note(variable))
        __omptarget_warn_of(&construct, variable,
                            "is a variable with declare target, of which regions use the host's, and the data it leads "
                            "to have another copy on the device already: regions that use the variable do not see it");
  }
}

__omptarget_construct describe(const char *name, const void *code, int device, const MapList &list) {
  const __omptarget_construct construct{name,         code,          device,       list.count(),
                                        list.bases(), list.begins(), list.sizes(), list.types()};
  if (const char *failure = list.failure())
    __omptarget_refuse(&construct, failure);
  if (list.declared_pointer()) [[unlikely]]
    check_in_place(construct, list.declared_pointer());
  return construct;
}

} // namespace

void run_target(const TargetCall &call) {
  const auto [device, is_in_region] = where(call.device);
  if (is_in_region)
    return run_in_region(call, device);
  if (device == kHost)
    return run_on_host(call);
  look_for_declared(call.code);
  Region region{call, device};
  const MapList list(call.entries, Construct::kRegion, &region);
  const __omptarget_construct construct = describe("target", call.code, device, list);
  const __omptarget_region described = describe(call);
  if (__omptarget_run_region(&construct, &described) != 0)
    run_on_host(call);
}

void run_data(const DataCall &call) {
  const auto [device, is_in_region] = where(call.device);
  if (device == kHost || is_in_region)
    return;
  look_for_declared(call.code);
  const MapList list(call.entries, call.construct, nullptr);
  const bool is_update = call.construct == Construct::kUpdate, is_exit = call.construct == Construct::kExit;
  const char *const name = is_update ? "target update" : is_exit ? "target exit data" : "target enter data";
  const __omptarget_construct construct = describe(name, call.code, device, list);
  if (is_update)
    return __omptarget_update_data(&construct);
  is_exit ? __omptarget_exit_once(&construct) : __omptarget_enter_once(&construct);
}

namespace {

/// An open target data region of a thread. Tasks lie on the thread's stack, so the last one opened is closed first.
struct OpenData {
  OpenData *outer;
  int device;
  const void *code;
  Entries entries;
  const MapList *list; ///< null on the host
};
thread_local constinit OpenData *innermost = nullptr;

/// The device's pointer for a host pointer, or null. A section that does not begin at the pointer tells its offset with
/// the attachment of the pointer.
void *device_pointer(const Entries &entries, size_t i, int device) {
  auto *const pointer = static_cast<char *>(entries.addresses[i]);
  if (void *const address = __omptarget_device_address(pointer, device))
    return address;
  for (size_t other = 0; pointer && other < entries.count; ++other) {
    const unsigned kind = entries.kinds[other] & 0xff;
    if ((kind != kind::kAttach && kind != kind::kPointer) || *static_cast<char **>(entries.addresses[other]) != pointer)
      continue;
    const size_t offset = entries.sizes[other];
    if (auto *const address = static_cast<char *>(__omptarget_device_address(pointer + offset, device)))
      return address - offset;
  }
  return nullptr;
}

void open_data(int device, const Entries &entries, const void *code) {
  const auto [place, is_in_region] = where(device);
  const int number = is_in_region ? kHost : place;
  auto *const open = new OpenData{innermost, number, code, {}, nullptr};
  innermost = open;
  if (number == kHost)
    return;
  look_for_declared(code);
  open->list = new MapList(entries, Construct::kData, nullptr);
  const __omptarget_construct construct = describe("target data", code, number, *open->list);
  __omptarget_enter_data(&construct);
  for (size_t i = 0; i < entries.count; ++i) {
    const unsigned kind = entries.kinds[i] & 0xff;
    if (kind != kind::kUseDevicePtr && kind != kind::kUseDevicePtrIfPresent)
      continue;
    if (void *const address = device_pointer(entries, i, number))
      entries.addresses[i] = address;
  }
}

void close_data(const void *code) {
  OpenData *const open = innermost;
  if (!open) {
    const __omptarget_construct nothing{"target data", code, kHost, 0, nullptr, nullptr, nullptr, nullptr};
    return __omptarget_refuse(&nothing, "its end comes without its beginning: another library had that");
  }
  innermost = open->outer;
  if (open->list) {
    const __omptarget_construct construct = describe("target data", open->code, open->device, *open->list);
    __omptarget_exit_data(&construct);
    delete open->list;
  }
  delete open;
}

void data_construct(const DataCall &call, unsigned flags, void **depend) {
  if (flags & kNowait)
    return defer(call, depend);
  if (depend)
    GOMP_taskwait_depend(depend);
  run_data(call);
}

} // namespace
} // namespace omptarget::gomp

using namespace omptarget::gomp;

extern "C" {

OMPTARGET_API void GOMP_target_ext(int device, void (*function)(void *), size_t count, void **addresses, size_t *sizes,
                                   unsigned short *kinds, unsigned flags, void **depend, void **arguments) {
  const TargetCall call{device, function, {count, addresses, sizes, kinds}, arguments, __builtin_return_address(0)};
  if (flags & kNowait)
    return defer(call, depend);
  if (depend)
    GOMP_taskwait_depend(depend);
  run_target(call);
}

OMPTARGET_API void GOMP_target_data_ext(int device, size_t count, void **addresses, size_t *sizes,
                                        unsigned short *kinds) {
  open_data(device, {count, addresses, sizes, kinds}, __builtin_return_address(0));
}

OMPTARGET_API void GOMP_target_end_data() { close_data(__builtin_return_address(0)); }

OMPTARGET_API void GOMP_target_update_ext(int device, size_t count, void **addresses, size_t *sizes,
                                          unsigned short *kinds, unsigned flags, void **depend) {
  data_construct({device, Construct::kUpdate, {count, addresses, sizes, kinds}, __builtin_return_address(0)}, flags,
                 depend);
}

OMPTARGET_API void GOMP_target_enter_exit_data(int device, size_t count, void **addresses, size_t *sizes,
                                               unsigned short *kinds, unsigned flags, void **depend) {
  const Construct construct = flags & kExitData ? Construct::kExit : Construct::kEnter;
  data_construct({device, construct, {count, addresses, sizes, kinds}, __builtin_return_address(0)}, flags, depend);
}

// Code of GCC 4.9 has kinds of its own, and runs on the host.

OMPTARGET_API void GOMP_target(int, void (*function)(void *), const void *unused, size_t count, void **addresses,
                               size_t *sizes, unsigned char *kinds) {
  system::old_target(kHost, function, unused, count, addresses, sizes, kinds);
}

OMPTARGET_API void GOMP_target_data(int, const void *, size_t, void **, size_t *, unsigned char *) {
  open_data(kHost, {}, nullptr);
}

OMPTARGET_API void GOMP_target_update(int, const void *, size_t, void **, size_t *, unsigned char *) {}

} // extern "C"
