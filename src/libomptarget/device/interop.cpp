// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/interop.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guarded.h"

namespace omptarget {

namespace {

/// An object without a preference gets the first one of its plugin. The host CPU has none.
constexpr ForeignRuntime kForeignRuntimes[] = {
    {"cuda", 2, "cuda_driver", 11, "nvidia", true},
    {"cuda", 1, "cuda", 11, "nvidia", false},
    {"amdgpu", 7, "hsa", 1, "amd", false},
};

const ForeignRuntime *choose_runtime(const std::string &plugin, std::span<const int32_t> preferences) {
  const auto is_of_plugin = [&](const ForeignRuntime &runtime) { return plugin == runtime.plugin; };
  for (const int32_t wanted : preferences)
    for (const ForeignRuntime &runtime : kForeignRuntimes)
      if (runtime.id == wanted && is_of_plugin(runtime))
        return &runtime;
  const auto *const usual = std::find_if(std::begin(kForeignRuntimes), std::end(kForeignRuntimes), is_of_plugin);
  return usual == std::end(kForeignRuntimes) ? nullptr : usual;
}

/// Waiting that a construct has left to its thread's next barrier, taskwait, or end of a task.
struct Deferred {
  int32_t thread;
  std::shared_ptr<Interop> object;
  void *event; ///< null: all that is in the queue when the thread waits
  bool closes;

  Status finish() const {
    Status status = event ? object->wait(event) : object->wait();
    if (closes)
      status.keep_first(object->close());
    return status;
  }
};

struct Table {
  std::unordered_map<uintptr_t, std::shared_ptr<Interop>> objects;
  uintptr_t last = 0;
  std::vector<Deferred> deferred;
  std::vector<Deferred> of_parent; ///< of the process that this one is a fork of
};

Guarded<Table> &table() {
  static Guarded<Table> &all = *new Guarded<Table>; // never destroyed: destructors of the program destroy objects
  return all;
}

/// Entries of deferred. Relaxed: a thread asks for its own, which it has added itself.
constinit std::atomic<size_t> deferred_count{0};

void note_count(const Table &all) { deferred_count.store(all.deferred.size(), std::memory_order_relaxed); }

uintptr_t key(const void *handle) { return reinterpret_cast<uintptr_t>(handle); }
// NOLINTNEXTLINE(performance-no-int-to-ptr): never dereferenced
InteropHandle handle_of(uintptr_t key) { return reinterpret_cast<InteropHandle>(key); }

/// Takes the entries out that belong to what is asked for.
template <typename Predicate> std::vector<Deferred> take_deferred(Table &all, Predicate belongs) {
  const auto middle = std::stable_partition(all.deferred.begin(), all.deferred.end(),
                                            [&](const Deferred &entry) { return !belongs(entry); });
  std::vector<Deferred> taken(std::make_move_iterator(middle), std::make_move_iterator(all.deferred.end()));
  all.deferred.erase(middle, all.deferred.end());
  note_count(all);
  return taken;
}

/// A later event of the same queue stands for the earlier one, too, which is ended.
void defer(Deferred work) {
  std::vector<Deferred> earlier;
  {
    auto all = table().lock();
    earlier = take_deferred(*all, [&](const Deferred &entry) {
      return entry.thread == work.thread && entry.object == work.object && entry.event && work.event;
    });
    all->deferred.push_back(std::move(work));
    note_count(*all);
  }
  for (const Deferred &entry : earlier)
    entry.object->forget(entry.event);
}

Status no_object(const void *handle) {
  return Status::error(
      format("%p is no interoperability object: it was never initialised, or it was destroyed before", handle));
}

} // namespace

// ---- One object

Result<std::shared_ptr<Interop>> Interop::make(Device &device, bool has_queue, std::span<const int32_t> preferences,
                                               int32_t owner) {
  const std::shared_ptr<Interop> object(new Interop(device, owner));
  object->runtime_ = choose_runtime(device.plugin().name(), preferences);
  Status handles = device.plugin_device().init_device_info(&object->handles_);
  object->has_handles_ = handles.is_ok();
  handles.consume(); // a plugin without them
  if (has_queue) {
    Status status = object->open_queue();
    if (!status && object->has_handles_)
      return status;
    status.consume(); // a plugin without interoperability
  }
  if (!object->runtime_ && !object->has_handles_ && !object->queue_)
    return std::shared_ptr<Interop>();
  return object;
}

Interop::~Interop() {
  if (queue_)
    close().consume();
}

void *Interop::device_handle() const { return has_handles_ && DeviceUse(device_) ? handles_.Device : nullptr; }

void *Interop::context_handle() const {
  const bool has_context = has_handles_ && (!runtime_ || runtime_->has_context);
  return has_context && DeviceUse(device_) ? handles_.Context : nullptr;
}

Status Interop::open_queue() {
  OMPTARGET_TRY_ASSIGN(queue_, device_.plugin_device().init_async_info());
  return Status::ok();
}

Result<void *> Interop::queue_handle() {
  const DeviceUse use(device_);
  const std::lock_guard lock(mutex_);
  if (use && !queue_)
    OMPTARGET_TRY(open_queue());
  return use && queue_ ? queue_->Queue : nullptr;
}

Result<void *> Interop::mark() {
  const DeviceUse use(device_);
  const std::lock_guard lock(mutex_);
  if (!use || !queue_ || !queue_->Queue)
    return nullptr; // the end of a device waits for its work
  const PluginDevice &device = device_.plugin_device();
  Queue queue{*queue_};
  if (!device.plugin().has_events()) {
    Status status = device.synchronize(queue);
    *queue_ = queue.info;
    OMPTARGET_TRY(std::move(status));
    return nullptr;
  }
  // An event, since synchronising would end the queue, which the program still has.
  OMPTARGET_TRY_ASSIGN(void *const event, device.create_event());
  if (Status status = device.record_event(event, queue); !status) {
    device.destroy_event(event);
    return status;
  }
  return event;
}

Status Interop::wait(void *event) {
  const DeviceUse use(device_);
  if (!use)
    return Status::ok();
  Status status = device_.plugin_device().sync_event(event);
  device_.plugin_device().destroy_event(event);
  return status;
}

void Interop::forget(void *event) {
  if (const DeviceUse use(device_); use && event)
    device_.plugin_device().destroy_event(event);
}

Status Interop::wait() {
  OMPTARGET_TRY_ASSIGN(void *const event, mark());
  return event ? wait(event) : Status::ok();
}

Status Interop::close() {
  const DeviceUse use(device_);
  const std::lock_guard lock(mutex_);
  __tgt_async_info *const queue = std::exchange(queue_, nullptr);
  return use && queue ? device_.plugin_device().release_async_info(queue) : Status::ok();
}

// ---- All objects

InteropHandle add_interop(std::shared_ptr<Interop> object) {
  if (!object)
    return nullptr;
  auto all = table().lock();
  all->objects.emplace(++all->last, std::move(object));
  return handle_of(all->last);
}

std::shared_ptr<Interop> find_interop(const void *handle) {
  auto all = table().lock();
  const auto found = all->objects.find(key(handle));
  return found == all->objects.end() ? nullptr : found->second;
}

InteropHandle reuse_implicit_interop(const Device &device, int32_t thread, std::span<const int32_t> preferences) {
  const ForeignRuntime *const runtime = choose_runtime(device.plugin().name(), preferences);
  auto all = table().lock();
  for (const auto &[key, object] : all->objects)
    if (object->owner() == thread && &object->device() == &device && object->runtime() == runtime)
      return handle_of(key);
  return nullptr;
}

void expect_implicit_work(const void *handle, int32_t thread) {
  auto all = table().lock();
  const auto found = all->objects.find(key(handle));
  if (found == all->objects.end())
    return;
  const auto is_known = [&](const Deferred &entry) {
    return entry.thread == thread && entry.object == found->second && !entry.event;
  };
  if (std::none_of(all->deferred.begin(), all->deferred.end(), is_known))
    all->deferred.push_back({thread, found->second, nullptr, false});
  note_count(*all);
}

Status use_interop(const void *handle, InteropUser user) {
  const std::shared_ptr<Interop> object = find_interop(handle);
  if (!object)
    return no_object(handle);
  if (!user.may_defer)
    return object->wait();
  OMPTARGET_TRY_ASSIGN(void *const event, object->mark());
  if (event)
    defer({user.thread, object, event, false});
  return Status::ok();
}

Status destroy_interop(const void *handle, InteropUser user) {
  std::shared_ptr<Interop> object;
  std::vector<Deferred> earlier; // which the end of the object waits for, too
  {
    auto all = table().lock();
    const auto found = all->objects.find(key(handle));
    if (found == all->objects.end())
      return no_object(handle);
    object = found->second;
    all->objects.erase(found);
    earlier = take_deferred(*all, [&](const Deferred &entry) { return entry.object == object; });
  }
  for (const Deferred &entry : earlier)
    object->forget(entry.event);
  Result<void *> event = object->mark();
  if (event.is_ok() && *event && user.may_defer) {
    defer({user.thread, object, *event, true});
    return Status::ok();
  }
  Status status = !event.is_ok() ? event.take_status() : *event ? object->wait(*event) : Status::ok();
  status.keep_first(object->close());
  return status;
}

Status finish_interop_work(int32_t thread) {
  if (deferred_count.load(std::memory_order_relaxed) == 0)
    return Status::ok();
  std::vector<Deferred> own;
  {
    auto all = table().lock();
    own = take_deferred(*all, [&](const Deferred &entry) { return entry.thread == thread; });
  }
  Status status;
  for (const Deferred &entry : own)
    status.keep_first(entry.finish());
  return status;
}

std::mutex &interop_mutex_for_fork() { return table().mutex_for_fork(); }

void forget_interop_work() {
  auto all = table().lock();
  for (const auto &[key, object] : all->objects)
    object->forget_other_users();
  // Ending them would wait for the parent's queues.
  std::move(all->deferred.begin(), all->deferred.end(), std::back_inserter(all->of_parent));
  all->deferred.clear();
  note_count(*all);
}

} // namespace omptarget
