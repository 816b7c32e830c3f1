/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images of the null device: texts that name variables and kernels. A real plugin would hand its driver an ELF file or
 * SPIR-V here.
 *
 *   omptarget null image
 *   variable <name> <value>      8 bytes
 *   function <name>              8 bytes that hold the address of a device function, which triples its argument
 *   kernel <name> <operation>    nothing, store, add, sum, exchange or call: see null_image.c
 *   end
 */
#ifndef NULL_IMAGE_H
#define NULL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omptarget/plugin.h>

typedef struct NullDevice NullDevice;

/* A name of an image and what belongs to it. The address of a kernel symbol is the handle of the kernel. */
typedef struct NullSymbol {
  struct NullSymbol *next;
  char *name;
  void (*operation)(NullDevice *, struct NullSymbol *, uint64_t *); /* null for variables */
  uint64_t *variable; /* its own; kernels have the one that the image names first */
} NullSymbol;

typedef struct NullImage {
  struct NullImage *next;
  __tgt_target_table table; /* its address is what the host library knows */
  NullSymbol *symbols;
  uint64_t *first_variable;
} NullImage;

/* Returns true if the bytes start like an image of this device. */
bool null_image_is_valid(const __tgt_device_image *image);

/* A loaded copy with variables of its own, or null with the reason in *error. */
NullImage *null_image_load(const __tgt_device_image *image, const char **error);
void null_image_free(NullImage *image);

/* The table of indirect functions of a device; used by kernels. */
uint64_t null_device_translate(NullDevice *device, uint64_t host_function);

#endif
