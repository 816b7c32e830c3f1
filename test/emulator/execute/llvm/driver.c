// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcuda.so as LLVM's CUDA plugins want it: what they look for and the stand-in for the driver does not have, in front
// of the stand-in. A plugin does not start unless it finds all of them; what programs do not need returns "not
// supported". Modules are PTX in an ELF file for CUDA, in place of what ptxas would have made of it, and are unwrapped
// here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef void *Handle;
typedef uint64_t Address;
enum { kSuccess = 0, kInvalidValue = 1, kNotSupported = 801, kMostDevices = 64, kMostKernels = 4096 };

static void *next(const char *name) {
  void *const found = dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "libcuda.so: the stand-in has no %s\n", name);
    abort();
  }
  return found;
}
#define NEXT(type, name) ((type)next(name))

// ---- Contexts
static Handle contexts[kMostDevices];
static int uses[kMostDevices];

Result cuDevicePrimaryCtxRetain(Handle *context, int device) {
  const Result result = NEXT(Result(*)(Handle *, int), "cuDevicePrimaryCtxRetain")(context, device);
  if (result == kSuccess && device >= 0 && device < kMostDevices) {
    contexts[device] = *context;
    uses[device]++;
  }
  return result;
}
Result cuDevicePrimaryCtxRelease_v2(int device) {
  if (device >= 0 && device < kMostDevices)
    uses[device]--;
  return NEXT(Result(*)(int), "cuDevicePrimaryCtxRelease")(device);
}
Result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
  *flags = 0;
  *active = device >= 0 && device < kMostDevices && uses[device] > 0;
  return kSuccess;
}
Result cuCtxGetDevice(int *device) {
  Handle current = NULL;
  const Result result = NEXT(Result(*)(Handle *), "cuCtxGetCurrent")(&current);
  for (int i = 0; i < kMostDevices; i++)
    if (current && contexts[i] == current) {
      *device = i;
      return result;
    }
  return kInvalidValue;
}
Result cuCtxSetCurrent(Handle context) {
  Handle current = NULL;
  NEXT(Result(*)(Handle *), "cuCtxGetCurrent")(&current);
  if (current)
    NEXT(Result(*)(Handle *), "cuCtxPopCurrent_v2")(&current);
  return context ? NEXT(Result(*)(Handle), "cuCtxPushCurrent_v2")(context) : kSuccess;
}

// Attributes that LLVM asks for besides those of the stand-in: as an A100 answers, or 0.
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const struct {
    int attribute, value;
  } kMore[] = {{1, 1024},  {2, 1024},     {3, 1024},  {4, 64},        {5, 0x7FFFFFFF}, {6, 65535},
               {7, 65535}, {8, 49152},    {9, 65536}, {10, 32},       {12, 65536},     {13, 1410000},
               {16, 4},    {36, 1215000}, {37, 5120}, {38, 41943040}, {39, 2048}};
  if (NEXT(Result(*)(int *, int, int), "cuDeviceGetAttribute")(value, attribute, device) == kSuccess)
    return kSuccess;
  *value = 0;
  for (size_t i = 0; i < sizeof(kMore) / sizeof(kMore[0]); i++)
    if (kMore[i].attribute == attribute)
      *value = kMore[i].value;
  return kSuccess;
}

// ---- Memory
// The stand-in minds streams that wait for the default stream, which nobody uses here.
typedef struct {
  Handle stream, context;
} Stream;
static Stream streams[4096];
static int stream_count;
Result cuStreamCreate(Handle *stream, unsigned flags) {
  const Result result = NEXT(Result(*)(Handle *, unsigned), "cuStreamCreate")(stream, 1);
  const int at = result == kSuccess ? __atomic_fetch_add(&stream_count, 1, __ATOMIC_RELAXED) : 4096;
  if (at < 4096) {
    streams[at].stream = *stream;
    NEXT(Result(*)(Handle *), "cuCtxGetCurrent")(&streams[at].context);
  }
  return result;
}
// LLVM calls from threads that have no context.
static void enter_context_of(Handle stream) {
  Handle current = NULL;
  NEXT(Result(*)(Handle *), "cuCtxGetCurrent")(&current);
  for (int i = 0; i < 4096 && !current && i < stream_count; i++)
    if (streams[i].stream == stream) {
      cuCtxSetCurrent(streams[i].context);
      return;
    }
}
Result cuStreamQuery(Handle stream) {
  enter_context_of(stream);
  return NEXT(Result(*)(Handle), "cuStreamQuery")(stream);
}
Result cuStreamWaitEvent(Handle stream, Handle event, unsigned flags) {
  enter_context_of(stream);
  return NEXT(Result(*)(Handle, Handle, unsigned), "cuStreamWaitEvent")(stream, event, flags);
}
static Result at_once(Result (*copy)(void *, const void *, size_t, Handle), void *to, const void *from, size_t size) {
  Handle stream = NULL;
  Result result = cuStreamCreate(&stream, 1);
  if (result != kSuccess)
    return result;
  result = copy(to, from, size, stream);
  const Result waited = NEXT(Result(*)(Handle), "cuStreamSynchronize")(stream);
  NEXT(Result(*)(Handle), "cuStreamDestroy_v2")(stream);
  return result == kSuccess ? waited : result;
}
Result cuMemcpyDtoH_v2(void *to, Address from, size_t size) {
  return at_once(NEXT(Result(*)(void *, const void *, size_t, Handle), "cuMemcpyDtoHAsync_v2"), to, (const void *)from,
                 size);
}
Result cuMemcpyHtoD_v2(Address to, const void *from, size_t size) {
  return at_once(NEXT(Result(*)(void *, const void *, size_t, Handle), "cuMemcpyHtoDAsync_v2"), (void *)to, from, size);
}
Result cuMemAllocHost_v2(void **memory, size_t size) {
  return NEXT(Result(*)(void **, size_t, unsigned), "cuMemHostAlloc")(memory, size, 0);
}
Result cuMemAllocHost(void **memory, size_t size) { return cuMemAllocHost_v2(memory, size); }
Result cuDeviceTotalMem(size_t *size, int device) {
  return NEXT(Result(*)(size_t *, int), "cuDeviceTotalMem_v2")(size, device);
}
Result cuMemAllocAsync(Address *memory, size_t size, Handle stream) {
  return NEXT(Result(*)(Address *, size_t), "cuMemAlloc_v2")(memory, size);
}
Result cuMemFreeAsync(Address memory, Handle stream) {
  NEXT(Result(*)(Handle), "cuStreamSynchronize")(stream);
  return NEXT(Result(*)(Address), "cuMemFree_v2")(memory);
}

// ---- Events and the like
Result cuEventDestroy(Handle event) { return NEXT(Result(*)(Handle), "cuEventDestroy_v2")(event); }
Result cuEventQuery(Handle event) { return NEXT(Result(*)(Handle), "cuEventSynchronize")(event); }
Result cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, Handle function, void *sizes, size_t shared,
                                        int most) {
  *blocks = 4;
  *threads = 128;
  return kSuccess;
}
#define NOT_SUPPORTED(name)                                                                                            \
  Result name(void) { return kNotSupported; }
NOT_SUPPORTED(cuLaunchHostFunc)
NOT_SUPPORTED(cuStreamAddCallback)
NOT_SUPPORTED(cuMemsetD16Async)
NOT_SUPPORTED(cuMemsetD32Async)
NOT_SUPPORTED(cuMemsetD2D8Async)
NOT_SUPPORTED(cuMemsetD2D16Async)
NOT_SUPPORTED(cuMemsetD2D32Async)

// ---- Modules
typedef struct {
  Handle function;
  int parameters;
} Kernel;
static Kernel kernels[kMostKernels];
static int kernel_count;
typedef struct {
  Handle module;
  const char *text;
} Module;
static Module modules[kMostKernels];
static int module_count;

static const char *find_ptx(const char *image) {
  const Elf64_Ehdr *const header = (const Elf64_Ehdr *)image;
  if (memcmp(image, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_CUDA)
    return image;
  const Elf64_Shdr *const sections = (const Elf64_Shdr *)(image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++)
    if (strcmp(image + sections[header->e_shstrndx].sh_offset + sections[i].sh_name, ".ptx") == 0)
      return image + sections[i].sh_offset;
  return image;
}
Result cuModuleLoadDataEx(Handle *module, const void *image, unsigned count, void *options, void **values) {
  const char *const text = find_ptx(image);
  const Result result = NEXT(Result(*)(Handle *, const void *, unsigned, void *, void **),
                             "cuModuleLoadDataEx")(module, text, count, options, values);
  if (result == kSuccess && module_count < kMostKernels)
    modules[module_count++] = (Module){*module, text};
  return result;
}
// Parameters of an entry, all of 8 bytes; -1 if they are not.
static int count_parameters(const char *text, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = text; (at = strstr(at, ".entry ")); at++) {
    if (strncmp(at + 7, name, length) != 0 || at[7 + length] != '(')
      continue;
    const char *const end = strchr(at, ')');
    int found = 0;
    for (const char *one = at; (one = strstr(one, ".param ")) && one < end; one++, found++)
      if (strncmp(one + 7, ".u64", 4) != 0 && strncmp(one + 7, ".b64", 4) != 0)
        return -1;
    return found;
  }
  return -1;
}
Result cuModuleGetFunction(Handle *function, Handle module, const char *name) {
  const Result result = NEXT(Result(*)(Handle *, Handle, const char *), "cuModuleGetFunction")(function, module, name);
  for (int i = 0; i < module_count && result == kSuccess && kernel_count < kMostKernels; i++)
    if (modules[i].module == module)
      kernels[kernel_count++] = (Kernel){*function, count_parameters(modules[i].text, name)};
  return result;
}
Result cuFuncGetParamInfo(Handle function, size_t index, size_t *offset, size_t *size) {
  for (int i = kernel_count; i-- > 0;)
    if (kernels[i].function == function && kernels[i].parameters >= 0) {
      if (index >= (size_t)kernels[i].parameters)
        return kInvalidValue;
      *offset = 8 * index;
      *size = 8;
      return kSuccess;
    }
  return kNotSupported;
}
// Parameters one by one become a buffer of them, which is what the stand-in takes.
Result cuLaunchKernel(Handle function, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz,
                      unsigned shared, Handle stream, void **parameters, void **extra) {
  typedef Result (*Launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                           void **, void **);
  uint64_t buffer[512];
  size_t size = 0;
  void *given[] = {(void *)1, buffer, (void *)2, &size, NULL}; // CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END
  for (int i = kernel_count; i-- > 0 && parameters && !extra;)
    if (kernels[i].function == function && kernels[i].parameters >= 0 && kernels[i].parameters <= 512) {
      for (; size < 8 * (size_t)kernels[i].parameters; size += 8)
        buffer[size / 8] = *(uint64_t *)parameters[size / 8];
      parameters = NULL;
      extra = given;
    }
  return NEXT(Launch, "cuLaunchKernel")(function, bx, by, bz, tx, ty, tz, shared, stream, parameters, extra);
}
