// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host services when a kernel that asked is lost, and when the process forks while a kernel waits for its answer.
// REQUIRES: rtl-ours
// RUN: %indirect-clang %s -o %t
// RUN: %run %t fork 2>&1 | %FileCheck %s --check-prefix=FORK
// RUN: %if emulator-amdgpu %{ %expect-abort %t fault 2>&1 | %FileCheck %s %}

#include "check.h"

#include "omptarget/host_call.h"
#include "omptarget/service_protocol.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma omp begin declare target
#if defined(__AMDGCN__)
extern __omptarget_service_client_head __omptarget_service_client;
#endif
// When the first port has a packet.
static void wait_for_packet(void) {
#if defined(__AMDGCN__)
  volatile uint32_t *asked = &((__omptarget_service_port *)__omptarget_service_client.mailbox)->asked;
  while (*asked == 0) {
  }
#endif
}
#pragma omp end declare target

static sem_t is_asked, may_answer;

// The one thread that serves is in here: nothing else is answered.
static uint64_t wait_here(void *data, uint64_t size) {
  (void)size;
  sem_post(&is_asked);
  sem_wait(&may_answer);
  *(int *)data = 42;
  return 7;
}

static int answer, result;

static void *ask(void *argument) {
  (void)argument;
#pragma omp target map(from : answer, result)
  {
    int data = 1;
    result = (int)omptarget_call_host(5, &data, sizeof data);
    answer = data;
  }
  return 0;
}

// Parent and child both go on, and the child ends without waiting for a device.
// FORK-NOT: omptarget
// FORK: ok
// FORK-NOT: omptarget
static int fork_while_asked(void) {
  const pid_t child = fork();
  if (child == 0) {
    int value = 0;
#pragma omp target if (0) map(tofrom : value)
    value++;
    exit(value == 1 ? 3 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The text was sent when another wave ends the device; it comes before the construct fails.
static void lose_device(void) {
  // CHECK: printed in time
  // CHECK: omptarget fatal error
#pragma omp target parallel num_threads(128) device(1)
  {
    if (omp_get_thread_num() == 0)
      printf("printed in time\n");
    if (omp_get_thread_num() == 64) {
      wait_for_packet();
      *(volatile int *)8 = 1;
    }
  }
}

int main(int argc, char **argv) {
  pthread_t thread;
  const int is_fault = argc > 1 && strcmp(argv[1], "fault") == 0;
  sem_init(&is_asked, 0, 0);
  sem_init(&may_answer, 0, 0);
  omptarget_register_host_function(5, wait_here);
  pthread_create(&thread, 0, ask, 0);
  sem_wait(&is_asked);
  if (is_fault)
    lose_device();
  CHECK_EQ(fork_while_asked(), 3);
  sem_post(&may_answer);
  pthread_join(thread, 0);
  CHECK_EQ(result, 7);
  CHECK_EQ(answer, 42);
  return finish();
}
