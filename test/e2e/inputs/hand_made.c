// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hand_made VERSION [FLAGS]: registers the image IMAGE, made of hand_made_kernel.c, and launches its kernel with an
// argument block of that version, as a compiler would. No compiler here emits these blocks, and some contradict
// themselves.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "omptarget/compiler.h"

__asm__(".section .rodata\n"
        ".p2align 4\n"
        "image: .incbin \"" IMAGE "\"\n"
        "image_end: .byte 0\n"
        ".previous\n");
extern const char image[], image_end[];

static char region;
static __tgt_offload_entry_v1 entries[1] = {{0, 1, 1, 0, &region, "hand_made", 0, 0, 0}};
static __tgt_device_image record;
static __tgt_bin_desc descriptor;

int main(int argc, char **argv) {
  void *begin = entries, *end = entries + 1;
  record = (__tgt_device_image){(void *)image, (void *)image_end, begin, end};
  descriptor = (__tgt_bin_desc){1, &record, begin, end};
  __tgt_register_lib(&descriptor);
  const uint32_t version = (uint32_t)atoi(argv[1]);
  int x = 30;
  void *bases[] = {&x, (void *)12, NULL};
  void *begins[] = {&x, (void *)12, NULL};
  int64_t sizes[] = {sizeof x, sizeof(int), 0}, types[] = {0x23, 0x120, 0x120};
  __tgt_kernel_args args = {.Version = version,
                            .NumArgs = version >= 4 ? 3 : 2,
                            .ArgBasePtrs = bases,
                            .ArgPtrs = begins,
                            .ArgSizes = sizes,
                            .ArgTypes = types,
                            .Flags = argc > 2 ? strtoul(argv[2], 0, 0) : 0};
  args.NumTeams[0] = args.ThreadLimit[0] = 1;
  const int result = __tgt_target_kernel(0, -1, 1, 1, &region, &args);
  printf("result %d, x is %d\n", result, x);
  __tgt_unregister_lib(&descriptor);
  return result != 0 || x != 42;
}
