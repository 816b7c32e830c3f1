// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OMPT tool that prints every event of devices to stderr, one line each, and checks that begins and ends pair up and
// nest. Addresses are printed as null or set. TOOL_MODE: emi (default), plain, or trace (device traces beside EMI events).

#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ompt_get_callback_t get_callback;
static ompt_id_t last_id;
static int depth, problems;
static ompt_data_t *open_region;
static ompt_function_lookup_t lookup_on_device;

#define SAY(...) fprintf(stderr, "ompt: " __VA_ARGS__)
#define WANT(condition)                                                                                               \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      problems++;                                                                                                     \
      SAY("WRONG: %s\n", #condition);                                                                                 \
    }                                                                                                                 \
  } while (0)

static const char *set(const void *pointer) { return pointer ? "set" : "null"; }

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task_data,
                          ompt_data_t *target_task_data, ompt_data_t *target_data, const void *code) {
  WANT(target_data);
  WANT(code);
  if (endpoint == ompt_scope_begin) {
    WANT(target_data->value == 0);
    WANT(depth == 0);
    target_data->value = ++last_id;
    open_region = target_data;
    depth++;
  } else {
    WANT(open_region == target_data && target_data->value == last_id);
    depth--;
    open_region = NULL;
  }
  SAY("target kind=%d endpoint=%d device=%d task=%s region=%d\n", kind, endpoint, device, set(task_data),
      (int)target_data->value);
}

static void on_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data, ompt_data_t *target_data,
                           ompt_id_t *host_op_id, ompt_target_data_op_t type, void *source, int source_device,
                           void *destination, int destination_device, size_t bytes, const void *code) {
  static ompt_id_t next, open;
  WANT(host_op_id);
  WANT(code);
  WANT(target_data == open_region);
  if (endpoint == ompt_scope_begin)
    *host_op_id = open = 1000 + ++next;
  else
    WANT(*host_op_id == open);
  SAY("data_op type=%d endpoint=%d source=%s:%d destination=%s:%d bytes=%zu region=%d\n", type, endpoint, set(source),
      source_device, set(destination), destination_device, bytes, target_data ? (int)target_data->value : -1);
}

static void on_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data, ompt_id_t *host_op_id,
                          unsigned teams) {
  static ompt_id_t open;
  WANT(host_op_id);
  WANT(target_data && target_data == open_region);
  if (endpoint == ompt_scope_begin)
    *host_op_id = open = 5000 + last_id;
  else
    WANT(*host_op_id == open);
  SAY("submit endpoint=%d teams=%u region=%d\n", endpoint, teams, target_data ? (int)target_data->value : -1);
}

static void on_map_emi(ompt_data_t *target_data, unsigned count, void **host, void **device, size_t *bytes,
                       unsigned *flags, const void *code) {
  WANT(target_data == open_region);
  for (unsigned i = 0; i < count; i++) {
    WANT(host[i] && device[i]);
    SAY("map item=%u bytes=%zu flags=0x%x\n", i, bytes[i], flags[i]);
  }
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task_data,
                      ompt_id_t id, const void *code) {
  static ompt_id_t open;
  WANT(code);
  if (endpoint == ompt_scope_begin)
    open = id;
  else
    WANT(open == id);
  SAY("target kind=%d endpoint=%d device=%d task=%s\n", kind, endpoint, device, set(task_data));
}

static void on_data_op(ompt_id_t target_id, ompt_id_t op_id, ompt_target_data_op_t type, void *source,
                       int source_device, void *destination, int destination_device, size_t bytes, const void *code) {
  WANT(op_id != 0 && op_id != target_id);
  SAY("data_op type=%d source=%s:%d destination=%s:%d bytes=%zu\n", type, set(source), source_device, set(destination),
      destination_device, bytes);
}

static void on_submit(ompt_id_t target_id, ompt_id_t op_id, unsigned teams) { SAY("submit teams=%u\n", teams); }

static void on_load(int device, const char *file, int64_t offset, void *address, size_t bytes, void *host,
                    void *on_device, uint64_t module) {
  WANT(bytes > 0 && host);
  SAY("device_load device=%d module=%d\n", device, (int)module);
}

static void on_unload(int device, uint64_t module) { SAY("device_unload device=%d module=%d\n", device, (int)module); }

#define ON_DEVICE(name) ((ompt_##name##_t)lookup_on_device("ompt_" #name))

static void on_request(int device, ompt_buffer_t **buffer, size_t *bytes) {
  *bytes = 4 * sizeof(ompt_record_ompt_t); // small, so that several are needed
  *buffer = malloc(*bytes);
}

static void on_complete(int device, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t cursor, int is_owned) {
  WANT(bytes % sizeof(ompt_record_ompt_t) == 0);
  for (int more = bytes != 0; more; more = ON_DEVICE(advance_buffer_cursor)(NULL, buffer, bytes, cursor, &cursor)) {
    WANT(ON_DEVICE(get_record_type)(buffer, cursor) == ompt_record_ompt);
    const ompt_record_ompt_t *record = ON_DEVICE(get_record_ompt)(buffer, cursor);
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
      SAY("record kernel teams=%u region=%d op=%d\n", record->record.target_kernel.requested_num_teams,
          (int)record->target_id, (int)record->record.target_kernel.host_op_id);
      break;
    default:
      WANT(!"a known record");
    }
  }
  if (is_owned)
    free(buffer);
}

static void on_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
                          const char *documentation) {
  WANT(type && handle && lookup);
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
  WANT(depth == 0);
  SAY("device_finalize device=%d\n", device);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data) {
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  const char *mode = getenv("TOOL_MODE");
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

static void finalize(ompt_data_t *tool_data) { SAY("end, %d problems\n", problems); }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
