// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of this process stand for device code: they follow the protocol's page, or break it.

#include "gpu/service_mailbox.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/service_server.h"
#include "service_data.h"

namespace omptarget::gpu {
namespace {

using Port = __omptarget_service_port;
using testing::ElementsAre;
using testing::HasSubstr;

class RecordingHost final : public ServiceHost {
public:
  std::string describe(const ServiceCaller &caller) override {
    return format("block %u, thread %u", caller.block, caller.thread);
  }
  uint64_t write(uint32_t stream, const std::string &one) override {
    (stream == OMPTARGET_SERVICE_STDERR ? errors : text) += one;
    if (in_write)
      in_write();
    return one.size();
  }
  bool flush(uint32_t stream) override { return stream == OMPTARGET_SERVICE_STDOUT; }
  void complain(const std::string &one) override { complaints.push_back(one); }
  Result<void *> allocate(uint64_t size) override {
    if (size > 1000000)
      return Status::error("no memory");
    ++blocks;
    return std::malloc(size);
  }
  Status release(void *memory) override {
    --blocks;
    std::free(memory);
    return Status::ok();
  }
  Result<uint64_t> call(uint32_t number, void *data, uint64_t size) override {
    if (number != 5)
      return Status::error("no such function");
    std::reverse(static_cast<char *>(data), static_cast<char *>(data) + size);
    return size;
  }
  void abort_process(const ServiceCaller &) override { ended += "abort "; }
  void exit_process(const ServiceCaller &, int status) override { ended += std::to_string(status); }

  std::string text, errors, ended;
  std::function<void()> in_write;
  std::vector<std::string> complaints;
  int blocks = 0;
};

struct Answer {
  uint32_t status;
  uint64_t result;
};

/// Device code with one port.
class Caller {
public:
  Caller(Port &port, std::function<void()> wait) : port_(port), wait_(std::move(wait)) {}

  Answer send(uint32_t operation, uint64_t argument, const std::string &part, bool is_last = true) {
    port_.packet.operation = operation;
    port_.packet.argument = argument;
    port_.packet.block = 3;
    port_.packet.thread = 4;
    port_.packet.size = static_cast<uint32_t>(part.size());
    port_.packet.is_last = is_last;
    std::memcpy(port_.packet.payload, part.data(), std::min<size_t>(part.size(), OMPTARGET_SERVICE_PAYLOAD));
    const uint32_t next = std::atomic_ref(port_.answered).load(std::memory_order_relaxed) + 1;
    std::atomic_ref(port_.asked).store(next, std::memory_order_release);
    while (std::atomic_ref(port_.answered).load(std::memory_order_acquire) != next)
      wait_();
    return {port_.packet.status, port_.packet.result};
  }
  /// In as many packets as it takes.
  Answer call(uint32_t operation, uint64_t argument, const std::string &data) {
    size_t at = 0;
    for (; data.size() - at > OMPTARGET_SERVICE_PAYLOAD; at += OMPTARGET_SERVICE_PAYLOAD)
      send(at == 0 ? operation : uint32_t{OMPTARGET_SERVICE_CONTINUE}, argument,
           data.substr(at, OMPTARGET_SERVICE_PAYLOAD), false);
    return send(at == 0 ? operation : uint32_t{OMPTARGET_SERVICE_CONTINUE}, argument, data.substr(at));
  }
  std::string payload(size_t size) const { return {reinterpret_cast<const char *>(port_.packet.payload), size}; }

private:
  Port &port_;
  std::function<void()> wait_;
};

class ServiceMailboxTest : public testing::Test {
protected:
  std::vector<Port> ports_ = std::vector<Port>(4);
  RecordingHost host_;
  ServiceMailbox mailbox_{ports_.data(), 4, host_};
  Caller caller_{ports_[1], [this] { mailbox_.serve(); }};
};

TEST_F(ServiceMailboxTest, nothing_is_served_where_nothing_is_asked) { EXPECT_FALSE(mailbox_.serve()); }

TEST_F(ServiceMailboxTest, prints_text_of_several_packets) {
  const std::string text(5000, 'x');
  const Answer answer =
      caller_.call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("%s%d\n") + string_value(text) + int32_value(7));
  EXPECT_EQ(answer.status, OMPTARGET_SERVICE_DONE);
  EXPECT_EQ(answer.result, 5002u);
  EXPECT_EQ(host_.text, text + "7\n");
}

TEST_F(ServiceMailboxTest, a_format_that_is_refused_prints_nothing) {
  const Answer answer = caller_.call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("a%n"));
  EXPECT_EQ(answer.status, OMPTARGET_SERVICE_REFUSED);
  EXPECT_EQ(static_cast<int32_t>(answer.result), -1);
  EXPECT_EQ(host_.text, "");
  EXPECT_THAT(host_.complaints, ElementsAre(HasSubstr("block 3, thread 4: %n")));
}

TEST_F(ServiceMailboxTest, bytes_go_to_the_stream_that_is_named) {
  const std::string bytes("a\0b", 3);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_WRITE, OMPTARGET_SERVICE_STDOUT, bytes).result, 3u);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_WRITE, OMPTARGET_SERVICE_STDERR, std::string(3000, 'e')).result, 3000u);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_PRINT, OMPTARGET_SERVICE_STDERR, format_bytes("%d") + int32_value(7)).result,
            1u);
  EXPECT_EQ(host_.text, bytes);
  EXPECT_EQ(host_.errors, std::string(3000, 'e') + "7");
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_FLUSH, OMPTARGET_SERVICE_STDOUT, "").result, 0u);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_FLUSH, OMPTARGET_SERVICE_STDERR, "").result, ~uint64_t{0});
}

TEST_F(ServiceMailboxTest, another_stream_is_refused) {
  for (const uint32_t operation : {OMPTARGET_SERVICE_WRITE, OMPTARGET_SERVICE_PRINT, OMPTARGET_SERVICE_FLUSH}) {
    const Answer answer = caller_.call(operation, OMPTARGET_SERVICE_NO_STREAM, format_bytes("text"));
    EXPECT_EQ(answer.status, OMPTARGET_SERVICE_REFUSED);
    EXPECT_EQ(answer.result, ~uint64_t{0});
  }
  EXPECT_EQ(host_.text + host_.errors, "");
  EXPECT_THAT(host_.complaints, testing::Each(HasSubstr("a stream that device code does not have")));
  EXPECT_EQ(host_.complaints.size(), 3u);
}

TEST_F(ServiceMailboxTest, errors_are_printed_as_by_perror) {
  caller_.call(OMPTARGET_SERVICE_PRINT_ERROR, ENOENT, "file");
  caller_.call(OMPTARGET_SERVICE_PRINT_ERROR, 0, "");
  EXPECT_EQ(host_.errors, "file: No such file or directory\nSuccess\n");
}

TEST_F(ServiceMailboxTest, memory_is_freed_once_and_by_the_end) {
  const uint64_t kept = caller_.call(OMPTARGET_SERVICE_ALLOCATE, 100, "").result;
  const uint64_t freed = caller_.call(OMPTARGET_SERVICE_ALLOCATE, 100, "").result;
  EXPECT_NE(kept, 0u);
  EXPECT_EQ(host_.blocks, 2);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_RELEASE, freed, "").status, OMPTARGET_SERVICE_DONE);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_RELEASE, freed, "").status, OMPTARGET_SERVICE_REFUSED);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_RELEASE, kept + 8, "").status, OMPTARGET_SERVICE_REFUSED);
  EXPECT_EQ(host_.blocks, 1);
  EXPECT_TRUE(mailbox_.close().is_ok());
  EXPECT_EQ(host_.blocks, 0);
}

TEST_F(ServiceMailboxTest, sizes_are_told_of_memory_that_the_device_has) {
  const uint64_t block = caller_.call(OMPTARGET_SERVICE_ALLOCATE, 100, "").result;
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_SIZE_OF, block, "").result, 100u);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_SIZE_OF, block + 8, "").status, OMPTARGET_SERVICE_REFUSED);
  caller_.call(OMPTARGET_SERVICE_RELEASE, block, "");
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_SIZE_OF, block, "").status, OMPTARGET_SERVICE_REFUSED);
}

TEST_F(ServiceMailboxTest, the_time_is_the_hosts) {
  const uint64_t before = std::time(nullptr), now = caller_.call(OMPTARGET_SERVICE_TIME, 0, "").result / 1000000000;
  EXPECT_GE(now, before);
  EXPECT_LE(now, before + 60);
}

TEST_F(ServiceMailboxTest, memory_that_there_is_not_is_null) {
  const Answer answer = caller_.call(OMPTARGET_SERVICE_ALLOCATE, ~uint64_t{0}, "");
  EXPECT_EQ(answer.result, 0u);
  EXPECT_EQ(host_.complaints.size(), 1u);
}

TEST_F(ServiceMailboxTest, data_go_to_a_function_and_come_back) {
  std::string data(2500, 'a');
  data[0] = 'b';
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_CALL, 5, data).result, 2500u);
  std::string back = caller_.payload(960);
  caller_.send(OMPTARGET_SERVICE_FETCH, 0, "");
  back += caller_.payload(960);
  caller_.send(OMPTARGET_SERVICE_FETCH, 0, "");
  back += caller_.payload(580);
  EXPECT_EQ(back, std::string(data.rbegin(), data.rend()));
  EXPECT_EQ(caller_.send(OMPTARGET_SERVICE_FETCH, 0, "").status, OMPTARGET_SERVICE_REFUSED);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_CALL, 6, data).status, OMPTARGET_SERVICE_REFUSED);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_CALL, (uint64_t{1} << 32) + 5, data).status, OMPTARGET_SERVICE_REFUSED);
}

TEST_F(ServiceMailboxTest, functions_of_files_are_called_by_address) {
  const auto length = [](void *data) -> uint64_t { return std::strlen(static_cast<const char *>(data)); };
  uint64_t (*const function)(void *) = length;
  const std::string data = std::string(2000, 'a') + '\0';
  const auto address = reinterpret_cast<uint64_t>(function);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_CALL_ADDRESS, address, data).result, 2000u);
  EXPECT_EQ(caller_.send(OMPTARGET_SERVICE_FETCH, 0, "").status, OMPTARGET_SERVICE_REFUSED); // nothing comes back
  for (const uint64_t wrong : {uint64_t{0}, uint64_t{16}, ~uint64_t{0}})
    EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_CALL_ADDRESS, wrong, data).status, OMPTARGET_SERVICE_REFUSED) << wrong;
}

// A thread that waits for the device serves, but calls no functions: they may wait for that thread.
TEST_F(ServiceMailboxTest, a_thread_that_waits_leaves_functions_to_the_server) {
  Caller of_waiting(ports_[0], [this] { EXPECT_TRUE(mailbox_.serve_while_waiting()); });
  EXPECT_EQ(
      of_waiting.call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("%s") + string_value(std::string(3000, 'x'))).result,
      3000u);
  EXPECT_FALSE(mailbox_.serve_while_waiting());
  int left = 0;
  Caller of_server(ports_[1], [&] {
    EXPECT_FALSE(mailbox_.serve_while_waiting());
    EXPECT_TRUE(mailbox_.serve());
    ++left;
  });
  EXPECT_EQ(of_server.call(OMPTARGET_SERVICE_CALL, 5, std::string(2500, 'a')).result, 2500u);
  EXPECT_EQ(left, 3); // each of its packets
}

TEST_F(ServiceMailboxTest, a_thread_that_waits_does_not_wait_for_the_server) {
  host_.in_write = [this] { std::thread([this] { EXPECT_FALSE(mailbox_.serve_while_waiting()); }).join(); };
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("a")).result, 1u);
}

TEST_F(ServiceMailboxTest, the_end_of_the_process_is_the_hosts) {
  caller_.call(OMPTARGET_SERVICE_ABORT, 0, "");
  caller_.call(OMPTARGET_SERVICE_EXIT, 7, "");
  EXPECT_EQ(host_.ended, "abort 7");
}

TEST_F(ServiceMailboxTest, what_breaks_the_protocol_is_refused_and_the_port_goes_on) {
  const auto refused = [&](uint32_t operation, const std::string &part, bool is_last = true) {
    return caller_.send(operation, 0, part, is_last).status == OMPTARGET_SERVICE_REFUSED;
  };
  EXPECT_TRUE(refused(OMPTARGET_SERVICE_CONTINUE, "x"));
  EXPECT_TRUE(refused(99, ""));
  EXPECT_TRUE(refused(OMPTARGET_SERVICE_FETCH, ""));
  EXPECT_TRUE(refused(OMPTARGET_SERVICE_PRINT, std::string(961, 'x')));
  ports_[1].asked += 5; // out of turn
  EXPECT_TRUE(mailbox_.serve());
  EXPECT_EQ(ports_[1].answered, ports_[1].asked);
  EXPECT_EQ(ports_[1].packet.status, uint32_t{OMPTARGET_SERVICE_REFUSED});
  EXPECT_EQ(host_.complaints.size(), 5u);
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("fine")).result, 4u);
}

TEST_F(ServiceMailboxTest, a_call_has_an_end) {
  const Answer answer = caller_.call(OMPTARGET_SERVICE_PRINT, 0, std::string((1 << 20) + 1, 'x'));
  EXPECT_EQ(answer.status, OMPTARGET_SERVICE_REFUSED);
  EXPECT_THAT(host_.complaints, ElementsAre(HasSubstr("a call of more than 1048576 bytes")));
}

TEST_F(ServiceMailboxTest, complaints_have_an_end) {
  for (int i = 0; i < 100; ++i)
    caller_.call(OMPTARGET_SERVICE_RELEASE, 16, "");
  EXPECT_EQ(host_.complaints.size(), 32u);
  EXPECT_THAT(host_.complaints.back(), HasSubstr("later refusals are not reported"));
}

TEST_F(ServiceMailboxTest, counters_wrap) {
  ports_[1].asked = ports_[1].answered = UINT32_MAX;
  EXPECT_EQ(caller_.call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("a")).result, 1u);
  EXPECT_EQ(ports_[1].answered, 0u);
}

TEST_F(ServiceMailboxTest, garbage_is_answered) {
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    auto *const bytes = reinterpret_cast<uint8_t *>(&ports_[1].packet);
    for (size_t k = 0; k < 400; ++k)
      bytes[k] = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 8);
    ports_[1].packet.operation = random() % 9;
    if (ports_[1].packet.operation == OMPTARGET_SERVICE_ALLOCATE)
      ports_[1].packet.argument %= 100000;
    ports_[1].asked += random() % 10 == 0 ? 2 : 1;
    mailbox_.serve();
    ASSERT_EQ(ports_[1].answered, ports_[1].asked);
  }
  EXPECT_TRUE(mailbox_.close().is_ok());
  EXPECT_EQ(host_.blocks, 0);
}

TEST_F(ServiceMailboxTest, a_closed_one_answers_nothing) {
  EXPECT_TRUE(mailbox_.close().is_ok());
  ports_[0].asked = 1;
  EXPECT_FALSE(mailbox_.serve());
  EXPECT_EQ(ports_[0].answered, 0u);
}

// Callers that share ports by locks, as waves do; each line arrives whole, those of a caller in its order.
TEST(ServiceServer, serves_many_callers_and_sleeps_between) {
  constexpr int kCallers = 6, kLines = 40;
  std::vector<Port> ports(4);
  std::vector<std::atomic<int>> locks(4);
  RecordingHost host;
  const auto mailbox = std::make_shared<ServiceMailbox>(ports.data(), 4, host);
  ServiceServer server;
  server.add(mailbox);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(server.begin(1));
    std::vector<std::thread> callers;
    for (int i = 0; i < kCallers; ++i)
      callers.emplace_back([&, i] {
        for (int line = 0; line < kLines; ++line) {
          size_t port = static_cast<size_t>(i) % ports.size();
          while (locks[port].exchange(1, std::memory_order_acquire) != 0) {
            port = (port + 1) % ports.size();
            std::this_thread::yield();
          }
          Caller caller(ports[port], [] { std::this_thread::yield(); });
          caller.call(OMPTARGET_SERVICE_PRINT, 0,
                      format_bytes("%d %d %s\n") + int32_value(i) + int32_value(line) +
                          string_value(std::string(1200, 'y')));
          locks[port].store(0, std::memory_order_release);
        }
      });
    for (std::thread &one : callers)
      one.join();
    server.end(1);
  }
  server.remove(mailbox);
  std::map<int, int> next;
  size_t lines = 0;
  for (size_t at = 0; at < host.text.size(); ++lines) {
    const size_t end = host.text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    int caller = -1, line = -1;
    ASSERT_EQ(std::sscanf(host.text.c_str() + at, "%d %d", &caller, &line), 2);
    EXPECT_EQ(line, next[caller]++ % kLines);
    EXPECT_EQ(std::count(host.text.begin() + static_cast<ptrdiff_t>(at),
                         host.text.begin() + static_cast<ptrdiff_t>(end), 'y'),
              1200);
    at = end + 1;
  }
  EXPECT_EQ(lines, size_t{2 * kCallers * kLines});
  EXPECT_TRUE(host.complaints.empty());
}

TEST(ServiceServer, ends_without_ever_having_begun) {
  std::vector<Port> ports(1);
  RecordingHost host;
  const auto mailbox = std::make_shared<ServiceMailbox>(ports.data(), 1, host);
  ServiceServer server;
  server.add(mailbox);
  server.remove(mailbox);
  server.end(3);
  EXPECT_TRUE(server.begin(1));
}

TEST(ServiceServer, no_kernel_begins_where_no_thread_can_be_made) {
  static int error = EAGAIN;
  std::vector<Port> ports(1);
  RecordingHost host;
  const auto mailbox = std::make_shared<ServiceMailbox>(ports.data(), 1, host);
  ServiceServer server(
      [](pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data) noexcept {
        return error != 0 ? error : pthread_create(thread, attributes, run, data);
      });
  server.add(mailbox);
  const Status status = server.begin(1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.to_string(), "no thread can be made for host services: Resource temporarily unavailable");
  error = 0;
  EXPECT_TRUE(server.begin(1));
  EXPECT_EQ(
      Caller(ports[0], [] { std::this_thread::yield(); }).call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("a")).result,
      1u);
  server.end(1);
  server.remove(mailbox);
}

// The last mailbox goes while another comes: each of two threads has its own come and go, and neither waits for the
// other's to go.
TEST(ServiceServer, a_mailbox_that_goes_does_not_wait_for_one_that_comes) {
  constexpr int kRounds = 300;
  std::vector<Port> ports(2);
  RecordingHost hosts[2];
  ServiceServer server;
  std::atomic<int> turns{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        const auto mailbox = std::make_shared<ServiceMailbox>(&ports[i], 1, hosts[i]);
        server.add(mailbox);
        EXPECT_TRUE(server.begin(1));
        Caller(ports[i], [] { std::this_thread::yield(); }).call(OMPTARGET_SERVICE_PRINT, 0, format_bytes("a"));
        server.end(1);
        if (i == 1) // holds its own until the other has gone once more, or for ever
          for (const int turn = turns; turns == turn && turns < kRounds;)
            std::this_thread::yield();
        server.remove(mailbox);
        turns += i == 0 ? 1 : 0;
      }
      turns += i == 0 ? kRounds : 0;
    });
  for (std::thread &one : threads)
    one.join();
  EXPECT_EQ(hosts[0].text, std::string(kRounds, 'a'));
  EXPECT_EQ(hosts[1].text, std::string(kRounds, 'a'));
}

} // namespace
} // namespace omptarget::gpu
