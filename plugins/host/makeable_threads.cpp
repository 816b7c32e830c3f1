// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/makeable_threads.h"

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace omptarget::host {

namespace {

constexpr int32_t kSpare = 16; ///< threads that are left for others

void *wait_for_end(void *end) {
  sem_wait(static_cast<sem_t *>(end));
  return nullptr;
}

/// The threads of the process, and two; 0 if that is not known.
nlink_t thread_count() {
  struct stat tasks{};
  return stat("/proc/self/task", &tasks) == 0 ? tasks.st_nlink : 0;
}

/// Joined threads still count for limits, for a moment.
void wait_for_count(nlink_t count) {
  constexpr int kLongest = 200; // milliseconds
  for (int i = 0; i < kLongest && thread_count() > count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Address space for what threads allocate: malloc reserves that much for each arena, and has eight for a processor.
class ArenaSpace {
public:
  ArenaSpace() : begin_(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~ArenaSpace() {
    if (is_there())
      munmap(begin_, size_);
  }
  ArenaSpace(const ArenaSpace &) = delete;
  ArenaSpace &operator=(const ArenaSpace &) = delete;

  bool is_there() const { return begin_ != MAP_FAILED; }

private:
  const size_t size_ = 8 * (size_t{64} << 20) * std::max(std::thread::hardware_concurrency(), 1U);
  void *const begin_;
};

/// Makes that many threads at the same time, and ends them. Returns how many could be made.
size_t make_and_end(size_t count, const pthread_attr_t &attributes) {
  sem_t end;
  sem_init(&end, 0, 0);
  std::vector<pthread_t> made;
  pthread_t thread{};
  while (made.size() < count && pthread_create(&thread, &attributes, wait_for_end, static_cast<void *>(&end)) == 0)
    made.push_back(thread);
  for (size_t i = 0; i < made.size(); ++i)
    sem_post(&end);
  for (const pthread_t each : made)
    pthread_join(each, nullptr);
  sem_destroy(&end);
  return made.size();
}

} // namespace

int32_t makeable_threads(int32_t wanted, size_t stack_size) {
  const ArenaSpace arenas;
  if (!arenas.is_there())
    return 1;
  const nlink_t count_before = thread_count();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_size != 0)
    pthread_attr_setstacksize(&attributes, stack_size);
  const auto tried = static_cast<size_t>(wanted - 1 + kSpare);
  const size_t made = make_and_end(tried, attributes);
  pthread_attr_destroy(&attributes);
  wait_for_count(count_before);
  return made == tried ? wanted : std::clamp(static_cast<int32_t>(made / 2), 1, wanted);
}

} // namespace omptarget::host
