// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "container_bytes.h"

namespace omptarget {
namespace {

namespace field = container_field;
using testing::HasSubstr;

/// Opens a copy that has no readable byte behind it for sanitizers.
std::string reason_for(const std::vector<std::byte> &bytes) {
  const auto copy = std::make_unique<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  Result<ContainedImage> image = open_container({copy.get(), bytes.size()});
  return image.status().to_string();
}

template <typename T> std::string reason_with(size_t offset, T value) {
  std::vector<std::byte> bytes = container_bytes("image", "sm_90", "nvptx64-nvidia-cuda");
  put<T>(bytes, offset, value);
  return reason_for(bytes);
}

/// Strings that share one long text: reading each of them would take the square of the container's size.
TEST(Container, strings_are_few_and_short) {
  std::vector<std::byte> bytes = container_bytes("image", "sm_90", "nvptx64-nvidia-cuda");
  const size_t table = (bytes.size() + 7) / 8 * 8;
  constexpr uint64_t kCount = 60000;
  const size_t text = table + kCount * 16;
  bytes.resize(text + (1 << 20), std::byte{'x'});
  bytes.push_back(std::byte{0});
  for (uint64_t i = 0; i < 2 * kCount; ++i)
    put<uint64_t>(bytes, table + i * 8, text);
  put<uint64_t>(bytes, field::kSize, bytes.size());
  put<uint64_t>(bytes, field::kStringsOffset, table);
  put<uint64_t>(bytes, field::kStringCount, kCount);
  EXPECT_EQ(reason_for(bytes), "the container has 60000 strings; expected at most 256");
  put<uint64_t>(bytes, field::kStringCount, 2);
  EXPECT_THAT(reason_for(bytes), HasSubstr("or is longer than 4096"));
}

TEST(Container, gives_the_image_and_its_strings) {
  const std::vector<std::byte> bytes = container_bytes("the image", "gfx90a:xnack+", "amdgcn-amd-amdhsa");
  ASSERT_TRUE(is_container(bytes));
  Result<ContainedImage> image = open_container(bytes);
  ASSERT_TRUE(image.is_ok()) << image.status().to_string();
  EXPECT_EQ(image->bytes.size(), 9u);
  EXPECT_EQ(std::memcmp(image->bytes.data(), "the image", 9), 0);
  EXPECT_EQ(image->arch, "gfx90a:xnack+");
  EXPECT_EQ(image->triple, "amdgcn-amd-amdhsa");
}

TEST(Container, version_2_has_longer_records_of_strings_and_counts_its_entries) {
  std::vector<std::byte> bytes = container_bytes("the image", "gfx90a:xnack+", "amdgcn-amd-amdhsa", 2);
  Result<ContainedImage> image = open_container(bytes);
  ASSERT_TRUE(image.is_ok()) << image.status().to_string();
  EXPECT_EQ(image->arch, "gfx90a:xnack+");
  EXPECT_EQ(image->triple, "amdgcn-amd-amdhsa");
  EXPECT_EQ(std::memcmp(image->bytes.data(), "the image", 9), 0);
  for (size_t size = 4; size < bytes.size(); ++size)
    EXPECT_NE(reason_for({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)}), "success") << size;
  put<uint64_t>(bytes, field::kEntrySize, 2);
  EXPECT_EQ(reason_for(bytes), "the container has 2 entries; one image, and so one entry, is expected");
}

TEST(Container, other_bytes_are_none) {
  const std::string elf("\x7f"
                        "ELF");
  EXPECT_FALSE(is_container(std::as_bytes(std::span(elf))));
  EXPECT_FALSE(is_container({}));
}

TEST(Container, is_refused_when_cut_off_anywhere) {
  const std::vector<std::byte> whole = container_bytes("image", "sm_90", "nvptx64-nvidia-cuda");
  EXPECT_EQ(reason_for(whole), "success");
  for (size_t size = 4; size < whole.size(); ++size)
    EXPECT_NE(reason_for({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}), "success") << size;
}

TEST(Container, bytes_after_it_do_no_harm) {
  std::vector<std::byte> bytes = container_bytes("image", "sm_90", "nvptx64-nvidia-cuda");
  bytes.resize(bytes.size() + 100);
  EXPECT_EQ(reason_for(bytes), "success");
}

TEST(Container, each_damaged_field_is_named) {
  for (const uint64_t value : {uint64_t{1000000}, UINT64_MAX, UINT64_MAX - 8, uint64_t{1} << 63}) {
    EXPECT_THAT(reason_with(field::kSize, value), HasSubstr("the container claims"));
    EXPECT_THAT(reason_with(field::kEntryOffset, value), HasSubstr("the container's entry (0x"));
    EXPECT_THAT(reason_with(field::kStringsOffset, value), HasSubstr("the container's string table (0x"));
    EXPECT_THAT(reason_with(field::kStringCount, value), HasSubstr("strings, there is room for"));
    EXPECT_THAT(reason_with(field::kFirstKey, value), HasSubstr("the container's string key (0x"));
    EXPECT_THAT(reason_with(field::kFirstValue, value), HasSubstr("the container's string value (0x"));
    EXPECT_THAT(reason_with(field::kImageOffset, value), HasSubstr("the container's image (0x"));
    EXPECT_THAT(reason_with(field::kImageSize, value), HasSubstr("the container's image (0x"));
  }
  EXPECT_THAT(reason_with<uint64_t>(field::kSize, 31), HasSubstr("the container claims 31 bytes"));
  EXPECT_THAT(reason_with<uint64_t>(field::kEntrySize, 39), HasSubstr("entry has 39 bytes, expected 40"));
  EXPECT_EQ(reason_with<uint64_t>(field::kImageSize, 0), "the container holds an empty image");
}

TEST(Container, other_versions_are_refused_by_number) {
  EXPECT_THAT(reason_with<uint32_t>(field::kVersion, 3),
              HasSubstr("has version 3; 1 and 2 are known (clang up to 23)"));
  EXPECT_THAT(reason_with<uint32_t>(field::kVersion, 0), HasSubstr("has version 0"));
}

TEST(Container, strings_must_end) {
  std::vector<std::byte> bytes = container_bytes("image", "sm_90", "nvptx64-nvidia-cuda");
  put<uint64_t>(bytes, field::kFirstKey, bytes.size() - 1); // the last byte is the image's, no NUL follows
  EXPECT_THAT(reason_for(bytes), HasSubstr("string key"));
}

TEST(Container, may_have_no_strings) {
  std::vector<std::byte> bytes = container_bytes("image", "sm_90", "nvptx64-nvidia-cuda");
  put<uint64_t>(bytes, field::kStringCount, 0);
  put<uint64_t>(bytes, field::kStringsOffset, UINT64_MAX);
  EXPECT_EQ(reason_for(bytes), "success");
}

} // namespace
} // namespace omptarget
