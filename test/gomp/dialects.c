// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists as GCC 13 and 14 pass them, where they differ from those of GCC 12.
// RUN: %gcc %s -o %t
// RUN: %run %t
#include "check.h"
#include <string.h>

void GOMP_target_ext(int device, void (*function)(void *), size_t count, void **addresses, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **arguments);
void GOMP_target_update_ext(int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds,
                                 unsigned flags, void **depend);

struct S {
  long head;
  int *p;
  int n;
};

static void add(void *vector) {
  HERE();
  struct S *const s = ((struct S **)vector)[0];
  s->p[1] += 10;
}

/// s.p[:4] in GCC 14: a struct with the pointer, which is allocated only, its pointee, and the attachment.
static void member_pointer(void) {
  int values[4] = {1, 2, 3, 4};
  struct S s = {7, values, 4};
  void *addresses[] = {&s, &s.p, values, &s.p};
  size_t sizes[] = {1, 8, 16, 0};
  unsigned short kinds[] = {0x031c, 0x0300, 0x0203, 0x0350};
  void *no_teams[] = {(void *)(((long)-2 << 16) | 1 << 8), (void *)(0L << 16 | 2 << 8), NULL};
  GOMP_target_ext(-1, add, 4, addresses, sizes, kinds, 0, NULL, no_teams);
  CHECK_EQ(values[1], 12);
  CHECK(s.p == values);
  CHECK(!omp_target_is_present(values, 0));
}

static void read_first(void *vector) {
  HERE();
  int *const *const described = ((int *const **)vector)[1];
  *((int **)vector)[4] = described[0][2];
}

/// A component of Fortran in GCC 14: a struct with the descriptor, its data, and the attachment of the pointer in it.
static void descriptor(void) {
  int data[4] = {5, 6, 7, 8}, result = 0;
  struct {
    int *base;
    long rest[7];
  } described = {data, {0}};
  void *addresses[] = {&described, &described, data, &described.base, &result};
  size_t sizes[] = {1, 64, 16, 0, 4};
  unsigned short kinds[] = {0x031c, 0x0305, 0x0263, 0x0350, 0x0202};
  GOMP_target_ext(-1, read_first, 5, addresses, sizes, kinds, 0, NULL, NULL);
  CHECK_EQ(result, 7);
  CHECK(described.base == data);
}

/// The modifier present of an update, in GCC 14.
static void present(void) {
  static int data[4] = {1, 2, 3, 4};
  void *address = data;
  size_t size = sizeof data;
  unsigned short to = 0x0201, update_to = 0x0295, update_from = 0x0296, delete = 0x0207;
  GOMP_target_enter_exit_data(-1, 1, &address, &size, &to, 0, NULL);
  data[0] = 10;
  GOMP_target_update_ext(-1, 1, &address, &size, &update_to, 0, NULL);
  data[0] = 0;
  GOMP_target_update_ext(-1, 1, &address, &size, &update_from, 0, NULL);
  CHECK_EQ(data[0], 10);
  GOMP_target_enter_exit_data(-1, 1, &address, &size, &delete, 2, NULL);
  CHECK(!omp_target_is_present(data, 0));
}

/// The initial device is -2 from GCC 13 on, and its routines take -1 for it.
static void initial_device(void) {
  int data[4] = {1, 2, 3, 4}, result = 0;
  void *addresses[] = {data, data, data, data, &result}, *base = data;
  addresses[1] = &base;
  size_t sizes[] = {16, 8, 16, 0, 4};
  unsigned short kinds[] = {0x0203, 0x0303, 0x0203, 0x0303, 0x0203};
  const int before = host_regions;
  GOMP_target_ext(-2, read_first, 5, addresses, sizes, kinds, 0, NULL, NULL);
  CHECK_EQ(result, 3);
  CHECK_EQ(host_regions, before + 1);
  host_regions = before;
  int *const memory = omp_target_alloc(16, -1);
  CHECK_EQ(omp_target_memcpy(memory, data, 16, 0, 0, -1, omp_get_initial_device()), 0);
  CHECK_EQ(memory[3], 4);
  omp_target_free(memory, -1);
}

int main(void) {
  member_pointer();
  descriptor();
  present();
  initial_device();
  return finish();
}
