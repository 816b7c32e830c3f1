// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// probe cuda|amdgpu: the GPUs that the vendor's driver sees, a line for each. The last line is "pageable 1" if all of
// them reach any memory of the process. Or why it sees nothing, and ends with 1. Nothing of omptarget's is used.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *library;
#define FIND(result, name, ...) result (*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))dlsym(library, #name)

static int open_driver(const char *name) {
  library = dlopen(name, RTLD_NOW);
  if (!library)
    printf("no GPU: %s\n", dlerror());
  return library != NULL;
}

static int probe_cuda(void) {
  if (!open_driver("libcuda.so.1"))
    return 1;
  FIND(int, cuInit, unsigned);
  FIND(int, cuDeviceGetCount, int *);
  FIND(int, cuDriverGetVersion, int *);
  FIND(int, cuDeviceGetName, char *, int, int);
  FIND(int, cuDeviceGetAttribute, int *, int, int);
  int count = 0, version = 0, pageable = 1;
  if (!cuInit || !cuDeviceGetCount || !cuDriverGetVersion || !cuDeviceGetName || !cuDeviceGetAttribute) {
    printf("no GPU: libcuda.so.1 is no driver\n");
    return 1;
  }
  const int result = cuInit(0);
  if (result != 0 || cuDeviceGetCount(&count) != 0 || count == 0) {
    printf("no GPU: cuInit of libcuda.so.1 returns %d, %d devices\n", result, count);
    return 1;
  }
  cuDriverGetVersion(&version);
  for (int device = 0; device < count; ++device) {
    char name[256] = "";
    int major = 0, minor = 0, reaches = 0;
    cuDeviceGetName(name, sizeof name - 1, device);
    cuDeviceGetAttribute(&major, 75, device);
    cuDeviceGetAttribute(&minor, 76, device);
    cuDeviceGetAttribute(&reaches, 88, device);
    pageable = pageable && reaches;
    printf("%s, sm_%d%d, driver for CUDA %d.%d\n", name, major, minor, version / 1000, version % 1000 / 10);
  }
  printf("pageable %d\n", pageable);
  return 0;
}

typedef struct {
  uint64_t handle;
} Agent;
static int (*agent_info)(Agent, int, void *);
static int gpus;

static int show_agent(Agent agent, void *unused) {
  (void)unused;
  int kind = 0;
  char name[64] = "", product[64] = "";
  agent_info(agent, 17, &kind); // HSA_AGENT_INFO_DEVICE
  if (kind != 1)                // HSA_DEVICE_TYPE_GPU
    return 0;
  agent_info(agent, 0, name);         // HSA_AGENT_INFO_NAME
  agent_info(agent, 0xA009, product); // HSA_AMD_AGENT_INFO_PRODUCT_NAME
  printf("%.63s, %.63s\n", product, name);
  ++gpus;
  return 0;
}

static int probe_amdgpu(void) {
  if (!open_driver("libhsa-runtime64.so.1"))
    return 1;
  FIND(int, hsa_init, void);
  FIND(int, hsa_iterate_agents, int (*)(Agent, void *), void *);
  FIND(int, hsa_system_get_info, int, void *);
  FIND(int, hsa_agent_get_info, Agent, int, void *);
  if (!hsa_init || !hsa_iterate_agents || !hsa_system_get_info || !hsa_agent_get_info) {
    printf("no GPU: libhsa-runtime64.so.1 is no runtime of AMD's\n");
    return 1;
  }
  agent_info = hsa_agent_get_info;
  const int result = hsa_init();
  if (result == 0)
    hsa_iterate_agents(show_agent, NULL);
  if (gpus == 0) {
    printf("no GPU: hsa_init of libhsa-runtime64.so.1 returns %#x\n", (unsigned)result);
    return 1;
  }
  _Bool reaches = 0;
  hsa_system_get_info(0x202, &reaches); // HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT
  printf("pageable %d\n", reaches);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "cuda") == 0)
    return probe_cuda();
  if (argc == 2 && strcmp(argv[1], "amdgpu") == 0)
    return probe_amdgpu();
  printf("usage: probe cuda|amdgpu\n");
  return 2;
}
