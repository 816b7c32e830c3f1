// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libhsa-runtime64.so.1 that does nothing, in some ten instructions a call: what is counted is what the plugin takes.
// It has one GPU, gfx90a, any kernel, and no variable. Queued work is complete at once, and nothing runs.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default"))) int
// Functions that only succeed, whatever they are given.
#define IDLE(name)                                                                                                     \
  API name(void) { return 0; }

enum { kInvalidArgument = 0x1001, kInvalidSymbol = 0x1013, kCpu = 1, kGpu = 2 };
enum { kHostPool = 1, kDevicePool = 2, kGroupPool = 3 };

typedef struct {
  uint32_t type, features;
  void *packets;
  uint64_t doorbell;
  uint32_t size, reserved;
  uint64_t id;
  uint64_t written;
} Queue;

static int put_16(void *value, uint16_t number) { return memcpy(value, &number, sizeof number), 0; }
static int put_32(void *value, uint32_t number) { return memcpy(value, &number, sizeof number), 0; }
static int put_64(void *value, uint64_t number) { return memcpy(value, &number, sizeof number), 0; }
static int put_flag(void *value, bool flag) { return memcpy(value, &flag, sizeof flag), 0; }

// ---- The system and its agents

IDLE(hsa_init)
API hsa_status_string(int status, const char **text) {
  return (void)status, *text = "of the driver that does nothing", 0;
}
API hsa_system_get_info(int attribute, void *value) {
  switch (attribute) {
  case 0:
  case 1: return put_16(value, 1);         // version
  case 2: return put_64(value, 1);         // timestamp
  case 3: return put_64(value, 100000000); // ticks of it in a second
  case 0x202: return put_flag(value, false);
  default: return kInvalidArgument;
  }
}
API hsa_iterate_agents(int (*callback)(uint64_t, void *), void *data) {
  const int result = callback(kCpu, data);
  return result ? result : callback(kGpu, data);
}
API hsa_agent_get_info(uint64_t agent, int attribute, void *value) {
  switch (attribute) {
  case 17: return put_32(value, agent == kGpu); // device
  case 2: return put_32(value, agent == kGpu);  // feature
  case 6: return put_32(value, 64);             // lanes of a wave
  case 8: return put_32(value, 1024);           // threads of a team
  case 10: return put_32(value, UINT32_MAX);    // a launch's
  case 12: return put_32(value, 16);            // queues
  case 13: return put_32(value, 64);            // packets at least
  case 14: return put_32(value, 131072);        // and at most
  case 0xA002: return put_32(value, 104);       // compute units
  case 0xA00A: return put_32(value, 32);        // waves of one
  case 0xA009: return strcpy((char *)value, "idle"), 0;
  case 0xA011: return strcpy((char *)value, "GPU-XX"), 0;
  case 0xA003:
  case 0xA004:
  case 0xA006:
  case 0xA00F: return put_32(value, 0);
  default: return kInvalidArgument;
  }
}
API hsa_agent_iterate_isas(uint64_t agent, int (*callback)(uint64_t, void *), void *data) {
  return callback(agent, data);
}
API hsa_isa_get_info_alt(uint64_t isa, int attribute, void *value) {
  static const char name[] = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
  (void)isa;
  return attribute == 0 ? put_32(value, sizeof name) : (memcpy(value, name, sizeof name), 0);
}
IDLE(hsa_amd_register_system_event_handler)

// ---- Memory

API hsa_amd_agent_iterate_memory_pools(uint64_t agent, int (*callback)(uint64_t, void *), void *data) {
  if (agent == kCpu)
    return callback(kHostPool, data);
  const int result = callback(kDevicePool, data);
  return result ? result : callback(kGroupPool, data);
}
API hsa_amd_memory_pool_get_info(uint64_t pool, int attribute, void *value) {
  switch (attribute) {
  case 0: return put_32(value, pool == kGroupPool ? 3 : 0);    // segment
  case 1: return put_32(value, pool == kHostPool ? 1 | 2 : 4); // arguments and fine-grained, or coarse-grained
  case 2: return put_64(value, pool == kGroupPool ? 64 << 10 : (uint64_t)16 << 30);
  case 5: return put_flag(value, pool != kGroupPool);
  default: return kInvalidArgument;
  }
}
API hsa_amd_agent_memory_pool_get_info(uint64_t agent, uint64_t pool, int attribute, void *value) {
  return (void)agent, (void)pool, (void)attribute, put_32(value, 1);
}
API hsa_amd_memory_pool_allocate(uint64_t pool, size_t size, uint32_t flags, void **memory) {
  return (void)pool, (void)flags, *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096), 0;
}
API hsa_amd_memory_pool_free(void *memory) { return free(memory), 0; }
IDLE(hsa_amd_agents_allow_access)
API hsa_amd_memory_lock(void *host, size_t size, void *agents, int count, void **address) {
  return (void)size, (void)agents, (void)count, *address = host, 0;
}
IDLE(hsa_amd_memory_unlock)
API hsa_amd_pointer_info(const void *host, uint32_t *info) { return (void)host, info[1] = 0, 0; } // type: unknown
IDLE(hsa_amd_memory_async_copy)
IDLE(hsa_amd_memory_async_copy_on_engine)
IDLE(hsa_amd_memory_fill)

// ---- Queues and signals: all of their work is complete

API hsa_queue_create(uint64_t agent, uint32_t size, int type, void *callback, void *data, uint32_t private_size,
                     uint32_t group_size, Queue **queue) {
  (void)agent, (void)type, (void)callback, (void)data, (void)private_size, (void)group_size;
  *queue = calloc(1, sizeof **queue);
  (*queue)->packets = aligned_alloc(4096, (size_t)size * 64);
  (*queue)->size = size;
  return 0;
}
API hsa_queue_destroy(Queue *queue) { return free(queue->packets), free(queue), 0; }
__attribute__((visibility("default"))) uint64_t hsa_queue_load_read_index_scacquire(const Queue *queue) {
  return queue->written;
}
__attribute__((visibility("default"))) uint64_t hsa_queue_add_write_index_relaxed(Queue *queue, uint64_t count) {
  return (queue->written += count) - count;
}
API hsa_amd_signal_create(int64_t value, uint32_t count, const void *agents, uint64_t attributes, uint64_t *signal) {
  return (void)value, (void)count, (void)agents, (void)attributes, *signal = (uintptr_t)malloc(1), 0;
}
API hsa_signal_destroy(uint64_t signal) { return free((void *)signal), 0; }
__attribute__((visibility("default"))) int64_t hsa_signal_load_scacquire(uint64_t signal) { return (void)signal, 0; }
IDLE(hsa_signal_store_relaxed)
IDLE(hsa_signal_store_screlease)
__attribute__((visibility("default"))) int64_t hsa_signal_wait_scacquire(uint64_t signal) { return (void)signal, 0; }

// ---- Executables

API hsa_code_object_reader_create_from_memory(const void *bytes, size_t size, uint64_t *reader) {
  return (void)bytes, (void)size, *reader = 1, 0;
}
IDLE(hsa_code_object_reader_destroy)
API hsa_executable_create_alt(int profile, int rounding, const char *options, uint64_t *executable) {
  return (void)profile, (void)rounding, (void)options, *executable = 1, 0;
}
IDLE(hsa_executable_destroy)
IDLE(hsa_executable_load_agent_code_object)
IDLE(hsa_executable_freeze)
API hsa_executable_get_symbol_by_name(uint64_t executable, const char *name, const uint64_t *agent, uint64_t *symbol) {
  const size_t length = strlen(name);
  (void)executable, (void)agent;
  if (length < 3 || strcmp(name + length - 3, ".kd") != 0)
    return kInvalidSymbol;
  return *symbol = 1, 0;
}
API hsa_executable_symbol_get_info(uint64_t symbol, int attribute, void *value) {
  (void)symbol;
  switch (attribute) {
  case 0: return put_32(value, 1);  // a kernel
  case 22: return put_64(value, 1); // the name of a kernel in packets
  default: return put_32(value, 0); // sizes: what the metadata says
  }
}

// ---- Times

IDLE(hsa_amd_profiling_set_profiler_enabled)
IDLE(hsa_amd_profiling_async_copy_enable)
API hsa_amd_profiling_get_dispatch_time(uint64_t agent, uint64_t signal, uint64_t *times) {
  return (void)agent, (void)signal, times[0] = times[1] = 1, 0;
}
API hsa_amd_profiling_get_async_copy_time(uint64_t signal, uint64_t *times) {
  return (void)signal, times[0] = times[1] = 1, 0;
}
