// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Foreign work in the native queues of interoperability objects, by the driver's own functions (OpenMP 6.0, section
// 16.1): it is complete behind `use` and `destroy`. With nowait it is complete behind taskwait, a barrier, and the end
// of a taskgroup or task. libomp 23 asks for that, and without it the construct waits itself. Objects share no queue,
// with each other or with regions.

// Clang 16 writes bitcode that it cannot read if a directive has dependences.
// RUN: %clang -fopenmp-version=51 %if clang-16 %{-DNO_DEPENDENCES %} %s -o %t -ldl
// RUN: %run SIM_CUDA_HOLD=2 %t %plugin-name
// UNSUPPORTED: runtime-llvm

#define _GNU_SOURCE // RTLD_DEFAULT
#include "foreign_work.h"

/// Returns whether libomp waits for what constructs with nowait leave behind.
static int libomp_waits(void) {
  void **hook = dlsym(RTLD_DEFAULT, "kmp_target_sync_cb");
  return hook && *hook;
}

// Directives take variables only.
static void use(omp_interop_t object) {
#pragma omp interop use(object)
}
static void use_nowait(omp_interop_t object) {
#pragma omp interop use(object) nowait
}
static omp_interop_t made(int device) {
  omp_interop_t object = omp_interop_none;
#pragma omp interop init(targetsync : object) device(device)
  return object;
}
static void destroy(omp_interop_t object) {
#pragma omp interop destroy(object)
  CHECK(object == omp_interop_none);
}
static void destroy_nowait(omp_interop_t object) {
#pragma omp interop destroy(object) nowait
  CHECK(object == omp_interop_none);
}

/// The stand-in tells that nothing has begun; on a GPU the work may be complete at any time.
static void is_open(void *context, void *stream) {
  if (!getenv("SIM_CUDA_DEVICES"))
    return;
  void *popped;
  CALL("cuCtxPushCurrent_v2", void *)(context);
  CHECK_EQ(CALL("cuStreamQuery", void *)(stream), 600);
  CALL("cuCtxPopCurrent_v2", void **)(&popped);
}

static void after_nowait(void *context, void *stream) {
  if (libomp_waits())
    is_open(context, stream);
  else
    is_complete(context, stream);
}

static void called(omp_interop_t object, void *data) { *(omp_interop_t *)data = object; }

static void callbacks(const struct Fills *fills, void *context, void *stream) {
  typedef int (*Add)(omp_interop_t, void (*)(omp_interop_t, void *), void *);
  Add add;
  *(void **)&add = dlsym(RTLD_DEFAULT, "ompx_interop_add_completion_callback");
  omp_interop_t seen = omp_interop_none;
  add_fill(fills, 3);
  CHECK_EQ(add(fills->object, called, &seen), omp_irc_success);
  CHECK(seen == fills->object);
  is_complete(context, stream);
  CHECK(add(omp_interop_none, called, &seen) != omp_irc_success && add(fills->object, NULL, NULL) != omp_irc_success);
}

// Objects of append_args, which no clang makes yet: the thread's own, used again, and waited for although no construct
// names them.
static void implicit_objects(int device, void *context) {
  struct Context {
    uint32_t version, flags;
    int32_t thread;
  };
  typedef omp_interop_t (*Get)(void *, int32_t, int64_t, int32_t, void *, struct Context *, void *);
  typedef int (*Release)(void *, omp_interop_t, struct Context *, void *);
  Get get;
  *(void **)&get = dlsym(RTLD_DEFAULT, "__tgt_interop_get");
  Release use60, release;
  *(void **)&use60 = dlsym(RTLD_DEFAULT, "__tgt_interop_use60");
  *(void **)&release = dlsym(RTLD_DEFAULT, "__tgt_interop_release");
  const int32_t thread = ((int32_t (*)(void *))dlsym(RTLD_DEFAULT, "__kmpc_global_thread_num"))(NULL);
  struct Context own = {0, 3, thread}, other = {0, 3, thread + 100};
  struct Fills fills = {get(NULL, 2, device, 0, NULL, &own, NULL), device, omp_target_alloc(kBytes, device)};
  CHECK(get(NULL, 2, device, 0, NULL, &own, NULL) == fills.object);
  omp_interop_t others = get(NULL, 2, device, 0, NULL, &other, NULL);
  CHECK(others != fills.object);
  void *stream = stream_of(&fills);
  add_fill(&fills, 5);
  if (!libomp_waits())
    CHECK_EQ(use60(NULL, fills.object, &own, NULL), 0);
#pragma omp taskwait
  is_complete(context, stream);
  has_value(&fills, 5);
  CHECK(get(NULL, 2, device, 0, NULL, &own, NULL) == fills.object);
  add_fill(&fills, 6);
  CHECK_EQ(release(NULL, fills.object, &own, NULL), 0);
  after_nowait(context, stream);
#pragma omp taskwait
  has_value(&fills, 6);
  own.flags = other.flags = 0; // no longer as implicit ones
  CHECK_EQ(release(NULL, fills.object, &own, NULL), 0);
  CHECK_EQ(release(NULL, others, &other, NULL), 0);
  CHECK(release(NULL, others, &other, NULL) != 0);
  omp_target_free(fills.memory, device);
}

static void cuda_waits(struct Fills *fills) {
  void *stream = stream_of(fills);
  void *context = omp_get_interop_ptr(fills->object, omp_ipr_device_context, NULL);
  add_fill(fills, 1);
  is_open(context, stream);
  use(fills->object);
  is_complete(context, stream);
  has_value(fills, 1);

  add_fill(fills, 2);
  use_nowait(fills->object);
  after_nowait(context, stream);
#pragma omp taskwait
  is_complete(context, stream);
  has_value(fills, 2);
#pragma omp taskwait

  callbacks(fills, context, stream);
  implicit_objects(fills->device, context);

  // A later use stands for an earlier one, too.
  for (int i = 0; i < 100; i++) {
    add_fill(fills, (unsigned char)i);
    use_nowait(fills->object);
  }
#pragma omp taskgroup
  {
  }
  is_complete(context, stream);
  has_value(fills, 99);

  // Each thread waits for its own; the barrier for all.
  struct Fills own[2] = {*fills, *fills};
  void *streams[2];
#pragma omp parallel num_threads(2)
  {
    const int i = omp_get_thread_num();
    own[i].memory = omp_target_alloc(kBytes, own[i].device);
    own[i].object = made(own[i].device);
    streams[i] = stream_of(&own[i]);
    CHECK(streams[i] != stream);
    add_fill(&own[i], (unsigned char)(10 + i));
    use_nowait(own[i].object);
#pragma omp barrier
    if (omp_get_num_threads() == 2)
      is_complete(context, streams[1 - i]);
    has_value(&own[i], (unsigned char)(10 + i));
#pragma omp barrier
    add_fill(&own[i], 20);
    destroy_nowait(own[i].object);
  }
  CHECK(streams[0] != streams[1]);
  for (int i = 0; i < 2; i++) {
    has_value(&own[i], 20);
    omp_target_free(own[i].memory, own[i].device);
  }

  // A dependence ends when the construct does, whatever nowait says.
  add_fill(fills, 30);
  omp_interop_t object = fills->object;
#ifndef NO_DEPENDENCES
#pragma omp interop use(object) depend(out : object) nowait
#else
  use(object);
#endif
  is_complete(context, stream);

  // Both wait for what was left, and destroying does.
  add_fill(fills, 40);
  use_nowait(fills->object);
  destroy(fills->object);
  has_value(fills, 40);
#pragma omp taskwait
}

static void hsa_waits(struct Fills *fills) {
  struct Queue *queue = stream_of(fills);
  CHECK_EQ(queue->type, 0); // any thread may write packets
  CHECK(queue->base && (queue->size & (queue->size - 1)) == 0);
  for (int round = 0; round < 4; round++) {
    struct Gate signals = add_gate(queue);
    int x = 0;
#pragma omp target device(fills->device) map(tofrom : x)
    {
      HERE();
      x = 1; // regions have queues of their own
    }
    CHECK(x == 1 && value_of(signals.done) == 1);
    pthread_t thread;
    pthread_create(&thread, NULL, open_gate, &signals);
    if (round == 0) {
      use(fills->object);
    } else if (round == 1) {
      use_nowait(fills->object);
      if (libomp_waits())
        CHECK_EQ(value_of(signals.done), 1);
#pragma omp taskwait
    } else if (round == 2) {
#pragma omp parallel num_threads(2)
      {
        use(fills->object);
        CHECK_EQ(value_of(signals.done), 0);
      }
    } else {
      destroy(fills->object);
    }
    CHECK_EQ(value_of(signals.done), 0);
    pthread_join(thread, NULL);
  }
}

int main(int argc, char **argv) {
  const char *plugin = argc > 1 ? argv[1] : "";
  const int is_cuda = strcmp(plugin, "cuda") == 0, is_hsa = strcmp(plugin, "amdgpu") == 0;
  for (int device = 0; device < omp_get_num_devices(); device++) {
    struct Fills fills = {made(device), device, omp_target_alloc(kBytes, device)};
    const omp_interop_t kept = made(device); // never destroyed
    CHECK_EQ(fills.object != omp_interop_none, is_cuda || is_hsa);
    if (is_cuda || is_hsa) {
      CHECK(stream_of(&fills) != omp_get_interop_ptr(kept, omp_ipr_targetsync, NULL));
      driver = dlopen(is_cuda ? "libcuda.so.1" : "libhsa-runtime64.so.1", RTLD_NOW);
      if (is_cuda)
        cuda_waits(&fills);
      else
        hsa_waits(&fills);
    }
    if (is_cuda) { // under way when the program ends
      const struct Fills last = {kept, device, omp_target_alloc(kBytes, device)};
      add_fill(&last, 9);
      use_nowait(kept);
      destroy_nowait(made(device));
    }
    omp_target_free(fills.memory, device);
  }
  return finish();
}
