// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mailbox of host services (docs/use/host-services.md): the device's side and the host's, and the thread that
// serves.

#include <functional>
#include <memory>

#include "checked.h"
#include "device/services.h"
#include "gpu/service_mailbox.h"
#include "gpu/service_server.h"
#include "words.h"

#include "host_services.cpp" // the device's side

namespace omptarget::device_rtl::gpu::target {
void stop() { std::abort(); }
} // namespace omptarget::device_rtl::gpu::target

namespace omptarget {
namespace {

using checked::require;
using checked::Scenario;
using checked::Words;
using gpu::ServiceCaller;
using gpu::ServiceMailbox;
using gpu::ServiceServer;

constexpr uint64_t kLanes = 2; ///< at most

/// Allocates what the size says, once for each lane.
class Host final : public gpu::ServiceHost {
public:
  std::string describe(const ServiceCaller &) override { return {}; }
  uint64_t write(uint32_t, const std::string &text) override { return text.size(); }
  bool flush(uint32_t) override { return true; }
  void complain(const std::string &) override { require(false, "a call is refused"); }
  Result<void *> allocate(uint64_t size) override {
    require(size >= 1 && size <= kLanes, "a call has another's argument");
    require(++done[size - 1] == 1, "a call is done twice");
    return reinterpret_cast<void *>(size * 16);
  }
  Status release(void *) override { return Status::ok(); }
  Result<uint64_t> call(uint32_t, void *data, uint64_t size) override {
    require(size == kLongCall, "a call's packets are lost");
    ++calls;
    static_cast<uint8_t *>(data)[0] += 1;
    return uint64_t{7};
  }
  void abort_process(const ServiceCaller &) override {}
  void exit_process(const ServiceCaller &, int) override {}

  static constexpr uint64_t kLongCall = OMPTARGET_SERVICE_PAYLOAD + 1; ///< two packets each way
  int done[kLanes] = {}, calls = 0;
};

/// A mailbox of one port, which the lanes share.
struct Mailbox {
  explicit Mailbox(Words::Kind kind_of_asked) {
    words.add(port.asked, kind_of_asked);
    words.add(port.answered, Words::Kind::kWaitedFor);
    words.add(port.packet.argument, Words::Kind::kPlain);
    words.add(port.packet.result, Words::Kind::kPlain);
    words.add(__omptarget_service_client.locks[0], Words::Kind::kWaitedFor);
    __omptarget_service_client.head = {OMPTARGET_SERVICE_VERSION, 1, reinterpret_cast<uintptr_t>(&port)};
  }

  void allocate(uint64_t number) {
    void *const memory = __omptarget_service_allocate(number);
    require(memory == reinterpret_cast<void *>(number * 16), "a call gets another's answer, or none");
  }
  /// A call whose data are two packets each way.
  void call() {
    static uint8_t data[Host::kLongCall];
    data[0] = 1;
    require(omptarget_call_host(5, data, sizeof data) == 7 && data[0] == 2, "a call gets a wrong answer");
  }

  static Mailbox *current;
  Words words;
  __omptarget_service_port port{};
  Host host;
  std::shared_ptr<ServiceMailbox> mailbox = std::make_shared<ServiceMailbox>(&port, 1, host);
  // The serving thread's:
  ServiceServer server{create};
  checked::atomic<int> is_created{0}, has_ended{0}, is_launched{0}, is_done{0}, news{0};
  int news_seen = 0; ///< the serving thread's
  void *(*run)(void *) = nullptr;
  void *data = nullptr;

  static int create(pthread_t *thread, const pthread_attr_t *, void *(*run)(void *), void *data) noexcept {
    *thread = pthread_self(); // all threads of a scenario are this one
    current->run = run;
    current->data = data;
    return 0;
  }
};
Mailbox *Mailbox::current = nullptr;

std::shared_ptr<Mailbox> make_mailbox(Words::Kind kind_of_asked) {
  static std::shared_ptr<Mailbox> made; // so that it is there until the next one is
  made.reset();
  made = std::make_shared<Mailbox>(kind_of_asked);
  Mailbox::current = made.get();
  return made;
}

void set(checked::atomic<int> &flag) {
  flag.store(1, std::memory_order_release);
  notify_waiters(flag);
}

/// A kernel begins; the thread that serves may go on once it is made.
void begin(Mailbox &box) {
  require(box.server.begin(1).is_ok(), "no thread can be made");
  set(box.is_created);
}

/// Lanes ask by their bodies, and the host serves so many packets.
Scenario asked(const std::vector<std::function<void(Mailbox &)>> &lanes, uint64_t packets) {
  const auto box = make_mailbox(Words::Kind::kWaitedFor);
  Scenario scenario;
  for (const auto &lane : lanes)
    scenario.threads.push_back([=] { lane(*box); });
  scenario.threads.push_back([=] {
    for (uint64_t served = 0; served < packets;)
      if (box->mailbox->serve())
        ++served;
      else
        box->words.wait_while(&box->port.asked, served);
  });
  scenario.check = [=] { require(!box->mailbox->serve(), "a call is still there"); };
  return scenario;
}

/// A lane asks while the plugin's own thread serves; then the kernel ends, and the mailbox goes.
Scenario served() {
  const auto box = make_mailbox(Words::Kind::kPolled);
  Scenario scenario;
  scenario.threads.push_back([=] {
    box->server.add(box->mailbox);
    begin(*box);
    set(box->is_launched);
    wait_while_equal(box->is_done, 0);
    box->server.end(1);
    checked::tell_polling();
    box->server.remove(box->mailbox);
    require(box->has_ended.load(std::memory_order_relaxed) == 1, "the thread goes on to serve");
    require(box->mailbox->close().is_ok(), "the mailbox is not closed");
  });
  scenario.threads.push_back([=] {
    wait_while_equal(box->is_launched, 0);
    box->allocate(1);
    set(box->is_done);
  });
  scenario.threads.push_back([=] {
    wait_while_equal(box->is_created, 0);
    box->run(box->data);
    set(box->has_ended);
  });
  scenario.check = [=] { require(box->host.done[0] == 1, "a call is not done"); };
  return scenario;
}

bool explore_all() {
  constexpr uint64_t kMost = 20'000'000;
  using checked::explore;
  const auto allocate = [](uint64_t number) { return [=](Mailbox &box) { box.allocate(number); }; };
  return explore(
             "mailbox: one lane", [&] { return asked({allocate(1)}, 1); }, kMost) &&
         explore(
             "mailbox: a long call", [&] { return asked({[](Mailbox &box) { box.call(); }}, 3); }, kMost) &&
         explore(
             "mailbox: two lanes, one port", [&] { return asked({allocate(1), allocate(2)}, 2); }, kMost) &&
         explore("mailbox: served and removed", [] { return served(); }, kMost);
}

} // namespace
} // namespace omptarget

namespace checked {

Words &words() { return omptarget::Mailbox::current->words; }
void wait_a_little() {
  omptarget::Mailbox &box = *omptarget::Mailbox::current;
  wait_while_equal(box.news, box.news_seen);
  box.news_seen = box.news.load(std::memory_order_acquire);
}
void tell_polling() {
  omptarget::Mailbox &box = *omptarget::Mailbox::current;
  box.news.fetch_add(1, std::memory_order_release); // a polling thread sees it at last
  notify_waiters(box.news);
}
void join_thread() { wait_while_equal(omptarget::Mailbox::current->has_ended, 0); }

} // namespace checked

int main(int argc, char **argv) { return checked::run(argc, argv, omptarget::explore_all); }
