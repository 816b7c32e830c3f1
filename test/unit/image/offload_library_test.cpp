// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/offload_library.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "container_bytes.h"
#include "image/image_copy.h"

namespace omptarget {
namespace {

using testing::HasSubstr;

/// A module as a linker leaves it; static, so that it lies in the bounds of this program.
struct Module {
  char bytes[4096];
  char names[3][24];
  char kernel_ids[3];
  __tgt_offload_entry entries[3];
  __tgt_device_image images[2];
  __tgt_bin_desc descriptor;
};

Module &fresh_module() {
  static Module module;
  module = {};
  std::strcpy(module.bytes, "an image");
  for (int i = 0; i < 3; ++i) {
    std::snprintf(module.names[i], sizeof module.names[i], "kernel_%d", i);
    module.entries[i] = {&module.kernel_ids[i], module.names[i], 0, 0, 0};
  }
  for (__tgt_device_image &image : module.images)
    image = {module.bytes, module.bytes + 8, module.entries, module.entries + 3};
  module.descriptor = {2, module.images, module.entries, module.entries + 3};
  return module;
}

std::string refusal(const Module &module) {
  Result<std::unique_ptr<OffloadLibrary>> library = read_descriptor(&module.descriptor);
  return library.status().to_string();
}

std::unique_ptr<OffloadLibrary> accepted(const Module &module) {
  Result<std::unique_ptr<OffloadLibrary>> library = read_descriptor(&module.descriptor);
  if (!library.is_ok()) {
    ADD_FAILURE() << library.status().to_string();
    return nullptr;
  }
  return std::move(*library);
}

template <typename T> T *at(uintptr_t address) { return reinterpret_cast<T *>(address); }
const uintptr_t kNowhere[] = {0, 1, 0x1000, 0x7fffffffffff, UINTPTR_MAX - 64};

TEST(OffloadLibrary, holds_what_the_module_brought) {
  Module &module = fresh_module();
  const auto library = accepted(module);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->descriptor, &module.descriptor);
  EXPECT_EQ(library->name(), "unit_image");
  EXPECT_EQ(library->entry_generation, 32u);
  EXPECT_EQ(library->entries.size(), 3u);
  ASSERT_EQ(library->images.size(), 2u);
  const DeviceImage &image = library->images[1];
  EXPECT_EQ(image.defect, "");
  EXPECT_EQ(image.size(), 8u);
  ASSERT_EQ(image.entries.size(), 3u);
  EXPECT_STREQ(image.entries[2].name, "kernel_2");
}

TEST(OffloadLibrary, images_that_share_their_bytes_are_damaged) {
  constexpr int kCount = 20000;
  static char bytes[1 << 20];
  static __tgt_device_image images[kCount];
  Module &module = fresh_module();
  for (__tgt_device_image &image : images)
    image = {bytes, bytes + sizeof bytes, module.entries, module.entries + 3};
  module.descriptor.NumDeviceImages = kCount;
  module.descriptor.DeviceImages = images;
  const auto library = accepted(module);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->images[0].defect, "");
  EXPECT_THAT(library->images[kCount - 1].defect, HasSubstr("they overlap"));
}

TEST(OffloadLibrary, names_that_share_their_bytes_are_refused) {
  constexpr int kCount = 1000;
  static char name[1 << 20];
  static __tgt_offload_entry entries[kCount];
  std::memset(name, 'n', sizeof name - 1);
  Module &module = fresh_module();
  for (__tgt_offload_entry &entry : entries)
    entry = {module.kernel_ids, name, 0, 0, 0};
  module.descriptor = {0, module.images, entries, entries + kCount};
  EXPECT_THAT(refusal(module), HasSubstr("they overlap"));
}

TEST(OffloadLibrary, gives_plugins_the_32_byte_entries_of_newer_tables) {
  static __tgt_offload_entry_v1 entries[2];
  Module &module = fresh_module();
  entries[0] = {0, 1, 1, OMPTARGET_ENTRY_REQUIRES, nullptr, module.names[0], 0, 8, nullptr};
  entries[1] = {0, 1, 1, OMPTARGET_ENTRY_LINK, &module.images, module.names[1], 8, 0, nullptr};
  auto *const begin = reinterpret_cast<__tgt_offload_entry *>(entries);
  auto *const end = reinterpret_cast<__tgt_offload_entry *>(entries + 2);
  module.descriptor = {1, module.images, begin, end};
  module.images[0].EntriesBegin = begin;
  module.images[0].EntriesEnd = end;
  const auto library = accepted(module);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->entry_generation, 56u);
  EXPECT_EQ(library->requires_mask, 8u);
  ImageCopy copy(library->images[0]);
  const __tgt_device_image record = copy.record();
  ASSERT_EQ(record.EntriesEnd - record.EntriesBegin, 1);
  EXPECT_EQ(record.EntriesBegin->flags, OMPTARGET_ENTRY_LINK);
  EXPECT_EQ(record.EntriesBegin->size, 8u);
  EXPECT_EQ(record.EntriesBegin->addr, static_cast<void *>(&module.images));
}

TEST(ImageCopy, outlives_its_module) {
  auto module = std::make_unique<Module>(fresh_module());
  for (__tgt_device_image &image : module->images)
    image = {module->bytes, module->bytes + 8, module->entries, module->entries + 3};
  for (int i = 0; i < 3; ++i)
    module->entries[i].name = module->names[i];
  module->descriptor = {2, module->images, module->entries, module->entries + 3};
  auto library = accepted(*module);
  ASSERT_TRUE(library);
  ImageCopy copy(library->images[1]);
  library.reset();
  std::memset(static_cast<void *>(module.get()), 0xff, sizeof *module);
  module.reset();
  ASSERT_EQ(copy.entries().size(), 3u);
  EXPECT_STREQ(copy.entries()[1].name, "kernel_1");
  EXPECT_STREQ(copy.record().EntriesBegin[2].name, "kernel_2");
  EXPECT_EQ(std::memcmp(copy.bytes().data(), "an image", 8), 0);
  copy.drop_bytes();
  EXPECT_TRUE(copy.bytes().empty());
  EXPECT_STREQ(copy.entries()[0].name, "kernel_0");
}

TEST(OffloadLibrary, an_image_may_have_a_part_of_the_entries) {
  Module &module = fresh_module();
  module.images[0].EntriesBegin = module.entries + 1;
  module.images[0].EntriesEnd = module.entries + 2;
  module.images[1].EntriesBegin = module.images[1].EntriesEnd = nullptr;
  const auto library = accepted(module);
  ASSERT_TRUE(library);
  ASSERT_EQ(library->images[0].entries.size(), 1u);
  EXPECT_STREQ(library->images[0].entries[0].name, "kernel_1");
  EXPECT_TRUE(library->images[1].entries.empty());
}

TEST(OffloadLibrary, parts_must_be_whole_entries_of_the_table) {
  const auto defect = [](const Module &module) {
    const auto library = accepted(module);
    return library ? library->images[1].defect : "";
  };
  const auto shifted = [](__tgt_offload_entry *entry, int bytes) {
    return reinterpret_cast<__tgt_offload_entry *>(reinterpret_cast<char *>(entry) + bytes);
  };
  Module &module = fresh_module();
  module.images[1].EntriesBegin = shifted(module.entries, 8);
  EXPECT_THAT(defect(module), HasSubstr("do not begin or end at an entry"));
  module = fresh_module();
  module.images[1] = {module.bytes, module.bytes + 8, module.entries, shifted(module.entries, 40)};
  EXPECT_THAT(defect(module), HasSubstr("do not begin or end at an entry"));
  static __tgt_offload_entry others[3];
  module.images[1] = {module.bytes, module.bytes + 8, others, others + 3};
  EXPECT_THAT(defect(module), HasSubstr("its entries lie outside of the module's entry table"));
  module.images[1] = {module.bytes, module.bytes + 8, module.entries, module.entries - 1};
  EXPECT_THAT(defect(module), HasSubstr("before it begins"));
  EXPECT_EQ(accepted(module)->images[0].defect, "");
}

TEST(OffloadLibrary, the_module_is_named_with_the_defect) {
  Module &module = fresh_module();
  module.descriptor.NumDeviceImages = -1;
  EXPECT_THAT(refusal(module), HasSubstr("the descriptor claims -1 device images"));
  EXPECT_THAT(refusal(module), HasSubstr("unit_image cannot offload: its descriptor is damaged"));
  module.descriptor.NumDeviceImages = INT32_MAX;
  EXPECT_THAT(refusal(module), HasSubstr("claims 2147483647 device images"));
  // The segment ends before the second one.
  const std::optional<ModuleBounds> bounds = module_of(&module);
  for (const AddressRange &segment : bounds->segments)
    if (segment.begin <= reinterpret_cast<uintptr_t>(&module) && reinterpret_cast<uintptr_t>(&module) < segment.end)
      module.descriptor.DeviceImages = at<__tgt_device_image>(segment.end - sizeof(__tgt_device_image));
  module.descriptor.NumDeviceImages = 2;
  EXPECT_THAT(refusal(module), HasSubstr("the table of device images at 0x"));
}

TEST(OffloadLibrary, tables_outside_of_the_module_are_refused) {
  for (const uintptr_t address : kNowhere) {
    Module &module = fresh_module();
    module.descriptor.DeviceImages = at<__tgt_device_image>(address);
    EXPECT_THAT(refusal(module), HasSubstr("the table of device images at")) << address;
    module = fresh_module();
    module.descriptor.HostEntriesBegin = at<__tgt_offload_entry>(address);
    EXPECT_THAT(refusal(module), HasSubstr("the entry table")) << address;
    module = fresh_module();
    module.descriptor.HostEntriesEnd = at<__tgt_offload_entry>(address);
    EXPECT_THAT(refusal(module), HasSubstr("the entry table")) << address;
  }
  const auto heap = std::make_unique<__tgt_device_image[]>(2);
  Module &module = fresh_module();
  module.descriptor.DeviceImages = heap.get();
  EXPECT_THAT(refusal(module), HasSubstr("the table of device images at"));
}

TEST(OffloadLibrary, a_descriptor_without_images_or_entries_is_accepted) {
  Module &module = fresh_module();
  module.descriptor = {0, nullptr, nullptr, nullptr};
  const auto library = accepted(module);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->entry_generation, 0u);
  EXPECT_TRUE(library->images.empty());
}

TEST(OffloadLibrary, a_damaged_image_is_a_defect_of_that_image_alone) {
  for (const uintptr_t address : kNowhere) {
    Module &module = fresh_module();
    module.images[0].ImageStart = at<void>(address);
    const auto library = accepted(module);
    ASSERT_TRUE(library);
    EXPECT_NE(library->images[0].defect, "");
    EXPECT_EQ(library->images[0].size(), 0u);
    EXPECT_EQ(library->images[1].defect, "");
    module = fresh_module();
    module.images[0].ImageEnd = at<void>(address);
    EXPECT_NE(accepted(module)->images[0].defect, "");
  }
  Module &module = fresh_module();
  module.images[0].ImageEnd = module.images[0].ImageStart;
  EXPECT_EQ(accepted(module)->images[0].defect, "the image is empty");
  module.images[0].ImageEnd = module.bytes - 1;
  EXPECT_THAT(accepted(module)->images[0].defect, HasSubstr("before it begins"));
}

TEST(OffloadLibrary, containers_are_opened) {
  const std::vector<std::byte> container = container_bytes("inside", "sm_90", "nvptx64-nvidia-cuda");
  Module &module = fresh_module();
  std::memcpy(module.bytes, container.data(), container.size());
  module.images[0].ImageEnd = module.images[1].ImageEnd = module.bytes + container.size();
  auto library = accepted(module);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->images[0].arch, "sm_90");
  EXPECT_EQ(library->images[0].size(), 6u);
  EXPECT_EQ(std::memcmp(library->images[0].begin, "inside", 6), 0);

  module.images[1].ImageEnd = module.bytes + container.size() - 1; // the second is cut off
  library = accepted(module);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->images[0].defect, "");
  EXPECT_THAT(library->images[1].defect, HasSubstr("the container claims"));
}

TEST(OffloadLibrary, damaged_entries_are_refused) {
  Module &module = fresh_module();
  module.entries[2].name = at<char>(8);
  EXPECT_THAT(refusal(module), HasSubstr("the name of entry 2 lies outside of the module"));
  module = fresh_module();
  module.entries[1].addr = at<void>(0x4242);
  EXPECT_THAT(refusal(module), HasSubstr("entry 1 (kernel_1) is at 0x4242"));
}

TEST(OffloadLibrary, a_descriptor_outside_of_all_modules_is_trusted) {
  const auto module = std::make_unique<Module>(fresh_module());
  for (__tgt_device_image &image : module->images)
    image = {module->bytes, module->bytes + 8, module->entries, module->entries + 3};
  module->descriptor.DeviceImages = module->images;
  module->descriptor.HostEntriesBegin = module->entries;
  module->descriptor.HostEntriesEnd = module->entries + 3;
  const auto library = accepted(*module);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->path, "memory outside of all modules");
  EXPECT_EQ(library->range.end, 0u);
}

TEST(OffloadLibrary, null_is_refused) {
  Result<std::unique_ptr<OffloadLibrary>> library = read_descriptor(nullptr);
  EXPECT_EQ(library.status().to_string(), "a null descriptor was registered");
}

} // namespace
} // namespace omptarget
