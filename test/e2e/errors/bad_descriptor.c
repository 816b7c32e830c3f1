// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damaged descriptors: a message that names the module and the defect; the program's own regions go on working.

// RUN: %clang %s -o %t
// RUN: %run %t 2>&1 | %check
// REQUIRES: runtime-omptarget

#include "check.h"

#include <stdint.h>

struct Entry {
  void *address;
  char *name;
  size_t size;
  int32_t flags, reserved;
};
struct Image {
  void *start, *end;
  struct Entry *entries, *entries_end;
};
struct Descriptor {
  int32_t count;
  struct Image *images;
  struct Entry *entries, *entries_end;
};
void __tgt_register_lib(struct Descriptor *descriptor);
void __tgt_unregister_lib(struct Descriptor *descriptor);

static char bytes[64] = "no image", name[] = "name";
static struct Entry entries[3] = {{bytes, name, 0, 0, 0}, {bytes + 1, name, 0, 0, 0}, {bytes + 2, name, 0, 0, 0}};
static struct Image image = {bytes, bytes + sizeof bytes, entries, entries + 3};
static struct Descriptor descriptor = {1, &image, entries, entries + 3};
static int unmapped_page = 16; // an address that no module has

static void with(const char *what) {
  fprintf(stderr, "with %s:\n", what);
  __tgt_register_lib(&descriptor);
  int x = 1;
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  CHECK_EQ(x, 2);
  __tgt_unregister_lib(&descriptor);
  descriptor = (struct Descriptor){1, &image, entries, entries + 3};
  image = (struct Image){bytes, bytes + sizeof bytes, entries, entries + 3};
  entries[0] = (struct Entry){bytes, name, 0, 0, 0};
}

int main(void) {
  setvbuf(stdout, 0, _IONBF, 0);
  void *nowhere = (void *)(intptr_t)unmapped_page;
  // CHECK: with -1 images:
  // CHECK-NEXT: omptarget error: {{.*}}-1 device images
  // CHECK-NEXT: omptarget error: {{.*}}bad_descriptor.c.tmp{{.*}}
  descriptor.count = -1;
  with("-1 images");
  // CHECK-NEXT: with 2147483647 images:
  // CHECK-NEXT: omptarget error: {{.*}}2147483647 device images
  // CHECK-NEXT: omptarget error: {{.*}}bad_descriptor.c.tmp{{.*}}
  descriptor.count = INT32_MAX;
  with("2147483647 images");
  // CHECK-NEXT: with images nowhere:
  // CHECK-NEXT: omptarget error: the table of device images at 0x10 {{.*}} lies outside of the module
  // CHECK-NEXT: omptarget error: {{.*}}bad_descriptor.c.tmp{{.*}}
  descriptor.images = nowhere;
  with("images nowhere");
  // CHECK-NEXT: with entries that end before they begin:
  // CHECK-NEXT: omptarget error: the entry table ends {{.*}}
  // CHECK-NEXT: omptarget error: {{.*}}bad_descriptor.c.tmp{{.*}}
  descriptor.entries_end = entries - 1;
  with("entries that end before they begin");
  // CHECK-NEXT: with half an entry:
  // CHECK-NEXT: omptarget error: {{.*}}
  // CHECK-NEXT: omptarget error: {{.*}}bad_descriptor.c.tmp{{.*}}
  descriptor.entries_end = (struct Entry *)((char *)(entries + 1) + 16);
  with("half an entry");
  // CHECK-NEXT: with a name nowhere:
  // CHECK-NEXT: omptarget error: {{.*}}
  // CHECK-NEXT: omptarget error: {{.*}}bad_descriptor.c.tmp{{.*}}
  entries[0].name = nowhere;
  with("a name nowhere");
  // CHECK-NEXT: with an image that is none:
  with("an image that is none"); // nothing that a device here takes: no error
  // CHECK-NEXT: with an image nowhere:
  // CHECK-NEXT: {{.*}}bad_descriptor.c.tmp{{.*}}lies outside of the module
  image.start = nowhere;
  image.end = (char *)nowhere + 4096;
  with("an image nowhere");
  // CHECK-NEXT: with an image that ends before it begins:
  // CHECK-NEXT: {{.*}}bad_descriptor.c.tmp{{.*}}
  image.end = bytes;
  image.start = bytes + 10;
  with("an image that ends before it begins");
  // CHECK-NEXT: ok
  return finish();
}
