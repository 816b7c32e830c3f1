// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OMPT tool that prints every event of devices, one line each. It checks that begins and ends pair up, that ids
// match and that events nest. Any number of threads. Addresses are printed as null or set. TOOL_MODE: emi (default),
// plain, or trace (device traces beside EMI events). TOOL_MAPS=1: map events, too. TOOL_LOG=FILE appends the lines
// there instead of printing them to stderr, and a program of which something was wrong ends with status 97.

#include <fcntl.h>
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_REGIONS 200000
#define MAX_DEVICES 4096
#define MAX_DEPTH 16
#define NOWAIT 9 // kinds from here on are those of constructs with nowait

struct Region { // indexed by number, in the order of their begins
  atomic_int is_open;
  int kind, device;
  ompt_id_t id; // the plain form's
  ompt_data_t *data;
  atomic_int ops, submits, maps;
};
static struct Region regions[MAX_REGIONS];
static _Thread_local int stack[MAX_DEPTH], depth;
static _Thread_local ompt_id_t open_op;
static atomic_int last_region, last_op, problems, log_file = 2;
static atomic_int initialised[MAX_DEVICES], loaded[MAX_DEVICES];
static ompt_function_lookup_t lookup_on_device;

#define SAY(...) dprintf(log_file, "ompt: " __VA_ARGS__) // one write for each line
#define WANT(condition)                                                                                                \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      problems++;                                                                                                      \
      SAY("WRONG: %s: %s\n", __func__, #condition);                                                                    \
    }                                                                                                                  \
  } while (0)

static const char *set(const void *pointer) { return pointer ? "set" : "null"; }

// ---- Regions by number, whatever form of callback tells of them.

static void begin_region(int id, int kind, int device, ompt_data_t *data) {
  WANT(id > 0 && id < MAX_REGIONS && depth < MAX_DEPTH);
  struct Region *region = &regions[id];
  WANT(!region->is_open);
  region->kind = kind;
  region->device = device;
  region->data = data;
  region->is_open = 1;
  stack[depth++] = id;
}

// A region with nowait may end on another thread, between the events of others.
static void end_region(int id, int kind, int device, ompt_data_t *data) {
  WANT(id > 0 && id < MAX_REGIONS);
  struct Region *region = &regions[id];
  WANT(region->is_open && region->kind == kind && region->device == device && region->data == data);
  region->is_open = 0;
  if (kind < NOWAIT)
    WANT(depth > 0 && stack[depth - 1] == id);
  for (int i = depth; i-- > 0;)
    if (stack[i] == id) {
      memmove(stack + i, stack + i + 1, sizeof(int) * (depth - i - 1));
      depth--;
    }
}

static void in_region(int id) {
  WANT(id > 0 && id < MAX_REGIONS && regions[id].is_open);
  if (regions[id].kind < NOWAIT)
    WANT(depth > 0 && stack[depth - 1] == id);
}

static void begin_op(ompt_id_t *id) {
  WANT(open_op == 0);
  open_op = *id;
}
static void end_op(ompt_id_t *id) {
  WANT(open_op == *id && open_op != 0);
  open_op = 0;
}

// ---- EMI.

static int region_of(const ompt_data_t *data) { return data && data->value ? (int)data->value : -1; }

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task_data,
                          ompt_data_t *target_task_data, ompt_data_t *target_data, const void *code) {
  WANT(target_data && task_data && code);
  if (endpoint == ompt_scope_begin) {
    WANT(target_data->value == 0);
    target_data->value = (uint64_t)++last_region;
    begin_region((int)target_data->value, kind, device, target_data);
  } else {
    end_region((int)target_data->value, kind, device, target_data);
  }
  SAY("target kind=%d endpoint=%d device=%d task=%s region=%d\n", kind, endpoint, device, set(task_data),
      region_of(target_data));
}

static void on_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data, ompt_data_t *target_data,
                           ompt_id_t *host_op_id, ompt_target_data_op_t type, void *source, int source_device,
                           void *destination, int destination_device, size_t bytes, const void *code) {
  WANT(host_op_id && code && target_data);
  const int region = region_of(target_data);
  if (region != -1)
    in_region(region);
  else
    WANT(depth == 0); // a routine of the program's, outside of constructs
  if (endpoint == ompt_scope_begin) {
    *host_op_id = 1000 + (ompt_id_t)++last_op;
    begin_op(host_op_id);
  } else {
    end_op(host_op_id);
  }
  SAY("data_op type=%d endpoint=%d source=%s:%d destination=%s:%d bytes=%zu region=%d\n", type, endpoint, set(source),
      source_device, set(destination), destination_device, bytes, region);
}

static void on_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data, ompt_id_t *host_op_id,
                          unsigned teams) {
  WANT(host_op_id);
  const int region = region_of(target_data);
  in_region(region);
  if (endpoint == ompt_scope_begin) {
    WANT(regions[region].kind % 8 == ompt_target && regions[region].submits++ == 0);
    *host_op_id = 5000000 + (ompt_id_t)region;
    begin_op(host_op_id);
  } else {
    end_op(host_op_id);
  }
  SAY("submit endpoint=%d teams=%u region=%d\n", endpoint, teams, region);
}

static void on_map_emi(ompt_data_t *target_data, unsigned count, void **host, void **device, size_t *bytes,
                       unsigned *flags, const void *code) {
  const int region = region_of(target_data);
  in_region(region);
  WANT(code && count > 0 && regions[region].maps++ == 0);
  for (unsigned i = 0; i < count; i++) {
    WANT(host[i] && device[i]);
    SAY("map item=%u bytes=%zu flags=0x%x region=%d\n", i, bytes[i], flags[i], region);
  }
}

// ---- The plain forms, which know a region by its id. LLVM's runtime gives the id 0 to all regions that enter data.

static int region_with(ompt_id_t id) {
  for (int i = depth; i-- > 0;)
    if (regions[stack[i]].id == id)
      return stack[i];
  if (id != 0)
    for (int i = last_region; i > 0; i--)
      if (regions[i].is_open && regions[i].id == id)
        return i;
  return -1;
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task_data,
                      ompt_id_t id, const void *code) {
  WANT(code && task_data);
  int region;
  if (endpoint == ompt_scope_begin) {
    WANT(region_with(id) == -1);
    region = ++last_region;
    regions[region].id = id;
    begin_region(region, kind, device, NULL);
  } else {
    end_region(region = region_with(id), kind, device, NULL);
  }
  SAY("target kind=%d endpoint=%d device=%d task=%s region=%d\n", kind, endpoint, device, set(task_data), region);
}

static void on_data_op(ompt_id_t target_id, ompt_id_t op_id, ompt_target_data_op_t type, void *source,
                       int source_device, void *destination, int destination_device, size_t bytes, const void *code) {
  WANT(op_id != 0 && op_id != target_id && code);
  const int region = region_with(target_id);
  if (region != -1)
    in_region(region);
  SAY("data_op type=%d source=%s:%d destination=%s:%d bytes=%zu region=%d\n", type, set(source), source_device,
      set(destination), destination_device, bytes, region);
}

static void on_submit(ompt_id_t target_id, ompt_id_t op_id, unsigned teams) {
  WANT(op_id != 0 && op_id != target_id);
  const int region = region_with(target_id);
  in_region(region);
  SAY("submit teams=%u region=%d\n", teams, region);
}

// ---- Devices and their traces.

static void on_load(int device, const char *file, int64_t offset, void *address, size_t bytes, void *host,
                    void *on_device, uint64_t module) {
  WANT(bytes > 0 && host && device >= 0 && device < MAX_DEVICES && initialised[device] == 1);
  loaded[device]++;
  SAY("device_load device=%d module=%d\n", device, (int)module);
}

static void on_unload(int device, uint64_t module) {
  WANT(device >= 0 && device < MAX_DEVICES && loaded[device]-- > 0);
  SAY("device_unload device=%d module=%d\n", device, (int)module);
}

#define ON_DEVICE(name) ((ompt_##name##_t)lookup_on_device("ompt_" #name))

static void on_request(int device, ompt_buffer_t **buffer, size_t *bytes) {
  *bytes = 4 * sizeof(ompt_record_ompt_t); // small, so that several are needed
  *buffer = malloc(*bytes);
}

static void on_record(const ompt_record_ompt_t *record) {
  switch (record->type) {
  case ompt_callback_target:
    SAY("record target kind=%d endpoint=%d region=%d\n", record->record.target.kind, record->record.target.endpoint,
        (int)record->target_id);
    break;
  case ompt_callback_target_data_op:
    WANT(record->record.target_data_op.end_time >= record->time);
    SAY("record data_op type=%d bytes=%zu region=%d op=%d\n", record->record.target_data_op.optype,
        record->record.target_data_op.bytes, (int)record->target_id, (int)record->record.target_data_op.host_op_id);
    break;
  case ompt_callback_target_submit:
    WANT(record->record.target_kernel.end_time >= record->time);
    SAY("record kernel teams=%u region=%d op=%d us=%d from=%lld to=%lld\n",
        record->record.target_kernel.requested_num_teams, (int)record->target_id,
        (int)record->record.target_kernel.host_op_id,
        (int)((record->record.target_kernel.end_time - record->time) / 1000), (long long)record->time,
        (long long)record->record.target_kernel.end_time);
    break;
  default: WANT(!"a known record");
  }
}

static void on_complete(int device, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t cursor, int is_owned) {
  WANT(bytes % sizeof(ompt_record_ompt_t) == 0);
  for (int more = bytes != 0; more; more = ON_DEVICE(advance_buffer_cursor)(NULL, buffer, bytes, cursor, &cursor)) {
    WANT(ON_DEVICE(get_record_type)(buffer, cursor) == ompt_record_ompt);
    on_record(ON_DEVICE(get_record_ompt)(buffer, cursor));
  }
  if (is_owned)
    free(buffer);
}

static void on_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
                          const char *documentation) {
  WANT(type && handle && lookup);
  WANT(device >= 0 && device < MAX_DEVICES && initialised[device]++ == 0);
  SAY("device_initialize device=%d\n", device);
  lookup_on_device = lookup;
  const char *mode = getenv("TOOL_MODE");
  if (!mode || strcmp(mode, "trace") != 0)
    return;
  WANT(ON_DEVICE(set_trace_ompt)(handle, 1, 0) == ompt_set_always);
  WANT(ON_DEVICE(start_trace)(handle, on_request, on_complete) == 1);
  WANT(ON_DEVICE(get_device_time)(handle) != 0);
  WANT(!lookup("ompt_no_such_function"));
}

static void on_finalize(int device) {
  WANT(device >= 0 && device < MAX_DEVICES && initialised[device]-- == 1);
  SAY("device_finalize device=%d\n", device);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data) {
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  const char *mode = getenv("TOOL_MODE");
  if (getenv("TOOL_LOG"))
    log_file = open(getenv("TOOL_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0666);
#define ON(event, function) set_callback(ompt_callback_##event, (ompt_callback_t)function)
  ON(device_initialize, on_initialize);
  ON(device_finalize, on_finalize);
  ON(device_load, on_load);
  ON(device_unload, on_unload);
  if (mode && strcmp(mode, "plain") == 0) {
    ON(target, on_target);
    ON(target_data_op, on_data_op);
    ON(target_submit, on_submit);
  } else {
    ON(target_emi, on_target_emi);
    ON(target_data_op_emi, on_data_op_emi);
    ON(target_submit_emi, on_submit_emi);
    if (getenv("TOOL_MAPS"))
      ON(target_map_emi, on_map_emi);
  }
  return 1;
}

static void finalize(ompt_data_t *tool_data) {
  int open = 0;
  for (int i = 0; i < MAX_REGIONS; i++)
    open += regions[i].is_open;
  WANT(open == 0);
  SAY("end, %d problems\n", problems);
  if (getenv("TOOL_LOG") && problems)
    _exit(97);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
