// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data constructs, in every form that compilers call.

#include "abi/boundary.h"
#include "device/libomp.h"
#include "omptarget/compiler.h"
#include "region/data_constructs.h"
#include "region/expansion.h"

using namespace omptarget;

namespace {

constexpr const char *kEnter = "target enter data";
constexpr const char *kExit = "target exit data";
constexpr const char *kUpdate = "target update";

MapList old_list(int32_t n, void **bases, void **begins, int64_t *sizes, int64_t *types) {
  return {n, bases, begins, sizes, types, nullptr, nullptr};
}

} // namespace

void __tgt_target_data_begin(OMPTARGET_OLD_PARAMETERS) {
  const Call call{kEnter, nullptr, device, __builtin_return_address(0)};
  finish(enter_data(call, old_list(n, bases, begins, sizes, types)), call);
}

void __tgt_target_data_end(OMPTARGET_OLD_PARAMETERS) {
  const Call call{kExit, nullptr, device, __builtin_return_address(0)};
  finish(exit_data(call, old_list(n, bases, begins, sizes, types)), call);
}

void __tgt_target_data_update(OMPTARGET_OLD_PARAMETERS) {
  const Call call{kUpdate, nullptr, device, __builtin_return_address(0)};
  finish(update_data(call, old_list(n, bases, begins, sizes, types)), call);
}

void __tgt_target_data_begin_nowait(OMPTARGET_OLD_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS) {
  const Call call{kEnter, nullptr, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(nullptr, ndeps, deps, nnoalias, noalias);
  finish(enter_data(call, old_list(n, bases, begins, sizes, types)), call);
}

void __tgt_target_data_end_nowait(OMPTARGET_OLD_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS) {
  const Call call{kExit, nullptr, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(nullptr, ndeps, deps, nnoalias, noalias);
  finish(exit_data(call, old_list(n, bases, begins, sizes, types)), call);
}

void __tgt_target_data_update_nowait(OMPTARGET_OLD_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS) {
  const Call call{kUpdate, nullptr, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(nullptr, ndeps, deps, nnoalias, noalias);
  finish(update_data(call, old_list(n, bases, begins, sizes, types)), call);
}

void __tgt_target_data_begin_mapper(OMPTARGET_DATA_PARAMETERS) {
  const Call call{kEnter, loc, device, __builtin_return_address(0)};
  finish(enter_data(call, {n, bases, begins, sizes, types, names, mappers}), call);
}

void __tgt_target_data_end_mapper(OMPTARGET_DATA_PARAMETERS) {
  const Call call{kExit, loc, device, __builtin_return_address(0)};
  finish(exit_data(call, {n, bases, begins, sizes, types, names, mappers}), call);
}

void __tgt_target_data_update_mapper(OMPTARGET_DATA_PARAMETERS) {
  const Call call{kUpdate, loc, device, __builtin_return_address(0)};
  finish(update_data(call, {n, bases, begins, sizes, types, names, mappers}), call);
}

// The call happens inside a target task whose dependences libomp has resolved already. clang 14 to 16 call these with
// nine arguments: the others are garbage and must not be read.

void __tgt_target_data_begin_nowait_mapper(OMPTARGET_DATA_PARAMETERS, int32_t, void *, int32_t, void *) {
  const Call call{kEnter, loc, device, __builtin_return_address(0), true};
  finish(enter_data(call, {n, bases, begins, sizes, types, names, mappers}), call);
}

void __tgt_target_data_end_nowait_mapper(OMPTARGET_DATA_PARAMETERS, int32_t, void *, int32_t, void *) {
  const Call call{kExit, loc, device, __builtin_return_address(0), true};
  finish(exit_data(call, {n, bases, begins, sizes, types, names, mappers}), call);
}

void __tgt_target_data_update_nowait_mapper(OMPTARGET_DATA_PARAMETERS, int32_t, void *, int32_t, void *) {
  const Call call{kUpdate, loc, device, __builtin_return_address(0), true};
  finish(update_data(call, {n, bases, begins, sizes, types, names, mappers}), call);
}

/// The components that a mapper function adds to. Only a call by hand has none.
static MapperComponents &components_of(void *handle, const char *function, const void *code) {
  if (!handle)
    finish(Status::error("a mapper's components are at a null pointer"), Call{function, nullptr, -1, code});
  return *static_cast<MapperComponents *>(handle);
}

int64_t __tgt_mapper_num_components(void *handle) {
  return components_of(handle, "__tgt_mapper_num_components", __builtin_return_address(0)).size();
}

void __tgt_push_mapper_component(void *handle, void *base, void *begin, int64_t size, int64_t type, void *name) {
  components_of(handle, "__tgt_push_mapper_component", __builtin_return_address(0))
      .push({host_ptr(base), host_ptr(begin), size, static_cast<uint64_t>(type), static_cast<const char *>(name), -1,
             -1});
}
