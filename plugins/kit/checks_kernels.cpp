// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images, kernels, indirect functions, threads. They need a test image for the plugin's target.

#include <algorithm>
#include <memory>
#include <thread>

#include "checks.h"

namespace omptarget::check {

namespace {

uint64_t read(Session &session, int32_t device, const void *address) {
  uint64_t value = 0;
  session.expect(session.plugin().data_retrieve(device, &value, address, sizeof value, nullptr), "copying back");
  return value;
}

void write(Session &session, int32_t device, void *address, uint64_t value) {
  session.expect(session.plugin().data_submit(device, address, &value, sizeof value, nullptr), "copying");
}

unsigned long long number(uint64_t value) { return value; }

} // namespace

void check_images(Session &session) {
  Report &report = session.report();
  if (!session.load_image())
    return;
  const Loaded first = session.image();
  for (const char *function : {"get_global", "get_function"})
    if (session.has(function))
      report.uses(function, "every entry of the test image");
  report.tries("load_binary", "as many entries as the image has, null for what it lacks, variables with their values");
  if (session.has("abi") && (first.table->EntriesEnd - 1)->addr)
    report.fail("a variable that the image does not have is said to be at %p", (first.table->EntriesEnd - 1)->addr);
  void *variable = first["omptarget_check_variable"];
  if (!variable) {
    report.leave_out("the test image does not have omptarget_check_variable");
    return;
  }
  if (const uint64_t value = read(session, 0, variable); value != 42)
    report.fail("omptarget_check_variable is %llu after loading; expected 42", number(value));
  if (void *function = first["omptarget_check_function"]; function && read(session, 0, function) == 0)
    report.fail("the address of an indirect function is null");
  if (session.plugin().number_of_devices() < 2)
    return;
  write(session, 0, variable, 7);
  if (!session.load_image(1))
    return;
  void *other = session.image()["omptarget_check_variable"];
  if (other && read(session, 1, other) != 42)
    report.fail("devices 0 and 1 share omptarget_check_variable");
  if (read(session, 0, variable) != 7)
    report.fail("loading the image on device 1 changes the variable of device 0");
}

namespace {

/// The host library adds no offsets of its own, so that the plugin is called directly.
void check_offsets(Session &session) {
  using Launch = decltype(&__tgt_rtl_launch_kernel);
  const auto launch = reinterpret_cast<Launch>(session.function("launch_kernel"));
  if (!launch || !session.has("abi") || !session.has_kernel("omptarget_check_store"))
    return;
  session.report().tries("launch_kernel", "an argument with an offset");
  Session::Memory memory(session, 0, 64);
  write(session, 0, memory.at(40), 0);
  void *arguments[] = {memory.get(), literal(4711)};
  ptrdiff_t offsets[] = {40, 0};
  int64_t sizes[] = {8, 8};
  __tgt_kernel_args args{};
  args.Version = 2;
  args.NumArgs = 2;
  args.NumTeams[0] = 1;
  args.ThreadLimit[0] = 1;
  args.ArgSizes = sizes;
  if (launch(0, session.image()["omptarget_check_store"], arguments, offsets, &args, nullptr) != 0)
    session.report().fail("__tgt_rtl_launch_kernel fails for an argument with an offset");
  else if (read(session, 0, memory.at(40)) != 4711)
    session.report().fail("the offset of an argument is not added to it");
}

/// A kernel without a known shape is no failure.
void check_shape(Session &session) {
  using ShapeOf = decltype(&__tgt_rtl_launch_shape);
  const auto shape_of = reinterpret_cast<ShapeOf>(session.function("launch_shape"));
  void *const kernel = session.image()["omptarget_check_nothing"];
  if (!shape_of || !kernel)
    return;
  session.report().tries("launch_shape", "a kernel with one team of one thread");
  __tgt_kernel_args args{};
  args.Version = 2;
  args.NumTeams[0] = 1;
  args.ThreadLimit[0] = 1;
  for (int i = 0; i < 2; ++i) {
    __tgt_launch_shape shape{};
    if (shape_of(0, kernel, &args, &shape) == 0 && (shape.teams != 1 || shape.threads == 0))
      session.report().fail("a launch of one team is said to have %u teams of %u threads", shape.teams, shape.threads);
  }
}

} // namespace

void check_kernels(Session &session) {
  Report &report = session.report();
  if (!session.load_image())
    return;
  const Loaded &image = session.image();
  Session::Memory memory(session, 0, 64);
  if (!memory.get())
    return;
  check_shape(session);
  session.tries_launch("no argument, addresses, literals, 21 arguments, variables, the implicit parameter");
  if (session.has_kernel("omptarget_check_nothing"))
    session.launch(0, image["omptarget_check_nothing"], {}, nullptr);
  if (session.has_kernel("omptarget_check_store")) {
    session.launch(0, image["omptarget_check_store"], {memory.at(8), literal(0xfedcba9876543210)}, nullptr);
    if (const uint64_t value = read(session, 0, memory.at(8)); value != 0xfedcba9876543210)
      report.fail("a kernel was to store 0xfedcba9876543210, there is 0x%llx", number(value));
  }
  if (session.has_kernel("omptarget_check_add")) {
    session.tries_launch("a construct without teams", LaunchKind::kPlain);
    write(session, 0, memory.at(16), 40);
    session.launch(0, image["omptarget_check_add"], {memory.at(16), literal(2)}, nullptr, LaunchKind::kPlain);
    if (const uint64_t value = read(session, 0, memory.at(16)); value != 42)
      report.fail("a kernel of a construct without teams was to make 42 of 40, there is %llu", number(value));
  }
  if (session.has_kernel("omptarget_check_sum")) {
    std::vector<void *> arguments{memory.get()};
    uint64_t expected = 0;
    for (uint64_t i = 1; i <= 20; ++i) {
      arguments.push_back(literal(1000 + i * i));
      expected += i * (1000 + i * i);
    }
    session.launch(0, image["omptarget_check_sum"], arguments, nullptr);
    if (const uint64_t value = read(session, 0, memory.get()); value != expected)
      report.fail("a kernel with 21 arguments computes %llu; expected %llu", number(value), number(expected));
  }
  if (session.has_kernel("omptarget_check_exchange")) {
    session.launch(0, image["omptarget_check_exchange"], {memory.get(), literal(43)}, nullptr);
    if (const uint64_t value = read(session, 0, memory.get()); value != 42)
      report.fail("a kernel reads %llu from omptarget_check_variable; expected 42", number(value));
    if (void *variable = image["omptarget_check_variable"]; variable && read(session, 0, variable) != 43)
      report.fail("what a kernel writes to omptarget_check_variable is not at the address in the table");
  }
  check_offsets(session);
  if (session.has_kernel("omptarget_check_implicit")) {
    session.launch(0, image["omptarget_check_implicit"], {memory.get(), literal(99)}, nullptr, LaunchKind::kImplicit);
    if (const uint64_t value = read(session, 0, memory.get()); value != 99)
      report.fail(
          "a kernel with the implicit leading parameter gets its arguments shifted: it stores %llu; expected 99",
          number(value));
  }
}

void check_devices(Session &session) {
  Report &report = session.report();
  if (!session.open())
    return;
  constexpr int32_t kMost = 16;
  const int32_t count = std::min(session.plugin().number_of_devices(), kMost);
  report.tries("init_device", format("each of %d devices", count).c_str());
  report.tries("data_submit", "a value on every device, read back when all have theirs");
  std::vector<std::unique_ptr<Session::Memory>> blocks;
  for (int32_t device = 0; device < count; ++device) {
    if (session.test_image() ? !session.load_image(device) : !session.open_device(device))
      return;
    blocks.push_back(std::make_unique<Session::Memory>(session, device, 8));
    if (!blocks.back()->get())
      return;
    write(session, device, blocks.back()->get(), 1000 + static_cast<uint64_t>(device));
    if (session.test_image() && session.has_kernel("omptarget_check_add")) {
      session.tries_launch("once on every device");
      session.launch(device, session.image()["omptarget_check_add"], {blocks.back()->get(), literal(5)}, nullptr);
    } else {
      write(session, device, blocks.back()->get(), 1005 + static_cast<uint64_t>(device));
    }
  }
  for (int32_t device = 0; device < count; ++device)
    if (const uint64_t value = read(session, device, blocks[static_cast<size_t>(device)]->get());
        value != 1005 + static_cast<uint64_t>(device))
      report.fail("on device %d there is %llu; expected %d", device, number(value), 1005 + device);
}

void check_kernel_order(Session &session) {
  Report &report = session.report();
  if (!session.load_image() || !session.has_kernel("omptarget_check_add"))
    return;
  if (!session.plugin().is_asynchronous()) {
    report.leave_out("the plugin has no queues");
    return;
  }
  session.tries_launch("a thousand in one queue between copies, complete after synchronize");
  Session::Memory memory(session, 0, 8);
  uint64_t value = 0;
  uint64_t start = 5;
  Queue queue;
  session.expect(session.plugin().data_submit(0, memory.get(), &start, 8, &queue), "queueing a copy");
  for (uint64_t i = 1; i <= 1000; ++i)
    if (!session.launch(0, session.image()["omptarget_check_add"], {memory.get(), literal(i)}, &queue))
      return;
  session.expect(session.plugin().data_retrieve(0, &value, memory.get(), 8, &queue), "queueing a copy back");
  session.expect(session.plugin().synchronize(0, queue), "waiting for a queue");
  if (value != 500505)
    report.fail("a copy, a thousand kernels and a copy back in one queue give %llu; expected 500505", number(value));
}

namespace {

using Pairs = std::vector<__omp_offloading_fptr_map_ty>;

/// Returns the result of the kernel that calls the function of that host address; 0 if it does not find one.
uint64_t call_function(Session &session, const Loaded &image, uint64_t host, int32_t device = 0) {
  const Session::Memory memory(session, device, 8);
  write(session, device, memory.get(), 14);
  session.launch(device, image["omptarget_check_call"], {literal(host), memory.get()}, nullptr);
  return read(session, device, memory.get());
}

void set_functions(Session &session, Pairs pairs, int32_t device = 0) {
  session.expect(session.plugin().set_function_ptr_map(device, pairs.size(), pairs.data()),
                 "setting the table of functions");
  // The plugin has its own copy.
  for (auto &pair : pairs)
    pair = {};
}

/// Loads the test image once more; the table is null, and why is reported, if that fails.
Loaded load_another(Session &session, int32_t device) {
  __tgt_device_image description = session.test_image()->description();
  Result<__tgt_target_table *> table = session.plugin().load_binary(device, description);
  return {session.expect(table.take_status(), "loading the image again") ? table.value() : nullptr};
}

/// Checks that each device has its own table. One host function is in all tables, with its address on the device.
/// Another one is in the table of this device only.
void check_device_functions(Session &session) {
  Report &report = session.report();
  constexpr int32_t kMost = 16;
  const int32_t count = std::min(session.plugin().number_of_devices(), kMost);
  if (count < 2) {
    report.leave_out("tables of functions of several devices: one device");
    return;
  }
  report.tries("set_function_ptr_map", format("a table of its own for each of %d devices", count).c_str());
  constexpr uint64_t kOfAll = 0x8000;
  const auto own = [](int32_t device) { return 0x9000 + 16 * static_cast<uint64_t>(device); };
  std::vector<Loaded> images;
  for (int32_t device = 0; device < count; ++device) {
    if (!session.open_device(device))
      return;
    images.push_back(load_another(session, device));
    if (!images.back().table)
      return;
  }
  for (int32_t device = 0; device < count; ++device) {
    const uint64_t function = read(session, device, images[static_cast<size_t>(device)]["omptarget_check_function"]);
    set_functions(session, {{kOfAll, function}, {own(device), function}}, device);
  }
  const auto finds = [&](int32_t device, uint64_t host) {
    return call_function(session, images[static_cast<size_t>(device)], host, device) == 42;
  };
  for (int32_t device = 0; device < count; ++device) {
    // First what only this device's table has: the address of a function on another device may be no code here.
    if (!finds(device, own(device)))
      report.fail("a kernel on device %d does not find a function of the table of device %d", device, device);
    else if (!finds(device, kOfAll))
      report.fail("a kernel on device %d does not call the function that is in the table of every device", device);
    for (int32_t other = 0; other < count; ++other)
      if (other != device && call_function(session, images[static_cast<size_t>(device)], own(other), device) != 0)
        report.fail("a kernel on device %d finds a function that only the table of device %d has", device, other);
  }
  // An empty table is one, too.
  set_functions(session, {}, 0);
  if (call_function(session, images[0], kOfAll) != 0)
    report.fail("with an empty table a kernel on device 0 still finds functions");
  for (int32_t device = 1; device < count; ++device) {
    if (!finds(device, own(device)))
      report.fail("a kernel on device %d finds no function after device 0 was given an empty table", device);
    set_functions(session, {}, device);
  }
}

/// Checks that each of two images with the same code has its own functions.
void check_image_functions(Session &session, const Loaded &later, uint64_t function) {
  Report &report = session.report();
  if (!session.has("set_image_functions"))
    return;
  report.tries("set_image_functions", "one pair and none, beside a table of two for all images");
  const auto describe = [](const void *, char *, size_t) -> size_t { return 0; };
  const auto set = [&](const Loaded &image, Pairs pairs) {
    session.expect(session.plugin().set_image_functions(
                       0, image.table, {pairs.size(), pairs.data(), "omptarget-plugin-check", describe}),
                   "setting the functions of an image");
    for (auto &pair : pairs)
      pair = {};
  };
  set(session.image(), {{0x6000, function}});
  set(later, {});
  set_functions(session, {{0x6000, function}, {0x7000, function}});
  if (call_function(session, session.image(), 0x6000) != 42)
    report.fail("a kernel does not find a function of its own image");
  if (call_function(session, later, 0x6000) != 0 || call_function(session, session.image(), 0x7000) != 0)
    report.fail("a kernel finds a function that is not in the table of its image");
}

} // namespace

void check_functions(Session &session) {
  Report &report = session.report();
  if (!session.has("set_function_ptr_map")) {
    report.leave_out("the plugin has no __tgt_rtl_set_function_ptr_map");
    return;
  }
  if (!session.load_image() || !session.has_kernel("omptarget_check_call"))
    return;
  void *holder = session.image()["omptarget_check_function"];
  if (!holder) {
    report.leave_out("the test image does not have omptarget_check_function");
    return;
  }
  report.tries("set_function_ptr_map", "one pair, a thousand, none; before and after an image is loaded");
  const uint64_t function = read(session, 0, holder);
  const auto call = [&](const Loaded &image, uint64_t host) { return call_function(session, image, host); };
  set_functions(session, {{0x4000, function}});
  if (call(session.image(), 0x4000) != 42)
    report.fail("with a table of one pair a kernel does not find its function");
  Pairs pairs;
  for (uint64_t i = 0; i < 1000; ++i)
    pairs.push_back({0x4000 + 4 * i, i == 777 ? function : function + 1});
  set_functions(session, pairs);
  if (call(session.image(), 0x4000 + 4 * 777) != 42)
    report.fail("with a table of 1000 pairs a kernel does not find its function");
  if (call(session.image(), 0x4000 + 4 * 777 + 1) != 0)
    report.fail("a kernel finds a function that is not in the table");
  const Loaded later = load_another(session, 0);
  if (!later.table)
    return;
  if (call(later, 0x4000 + 4 * 777) != 42)
    report.fail("an image that is loaded later does not get the table");
  set_functions(session, {{0x5000, function}});
  for (const Loaded *image : {&session.image(), &later}) {
    if (call(*image, 0x5000) != 42 || call(*image, 0x4000 + 4 * 777) != 0)
      report.fail("of two images on a device, the %s does not get a new table", image == &later ? "later" : "first");
    if (void *size = (*image)["__omp_offloading_fptr_map_size"]; size && read(session, 0, size) != 1)
      report.fail("__omp_offloading_fptr_map_size is %llu for a table of one pair", number(read(session, 0, size)));
  }
  set_functions(session, {});
  if (call(session.image(), 0x4000) != 0)
    report.fail("with an empty table a kernel still finds functions");
  check_device_functions(session);
  check_image_functions(session, later, function);
}

void check_threads(Session &session) {
  Report &report = session.report();
  if (!session.open_device())
    return;
  const bool has_kernels = session.test_image() && session.load_image() && session.has_kernel("omptarget_check_add");
  report.tries("data_alloc", "eight threads at once");
  report.tries("data_submit", "eight threads at once");
  report.tries("data_retrieve", "eight threads at once");
  report.tries("data_delete", "eight threads at once");
  if (has_kernels)
    session.tries_launch("eight threads at once");
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (uint64_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (uint64_t round = 0; round < 100; ++round) {
        Session::Memory memory(session, 0, 4096);
        if (!memory.get())
          return;
        uint64_t value = thread * 1000 + round;
        uint64_t back = 0;
        Queue queue;
        session.expect(session.plugin().data_submit(0, memory.at(2048), &value, 8, &queue), "copying");
        if (has_kernels)
          session.launch(0, session.image()["omptarget_check_add"], {memory.at(2048), literal(1)}, &queue);
        session.expect(session.plugin().data_retrieve(0, &back, memory.at(2048), 8, &queue), "copying back");
        session.expect(session.plugin().synchronize(0, queue), "waiting");
        if (back != value + (has_kernels ? 1 : 0)) {
          report.fail("thread %llu gets %llu in round %llu; expected %llu", number(thread), number(back), number(round),
                      number(value + (has_kernels ? 1 : 0)));
          return;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace omptarget::check
