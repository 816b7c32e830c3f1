// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/function_maps.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "base/log.h"
#include "base/settings.h"
#include "common/device_layouts.h"
#include "gpu/device.h"

namespace omptarget::gpu {

struct FunctionMaps::Place {
  const char *global;
  size_t in_environment;
  size_t in_other_functions;
  uint64_t Table::*value;
};

constexpr FunctionMaps::Place FunctionMaps::kAddress = {
    kFunctionMapName, offsetof(DeviceEnvironment, indirect_call_table), offsetof(__omptarget_other_functions_ty, pairs),
    &Table::address};
constexpr FunctionMaps::Place FunctionMaps::kCount = {kFunctionMapSizeName,
                                                      offsetof(DeviceEnvironment, indirect_call_table_size),
                                                      offsetof(__omptarget_other_functions_ty, count), &Table::count};

namespace {

// Returns the text of describe; if nobody knows the function any more, a text that says so.
std::string describe_function(decltype(__tgt_image_functions::describe) describe, uint64_t function) {
  char text[1024];
  if (describe && describe(reinterpret_cast<const void *>(function), text, sizeof(text)) != 0)
    return text;
  return format("host function %#llx is in another image", static_cast<unsigned long long>(function));
}

} // namespace

Status FunctionMaps::set(uint64_t count, const __omp_offloading_fptr_map_ty *pairs) {
  uint64_t address = all_.address; // address of an empty table: the last one's
  if (count != 0) {
    // A kernel under way may have read a larger count before: behind the table there is memory for that many.
    most_count_ = std::max(most_count_, count);
    OMPTARGET_TRY_ASSIGN(address, copy(count, pairs, most_count_));
  }
  const uint64_t old_address = all_.address;
  const bool grows = count >= all_.count;
  all_ = {address, count};
  // A kernel that reads between the two writes sees a table with at least as many pairs as it thinks.
  for (const auto &image : device_.images()) {
    OMPTARGET_TRY(write_all(*image, grows ? kAddress : kCount));
    OMPTARGET_TRY(write_all(*image, grows ? kCount : kAddress));
  }
  OMPTARGET_TRACE_DEVICE(Topic::kIndirect, device_.number(), "%llu indirect functions at %#llx",
                         static_cast<unsigned long long>(count), static_cast<unsigned long long>(address));
  if (old_address == 0 || old_address == address)
    return Status::ok();
  OMPTARGET_TRY_DURING(device_.wait_for_kernels(), "while replacing the table of indirect functions");
  return device_.memory().release_device(old_address);
}

Status FunctionMaps::set_own(const Image &image, const __tgt_image_functions &functions) {
  OMPTARGET_TRY(take_back(image));
  Own own;
  if (Status status = make_own(image, functions, own); !status) {
    free_own(own).consume();
    return status;
  }
  OMPTARGET_TRACE_DEVICE(Topic::kIndirect, device_.number(), "%llu indirect functions of %s at %#llx",
                         static_cast<unsigned long long>(own.table.count), own.module.c_str(),
                         static_cast<unsigned long long>(own.table.address));
  (*own_.lock())[&image] = std::move(own);
  return write(image);
}

Status FunctionMaps::make_own(const Image &image, const __tgt_image_functions &functions, Own &own) {
  own.module = functions.module;
  own.describe = functions.describe;
  own.table.count = functions.count;
  if (functions.count != 0) {
    OMPTARGET_TRY_ASSIGN(own.table.address, copy(functions.count, functions.pairs, functions.count));
  }
  OMPTARGET_TRY(write_table(image, kAddress, own.table));
  OMPTARGET_TRY(write_table(image, kCount, own.table));
  OMPTARGET_TRY_ASSIGN(const auto other_functions, image.find_global(OMPTARGET_OTHER_FUNCTIONS));
  if (!other_functions)
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(void *const asked, device_.memory().allocate(sizeof(uint64_t), OMPTARGET_ALLOC_HOST));
  own.asked = static_cast<uint64_t *>(asked);
  *own.asked = 0;
  return write_value(image, OMPTARGET_OTHER_FUNCTIONS, offsetof(__omptarget_other_functions_ty, asked),
                     reinterpret_cast<uintptr_t>(asked));
}

Status FunctionMaps::free_own(const Own &own) {
  Status status;
  if (own.table.address != 0)
    status.keep_first(device_.memory().release_device(own.table.address));
  if (own.asked)
    status.keep_first(device_.memory().release(own.asked));
  return status;
}

Status FunctionMaps::write(const Image &image) {
  OMPTARGET_TRY(write_all(image, kAddress));
  return write_all(image, kCount);
}

Status FunctionMaps::take_back(const Image &image) {
  Own own;
  if (auto all = own_.lock(); const auto found = all->extract(&image))
    own = std::move(found.mapped());
  return free_own(own);
}

Status FunctionMaps::release() {
  const uint64_t address = all_.address;
  all_ = {};
  most_count_ = 0;
  return address == 0 ? Status::ok() : device_.memory().release_device(address);
}

std::string FunctionMaps::call_of_other() {
  uint64_t function = 0;
  Own caller;
  {
    auto all = own_.lock();
    for (const auto &[image, own] : *all)
      if (own.asked && function == 0) {
        function = std::atomic_ref(*own.asked).load(std::memory_order_acquire);
        caller = own;
      }
  }
  if (function == 0)
    return {};
  return format("%s, called from %s: device code calls functions of its own image only (%s lets it call others)",
                describe_function(caller.describe, function).c_str(), caller.module.c_str(),
                setting_row(SettingId::kCallsAcrossImages).variable);
}

Result<uint64_t> FunctionMaps::copy(uint64_t count, const __omp_offloading_fptr_map_ty *pairs, uint64_t room) {
  if (!pairs || room > SIZE_MAX / sizeof(*pairs))
    return Status::error(format("a table of %llu indirect functions at %p", static_cast<unsigned long long>(count),
                                static_cast<const void *>(pairs)));
  OMPTARGET_TRY_ASSIGN(const uint64_t address, device_.memory().allocate_device(room * sizeof(*pairs)));
  if (Status status = device_.submit(address, pairs, count * sizeof(*pairs), nullptr); !status) {
    device_.memory().release_device(address).consume();
    return std::move(status).during("while copying the table of indirect functions");
  }
  return address;
}

// Where the image looks for the functions of all images.
Status FunctionMaps::write_all(const Image &image, const Place &place) {
  bool has_own = false;
  Table others = all_;
  {
    auto all = own_.lock();
    const auto own = all->find(&image);
    has_own = own != all->end();
    if (has_own && own->second.table.count == all_.count)
      others.count = 0; // there are no others
  }
  if (!has_own)
    return write_table(image, place, all_);
  return write_value(image, OMPTARGET_OTHER_FUNCTIONS, place.in_other_functions, others.*place.value);
}

// Where the image looks for the functions that it may call.
Status FunctionMaps::write_table(const Image &image, const Place &place, const Table &table) {
  OMPTARGET_TRY(write_value(image, place.global, 0, table.*place.value));
  for (const char *environment : kDeviceEnvironmentNames)
    OMPTARGET_TRY(write_value(image, environment, place.in_environment, table.*place.value));
  return Status::ok();
}

// Does nothing if the image has no such variable, or a smaller one.
Status FunctionMaps::write_value(const Image &image, const char *global, size_t offset, uint64_t value) {
  OMPTARGET_TRY_ASSIGN(const auto found, image.find_global(global));
  if (!found || found->size < offset + sizeof(value))
    return Status::ok();
  OMPTARGET_TRY_DURING(device_.submit(found->address + offset, &value, sizeof(value), nullptr), "while writing %s",
                       global);
  return Status::ok();
}

} // namespace omptarget::gpu
