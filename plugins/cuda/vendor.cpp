// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/vendor.h"

#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/image.h"
#include "gpu/devices.h"

namespace omptarget::cuda {

namespace {

Status find_devices(gpu::Devices &devices) {
  OMPTARGET_TRY(open_driver());
  int count = 0;
  OMPTARGET_TRY(OMPTARGET_CU(cuDeviceGetCount, &count));
  for (int32_t id = 0; id < count; ++id) {
    Result<DeviceProperties> properties = DeviceProperties::read(id);
    if (properties)
      devices.push_back(std::make_unique<Device>(static_cast<int32_t>(devices.size()), *properties));
    else
      OMPTARGET_TRY(gpu::leave_out(id, count, properties.take_status()));
  }
  return Status::ok();
}

} // namespace

} // namespace omptarget::cuda

constinit const omptarget::gpu::Vendor omptarget::gpu::kVendor = {
    "CUDA",
    "CUDA",
    "TARGET CUDA RTL",
    "nvptx64-nvidia-cuda",
    "CUDA_VISIBLE_DEVICES",
    [] { return std::vector<const char *>{}; },
    &omptarget::cuda::find_devices,
    &omptarget::gpu::read_target<omptarget::cuda::read_image_target, omptarget::cuda::ImageTarget,
                                 omptarget::cuda::Device>};
