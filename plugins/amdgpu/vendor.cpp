// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/vendor.h"

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "amdgpu/fault.h"
#include "amdgpu/image.h"
#include "base/log.h"
#include "gpu/devices.h"

namespace omptarget::amdgpu {

namespace {

/// State that the devices share. Never destroyed.
struct Shared {
  std::vector<hsa_agent_t> agents; ///< agents of the devices, in the same order
};
Shared &shared() {
  static Shared &the_shared = *new Shared;
  return the_shared;
}

struct Agents {
  std::vector<hsa_agent_t> cpus, gpus;
};

hsa_status_t add_agent(hsa_agent_t agent, void *data) {
  Agents &agents = *static_cast<Agents *>(data);
  int type = 0;
  int features = 0;
  if (OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS ||
      OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, HSA_AGENT_INFO_FEATURE, &features) != HSA_STATUS_SUCCESS)
    return HSA_STATUS_SUCCESS;
  if (type == HSA_DEVICE_TYPE_CPU)
    agents.cpus.push_back(agent);
  else if (type == HSA_DEVICE_TYPE_GPU && (features & HSA_AGENT_FEATURE_KERNEL_DISPATCH))
    agents.gpus.push_back(agent);
  return HSA_STATUS_SUCCESS;
}

// Called by a thread of the driver's. Success tells it that the event was taken care of, so that it does not abort.
hsa_status_t on_system_event(const hsa_amd_event_t *event, void *data) {
  if (event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT)
    return HSA_STATUS_ERROR;
  for (const auto &device : *static_cast<gpu::Devices *>(data))
    if (static_cast<const Device &>(*device).agent().handle == event->memory_fault.agent.handle) {
      device->lose(describe_memory_fault(event->memory_fault), event->memory_fault.virtual_address);
      return HSA_STATUS_SUCCESS;
    }
  return HSA_STATUS_ERROR;
}

Status find_devices(gpu::Devices &devices) {
  OMPTARGET_TRY(open_driver());
  Agents agents;
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_iterate_agents, add_agent, &agents));
  if (agents.gpus.empty())
    return Status::error("the driver knows no GPU");
  const int32_t count = static_cast<int32_t>(agents.gpus.size());
  for (int32_t i = 0; i < count; ++i) {
    Result<DeviceProperties> properties = DeviceProperties::read(agents.gpus[static_cast<size_t>(i)], agents.cpus);
    if (!properties) {
      OMPTARGET_TRY(gpu::leave_out(i, count, properties.take_status()));
      continue;
    }
    devices.push_back(std::make_unique<Device>(static_cast<int32_t>(devices.size()), *properties));
    shared().agents.push_back(properties->agent);
  }
  // A program that handles events itself keeps doing so; then a fault is only what the queue says of it.
  if (Status status = OMPTARGET_HSA(hsa_amd_register_system_event_handler, on_system_event, &devices); !status)
    OMPTARGET_TRACE(Topic::kPlugin, "memory faults are not reported by kernel: %s", status.to_string().c_str());
  return Status::ok();
}

} // namespace

const std::vector<hsa_agent_t> &all_agents() { return shared().agents; }

} // namespace omptarget::amdgpu

constinit const omptarget::gpu::Vendor omptarget::gpu::kVendor = {
    "AMDGPU",
    "AMD's runtime",
    "TARGET AMDGPU RTL",
    "amdgcn-amd-amdhsa",
    "ROCR_VISIBLE_DEVICES",
    [] { return std::vector<const char *>{"HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"}; },
    &omptarget::amdgpu::find_devices,
    &omptarget::gpu::read_target<omptarget::amdgpu::read_image_target, omptarget::amdgpu::ImageTarget,
                                 omptarget::amdgpu::Device>};
