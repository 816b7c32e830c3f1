// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between devices whose plugins have no routine for that, and arguments that no memory can have.

#include <cstdint>
#include <cstring>
#include <new>

#include "memory/memory.h"
#include "memory/memory_spaces.h"
#include "modules.h"

namespace {
bool has_no_memory = false; // for large arrays
}

// ThreadSanitizer has one of its own, which counts then.
[[gnu::weak]] void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  constexpr size_t kLarge = 1 << 20;
  return has_no_memory && size >= kLarge ? nullptr : ::operator new[](size);
}

namespace omptarget {
namespace {

using testing::HasSubstr;

constexpr size_t kMiB = 1 << 20;

/// Device 0 of one plugin and device 2 of another one.
class MemoryRoutines : public testing::Test {
protected:
  MemoryRoutines() : first_("A"), second_("B") {
    first_.kernel(&kernel_a, "a");
    second_.kernel(&kernel_b, "b");
    EXPECT_TRUE(first_.load());
    EXPECT_EQ(Runtime::get().number_of_devices(), 2);
    EXPECT_TRUE(second_.load());
    EXPECT_EQ(Runtime::get().number_of_devices(), 4);
  }

  char *allocate(int32_t device, size_t size) {
    auto memory = allocate_memory(size, device, OMPTARGET_ALLOC_DEFAULT);
    EXPECT_TRUE(memory.is_ok()) << memory.status().to_string();
    events_ = events(device == 0 ? "alpha" : "beta"); // forgets what has happened
    return memory.is_ok() ? static_cast<char *>(*memory) : nullptr;
  }
  void free(char *memory, int32_t device) { free_memory(memory, device, OMPTARGET_ALLOC_DEFAULT).consume(); }

  Module first_, second_;
  std::string events_;
};

std::string failure(const Status &status) { return status.is_ok() ? "" : status.to_string(); }

TEST_F(MemoryRoutines, a_copy_between_devices_goes_through_the_host_in_pieces) {
  constexpr size_t kSize = 9 * kMiB + 5;
  char *const from = allocate(0, kSize), *const to = allocate(2, kSize); // both are host memory
  for (size_t i = 0; i < kSize; ++i)
    from[i] = static_cast<char>(i % 251);
  EXPECT_TRUE(copy_memory({to, 0, 2}, {from, 0, 0}, kSize).is_ok());
  EXPECT_EQ(std::memcmp(from, to, kSize), 0);
  EXPECT_EQ(events("beta"), "submit:0:4194304 submit:0:4194304 submit:0:1048581 ");
  free(from, 0);
  free(to, 2);
}

TEST_F(MemoryRoutines, a_rectangle_between_devices_goes_through_the_host_in_pieces) {
  const size_t whole[2] = {2, 6 * kMiB}, volume[2] = {2, 5 * kMiB}, offsets[2] = {0, kMiB}, none[2] = {0, 0};
  char *const from = allocate(0, 12 * kMiB), *const to = allocate(2, 10 * kMiB);
  for (size_t i = 0; i < 12 * kMiB; ++i)
    from[i] = static_cast<char>(i % 251);
  EXPECT_TRUE(copy_rectangle({to, 2, none, volume}, {from, 0, offsets, whole}, {1, 2, volume}).is_ok());
  EXPECT_EQ(std::memcmp(from + kMiB, to, 5 * kMiB), 0);
  EXPECT_EQ(std::memcmp(from + 7 * kMiB, to + 5 * kMiB, 5 * kMiB), 0);
  EXPECT_EQ(events("beta"), "submit:0:4194304 submit:0:1048576 submit:0:4194304 submit:0:1048576 ");
  free(from, 0);
  free(to, 2);
}

TEST_F(MemoryRoutines, a_copy_between_devices_fails_if_the_host_has_no_memory_for_a_piece) {
  if (std::string_view(OMPTARGET_SANITIZER) == "thread")
    GTEST_SKIP() << "the sanitizer allocates";
  char *const from = allocate(0, 2 * kMiB), *const to = allocate(2, 2 * kMiB);
  has_no_memory = true;
  const std::string text = failure(copy_memory({to, 0, 2}, {from, 0, 0}, 2 * kMiB));
  has_no_memory = false;
  EXPECT_EQ(text, "2097152 bytes of host memory for a copy from device 0 to device 2 could not be allocated");
  free(from, 0);
  free(to, 2);
}

TEST_F(MemoryRoutines, copies_and_fills_that_reach_out_of_the_address_space_fail) {
  char byte = 0;
  for (const size_t length : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4})
    EXPECT_THAT(failure(copy_memory({&byte, 0, 0}, {&byte, 0, 2}, length)),
                HasSubstr("destination of a copy of " + std::to_string(length) + " bytes at offset 0 of"));
  EXPECT_THAT(failure(copy_memory({&byte, 0, 0}, {&byte, SIZE_MAX, 2}, 1)),
              HasSubstr("source of a copy of 1 bytes at offset"));
  EXPECT_THAT(failure(copy_memory({&byte, SIZE_MAX - 1, 0}, {&byte, 0, 2}, 1)),
              HasSubstr("destination of a copy of 1 bytes"));
  EXPECT_THAT(failure(fill_memory(&byte, 1, SIZE_MAX, 0)), HasSubstr("a fill of 18446744073709551615 bytes at"));
  EXPECT_EQ(failure(fill_memory(nullptr, 1, 4, 0)), "the memory of a fill of 4 bytes is null");
  EXPECT_THAT(failure(allocate_memory(SIZE_MAX, 0, 0).take_status()), HasSubstr("device 0 cannot allocate"));
  EXPECT_THAT(failure(lock_memory(&byte, SIZE_MAX, 0).take_status()), HasSubstr("which are to be pinned, reach out"));
  EXPECT_FALSE(*is_accessible(&byte, SIZE_MAX, 4));
}

constexpr uintptr_t kDefaultSpace = 99, kConstantSpace = 2;

std::optional<StorageResource> resource(std::vector<int32_t> devices, uintptr_t space = kDefaultSpace) {
  auto found = storage_resource({devices.data(), static_cast<int32_t>(devices.size())}, space);
  EXPECT_TRUE(found.is_ok()) << failure(found.take_status());
  return found.is_ok() ? *found : std::nullopt;
}

// These plugins do not say that their devices reach memory of the host.
TEST_F(MemoryRoutines, only_one_plugin_has_memory_spaces_of_its_devices) {
  EXPECT_EQ(resource({4}), StorageResource::kHost);
  EXPECT_EQ(resource({}), StorageResource::kHost);
  EXPECT_EQ(resource({0, 2}), std::nullopt);
  EXPECT_EQ(resource({2}), StorageResource::kShared); // the first that was asked for
  EXPECT_EQ(resource({-1, 3, 2, 3}), StorageResource::kShared);
  EXPECT_EQ(resource({0}), std::nullopt);
  EXPECT_EQ(resource({3, 1}), std::nullopt);
  EXPECT_EQ(resource({2}, kConstantSpace), std::nullopt);
  auto memory = allocate_in_memory_space(100);
  ASSERT_TRUE(memory.is_ok());
  char *const block = static_cast<char *>(*memory);
  EXPECT_TRUE(*is_accessible(block, 100, 2));
  EXPECT_TRUE(*is_accessible(block + 50, 50, 3));
  EXPECT_FALSE(*is_accessible(block, 1000, 2));
  EXPECT_FALSE(*is_accessible(block, 100, 0));
  EXPECT_THAT(failure(free_in_memory_space(block + 1)), HasSubstr("was not allocated in a memory space of devices"));
  EXPECT_EQ(failure(free_in_memory_space(block)), "");
  EXPECT_FALSE(*is_accessible(block, 100, 2));
  EXPECT_THAT(failure(free_in_memory_space(block)), HasSubstr("was not allocated in a memory space of devices"));
}

TEST_F(MemoryRoutines, wrong_arguments_of_memory_spaces_fail) {
  const int32_t wrong[] = {0, 77};
  EXPECT_THAT(failure(storage_resource({wrong, 2}, kDefaultSpace).take_status()), HasSubstr("77"));
  EXPECT_THAT(failure(storage_resource({wrong, -1}, kDefaultSpace).take_status()), HasSubstr("the list of -1 devices"));
  EXPECT_THAT(failure(storage_resource({nullptr, 2}, kDefaultSpace).take_status()), HasSubstr("the list of 2 devices"));
  EXPECT_THAT(failure(allocate_in_memory_space(SIZE_MAX).take_status()), HasSubstr("cannot allocate"));
  EXPECT_EQ(*allocate_in_memory_space(0), nullptr);
  EXPECT_EQ(failure(free_in_memory_space(nullptr)), "");
}

TEST_F(MemoryRoutines, associations_that_reach_out_of_the_address_space_fail) {
  char data[16];
  char *const there = allocate(0, 16);
  for (const size_t size : {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX - 1023, SIZE_MAX / 2, size_t{1} << 62})
    EXPECT_THAT(failure(associate(data, there, 0, size, 0)),
                HasSubstr("which are to be associated, reach out of the address"));
  EXPECT_THAT(failure(associate(data, there, SIZE_MAX, 16, 0)),
              HasSubstr("16 bytes at offset 18446744073709551615 of"));
  EXPECT_THAT(failure(associate(data, there, size_t{1} << 62, 16, 0)), HasSubstr("reach out of the address space"));
  EXPECT_TRUE(associate(data, there, 8, 8, 0).is_ok());
  EXPECT_EQ(*mapped_address(data, 0), there + 8);
  EXPECT_TRUE(disassociate(data, 0).is_ok());
  free(there, 0);
}

TEST_F(MemoryRoutines, only_its_device_frees_a_block) {
  const auto free_on = [](void *block, int32_t device) {
    return failure(free_memory(block, device, OMPTARGET_ALLOC_HOST));
  };
  const int32_t host = Runtime::get().number_of_devices();
  auto shared = allocate_memory(64, 0, OMPTARGET_ALLOC_SHARED), hosts = allocate_memory(64, host, OMPTARGET_ALLOC_HOST);
  ASSERT_TRUE(shared.is_ok() && hosts.is_ok());
  EXPECT_THAT(free_on(*shared, 2), HasSubstr("is that of device 0, and cannot be freed on device 2"));
  EXPECT_THAT(free_on(*shared, host), HasSubstr("is that of device 0, and cannot be freed on the host"));
  EXPECT_THAT(free_on(*hosts, 2), HasSubstr("is that of the host, and cannot be freed on device 2"));
  EXPECT_TRUE(*is_accessible(*shared, 64, 0)) << "nothing is forgotten";
  EXPECT_EQ(free_on(*shared, 0), "") << "kinds are not looked at";
  EXPECT_EQ(free_on(*hosts, -1), "") << "another number of the host";
}

TEST_F(MemoryRoutines, rectangles_outside_of_their_arrays_fail_and_name_the_dimension) {
  char data[64] = {};
  const size_t four[3] = {4, 4, 4}, two[3] = {2, 2, 2}, zero[3] = {0, 0, 0};
  const auto copy = [&](const size_t *volume, const size_t *to, const size_t *from) {
    return failure(copy_rectangle({data, 4, to, four}, {data, 4, from, four}, {1, 3, volume}));
  };
  const std::string words = "a rectangle of 4 elements at offset 2 goes past the end of its array: ";
  EXPECT_EQ(copy(four, zero, zero), "");
  EXPECT_EQ(copy(two, two, two), "");
  EXPECT_EQ(copy(four, two, zero), words + "dst_dimensions[0] is 4");
  EXPECT_EQ(copy(four, zero, two), words + "src_dimensions[0] is 4");
  const size_t last[3] = {0, 0, 1}, far[3] = {0, SIZE_MAX, 0}, none[3] = {SIZE_MAX, 0, 1};
  EXPECT_EQ(copy(four, zero, last),
            "a rectangle of 4 elements at offset 1 goes past the end of its array: src_dimensions[2] is 4");
  EXPECT_THAT(copy(two, far, zero), HasSubstr("dst_dimensions[1] is 4"));
  EXPECT_EQ(failure(copy_rectangle({data, 4, zero, none}, {data, 4, zero, none}, {1, 3, none})), "")
      << "there is nothing to copy";
}

TEST_F(MemoryRoutines, rectangles_of_arrays_that_no_memory_has_room_for_fail) {
  char data[64] = {};
  const size_t one[2] = {1, 1}, zero[2] = {0, 0}, small[2] = {8, 8};
  for (const size_t length : {SIZE_MAX, SIZE_MAX / 8, size_t{1} << 60}) {
    const size_t large[2] = {8, length};
    EXPECT_THAT(failure(copy_rectangle({data, 4, zero, small}, {data, 4, zero, large}, {1, 2, one})),
                HasSubstr("the src array of a rectangle at"));
    EXPECT_THAT(failure(copy_rectangle({data, 4, zero, large}, {data, 4, zero, small}, {1, 2, one})),
                HasSubstr("the dst array of a rectangle at"));
  }
  EXPECT_EQ(failure(copy_rectangle({data, 4, zero, small}, {data, 4, zero, small}, {1, INT32_MAX, one})),
            "a rectangle has 2147483647 dimensions; at most 64 can be copied");
}

} // namespace
} // namespace omptarget
