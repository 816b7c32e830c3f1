// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/chosen_variant.h"

#include <algorithm>

#include "base/log.h"
#include "device/kernel_call.h"
#include "device/kernel_variants.h"
#include "generations/map_bits.h"

namespace omptarget {

namespace {

constexpr unsigned kBitsOfByte = 8;

/// Pointers of is_device_ptr are passed as numbers, too. Their values differ from process to process, and would keep
/// variants from being taken. Neither a count nor a double is likely to be such a number.
bool is_like_address(uint64_t bits) {
  constexpr unsigned kLeastBits = 32, kMostBits = 48;
  return bits >> kLeastBits != 0 && bits >> kMostBits == 0;
}

/// The arguments that are values (firstprivate scalars). Compilers leave what is above a value's size undefined.
std::vector<jit::ParameterValue> values_of(const MapList &list, uint32_t first_parameter) {
  std::vector<jit::ParameterValue> values;
  values.reserve(static_cast<size_t>(std::max(list.count, 0)));
  uint32_t parameter = first_parameter;
  for (int32_t i = 0; i < list.count; ++i) {
    const auto type = static_cast<uint64_t>(list.types[i]);
    if ((type & map_type::kTargetParam) == 0)
      continue;
    const uint32_t place = parameter++;
    const int64_t size = list.sizes[i];
    if ((type & map_type::kLiteral) == 0 || (type & map_type::kPtrAndObj) != 0 || size < 1 ||
        size > static_cast<int64_t>(sizeof(uint64_t)))
      continue;
    const auto bytes = static_cast<uint32_t>(size);
    const uint64_t mask = ~uint64_t{0} >> (kBitsOfByte * (sizeof(uint64_t) - bytes));
    const uint64_t bits = reinterpret_cast<uintptr_t>(list.bases[i]) & mask;
    if (!is_like_address(bits))
      values.push_back({place, bytes, bits});
  }
  return values;
}

} // namespace

const Kernel &chosen_variant(const Device &device, const Kernel &kernel, ParameterForm form, LaunchRequest &request) {
  if (form == ParameterForm::kCells)
    return kernel; // its only parameter is an array of addresses
  jit::LaunchCase launch;
  launch.values = values_of(request.list, form == ParameterForm::kLeading ? 1 : 0);
  if (const auto shape = launch_shape_of(device, kernel, request)) {
    launch.teams = shape->teams;
    launch.threads = shape->threads;
  }
  const KernelVariants::Variant *const variant = kernel.variants->choose(launch);
  if (traces(Topic::kKernel)) {
    launch.kernel = kernel.name;
    trace_line(Topic::kKernel, raw(device.id()), "%s for the launch %s", variant ? "a variant" : "no variant",
               jit::text_of(launch).c_str());
  }
  if (!variant)
    return kernel;
  if (variant->launch.has_shape()) {
    request.asked_teams = request.args.NumTeams[0];
    request.asked_threads = request.args.ThreadLimit[0];
    request.args.NumTeams[0] = launch.teams;
    request.args.ThreadLimit[0] = launch.threads;
    request.args.Flags |= OMPTARGET_KERNEL_STRICT;
  }
  return variant->kernel;
}

} // namespace omptarget
