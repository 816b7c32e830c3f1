// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random sequences of constructs, the same for the library and for the model. After each one the tables, the counts,
// the memory of both sides and the attached pointers must agree.

#include <cstring>
#include <gtest/gtest.h>

#include "argument_list.h"
#include "constructs.h"
#include "model.h"

namespace omptarget::test {
namespace {

using namespace map_type;

/// xorshift: the same sequence everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
  uint32_t below(uint32_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 16) % limit);
  }
  bool one_in(uint32_t n) { return below(n) == 0; }

private:
  uint64_t state_;
};

/// The program's memory: objects of 64 bytes with two pointers each, the second one the head of a descriptor of 24
/// bytes.
constexpr int kObjects = 7;
constexpr int64_t kObjectSize = 64;
constexpr int64_t kStride = 80;
constexpr int64_t kFirstPointer = 8, kSecondPointer = 24, kDescriptorSize = 24;
constexpr size_t kMemory = kObjects * kStride;

class World {
public:
  World(uint64_t seed, FakeKind kind)
      : random_(seed), device_(kind),
        memory_(static_cast<unsigned char *>(std::aligned_alloc(64, (kMemory + 127) / 64 * 64))),
        model_(reinterpret_cast<uintptr_t>(memory_), kMemory, [this](uintptr_t begin) {
          const Found found = device_.map().find(host_ptr(reinterpret_cast<void *>(begin)), 1);
          return found.ref ? static_cast<uintptr_t>(found.ref.mapping->target_begin()) : 0;
        }) {
    model_.is_unified = fake_modules().requires_unified_shared_memory();
    for (size_t i = 0; i < kMemory; ++i)
      memory_[i] = static_cast<unsigned char>(random_.below(256));
    for (int i = 0; i < kObjects; ++i)
      point(i);
    std::memcpy(model_.host_bytes.data(), memory_, kMemory);
    if (random_.one_in(2)) {
      std::memset(global_, 0x11, sizeof global_);
      const HostPtr begin = object(kObjects - 1);
      EXPECT_TRUE(device_.map().insert_infinite(
          {begin, begin + kObjectSize, begin, "global", nullptr, Counter::kDynamic}, device_ptr(global_)));
      model_.associate(static_cast<uintptr_t>(begin), kObjectSize, 0x11);
    }
  }
  ~World() { std::free(memory_); }

  void step() {
    change_host();
    change_device();
    switch (random_.below(8)) {
    case 0:
    case 1:
    case 2:
      log_ += "enter ";
      enter(list(Phase::kEnter));
      break;
    case 3:
    case 4:
    case 5:
      log_ += "exit ";
      exit(list(Phase::kExit));
      break;
    case 6:
      log_ += "update ";
      update(list(Phase::kUpdate));
      break;
    default: log_ += "region "; region(list(Phase::kRegion));
    }
    compare();
  }

  /// Takes everything out, so that nothing may be left allocated.
  void finish() {
    std::vector<MapItem> items;
    for (const ModelEntry &entry : model_.entries)
      for (const uint64_t counter : {uint64_t{0}, kHold}) {
        const HostPtr begin = host_ptr(reinterpret_cast<void *>(entry.begin));
        items.push_back(item(begin, begin, static_cast<int64_t>(entry.end - entry.begin), kDelete | counter));
      }
    exit(items);
    compare();
    device_.free_dormant();
  }

  std::string take_log() { return std::move(log_); }
  bool is_right() const { return is_right_; }

private:
  enum class Phase { kEnter, kExit, kUpdate, kRegion };

  HostPtr object(int i) const { return host_ptr(memory_ + i * kStride); }
  static MapItem item(HostPtr base, HostPtr begin, int64_t size, uint64_t type, int32_t parent = -1) {
    return {base, begin, size, type, nullptr, 0, parent};
  }

  /// Both pointers of an object name a place in some other one.
  void point(int i) {
    for (const int64_t offset : {kFirstPointer, kSecondPointer}) {
      void *value = raw(object(static_cast<int>(random_.below(kObjects))) + 8 * static_cast<int64_t>(random_.below(5)));
      std::memcpy(memory_ + i * kStride + offset, &value, sizeof value);
    }
  }
  bool is_present(int i) { return model_.overlapping(static_cast<uintptr_t>(object(i)), kObjectSize) != nullptr; }
  static bool is_pointer_byte(int64_t offset) {
    return (offset >= kFirstPointer && offset < kFirstPointer + 8) ||
           (offset >= kSecondPointer && offset < kSecondPointer + 8);
  }

  void change_host() {
    const int i = static_cast<int>(random_.below(kObjects));
    if (!is_present(i) && random_.one_in(3))
      point(i);
    const int64_t offset = random_.below(kObjectSize);
    if (!is_pointer_byte(offset))
      memory_[i * kStride + offset] = static_cast<unsigned char>(random_.below(256));
    std::memcpy(model_.host_bytes.data(), memory_, kMemory);
  }

  void change_device() {
    if (model_.entries.empty())
      return;
    ModelEntry &entry = model_.entries[random_.below(static_cast<uint32_t>(model_.entries.size()))];
    const uintptr_t at = entry.begin + random_.below(static_cast<uint32_t>(entry.end - entry.begin));
    if (is_pointer_byte(static_cast<int64_t>(at - reinterpret_cast<uintptr_t>(memory_)) % kStride))
      return;
    const auto value = static_cast<unsigned char>(random_.below(256));
    entry.device[at - entry.begin] = value;
    *device_byte(at) = value;
  }
  unsigned char *device_byte(uintptr_t at) {
    const HostPtr host = host_ptr(reinterpret_cast<void *>(at));
    return static_cast<unsigned char *>(raw(device_.map().find(host, 1).ref.mapping->target_of(host)));
  }

  uint64_t motion(Phase phase) {
    uint64_t type = 0;
    if (phase == Phase::kEnter)
      type = random_.one_in(3) ? 0 : kTo;
    else if (phase == Phase::kExit)
      type = random_.one_in(3) ? 0 : random_.one_in(5) ? kDelete : kFrom;
    else if (phase == Phase::kUpdate)
      return update_direction_ | (random_.one_in(20) ? kPresent : 0);
    else
      type = random_.below(4);
    type |= random_.one_in(5) ? kAlways : 0;
    type |= random_.one_in(4) ? kImplicit : 0;
    type |= random_.one_in(6) ? kClose : 0;
    type |= random_.one_in(12) && phase != Phase::kExit ? kPresent : 0;
    type |= random_.one_in(8) ? kHold : 0;
    return type;
  }

  std::vector<MapItem> list(Phase phase) {
    update_direction_ = random_.one_in(2) ? kTo : kFrom;
    std::vector<MapItem> items;
    for (uint32_t i = 0; i <= random_.below(3); ++i)
      switch (random_.below(5)) {
      case 0:
      case 1: add_range(phase, items); break;
      case 2: add_struct(phase, items); break;
      case 3: add_pointer(phase, items); break;
      default: add_group(phase, items);
      }
    return items;
  }

  void add_range(Phase phase, std::vector<MapItem> &items) {
    const HostPtr base = object(static_cast<int>(random_.below(kObjects)));
    if (random_.one_in(2)) { // whole, so that things meet often
      items.push_back(item(base, base, kObjectSize, motion(phase)));
      return;
    }
    const int64_t offset = random_.below(kObjectSize);
    const int64_t size = random_.one_in(5) && phase != Phase::kUpdate
                             ? 0
                             : 1 + random_.below(static_cast<uint32_t>(kObjectSize - offset));
    const uint64_t parameter = size == 0 && random_.one_in(2) ? kTargetParam : 0; // it may be absent
    items.push_back(item(random_.one_in(2) ? base : base + offset, base + offset, size, motion(phase) | parameter));
  }

  /// A struct with two members and what its first pointer points to.
  void add_struct(Phase phase, std::vector<MapItem> &items) {
    const HostPtr base = object(static_cast<int>(random_.below(kObjects)));
    const auto parent = static_cast<int32_t>(items.size());
    const uint64_t number = static_cast<uint64_t>(parent + 1) << kMemberOfShift;
    const uint64_t type = motion(phase);
    const uint64_t common = type & (kHold | kClose | kAlways | kDelete | kImplicit);
    items.push_back(item(base, base + 4, 44, common & ~kAlways));
    items.push_back(item(base, base + 4, 4, type | number, parent));
    items.push_back(item(base, base + 32, 16, (motion(phase) & ~(kHold | kDelete)) | common | number, parent));
    if (random_.one_in(2))
      items.push_back(item(base + kFirstPointer, pointee(base + kFirstPointer), 8 * random_.below(4),
                           (type & ~kPresent) | kPtrAndObj | number, parent));
  }

  HostPtr pointee(HostPtr pointer) {
    void *value;
    std::memcpy(&value, raw(pointer), sizeof value);
    const int64_t offset = host_ptr(value) - host_ptr(memory_);
    if (offset < 0 ||
        offset >= static_cast<int64_t>(kMemory - 64)) { // the program got what was never set on the device
      value = memory_ + kStride * random_.below(kObjects - 1);
      std::memcpy(raw(pointer), &value, sizeof value);
      std::memcpy(model_.host_bytes.data(), memory_, kMemory);
    }
    return host_ptr(value) + 8 * static_cast<int64_t>(random_.below(2));
  }

  /// A pointee with its pointer, in the older form and in that of clang 22.
  void add_pointer(Phase phase, std::vector<MapItem> &items) {
    const HostPtr base = object(static_cast<int>(random_.below(kObjects)));
    const uint64_t type = motion(phase);
    const int64_t size = 8 * random_.below(4);
    if (random_.one_in(2)) {
      add_base_pointer(type, base, items);
      return;
    }
    const bool is_descriptor = random_.one_in(2);
    const HostPtr pointer = base + (is_descriptor ? kSecondPointer : kFirstPointer);
    const HostPtr begin = pointee(pointer);
    items.push_back(item(begin, begin, size, type));
    if (phase == Phase::kEnter || phase == Phase::kRegion)
      items.push_back(
          item(pointer, begin, is_descriptor ? kDescriptorSize : 8, kAttach | (random_.one_in(8) ? kAlways : 0)));
  }

  /// As clang 19: the pointee follows its pointer, a struct of pointers, another level, or none; it may be named beside
  /// its pointer.
  void add_base_pointer(uint64_t type, HostPtr base, std::vector<MapItem> &items) {
    const HostPtr pointer = base + kFirstPointer;
    const auto first = static_cast<int32_t>(items.size());
    int32_t parent = -1;
    const uint32_t form = random_.below(4);
    if (form == 0)
      items.push_back(item(base, pointer, 8, type & ~kPresent));
    if (form == 1) {
      items.push_back(item(base, pointer, 8, type & (kHold | kClose)));
      parent = first;
    }
    if (form == 2) {
      const HostPtr first_level = object(static_cast<int>(random_.below(kObjects))) + kFirstPointer;
      pointee(first_level); // points somewhere
      items.push_back(item(first_level, pointer, 8, (type & ~(random_.one_in(2) ? kDelete : 0)) | kPtrAndObj));
    }
    const uint64_t number = static_cast<uint64_t>(parent + 1) << kMemberOfShift;
    const uint64_t named = random_.one_in(8) ? kTargetParam : 0;
    const int64_t size = 8 * random_.below(4);
    items.push_back(item(pointer, pointee(pointer), size, type | kPtrAndObj | number | named, parent));
  }

  /// Items that a mapper pushes for an array of two: the array, then members and pointees whose parents' numbers mean
  /// little.
  void add_group(Phase phase, std::vector<MapItem> &items) {
    const auto group = static_cast<int32_t>(items.size());
    const uint64_t type = motion(phase) & ~kPresent;
    const auto push = [&](HostPtr base, HostPtr begin, int64_t size, uint64_t bits) {
      items.push_back(item(base, begin, size, bits));
      items.back().group = group;
    };
    const HostPtr base = object(static_cast<int>(random_.below(kObjects)));
    push(base, base, kObjectSize, (type & ~(kTo | kFrom)) | kImplicit);
    for (int64_t i = 0; i < 2; ++i) {
      const HostPtr element = base + i * 32;
      push(element, element, 28, (type & ~(kTo | kFrom)) | ((1 + 3 * static_cast<uint64_t>(i)) << kMemberOfShift));
      push(element, element, 4, type | (2ull << kMemberOfShift));
      const HostPtr pointer = base + (i == 0 ? kFirstPointer : kSecondPointer);
      push(pointer, pointee(pointer), 8 * random_.below(3), type | kPtrAndObj | (2ull << kMemberOfShift));
    }
  }

  static MapItems copy(const std::vector<MapItem> &items) { return MapItems(items.begin(), items.end()); }

  void enter(const std::vector<MapItem> &items) {
    Construct work(device_);
    Status status = work.enter_data(copy(items), random_.one_in(2));
    const bool is_ok = status.is_ok();
    status.consume();
    work.complete().consume();
    forget_dormant(); // after a failure
    expect(is_ok == model_.enter(items), "a construct is right for one and wrong for the other");
  }

  void exit(const std::vector<MapItem> &items) {
    Construct work(device_);
    Status status = work.start_exit(copy(items), false, random_.one_in(2));
    expect(status.is_ok(), "leaving fails");
    status.consume();
    work.complete().consume();
    forget_dormant();
    model_.exit(items);
  }

  /// Data that a construct has mapped anew and not copied are undefined; the model says kFresh.
  void forget_dormant() {
    device_.map().dormant().for_each([](const Mapping &mapping) {
      std::memset(raw(mapping.target_begin()), kFresh, static_cast<size_t>(mapping.size()));
    });
  }

  void update(const std::vector<MapItem> &items) {
    DataUpdate work(device_);
    Status status = work.start(copy(items), true);
    const bool is_ok = status.is_ok();
    status.consume();
    work.finish().consume();
    const bool is_right = model_.update(items);
    expect(is_ok == is_right, "an update is right for one and wrong for the other");
  }

  /// In, a change on the device, out; the counts of the way in are those of the way out.
  void region(const std::vector<MapItem> &items) {
    const MapItems real = copy(items);
    Construct work(device_);
    Status status = work.enter(real, random_.one_in(2));
    const bool is_ok = status.is_ok();
    status.consume();
    if (!is_ok)
      forget_dormant();
    const bool is_right = model_.enter(items, true);
    expect(is_ok == is_right, "a region is right for one and wrong for the other");
    if (!is_ok || !is_right)
      return;
    work.queue().wait().consume();
    compare();
    change_device();
    work.start_exit(real, true).consume();
    work.complete().consume();
    forget_dormant();
    model_.leave_region(items);
  }

  void expect(bool condition, const char *what) {
    if (!condition && is_right_) {
      ADD_FAILURE() << what;
      is_right_ = false;
    }
  }

  void compare() {
    const auto table = device_.map().snapshot();
    expect(table.size() == model_.entries.size(), "the tables differ in size");
    expect(std::memcmp(memory_, model_.host_bytes.data(), kMemory) == 0, "the host's memory differs");
    for (const auto &row : table) {
      ModelEntry *entry = model_.containing(static_cast<uintptr_t>(row.begin), 1);
      if (!entry || entry->begin != static_cast<uintptr_t>(row.begin) ||
          entry->end != static_cast<uintptr_t>(row.end)) {
        expect(false, "a mapping that the model does not have");
        return;
      }
      expect(row.dynamic_count == (entry->is_infinite ? UINT32_MAX : static_cast<uint32_t>(entry->dynamic_count)),
             "the dynamic counts differ");
      expect(row.hold_count == static_cast<uint32_t>(entry->hold_count), "the hold counts differ");
      expect(std::memcmp(raw(row.target_begin), entry->device.data(), entry->device.size()) == 0,
             "the device's memory differs");
    }
  }

  Random random_;
  FakeDevice device_;
  unsigned char *memory_;
  unsigned char global_[kObjectSize];
  Model model_;
  uint64_t update_direction_ = kTo;
  std::string log_;
  bool is_right_ = true;
};

void run(FakeKind kind, uint64_t first_seed, int worlds, int steps) {
  const int64_t blocks = fake_blocks();
  for (int i = 0; i < worlds; ++i) {
    World world(first_seed + static_cast<uint64_t>(i), kind);
    for (int step = 0; step < steps; ++step) {
      world.step();
      ASSERT_TRUE(world.is_right()) << "seed " << first_seed + static_cast<uint64_t>(i) << ", step " << step << ": "
                                    << world.take_log();
      if (step % 64 == 0)
        world.take_log();
    }
    world.finish();
    ASSERT_TRUE(world.is_right()) << "seed " << first_seed + static_cast<uint64_t>(i) << ", at the end";
    ASSERT_EQ(fake_blocks(), blocks) << "device memory is lost";
  }
  EXPECT_EQ(fake_counts().events, 0);
}

#ifdef __OPTIMIZE__
constexpr int kWorlds = 4000;
#else
constexpr int kWorlds = 400;
#endif

TEST(MappingProperty, agrees_with_the_model) { run(FakeKind::kSynchronous, 1, kWorlds, 500); }
TEST(MappingProperty, agrees_with_the_model_on_a_device_that_queues) { run(FakeKind::kLazy, 100000, kWorlds / 8, 500); }
TEST(MappingProperty, agrees_with_the_model_on_a_device_without_events) {
  run(FakeKind::kLazyWithoutEvents, 200000, kWorlds / 8, 500);
}
TEST(MappingProperty, UnifiedMemory_agrees_with_the_model) {
  fake_modules().add_requires(OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY, nullptr).consume();
  run(FakeKind::kSynchronous, 300000, kWorlds / 4, 500);
}

} // namespace
} // namespace omptarget::test
