// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the OpenMP tools interface that concerns devices (OpenMP 5.1, chapter 4), declared here because
// installations of compilers do not always bring omp-tools.h. A test compares the two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omptarget::ompt {

union Data {
  uint64_t value;
  void *ptr;
};
using Id = uint64_t;
using DeviceTime = uint64_t;
using Cursor = uint64_t;
using AnyFunction = void (*)();
using Lookup = AnyFunction (*)(const char *name);

struct StartToolResult {
  int (*initialize)(Lookup lookup, int initial_device, Data *tool_data);
  void (*finalize)(Data *tool_data);
  Data tool_data;
};

enum Callback : int {
  kTarget = 8,
  kTargetDataOp = 9,
  kTargetSubmit = 10,
  kDeviceInitialize = 12,
  kDeviceFinalize = 13,
  kDeviceLoad = 14,
  kDeviceUnload = 15,
  kTargetMap = 22,
  kTargetEmi = 33,
  kTargetDataOpEmi = 34,
  kTargetSubmitEmi = 35,
  kTargetMapEmi = 36,
};

enum DataOperation : int {
  kDataAlloc = 1,
  kDataToDevice = 2,
  kDataFromDevice = 3,
  kDataDelete = 4,
  kDataAssociate = 5,
  kDataDisassociate = 6,
};
/// From the number of a kind of construct to that of its form with nowait.
inline constexpr int kNowaitDistance = 8;
enum SetResult : int { kSetError = 0, kSetNever = 1, kSetImpossible = 2, kSetAlways = 5 };
enum RecordType : int { kRecordOmpt = 1, kRecordNative = 2, kRecordInvalid = 3 };
enum MapFlag : unsigned {
  kMapTo = 1,
  kMapFrom = 2,
  kMapAlloc = 4,
  kMapRelease = 8,
  kMapDelete = 16,
  kMapImplicit = 32
};

// Callbacks. Enumerations are passed as int.
using TargetEmi = void (*)(int kind, int endpoint, int device, Data *task_data, Data *target_task_data,
                           Data *target_data, const void *code);
using Target = void (*)(int kind, int endpoint, int device, Data *task_data, Id target_id, const void *code);
using TargetDataOpEmi = void (*)(int endpoint, Data *target_task_data, Data *target_data, Id *host_op_id, int type,
                                 void *source, int source_device, void *destination, int destination_device,
                                 size_t bytes, const void *code);
using TargetDataOp = void (*)(Id target_id, Id host_op_id, int type, void *source, int source_device, void *destination,
                              int destination_device, size_t bytes, const void *code);
using TargetSubmitEmi = void (*)(int endpoint, Data *target_data, Id *host_op_id, unsigned requested_teams);
using TargetSubmit = void (*)(Id target_id, Id host_op_id, unsigned requested_teams);
using TargetMapEmi = void (*)(Data *target_data, unsigned count, void **host, void **device, size_t *bytes,
                              unsigned *flags, const void *code);
using TargetMap = void (*)(Id target_id, unsigned count, void **host, void **device, size_t *bytes, unsigned *flags,
                           const void *code);
using DeviceInitialize = void (*)(int device, const char *type, void *handle, Lookup lookup, const char *documentation);
using DeviceFinalize = void (*)(int device);
using DeviceLoad = void (*)(int device, const char *file, int64_t offset, void *address_in_file, size_t bytes,
                            void *host, void *on_device, uint64_t module);
using DeviceUnload = void (*)(int device, uint64_t module);
using BufferRequest = void (*)(int device, void **buffer, size_t *bytes);
using BufferComplete = void (*)(int device, void *buffer, size_t bytes, Cursor begin, int is_owned);

// Records of device traces.
struct RecordTarget {
  int kind;
  int endpoint;
  int device;
  Id task_id;
  Id target_id;
  const void *code;
};
struct RecordDataOp {
  Id host_op_id;
  int type;
  void *source;
  int source_device;
  void *destination;
  int destination_device;
  size_t bytes;
  DeviceTime end_time;
  const void *code;
};
struct RecordKernel {
  Id host_op_id;
  unsigned requested_teams;
  unsigned granted_teams;
  DeviceTime end_time;
};
struct Record {
  int type;
  DeviceTime time;
  Id thread_id;
  Id target_id;
  union {
    RecordTarget target;
    RecordDataOp data_op;
    RecordKernel kernel;
  } record;
};

} // namespace omptarget::ompt
