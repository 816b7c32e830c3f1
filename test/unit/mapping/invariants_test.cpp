// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That the walks find faults that are planted.

#include <gmock/gmock.h>
#include <memory>

#include "index_changes.h"
#include "mapping/host_data_to_target_map.h"

namespace omptarget {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr HostPtr host(uintptr_t address) { return static_cast<HostPtr>(address); }

Mapping &enter(HostDataToTargetMap &map, uintptr_t begin, uintptr_t size) {
  return *map.insert({host(begin), host(begin + size), host(begin), "x", nullptr, Counter::kDynamic}).found.ref.mapping;
}

TEST(Invariants, hold_while_mappings_come_and_go) {
  HostDataToTargetMap map;
  for (uintptr_t i = 0; i < 2000; ++i) {
    enter(map, 0x1000 + 0x100 * (i * 7 % 2000), 0x80);
    if (i % 100 == 0) {
      EXPECT_THAT(map.fault(), IsEmpty());
    }
  }
  for (uintptr_t i = 0; i < 2000; i += 2) {
    const Found found = map.find(host(0x1000 + 0x100 * i), 1);
    EXPECT_TRUE(found.ref.publish_ready());
    found.ref.release(true);
    (void)map.remove_if_unused(found.ref);
  }
  EXPECT_EQ(map.size(), 1000u);
  EXPECT_THAT(map.fault(), IsEmpty());
}

TEST(Invariants, a_pointer_attached_outside_of_its_mapping_is_found) {
  HostDataToTargetMap map;
  Mapping &mapping = enter(map, 0x1000, 0x10);
  const MappingRef ref{&mapping, mapping.generation()};
  map.attached_pointers().note(ref, {host(0x1008), host(0x5000), {}, {}}, false);
  EXPECT_THAT(map.fault(), IsEmpty());
  map.attached_pointers().note(ref, {host(0x100c), host(0x5000), {}, {}}, false);
  EXPECT_THAT(map.fault(), HasSubstr("attached pointer at 0x100c, outside"));
}

TEST(Invariants, hold_while_data_arrive) {
  HostDataToTargetMap map;
  Mapping &mapping = enter(map, 0x1000, 0x10);
  const MappingRef ref{&mapping, mapping.generation()};
  ref.publish_storage(static_cast<DevicePtr>(0x9000));
  EXPECT_THAT(map.fault(), IsEmpty());
  const Arrival arrival;
  EXPECT_TRUE(ref.publish_ready(&arrival));
  EXPECT_THAT(map.fault(), IsEmpty());
}

class PlantedIndex : public testing::Test {
protected:
  Mapping &mapping_at(uintptr_t begin) { return enter(owner_, begin, 0x10); }
  OrderedIndex index_;

private:
  HostDataToTargetMap owner_;
};

TEST_F(PlantedIndex, a_key_twice_is_found) {
  insert(index_, 0x1000, &mapping_at(0x1000));
  EXPECT_THAT(index_.fault(), IsEmpty());
  insert(index_, 0x1000, &mapping_at(0x2000));
  EXPECT_THAT(index_.fault(), HasSubstr("does not come after"));
}

TEST_F(PlantedIndex, a_key_that_leads_elsewhere_is_found) {
  insert(index_, 0x1000, &mapping_at(0x1010));
  EXPECT_THAT(index_.fault(), HasSubstr("begins elsewhere"));
}

} // namespace
} // namespace omptarget
