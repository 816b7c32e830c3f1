// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/private_arguments.h"

#include <cstring>
#include <llvm/ADT/STLExtras.h>

#include "region/expansion.h"

namespace omptarget {

Status PrivateArguments::prepare() {
  for (size_t i = 0; i < arguments_.size(); ++i)
    items_.push_back(item_of(arguments_.list(), static_cast<int32_t>(i)));
  if (llvm::any_of(items_, [](const MapItem &item) { return item.has(map_type::kPrivate); })) {
    for (const MapItem &item : items_)
      if (is_private(item))
        OMPTARGET_TRY(check_range(private_source(item), item.size, item.name));
    layout_ = lay_out_private(items_);
  }
  if (layout_.size != 0) {
    OMPTARGET_TRY_ASSIGN(block_, queue_.allocate_temporary(layout_.size));
    if (recorder_)
      recorder_->set_private(block_, layout_.size);
    if (layout_.packed != 0)
      OMPTARGET_TRY(copy_packed());
    if (layout_.has_large)
      OMPTARGET_TRY(copy_large());
  }
  for (size_t i = 0; i < items_.size(); ++i)
    if ((items_[i].type & map_type::kLambdaCapture) == map_type::kLambdaCapture &&
        !items_[i].has(map_type::kTargetParam))
      OMPTARGET_TRY(set_lambda_capture(i));
  return Status::ok();
}

DevicePtr PrivateArguments::address(size_t i) const {
  const MapItem &item = items_[i];
  return block_ + layout_.offsets[i] + (is_private_pointer(item) ? 0 : item.base - item.begin);
}

Status PrivateArguments::copy_packed() {
  llvm::SmallVector<std::byte, 256> values(static_cast<size_t>(layout_.packed));
  for (size_t i = 0; i < items_.size(); ++i) {
    const int64_t offset = layout_.offsets[i];
    if (offset < 0 || offset >= layout_.packed || items_[i].size <= 0)
      continue;
    std::memcpy(values.data() + offset, raw(private_source(items_[i])), static_cast<size_t>(items_[i].size));
    translate_pointer(items_[i], values.data() + offset, block_ + offset);
  }
  return queue_.write_value(block_, values.data(), layout_.packed);
}

Status PrivateArguments::copy_large() {
  for (size_t i = 0; i < items_.size(); ++i) {
    const MapItem &item = items_[i];
    if (layout_.offsets[i] < layout_.packed || !is_first_private(item))
      continue;
    const DevicePtr target = block_ + layout_.offsets[i];
    OMPTARGET_TRY(queue_.write_from_host(target, private_source(item), item.size));
    DevicePtr value{};
    if (translate_pointer(item, &value, target))
      OMPTARGET_TRY(queue_.write_value(target, &value, sizeof value));
  }
  return Status::ok();
}

/// The value of a private pointer at this place of the device, if what it points to is present there.
bool PrivateArguments::translate_pointer(const MapItem &item, void *value, DevicePtr place) {
  if (!is_private_pointer(item) || item.size < static_cast<int64_t>(sizeof(void *)))
    return false;
  const Found target = map_.find(item.begin, 0);
  if (!target.is_contained)
    return false;
  const std::optional<DevicePtr> translated = target_of(target.ref, load_pointer(item.base));
  if (!translated)
    return false; // removed since it was found, or not there yet
  std::memcpy(value, &*translated, sizeof *translated);
  if (recorder_)
    recorder_->add_pointer(place, *translated);
  return true;
}

/// A lambda's copy on the device captured a variable by reference: the reference must name the device's variable.
Status PrivateArguments::set_lambda_capture(size_t i) {
  const MapItem &item = items_[i];
  if (arguments_.parent(i) < 0)
    return Status::ok();
  const auto parent = static_cast<size_t>(arguments_.parent(i));
  const MapItem &closure = items_[parent];
  const Found target = map_.find(item.begin, item.size);
  if (!target.is_contained)
    return Status::ok();
  if (const MappingRef mapping = arguments_.refs[parent].ref())
    return queue_.attach({mapping, item.base, static_cast<int64_t>(sizeof(void *)), target.ref, item.begin});
  if (!is_private(closure))
    return Status::ok();
  const DevicePtr field = address(parent) + (item.base - closure.base);
  const std::optional<DevicePtr> value = target_of(target.ref, item.begin);
  if (recorder_ && value)
    recorder_->add_pointer(field, *value);
  return value ? queue_.write_value(field, &*value, sizeof *value) : Status::ok();
}

} // namespace omptarget
