// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device memory routines that move bytes: copies, copies of rectangles, fills.

#include <algorithm>
#include <cstring>
#include <llvm/ADT/SmallVector.h>
#include <memory>
#include <new>
#include <optional>

#include "base/log.h"
#include "base/page_access.h"
#include "device/protected_memory.h"
#include "device/runtime.h"
#include "memory/memory.h"
#include "observe/construct_events.h"

namespace omptarget {

using observe::DataOperation;
using observe::DataOperationKind;

namespace {

/// Copies between two places, any of which may be the host.
class Copier {
public:
  Copier(Device *to, Device *from) : to_(to), from_(from) {
    if (Device *const device = from ? from : to)
      queue_.emplace(device->plugin_device());
  }

  Status copy(char *destination, const char *source, int64_t bytes) {
    if (!to_ && !from_) {
      std::memmove(destination, source, static_cast<size_t>(bytes));
      return Status::ok();
    }
    if (!from_) {
      OMPTARGET_TRY(check_readable(source, bytes, false));
      const DataOperation operation({DataOperationKind::kToDevice, to_->id(), source, destination, bytes, nullptr});
      return to_->plugin_device().data_submit(destination, source, bytes, queue());
    }
    if (!to_) {
      if (bytes > 0 && !is_writable(destination, static_cast<size_t>(bytes)))
        return copy_to_protected(destination, source, bytes);
      const DataOperation operation(
          {DataOperationKind::kFromDevice, from_->id(), destination, const_cast<char *>(source), bytes, nullptr});
      return from_->plugin_device().data_retrieve(destination, source, bytes, queue());
    }
    return between_devices(destination, source, bytes);
  }

  /// Waits for the copies, whether or not one of them failed when it was queued: then copied is that failure.
  Status finish(Status copied) {
    if (queue_)
      copied.keep_first(queue_->complete());
    return copied;
  }

private:
  Queue *queue() { return queue_ ? queue_->get() : nullptr; }

  Status copy_to_protected(char *destination, const char *source, int64_t bytes) {
    if (queue_)
      OMPTARGET_TRY(queue_->complete()); // copies before it may have the same destination
    const DataOperation operation(
        {DataOperationKind::kFromDevice, from_->id(), destination, const_cast<char *>(source), bytes, nullptr});
    return retrieve_changes(*from_, destination, source, bytes);
  }

  Status between_devices(char *destination, const char *source, int64_t bytes) {
    const DataOperation operation(
        {DataOperationKind::kBetweenDevices, to_->id(), source, destination, bytes, nullptr, from_->id()});
    const PluginDevice &from = from_->plugin_device();
    if (from.can_exchange(to_->plugin_device()))
      return from.data_exchange(source, to_->plugin_device(), destination, bytes, queue());
    return through_host(destination, source, bytes);
  }

  /// Copies piece by piece: the host's memory need not have room for all of it.
  Status through_host(char *destination, const char *source, int64_t bytes) {
    constexpr int64_t kLargestPiece = int64_t{4} << 20;
    const int64_t piece = std::min(bytes, kLargestPiece);
    if (!staging_) // the blocks of a rectangle are all of one size
      staging_.reset(new (std::nothrow) char[static_cast<size_t>(piece)]);
    if (!staging_)
      return Status::error(format("%lld bytes of host memory for a copy from device %d to device %d could not be "
                                  "allocated",
                                  static_cast<long long>(piece), raw(from_->id()), raw(to_->id())));
    for (int64_t done = 0; done < bytes; done += piece) {
      const int64_t size = std::min(piece, bytes - done);
      OMPTARGET_TRY(from_->plugin_device().data_retrieve(staging_.get(), source + done, size, nullptr));
      OMPTARGET_TRY(to_->plugin_device().data_submit(destination + done, staging_.get(), size, nullptr));
    }
    return Status::ok();
  }

  Device *const to_;
  Device *const from_;
  std::optional<OwnedQueue> queue_; ///< of from_, or else of to_; none for copies on the host
  std::unique_ptr<char[]> staging_;
};

/// A rectangle in bytes: blocks of equal size, nested. Distances are those of one index.
struct Strides {
  llvm::SmallVector<size_t, 8> distances; ///< outermost first
  size_t offset = 0;                      ///< of the first element
};

/// The rectangle has passed check_rectangle, so that nothing overflows.
Strides strides_of(const Rectangle &rectangle, const RectangleShape &shape) {
  const auto count = static_cast<size_t>(shape.dimensions);
  Strides result;
  result.distances.assign(count, 0);
  size_t distance = shape.element_size;
  for (size_t i = count; i-- > 0; distance *= rectangle.dimensions[i]) {
    result.distances[i] = distance;
    result.offset += rectangle.offsets[i] * distance;
  }
  return result;
}

struct RectangleCopy {
  Copier &copier;
  const size_t *volume;
  size_t levels; ///< how many of the outer dimensions are repeated; the rest is one block
  size_t block;
  Strides to;
  Strides from;

  Status run(size_t level, char *destination, const char *source) {
    if (level == levels)
      return copier.copy(destination, source, static_cast<int64_t>(block));
    for (size_t i = 0; i < volume[level]; ++i)
      OMPTARGET_TRY(run(level + 1, destination + i * to.distances[level], source + i * from.distances[level]));
    return Status::ok();
  }
};

bool is_complete(const Rectangle &rectangle) { return rectangle.array && rectangle.offsets && rectangle.dimensions; }

/// Fails if the rectangle is not in the array, or the array in no memory. end: "src" or "dst", as the parameters are
/// called.
Status check_array(const Rectangle &rectangle, const RectangleShape &shape, const char *end) {
  size_t size = shape.element_size;
  bool overflows = false;
  for (int i = 0; i < shape.dimensions; ++i) {
    const size_t length = rectangle.dimensions[i];
    if (rectangle.offsets[i] > length || shape.volume[i] > length - rectangle.offsets[i])
      return Status::error(format("a rectangle of %zu elements at offset %zu goes past the end of its array: "
                                  "%s_dimensions[%d] is %zu",
                                  shape.volume[i], rectangle.offsets[i], end, i, length));
    overflows |= __builtin_mul_overflow(size, length, &size);
  }
  if (overflows || !fits_in_memory(rectangle.array, size))
    return Status::error(format("the %s array of a rectangle at %p is larger than the address space", end,
                                static_cast<const void *>(rectangle.array)));
  return Status::ok();
}

/// Fails if the device has ended: what it held is lost.
Status check_not_lost(int32_t source) {
  if (!Runtime::get().ended_device(source))
    return Status::ok();
  return Status::fatal(
      1, format("device %d has ended, since the program ends, and with it the data that were to be copied", source));
}

/// Fails if no memory can be there. what: for people.
Status check_place(const char *what, const Place &place, size_t length) {
  if (!place.address)
    return Status::error(format("the %s of a copy of %zu bytes is null", what, length));
  size_t end = 0;
  if (__builtin_add_overflow(place.offset, length, &end) || !fits_in_memory(place.address, end))
    return Status::error(format("the %s of a copy of %zu bytes at offset %zu of %p reaches out of the address space",
                                what, length, place.offset, static_cast<const void *>(place.address)));
  return Status::ok();
}

} // namespace

Status check_copy(const Place &destination, const Place &source, size_t length) {
  if (length == 0)
    return Status::ok();
  OMPTARGET_TRY(check_place("destination", destination, length));
  return check_place("source", source, length);
}

Status copy_memory(const Place &destination, const Place &source, size_t length) {
  OMPTARGET_TRY(check_not_lost(source.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse to, api_device(destination.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse from, api_device(source.device));
  OMPTARGET_TRY(check_copy(destination, source, length));
  if (length == 0)
    return Status::ok();
  char *const target = static_cast<char *>(destination.address) + destination.offset;
  const char *const origin = static_cast<const char *>(source.address) + source.offset;
  OMPTARGET_TRACE(Topic::kTransfer, "copying %zu bytes from %p (device %d) to %p (device %d)", length,
                  static_cast<const void *>(origin), source.device, static_cast<void *>(target), destination.device);
  Copier copier(to.get(), from.get());
  return copier.finish(copier.copy(target, origin, static_cast<int64_t>(length)));
}

Status check_rectangle(const Rectangle &destination, const Rectangle &source, const RectangleShape &shape) {
  if (!is_complete(destination) || !is_complete(source) || !shape.volume || shape.element_size == 0 ||
      shape.dimensions < 1)
    return Status::error(format("a rectangle of %d dimensions of elements of %zu bytes, or with a null address, cannot "
                                "be copied",
                                shape.dimensions, shape.element_size));
  if (shape.dimensions > kMostDimensions)
    return Status::error(
        format("a rectangle has %d dimensions; at most %d can be copied", shape.dimensions, kMostDimensions));
  OMPTARGET_TRY(check_array(destination, shape, "dst"));
  return check_array(source, shape, "src");
}

Status copy_rectangle(const Rectangle &destination, const Rectangle &source, const RectangleShape &shape) {
  OMPTARGET_TRY(check_not_lost(source.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse to, api_device(destination.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse from, api_device(source.device));
  OMPTARGET_TRY(check_rectangle(destination, source, shape));
  if (std::count(shape.volume, shape.volume + shape.dimensions, size_t{0}) > 0)
    return Status::ok();
  Copier copier(to.get(), from.get());
  RectangleCopy copy{copier,
                     shape.volume,
                     static_cast<size_t>(shape.dimensions),
                     shape.element_size,
                     strides_of(destination, shape),
                     strides_of(source, shape)};
  // Inner dimensions that are whole on both sides are one block.
  while (copy.levels > 0 && copy.to.distances[copy.levels - 1] == copy.block &&
         copy.from.distances[copy.levels - 1] == copy.block)
    copy.block *= shape.volume[--copy.levels];
  return copier.finish(copy.run(0, static_cast<char *>(destination.array) + copy.to.offset,
                                static_cast<const char *>(source.array) + copy.from.offset));
}

Status check_fill(const void *pointer, size_t length) {
  if (length != 0 && !pointer)
    return Status::error(format("the memory of a fill of %zu bytes is null", length));
  if (!fits_in_memory(pointer, length))
    return Status::error(format("a fill of %zu bytes at %p reaches out of the address space", length, pointer));
  return Status::ok();
}

Status fill_memory(void *pointer, uint8_t value, size_t length, int32_t device_number) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  OMPTARGET_TRY(check_fill(pointer, length));
  if (length == 0)
    return Status::ok();
  if (device) {
    const DataOperation operation(
        {DataOperationKind::kFill, device->id(), nullptr, pointer, static_cast<int64_t>(length), nullptr});
    return device->plugin_device().data_fill(pointer, value, static_cast<int64_t>(length), nullptr);
  }
  std::memset(pointer, value, length);
  return Status::ok();
}

} // namespace omptarget
