// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plugins of every generation behind the one inner interface.

#include <cstring>

#include "../unit/plugin/section_file.h"
#include "fakes.h"

namespace omptarget {
namespace {

constexpr uint64_t kAllOnes = ~uint64_t{0};

struct Launch {
  void *storage[3] = {nullptr, reinterpret_cast<void *>(uintptr_t{11}), reinterpret_cast<void *>(uintptr_t{22})};
  __tgt_kernel_args args{};
  Launch(uint32_t version, uint32_t teams) {
    args.Version = version;
    args.NumArgs = 2;
    args.NumTeams[0] = teams;
    args.ThreadLimit[0] = 5;
    args.Tripcount = 100;
  }
  void run(const Fake &fake, Queue *queue = nullptr) {
    Status status = fake->launch_kernel(0, reinterpret_cast<void *>(uintptr_t{1}), storage + 1, args, queue);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
  }
};

class Generation : public testing::TestWithParam<const char *> {};

TEST_P(Generation, images_get_a_table_in_the_programs_order) {
  const Fake fake(GetParam());
  ASSERT_TRUE(fake.plugin);
  FakeImage image;
  EXPECT_TRUE(fake->accepts(image.description, ""));
  Result<__tgt_target_table *> table = fake->load_binary(0, image.description);
  ASSERT_TRUE(table.is_ok()) << table.status().to_string();
  const __tgt_offload_entry *entries = table.value()->EntriesBegin;
  ASSERT_EQ(table.value()->EntriesEnd - entries, 4);
  EXPECT_NE(entries[1].addr, nullptr);
  EXPECT_NE(entries[2].addr, nullptr);
  EXPECT_NE(entries[1].addr, entries[2].addr);
  EXPECT_STREQ(entries[1].name, "kernel");
  fake->unload_binary(0, table.value());
}

TEST_P(Generation, memory_goes_there_and_back) {
  const Fake fake(GetParam());
  ASSERT_TRUE(fake.plugin);
  Result<void *> memory = fake->data_alloc(0, 100000, nullptr, OMPTARGET_ALLOC_DEFAULT);
  ASSERT_TRUE(memory.is_ok());
  std::vector<char> bytes(100000, 'a');
  Queue queue;
  EXPECT_TRUE(fake->data_submit(0, memory.value(), bytes.data(), 100000, &queue).is_ok());
  EXPECT_EQ(queue.is_busy(), fake->is_asynchronous());
  EXPECT_TRUE(fake->synchronize(0, queue).is_ok());
  EXPECT_FALSE(queue.is_busy());
  EXPECT_TRUE(fake->data_fill(0, static_cast<char *>(memory.value()) + 1, 'b', 99998, &queue).is_ok());
  EXPECT_TRUE(fake->data_retrieve(0, bytes.data(), memory.value(), 100000, &queue).is_ok());
  Result<bool> done = fake->query(0, queue);
  EXPECT_TRUE(done.is_ok() && done.value());
  EXPECT_EQ(bytes[0], 'a');
  EXPECT_EQ(bytes[1], 'b');
  EXPECT_EQ(bytes[99998], 'b');
  EXPECT_EQ(bytes[99999], 'a');
  EXPECT_TRUE(fake->data_delete(0, memory.value(), OMPTARGET_ALLOC_DEFAULT).is_ok());
}

TEST_P(Generation, copies_without_a_queue_are_complete) {
  const Fake fake(GetParam());
  ASSERT_TRUE(fake.plugin);
  char from[4] = "abc";
  char to[4] = "";
  EXPECT_TRUE(fake->data_submit(0, to, from, 4, nullptr).is_ok());
  EXPECT_STREQ(to, "abc");
}

INSTANTIATE_TEST_SUITE_P(Every, Generation,
                         testing::Values("llvm14", "llvm14_queues", "llvm15", "llvm15_queues", "llvm16",
                                         "llvm16_queues", "llvm17", "llvm17_queues", "llvm18", "llvm18_queues",
                                         "current", "current_queues"));

TEST(Generations, a_queue_that_fails_is_the_plugins_again) {
  const Fake fake("sync_fails");
  char from[4] = "abc";
  char to[4];
  Queue queue;
  EXPECT_TRUE(fake->data_submit(0, to, from, 4, &queue).is_ok());
  EXPECT_TRUE(queue.is_busy());
  Status status = fake->synchronize(0, queue);
  EXPECT_NE(status.to_string().find("the queue is lost (__tgt_rtl_synchronize of "), std::string::npos);
  EXPECT_FALSE(queue.is_busy());
  EXPECT_TRUE(fake->synchronize(0, queue).is_ok());
  EXPECT_EQ(fake.record->synchronizes, 1);
}

TEST(Generations, queues_are_used_only_where_they_are_what_the_interface_says) {
  EXPECT_TRUE(Fake("llvm14_queues")->is_asynchronous());
  EXPECT_TRUE(Fake("llvm16_queues")->is_asynchronous());
  EXPECT_FALSE(Fake("llvm16")->is_asynchronous());
  EXPECT_FALSE(Fake("llvm17_queues")->is_asynchronous());
  EXPECT_FALSE(Fake("llvm18_queues")->is_asynchronous());
  EXPECT_TRUE(Fake("current_queues")->is_asynchronous());
  EXPECT_FALSE(Fake("current_queues")->has_events());
}

TEST(Generations, llvm_14_has_two_forms_of_launch) {
  const Fake fake("llvm14");
  Launch(2, 0xffffffffu).run(fake);
  EXPECT_EQ(fake.record->launch_form, FAKE_REGION);
  EXPECT_EQ(fake.record->count, 2u);
  EXPECT_EQ(fake.record->first, 11u);
  Launch(2, 7).run(fake);
  EXPECT_EQ(fake.record->launch_form, FAKE_TEAM_REGION);
  EXPECT_EQ(fake.record->teams, 7);
  EXPECT_EQ(fake.record->threads, 5);
  EXPECT_EQ(fake.record->trip_count, 100u);
  const Fake queued("llvm14_queues");
  Queue queue;
  Launch(2, 0xffffffffu).run(queued, &queue);
  EXPECT_EQ(queued.record->launch_form, FAKE_REGION_ASYNC);
  Launch(2, 0).run(queued, &queue);
  EXPECT_EQ(queued.record->launch_form, FAKE_TEAM_REGION_ASYNC);
  Launch(2, 0).run(queued);
  EXPECT_EQ(queued.record->launch_form, FAKE_TEAM_REGION);
}

TEST(Generations, the_implicit_parameter_is_supplied_where_the_plugin_does_not) {
  for (const char *name : {"llvm14", "llvm15", "llvm16", "llvm17"}) {
    const Fake fake(name);
    Launch launch(3, 1);
    launch.run(fake);
    EXPECT_EQ(fake.record->count, 3u) << name;
    EXPECT_EQ(fake.record->first, kAllOnes) << name;
    EXPECT_EQ(fake.record->second, 11u) << name;
    EXPECT_EQ(launch.args.NumArgs, 2u) << "the caller's block is left alone";
    EXPECT_EQ(launch.args.Version, 3u);
    Launch(2, 1).run(fake);
    EXPECT_EQ(fake.record->count, 2u) << name;
    EXPECT_EQ(fake.record->first, 11u) << name;
  }
  for (const char *name : {"llvm18", "current"}) {
    const Fake fake(name);
    Launch(3, 1).run(fake);
    EXPECT_EQ(fake.record->count, 2u) << name;
    EXPECT_EQ(fake.record->first, 11u) << name;
    EXPECT_EQ(fake.record->version, 3u) << name;
  }
}

TEST(Generations, llvm_18_gets_no_image_whose_kernels_lack_the_parameter) {
  SectionFile file;
  file.add(".comment", SHT_PROGBITS, "Debian clang version 17.0.6 (22)");
  std::string bytes = file.bytes();
  FakeImage image;
  image.description.ImageStart = bytes.data();
  image.description.ImageEnd = bytes.data() + bytes.size();
  const Fake fake("llvm18");
  Result<__tgt_target_table *> table = fake->load_binary(0, image.description);
  EXPECT_NE(table.status().to_string().find("device 0: the image was made by a clang before 18, and"),
            std::string::npos)
      << table.status().to_string();
}

TEST(Generations, images_that_are_cut_short_do_not_reach_plugins_of_llvm) {
  SectionFile file;
  std::string bytes = file.bytes();
  FakeImage image;
  image.description.ImageStart = bytes.data();
  image.description.ImageEnd = bytes.data() + bytes.size() - 1;
  for (const char *name : {"llvm14", "llvm15", "llvm16", "llvm17", "llvm18"}) {
    const Fake fake(name);
    Result<__tgt_target_table *> table = fake->load_binary(0, image.description);
    EXPECT_NE(table.status().to_string().find("the image is cut short: it has "), std::string::npos) << name;
  }
}

TEST(Generations, llvm_16_gets_blocks_of_its_own_version_and_always_a_queue) {
  const Fake fake("llvm16_queues");
  Launch(3, 1).run(fake);
  EXPECT_EQ(fake.record->version, 2u);
  EXPECT_EQ(fake.record->had_queue, 1);
  EXPECT_EQ(fake.record->synchronizes, 1) << "a launch without a queue of the caller's is complete on return";
}

TEST(Generations, llvm_17_and_18_get_no_queue_of_a_form_they_do_not_know) {
  for (const char *name : {"llvm17_queues", "llvm18_queues"}) {
    const Fake fake(name);
    Queue queue;
    Launch(3, 1).run(fake, &queue);
    EXPECT_EQ(fake.record->had_queue, 0) << name;
    EXPECT_FALSE(queue.is_busy()) << name;
  }
}

TEST(Generations, launches_with_very_many_arguments_have_zero_offsets) {
  for (const char *name : {"llvm14", "llvm16", "current"}) {
    const Fake fake(name);
    std::vector<void *> values(5001, nullptr);
    __tgt_kernel_args args{};
    args.Version = 3;
    args.NumArgs = 5000;
    args.NumTeams[0] = 1;
    Status status = fake->launch_kernel(0, &args, values.data() + 1, args, nullptr);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
    EXPECT_GE(fake.record->count, 5000u);
  }
}

TEST(Generations, names_of_architectures_are_null_if_nobody_told) {
  const Fake fake("llvm15");
  FakeImage image;
  EXPECT_TRUE(fake->accepts(image.description, ""));
  EXPECT_TRUE(fake.record->had_info);
  EXPECT_EQ(fake.record->arch, nullptr);
  EXPECT_TRUE(fake->accepts(image.description, "fake"));
  EXPECT_FALSE(fake->accepts(image.description, "other"));
  EXPECT_TRUE(Fake("llvm14")->accepts(image.description, "other")) << "it has no say in that";
  image.bytes[0] = 'X';
  EXPECT_FALSE(fake->accepts(image.description, "fake"));
}

TEST(Generations, results_of_the_function_map_count_only_if_there_are_any) {
  const Fake fake("current");
  EXPECT_TRUE(fake->has_function_map());
  __omp_offloading_fptr_map_ty pair{1, 2};
  EXPECT_TRUE(fake->set_function_ptr_map(0, 1, &pair).is_ok());
  EXPECT_EQ(fake.record->map_count, 1u);
  Status status = fake->set_function_ptr_map(0, 666, &pair);
  EXPECT_EQ(status.to_string(),
            "plugin current cannot set the table of 666 indirect functions of its device 0: too evil a table "
            "(__tgt_rtl_set_function_ptr_map of " +
                fake_path("current") + ")");
  EXPECT_FALSE(Fake("llvm16")->has_function_map());
}

TEST(Generations, optional_functions_that_are_missing_do_what_is_documented) {
  const Fake fake("llvm14");
  EXPECT_FALSE(fake->can_exchange(0, 1));
  EXPECT_FALSE(fake->supports_empty_images());
  EXPECT_FALSE(fake->print_device_info(0));
  EXPECT_FALSE(fake->use_auto_zero_copy(0));
  EXPECT_EQ(fake->device_arch(0), "");
  Result<void *> pinned = fake->data_lock(0, &pinned, 8);
  EXPECT_TRUE(pinned.is_ok());
  EXPECT_EQ(pinned.value(), nullptr);
  Result<__tgt_async_info *> info = fake->init_async_info(0);
  EXPECT_TRUE(info.is_ok());
  EXPECT_EQ(info.value(), nullptr);
  Result<void *> event = fake->create_event(0);
  EXPECT_EQ(event.status().to_string(), "plugin llvm14 does not have __tgt_rtl_create_event");
  EXPECT_TRUE(fake->init_device(0, 9).is_ok());
  EXPECT_EQ(fake.record->requires_mask, 9);
  fake->deinit_device(0);
  fake->deinit();
  fake->set_device_offset(0);
  fake->set_info_flag(0);
}

} // namespace
} // namespace omptarget
