// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <pthread.h>
#include <utility>

namespace omptarget {

/// An object that each thread has of its own, made when the thread first asks for it, and destroyed when the thread
/// ends. Making a thread_local object with a destructor takes the loader's lock: a thread would wait for another that
/// is in dlopen, which may itself wait for that thread's work. This takes no lock. A destructor of another object may
/// ask for a new one while the thread ends. The library must stay loaded (-z nodelete).
///
/// Owner: tells apart the objects of one type.
template <typename T, typename Owner> class ThreadObject {
public:
  /// The calling thread's object; null if it has none.
  static T *find() { return own_; }

  /// The calling thread's object, made if it has none.
  static T &get() {
    if (!own_) {
      own_ = new T;
      static const Key key;
      pthread_setspecific(key.value, own_); // if there is no room for a key, the object outlives the thread
    }
    return *own_;
  }

private:
  struct Key {
    pthread_key_t value = PTHREAD_KEYS_MAX; // which pthread_setspecific refuses
    Key() {
      pthread_key_t made{};
      if (pthread_key_create(&made, [](void *) { delete std::exchange(own_, nullptr); }) == 0)
        value = made;
    }
  };
  static inline thread_local constinit T *own_ = nullptr;
};

} // namespace omptarget
