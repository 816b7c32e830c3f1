// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/host_data_to_target_map.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace omptarget {
namespace {

// A retained mapping stays until it is released: no thread removes it or reuses it for something else.
TEST(HostDataToTargetMapThreads, what_is_retained_stays) {
  HostDataToTargetMap map;
  const HostPtr begin = static_cast<HostPtr>(0x10000);
  std::atomic<bool> stop{false};
  std::atomic<int> lost{0};
  const auto enter_and_exit = [&] {
    for (int round = 0; round < 200000 && lost == 0; ++round) {
      const Inserted inserted = map.insert({begin, begin + 8, begin, nullptr, &lost, Counter::kDynamic});
      if (!inserted.is_new)
        continue;
      inserted.found.ref.publish_storage(static_cast<DevicePtr>(0x20000));
      EXPECT_TRUE(inserted.found.ref.publish_ready());
      if (inserted.found.ref.release(false).reached_zero)
        (void)map.remove_if_unused(inserted.found.ref);
    }
    stop = true;
  };
  std::thread writer(enter_and_exit);
  while (!stop) {
    const Found found = map.find(begin, 8);
    if (!found.ref || !found.ref.retain())
      continue;
    std::this_thread::yield();
    if (found.ref.mapping->generation() != found.ref.generation || map.find(begin, 8).ref != found.ref)
      ++lost;
    if (found.ref.release(false).reached_zero)
      (void)map.remove_if_unused(found.ref);
  }
  writer.join();
  EXPECT_EQ(lost, 0);
}

} // namespace
} // namespace omptarget
