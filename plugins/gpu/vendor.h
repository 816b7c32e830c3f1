// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a plugin for GPUs to its driver as a whole. Each plugin defines one Vendor. The virtual functions of
// Device, Image, Kernel, Memory, QueueSet and StagingBuffer are the rest.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace omptarget::gpu {

class Device;
using Devices = std::vector<std::unique_ptr<Device>>;

/// The kind of an image, and the devices that can run it.
class ImageTarget {
public:
  virtual ~ImageTarget() = default;
  /// "sm_90", "gfx90a:xnack+ (code object V5)".
  virtual std::string name() const = 0;
  /// How well a device runs the image: 0 not at all; of several images the greatest number is best.
  virtual int rank(const Device &device) const = 0;
};

/// An ImageTarget made of what a vendor reads: T has name(), and rank() of what D::runs() returns. D is the vendor's
/// device.
template <typename T, typename D> class TargetOf final : public ImageTarget {
public:
  explicit TargetOf(const T &read) : value(read) {}
  std::string name() const override { return value.name(); }
  int rank(const Device &device) const override { return value.rank(static_cast<const D &>(device).runs()); }
  const T value;
};

/// Vendor::read_image_target, made of a function that returns a Result<T>.
template <auto read, typename T, typename D>
Result<std::unique_ptr<ImageTarget>> read_target(const void *image, size_t size) {
  OMPTARGET_TRY_ASSIGN(const T target, read(image, size));
  return std::unique_ptr<ImageTarget>(std::make_unique<TargetOf<T, D>>(target));
}

struct Vendor {
  const char *plugin;     ///< the plugin's name in messages: "CUDA"
  const char *driver;     ///< the driver's: "AMD's runtime"
  const char *log_prefix; ///< begins lines that the plugin traces
  const char *triple;     ///< triple of its images
  const char *visibility; ///< the variable of the environment by which the driver hides devices
  std::vector<const char *> (*ignored_visibility)(); ///< those by which only other libraries do
  /// Opens the driver and adds its devices, in order. Called once. A failure tells why there are none.
  Status (*find_devices)(Devices &devices);
  /// Reads what an image says about itself. Any thread, no driver needed.
  Result<std::unique_ptr<ImageTarget>> (*read_image_target)(const void *image, size_t size);
};

/// That of this plugin.
extern const Vendor kVendor;

} // namespace omptarget::gpu
