// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches a kernel of an image of one's own, as compiled code would. Neither needs an OpenMP compiler.

#include <omptarget/compiler.h>
#include <stdio.h>

extern char omptarget_kernel_scale; // by omptarget_embed_image; only its address matters

int main(void) {
  enum { kCount = 1000, kFactor = 3, kTo = 1, kFrom = 2 };
  double values[kCount];
  for (int i = 0; i < kCount; i++)
    values[i] = i;

  // The array is copied to the device and back; the two others are values.
  void *arguments[] = {values, (void *)kCount, (void *)kFactor};
  int64_t sizes[] = {sizeof values, 8, 8};
  int64_t kinds[] = {OMPTARGET_MAP_TARGET_PARAM | kTo | kFrom, OMPTARGET_MAP_TARGET_PARAM | OMPTARGET_MAP_LITERAL,
                     OMPTARGET_MAP_TARGET_PARAM | OMPTARGET_MAP_LITERAL};
  __tgt_kernel_args args = {.Version = 1, // the kernel has these three parameters and no other
                            .NumArgs = 3,
                            .ArgBasePtrs = arguments,
                            .ArgPtrs = arguments,
                            .ArgSizes = sizes,
                            .ArgTypes = kinds};
  const int64_t device = 0;
  const int result = __tgt_target_kernel(NULL, device, 1, 1, &omptarget_kernel_scale, &args);
  if (result != 0) {
    printf("the kernel did not run on a device\n");
    return 1;
  }
  int wrong = 0;
  for (int i = 0; i < kCount; i++)
    wrong += values[i] != i * (double)kFactor;
  printf("the kernel ran on device 0 of %d; %d of %d values are wrong\n", omp_get_num_devices(), wrong, kCount);
  return wrong != 0;
}
