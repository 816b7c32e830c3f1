// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/offload_library.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "image/container.h"
#include "image/entry_table.h"

namespace omptarget {

namespace {

constexpr int32_t kMaxImages = 1 << 16;
constexpr uint64_t kMaxImageEntries = 1 << 22; ///< of all images together

/// Record number i of a table. Nothing is known of the alignment of what a damaged descriptor points to.
template <typename Record> Record load(const void *table, int32_t i = 0) {
  Record record;
  std::memcpy(&record, static_cast<const char *>(table) + static_cast<size_t>(i) * sizeof record, sizeof record);
  return record;
}

class DescriptorReader {
public:
  explicit DescriptorReader(const __tgt_bin_desc *descriptor)
      : bounds_(module_of(descriptor)), library_(std::make_unique<OffloadLibrary>()) {
    library_->descriptor = descriptor;
    library_->path = bounds_ ? bounds_->path : "memory outside of all modules";
    library_->range = bounds_ ? bounds_->whole() : AddressRange{};
    library_->cannot_be_closed = is_loaded_for_good(library_->range.begin);
  }

  Status read() {
    OMPTARGET_TRY(check(library_->descriptor, sizeof(__tgt_bin_desc), "descriptor"));
    const auto descriptor = load<__tgt_bin_desc>(library_->descriptor);
    if (descriptor.NumDeviceImages < 0 || descriptor.NumDeviceImages > kMaxImages)
      return Status::error(format("the descriptor claims %d device images", descriptor.NumDeviceImages));
    OMPTARGET_TRY(check(descriptor.DeviceImages,
                        static_cast<uint64_t>(descriptor.NumDeviceImages) * sizeof(__tgt_device_image),
                        "table of device images"));
    OMPTARGET_TRY(read_table(descriptor));
    for (int32_t i = 0; i < descriptor.NumDeviceImages; ++i)
      read_image(load<__tgt_device_image>(descriptor.DeviceImages, i));
    return Status::ok();
  }

  std::unique_ptr<OffloadLibrary> take() { return std::move(library_); }
  const std::string &path() const { return library_->path; }

private:
  Status check(const void *begin, uint64_t size, const char *what) const {
    if (size == 0 || (begin && (!bounds_ || bounds_->contains(begin, size))))
      return Status::ok();
    return Status::error(format("the %s at %p (%llu bytes) lies outside of the module", what, begin,
                                static_cast<unsigned long long>(size)));
  }

  Result<EntryTable> table_of(const __tgt_offload_entry *first, const __tgt_offload_entry *last) const {
    const EntryTable table{reinterpret_cast<const std::byte *>(first), reinterpret_cast<const std::byte *>(last),
                           bounds_ ? &*bounds_ : nullptr};
    if (table.end < table.begin)
      return Status::error(format("the entry table ends (%p) before it begins (%p)", static_cast<const void *>(last),
                                  static_cast<const void *>(first)));
    OMPTARGET_TRY(check(table.begin, static_cast<uint64_t>(table.end - table.begin), "entry table"));
    return table;
  }

  Status read_table(const __tgt_bin_desc &descriptor) {
    OMPTARGET_TRY_ASSIGN(table_, table_of(descriptor.HostEntriesBegin, descriptor.HostEntriesEnd));
    OMPTARGET_TRY_ASSIGN(library_->entry_generation, entry_size(table_));
    OMPTARGET_TRY_ASSIGN(read_, read_entries(table_, library_->entry_generation));
    library_->entries = read_.entries;
    library_->requires_mask = read_.requires_mask;
    library_->requires_by_all = read_.requires_by_all;
    return Status::ok();
  }

  void read_image(const __tgt_device_image &record) {
    DeviceImage image;
    image.begin = static_cast<const std::byte *>(record.ImageStart);
    image.end = static_cast<const std::byte *>(record.ImageEnd);
    image.number = library_->images.size();
    Status status = read_image_entries(record, image);
    if (status)
      status = find_bytes(image);
    if (!status) {
      image.defect = status.to_string();
      image.begin = image.end = nullptr;
    }
    library_->images.push_back(std::move(image));
  }

  Status find_bytes(DeviceImage &image) {
    if (image.begin == image.end)
      return Status::error("the image is empty");
    if (image.end < image.begin)
      return Status::error(format("the image ends (%p) before it begins (%p)", static_cast<const void *>(image.end),
                                  static_cast<const void *>(image.begin)));
    OMPTARGET_TRY(check(image.begin, image.size(), "image"));
    // Images that share their bytes would be read once for each.
    image_bytes_ += image.size();
    if (const uint64_t most = library_->range.end - library_->range.begin; bounds_ && image_bytes_ > most)
      return Status::error(
          format("the images up to this one have %llu bytes, more than the module's %llu: they overlap",
                 static_cast<unsigned long long>(image_bytes_), static_cast<unsigned long long>(most)));
    image.embedded = {image.begin, image.end};
    if (!is_container({image.begin, image.end}))
      return Status::ok();
    OMPTARGET_TRY_ASSIGN(const ContainedImage contained, open_container({image.begin, image.end}));
    image.begin = contained.bytes.data();
    image.end = image.begin + contained.bytes.size();
    image.arch = contained.arch;
    image.wrapping = Wrapping::kContainer;
    return Status::ok();
  }

  /// An image's entries are the module's, or a part of them.
  Status read_image_entries(const __tgt_device_image &record, DeviceImage &image) {
    OMPTARGET_TRY_ASSIGN(const EntryTable part, table_of(record.EntriesBegin, record.EntriesEnd));
    if (part.begin == part.end)
      return Status::ok();
    if (part.begin < table_.begin || part.end > table_.end)
      return Status::error("its entries lie outside of the module's entry table");
    const uint32_t size = library_->entry_generation;
    const auto offset = static_cast<size_t>(part.begin - table_.begin);
    const auto length = static_cast<size_t>(part.end - part.begin);
    if (offset % size != 0 || length % size != 0)
      return Status::error("its entries do not begin or end at an entry of the module's table");
    const auto first = std::lower_bound(read_.index.begin(), read_.index.end(), offset / size) - read_.index.begin();
    const auto last =
        std::lower_bound(read_.index.begin(), read_.index.end(), (offset + length) / size) - read_.index.begin();
    image_entries_ += static_cast<uint64_t>(last - first);
    if (image_entries_ > kMaxImageEntries)
      return Status::error(format("the images up to this one have %llu entries; expected at most %llu",
                                  static_cast<unsigned long long>(image_entries_),
                                  static_cast<unsigned long long>(kMaxImageEntries)));
    image.entries.assign(read_.entries.begin() + first, read_.entries.begin() + last);
    return Status::ok();
  }

  std::optional<ModuleBounds> bounds_;
  std::unique_ptr<OffloadLibrary> library_;
  EntryTable table_{};
  EntriesRead read_;
  uint64_t image_bytes_ = 0;   ///< of the images read so far
  uint64_t image_entries_ = 0; ///< of the images read so far
};

} // namespace

bool OffloadLibrary::is_there() const {
  const std::optional<ModuleBounds> module = module_of(descriptor);
  return module && module->path == path && module->whole().begin == range.begin && module->whole().end == range.end;
}

std::string OffloadLibrary::name() const { return path.substr(path.rfind('/') + 1); }

Result<std::unique_ptr<OffloadLibrary>> read_descriptor(const __tgt_bin_desc *descriptor) {
  if (!descriptor)
    return Status::error("a null descriptor was registered");
  DescriptorReader reader(descriptor);
  if (Status status = reader.read(); !status)
    return std::move(status).during(format("%s cannot offload: its descriptor is damaged", reader.path().c_str()));
  return reader.take();
}

} // namespace omptarget
