// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for libomptarget.so: prints, through the structures of the public headers, what the program under test
// hands over. It offloads nothing, so regions run on the host.

#include <stdio.h>
#include <string.h>

#include "omptarget/types.h"

#define EXPORT __attribute__((visibility("default")))

static void print_old_entries(const __tgt_bin_desc *desc) {
  const char *end = (const char *)desc->HostEntriesEnd;
  for (const char *at = (const char *)desc->HostEntriesBegin; at < end; at += sizeof(__tgt_offload_entry)) {
    __tgt_offload_entry entry;
    memcpy(&entry, at, sizeof entry);
    printf("entry name=%s address=%d size=%zu flags=%d data=%d\n", entry.name, entry.addr != NULL, entry.size,
           entry.flags, entry.reserved);
  }
}

static void print_new_entries(const __tgt_bin_desc *desc) {
  const char *end = (const char *)desc->HostEntriesEnd;
  for (const char *at = (const char *)desc->HostEntriesBegin; at < end; at += sizeof(__tgt_offload_entry_v1)) {
    __tgt_offload_entry_v1 entry;
    memcpy(&entry, at, sizeof entry);
    printf("entry name=%s address=%d size=%zu flags=%u data=%d version=%u kind=%u\n", entry.symbol_name,
           entry.address != NULL, (size_t)entry.size, entry.flags, (int)entry.data, entry.version, entry.kind);
  }
}

EXPORT void __tgt_register_lib(__tgt_bin_desc *desc) {
  const size_t bytes = (size_t)((char *)desc->HostEntriesEnd - (char *)desc->HostEntriesBegin);
  uint64_t first_word;
  memcpy(&first_word, desc->HostEntriesBegin, sizeof first_word);
  const size_t record = first_word != 0 ? sizeof(__tgt_offload_entry) : sizeof(__tgt_offload_entry_v1);
  printf("descriptor images=%d record=%zu rest=%zu\n", desc->NumDeviceImages, record, bytes % record);
  for (int32_t i = 0; i < desc->NumDeviceImages; ++i) {
    const __tgt_device_image *image = &desc->DeviceImages[i];
    const unsigned char *start = image->ImageStart;
    printf("image magic=%02x%02x%02x%02x plausible=%d entries=%d\n", start[0], start[1], start[2], start[3],
           (char *)image->ImageEnd - (char *)image->ImageStart > 64,
           image->EntriesBegin == desc->HostEntriesBegin && image->EntriesEnd == desc->HostEntriesEnd);
  }
  if (first_word != 0)
    print_old_entries(desc);
  else
    print_new_entries(desc);
}

EXPORT void __tgt_unregister_lib(__tgt_bin_desc *desc) {
  printf("unregister images=%d\n", desc->NumDeviceImages);
  fflush(stdout);
}

EXPORT void __tgt_register_requires(int64_t flags) { printf("requires %d\n", (int)flags); }

static void print_arguments(uint32_t n, const int64_t *sizes, const int64_t *types) {
  for (uint32_t i = 0; i < n; ++i)
    printf("argument size=%lld type=0x%llx\n", (long long)sizes[i], (unsigned long long)types[i]);
}

static int print_launch(const ident_t *loc, int64_t device, int teams, int threads, const void *host_ptr) {
  printf("launch device=%d teams=%d threads=%d id=%d location=%s\n", (int)device, teams, threads, host_ptr != NULL,
         loc->psource);
  return -1; // not offloaded
}

EXPORT int __tgt_target_kernel(ident_t *loc, int64_t device, int32_t teams, int32_t threads, void *host_ptr,
                               __tgt_kernel_args *args) {
  print_launch(loc, device, teams, threads, host_ptr);
  printf("kernel version=%u arguments=%u tripcount=%llu names=%d mappers=%d\n", args->Version, args->NumArgs,
         (unsigned long long)args->Tripcount, args->ArgNames != NULL, args->ArgMappers != NULL);
  if (args->Version >= 2)
    printf("kernel flags=%llu teams=%d,%u,%u threads=%u,%u,%u shared=%u\n", (unsigned long long)args->Flags,
           (int)args->NumTeams[0], args->NumTeams[1], args->NumTeams[2], args->ThreadLimit[0], args->ThreadLimit[1],
           args->ThreadLimit[2], args->DynCGroupMem);
  print_arguments(args->NumArgs, args->ArgSizes, args->ArgTypes);
  return -1;
}

EXPORT int __tgt_target_teams_mapper(ident_t *loc, int64_t device, void *host_ptr, int32_t n, void **bases,
                                     void **begins, int64_t *sizes, int64_t *types, void **names, void **mappers,
                                     int32_t teams, int32_t threads) {
  (void)bases, (void)begins, (void)names, (void)mappers;
  print_launch(loc, device, teams, threads, host_ptr);
  print_arguments((uint32_t)n, sizes, types);
  return -1;
}

EXPORT void __kmpc_push_target_tripcount_mapper(ident_t *loc, int64_t device, uint64_t trips) {
  (void)loc;
  printf("tripcount device=%d %llu\n", (int)device, (unsigned long long)trips);
}
