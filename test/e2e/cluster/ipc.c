// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory between ranks by the drivers' handles, the way that a GPU-aware MPI goes on one node. One rank names
// the allocation that its pointer lies in, the other maps it and works on it. Memory that the plugin keeps stays
// registered.

// REQUIRES: (emulator-cuda || emulator-amdgpu) && (clang-19 || clang-23)
// RUN: %if openmpi %{ %clang %s %openmpi-flags -o %t -ldl %}
// RUN: %if openmpi %{ %run SIM_IPC=1 LIBOMPTARGET_DEFAULT_DEVICE=local-rank %mpirun-openmpi -np 2 %t | %check %}
// RUN: %if mpich %{ %clang %s %mpich-flags -o %t -ldl %}
// RUN: %if mpich %{ %run SIM_IPC=1 LIBOMPTARGET_DEFAULT_DEVICE=local-rank %mpirun-mpich -np 2 %t | %check %}
// CHECK: ok

#include "check.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

enum { kCount = 1000, kCudaHandle = 64, kHsaHandle = 32 };

/// The message on the wire: the allocation, and the place of the data in it.
struct Named {
  char handle[64];
  size_t size, offset;
};

static void *cuda, *hsa;
#define CALL(library, name, type) ((int(*) type)dlsym(library, #name))

// ---- NVIDIA's driver

struct CudaHandle {
  char bytes[kCudaHandle];
};

static void enter_context(int device) {
  void *context = NULL;
  CHECK_EQ(CALL(cuda, cuDevicePrimaryCtxRetain, (void **, int))(&context, device), 0);
  CHECK_EQ(CALL(cuda, cuCtxPushCurrent_v2, (void *))(context), 0);
}

static void leave_context(int device) {
  void *context = NULL;
  CHECK_EQ(CALL(cuda, cuCtxPopCurrent_v2, (void **))(&context), 0);
  CHECK_EQ(CALL(cuda, cuDevicePrimaryCtxRelease, (int))(device), 0);
}

static struct Named name_by_cuda(void *memory, int device) {
  struct Named named = {{0}, 0, 0};
  uintptr_t base = 0;
  enter_context(device);
  CHECK_EQ(
      CALL(cuda, cuMemGetAddressRange_v2, (uintptr_t *, size_t *, uintptr_t))(&base, &named.size, (uintptr_t)memory),
      0);
  CHECK_EQ(CALL(cuda, cuIpcGetMemHandle, (void *, uintptr_t))(named.handle, base), 0);
  leave_context(device);
  named.offset = (uintptr_t)memory - base;
  return named;
}

static char *open_by_cuda(const struct Named *named, int device) {
  struct CudaHandle handle;
  uintptr_t base = 0;
  memcpy(&handle, named->handle, sizeof handle);
  enter_context(device);
  CHECK_EQ(CALL(cuda, cuIpcOpenMemHandle_v2, (uintptr_t *, struct CudaHandle, unsigned))(&base, handle, 1), 0);
  leave_context(device);
  return (char *)base;
}

static void close_by_cuda(char *base, int device) {
  enter_context(device);
  CHECK_EQ(CALL(cuda, cuIpcCloseMemHandle, (uintptr_t))((uintptr_t)base), 0);
  leave_context(device);
}

// ---- AMD's runtime

struct PointerInfo {
  uint32_t size;
  int type;
  void *base, *host_base;
  size_t bytes;
  void *rest[8];
};

struct Agents {
  uint64_t handles[8];
  int count;
};

static int add_agent(uint64_t agent, void *data) {
  struct Agents *agents = data;
  int type = 0;
  CALL(hsa, hsa_agent_get_info, (uint64_t, int, void *))(agent, 17, &type); // HSA_AGENT_INFO_DEVICE
  if (type == 1) // HSA_DEVICE_TYPE_GPU
    agents->handles[agents->count++] = agent;
  return 0;
}

static struct Named name_by_hsa(void *memory) {
  struct Named named = {{0}, 0, 0};
  struct PointerInfo info = {sizeof info, 0, NULL, NULL, 0, {NULL}};
  CHECK_EQ(CALL(hsa, hsa_amd_pointer_info, (void *, void *, void *, void *, void *))(memory, &info, NULL, NULL, NULL),
           0);
  CHECK_EQ(info.type, 1); // HSA_EXT_POINTER_TYPE_HSA
  CHECK_EQ(CALL(hsa, hsa_amd_ipc_memory_create, (void *, size_t, void *))(info.base, info.bytes, named.handle), 0);
  named.size = info.bytes;
  named.offset = (size_t)((char *)memory - (char *)info.base);
  return named;
}

static char *open_by_hsa(const struct Named *named, int device) {
  struct Agents agents = {{0}, 0};
  void *base = NULL;
  CALL(hsa, hsa_iterate_agents, (int (*)(uint64_t, void *), void *))(add_agent, &agents);
  CHECK_EQ(CALL(hsa, hsa_amd_ipc_memory_attach, (const void *, size_t, uint32_t, const uint64_t *, void **))(
               named->handle, named->size, 1, &agents.handles[device], &base),
           0);
  return base;
}

// ---- Both

static struct Named name_memory(void *memory, int device) {
  return cuda ? name_by_cuda(memory, device) : name_by_hsa(memory);
}

/// The other rank gets the memory and adds 1 to each number.
static void lend(double *memory, int device) {
  struct Named named = name_memory(memory, device);
  MPI_Send(&named, sizeof named, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void borrow(int device) {
  struct Named named = {{0}, 0, 0};
  MPI_Recv(&named, sizeof named, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  char *base = cuda ? open_by_cuda(&named, device) : open_by_hsa(&named, device);
  CHECK(base);
  if (base) {
    double *memory = (double *)(base + named.offset);
#pragma omp target is_device_ptr(memory)
    {
      HERE();
      for (int i = 0; i < kCount; i++)
        memory[i] += 1;
    }
    if (cuda)
      close_by_cuda(base, device);
    else
      CHECK_EQ(CALL(hsa, hsa_amd_ipc_memory_detach, (void *))(base), 0);
  }
  MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static void lend_all(int device) {
  static double values[kCount];
  for (int i = 0; i < kCount; i++)
    values[i] = i;
#pragma omp target data map(tofrom : values) use_device_addr(values)
  lend(values, device);
  for (int i = 0; i < kCount; i++)
    CHECK_EQ(values[i], i + 1);

  double *memory = omp_target_alloc(sizeof values, device);
  CHECK_EQ(omp_target_memcpy(memory, values, sizeof values, 0, 0, device, omp_get_initial_device()), 0);
  lend(memory, device);
  CHECK_EQ(omp_target_memcpy(values, memory, sizeof values, 0, 0, omp_get_initial_device(), device), 0);
  for (int i = 0; i < kCount; i++)
    CHECK_EQ(values[i], i + 2);

  // Freed and asked for again: the same allocation of the driver's, whose name is still good.
  const struct Named first = name_memory(memory, device);
  omp_target_free(memory, device);
  memory = omp_target_alloc(sizeof values, device);
  const struct Named second = name_memory(memory, device);
  CHECK(memcmp(first.handle, second.handle, kHsaHandle) == 0);
  omp_target_free(memory, device);
}

int main(int count, char **arguments) {
  int provided, rank;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int device = omp_get_default_device();
  CHECK_EQ(device, rank);
#pragma omp target
  HERE();
  cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  hsa = cuda ? NULL : dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  CHECK(cuda || hsa);
  if (rank == 0) {
    lend_all(device);
  } else {
    borrow(device);
    borrow(device);
  }
  CHECK_EQ(host_regions, 0);
  int all_failed = 0;
  MPI_Reduce(&failed_checks, &all_failed, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && all_failed == 0)
    printf("ok\n");
  return failed_checks != 0;
}
