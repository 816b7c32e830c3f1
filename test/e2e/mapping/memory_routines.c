// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device memory routines: copies of rectangles, fills, associated pointers, copies in tasks with dependences.

// RUN: %clang -fopenmp-version=51 %s %prefix/lib/libomptarget.so -o %t
// RUN: %run %t
// The routines of later versions are not in all headers and runtimes of LLVM.
// UNSUPPORTED: runtime-llvm
// These plugins pin no memory.
// XFAIL: plugins-of-llvm-14, plugins-of-llvm-15, plugins-of-llvm-16-legacy, plugins-of-first-abi

#include "check.h"

#include <string.h>

void *omp_target_memset(void *, int, size_t, int);
void *omp_target_memset_async(void *, int, size_t, int, int, omp_depend_t *);
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                                 const size_t *, const size_t *, int, int, int, omp_depend_t *);
int omp_target_is_accessible(const void *, size_t, int);
void *llvm_omp_target_lock_mem(void *, size_t, int);
void llvm_omp_target_unlock_mem(void *, int);
int omp_get_device_from_uid(const char *);
const char *omp_get_uid_from_device(int);

static int device, host;
#pragma omp declare target
int global[4];
#pragma omp end declare target

static void rectangles(void) {
  int from[4][5][6], to[3][4][7];
  for (int i = 0; i < 120; i++)
    from[i / 30][i / 6 % 5][i % 6] = i;
  memset(to, -1, sizeof to);
  int *there = omp_target_alloc(sizeof to, device);
  CHECK_EQ(omp_target_memcpy(there, to, sizeof to, 0, 0, device, host), 0);
  const size_t volume[3] = {2, 3, 4}, to_offsets[3] = {1, 1, 2}, from_offsets[3] = {2, 0, 1};
  const size_t to_dimensions[3] = {3, 4, 7}, from_dimensions[3] = {4, 5, 6};
  CHECK_EQ(omp_target_memcpy_rect(there, from, sizeof(int), 3, volume, to_offsets, from_offsets, to_dimensions,
                                  from_dimensions, device, host),
           0);
  CHECK_EQ(omp_target_memcpy(to, there, sizeof to, 0, 0, host, device), 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 7; k++)
        CHECK_EQ(to[i][j][k], i >= 1 && j >= 1 && k >= 2 && k < 6 ? from[i + 1][j - 1][k - 1] : -1);
  const size_t length[1] = {4}, none[1] = {0}, two[1] = {2}, all[1] = {100};
  int row[4] = {0};
  CHECK_EQ(omp_target_memcpy_rect(row, there, sizeof(int), 1, length, none, two, all, all, host, device), 0);
  CHECK_EQ(row[3], -1);
  CHECK_EQ(omp_target_memcpy_rect(NULL, NULL, 4, 1, length, none, none, all, all, host, device), 64);
  CHECK(omp_target_memcpy_rect(NULL, there, 4, 1, length, none, none, all, all, host, device) != 0);
  CHECK(omp_target_memcpy_rect(row, there, 0, 1, length, none, none, all, all, host, device) != 0);
  CHECK(omp_target_memcpy_rect(row, there, 4, 0, length, none, none, all, all, host, device) != 0);
  CHECK(omp_target_memcpy_rect(row, there, 4, 1, NULL, none, none, all, all, host, device) != 0);
  const size_t huge[2] = {2, (size_t)-1}, zeros[2] = {0, 0};
  CHECK(omp_target_memcpy_rect(row, there, 16, 2, huge, zeros, zeros, huge, huge, host, device) != 0);
  omp_target_free(there, device);
}

static void fills(void) {
  unsigned char bytes[100] = {0};
  unsigned char *there = omp_target_alloc(100, device);
  CHECK(omp_target_memset(there, 0x5a, 100, device) == there);
  CHECK(omp_target_memset(there + 10, 0x17, 80, device) == there + 10);
  CHECK_EQ(omp_target_memcpy(bytes, there, 100, 0, 0, host, device), 0);
  CHECK_EQ(bytes[9], 0x5a);
  CHECK_EQ(bytes[10], 0x17);
  CHECK_EQ(bytes[89], 0x17);
  CHECK_EQ(bytes[90], 0x5a);
  CHECK(omp_target_memset(bytes, 3, 50, host) == bytes);
  CHECK_EQ(bytes[49], 3);
  omp_target_free(there, device);
}

static void association(void) {
  int a[10] = {0}, other[10];
  int *there = omp_target_alloc(20 * sizeof(int), device);
  CHECK_EQ(omp_target_associate_ptr(a, there, sizeof a, 5 * sizeof(int), device), 0);
  CHECK_EQ(omp_target_associate_ptr(a, there, sizeof a, 5 * sizeof(int), device), 0); // the same again
  CHECK(omp_target_associate_ptr(a, there, sizeof a, 0, device) != 0);
  CHECK_EQ(omp_target_associate_ptr(a + 2, there, 3 * sizeof(int), 7 * sizeof(int), device), 0); // a part, where it is
  CHECK(omp_target_associate_ptr(a + 2, there, 3 * sizeof(int), 5 * sizeof(int), device) != 0);  // and elsewhere
  CHECK(omp_target_associate_ptr(a + 9, there, 2 * sizeof(int), 14 * sizeof(int), device) != 0); // more than a part
  CHECK(omp_target_associate_ptr(a + 1, there, sizeof a, 0, device) != 0);
  CHECK(omp_target_associate_ptr(NULL, there, 4, 0, device) != 0);
  CHECK(omp_target_associate_ptr(other, NULL, 4, 0, device) != 0);
  CHECK(omp_target_associate_ptr(other, there, 0, 0, device) != 0);
  CHECK(omp_get_mapped_ptr(a, device) == there + 5);
#pragma omp target map(tofrom : a)
  {
    HERE();
    a[3] = 42;
  }
  CHECK_EQ(a[3], 0); // never removed, so never copied back
#pragma omp target update from(a)
  CHECK_EQ(a[3], 42);
#pragma omp target exit data map(delete : a)
  CHECK(omp_target_is_present(a, device));
  CHECK_EQ(omp_target_disassociate_ptr(a, device), 0);
  CHECK(!omp_target_is_present(a, device));
  CHECK(omp_target_disassociate_ptr(a, device) != 0);
  CHECK(omp_target_disassociate_ptr(NULL, device) != 0);
  // A declared variable is present for ever, and was not associated.
  CHECK(omp_target_disassociate_ptr(global, device) != 0);
#pragma omp target
  global[1] = 7;
#pragma omp target update from(global)
  CHECK_EQ(global[1], 7);
  omp_target_free(there, device);
}

static void in_order_of_dependences(void) {
  int a[1000], back[1000];
  for (int i = 0; i < 1000; i++)
    a[i] = 0;
  int *there = omp_target_alloc(sizeof a, device);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_depend_t written, read;
#pragma omp depobj(written) depend(inout : a)
#pragma omp depobj(read) depend(inout : a)
#pragma omp task depend(inout : a)
    for (int i = 0; i < 1000; i++)
      a[i] = i;
    CHECK_EQ(omp_target_memcpy_async(there, a, sizeof a, 0, 0, device, host, 1, &written), 0);
#pragma omp task depend(inout : a)
    a[999] = -1;
    CHECK_EQ(omp_target_memcpy_async(back, there, sizeof a, 0, 0, host, device, 1, &read), 0);
#pragma omp taskwait
#pragma omp depobj(written) destroy
#pragma omp depobj(read) destroy
  }
  for (int i = 0; i < 1000; i++)
    CHECK_EQ(back[i], i);
  const size_t volume[1] = {10}, offset[1] = {5}, dimensions[1] = {1000};
  CHECK_EQ(omp_target_memcpy_rect_async(back, there, sizeof(int), 1, volume, offset, volume, dimensions, dimensions,
                                        host, device, 0, NULL),
           0);
#pragma omp taskwait
  CHECK(omp_target_memset_async(there, 0, sizeof a, device, 0, NULL) == there);
#pragma omp taskwait
  CHECK_EQ(back[5], 10);
  CHECK_EQ(back[14], 19);
  CHECK_EQ(omp_target_memcpy(back, there, sizeof back, 0, 0, host, device), 0);
  CHECK_EQ(back[999], 0);
  omp_target_free(there, device);
}

static void arguments(void) {
  int a[4] = {0};
  CHECK(omp_target_alloc(0, device) == NULL);
  CHECK_EQ(omp_target_memcpy(a, NULL, 0, 0, 0, host, host), 0);
  CHECK(omp_target_memcpy(a, NULL, 4, 0, 0, host, device) != 0);
  CHECK(omp_target_alloc((size_t)1 << 62, device) == NULL);
  CHECK(omp_get_mapped_ptr(a, device) == NULL);
  CHECK(omp_get_mapped_ptr(a, host) == a);
  CHECK(omp_target_is_accessible(a, 4, host));
  void *locked = llvm_omp_target_lock_mem(a, sizeof a, device);
  CHECK(locked != NULL);
  llvm_omp_target_unlock_mem(a, device);
  for (int i = 0; i < omp_get_num_devices(); i++) {
    CHECK(omp_get_uid_from_device(i) != NULL);
    CHECK_EQ(omp_get_device_from_uid(omp_get_uid_from_device(i)), i);
  }
  CHECK_EQ(omp_get_device_from_uid("no such device"), -2);
}

int main(void) {
  device = omp_get_default_device();
  host = omp_get_initial_device();
  rectangles();
  fills();
  association();
  in_order_of_dependences();
  arguments();
#pragma omp target
  HERE();
  return finish();
}
