// Destructors of a thread's own objects have regions, in each of the rounds in which the C library calls them: also
// after libomp has forgotten the thread. The default device is that of the thread when it first used a device.
// RUN: %clang %s -o %t -lpthread
// RUN: %run %t
// UNSUPPORTED: runtime-llvm
#include "check.h"
#include <pthread.h>

enum { kRounds = 4 };

static pthread_key_t key;
static int destructors;

static void regions(void) {
  int value = 1, on_device = 0;
#pragma omp target map(tofrom : value, on_device)
  {
    HERE();
    value++;
    on_device = !omp_is_initial_device();
  }
  CHECK_EQ(value, 2);
  CHECK_EQ(on_device, 1);
#pragma omp target enter data map(to : value)
  value = 5;
#pragma omp target update to(value)
#pragma omp target map(tofrom : value) device(0)
  value++;
#pragma omp target exit data map(from : value)
  CHECK_EQ(value, 6);
}

static void end(void *round) {
  const long number = (long)round;
  destructors++;
  regions();
  if (number < kRounds)
    pthread_setspecific(key, (void *)(number + 1));
}

static void *run(void *unused) {
  regions();
  pthread_setspecific(key, (void *)1);
  return unused;
}

int main(void) {
  regions();
  CHECK_EQ(pthread_key_create(&key, end), 0);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, run, NULL), 0);
    pthread_join(thread, NULL);
  }
  CHECK_EQ(destructors, 3 * kRounds);
  return finish();
}
