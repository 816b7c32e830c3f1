/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "null_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kMagic[] = "omptarget null image\n";

/* The operations of kernels. Arguments are 8-byte values, as compilers pass them. */
static void op_nothing(NullDevice *device, NullSymbol *kernel, uint64_t *arguments) {}
static void op_store(NullDevice *device, NullSymbol *kernel, uint64_t *arguments) {
  *(uint64_t *)arguments[0] = arguments[1];
}
static void op_add(NullDevice *device, NullSymbol *kernel, uint64_t *arguments) {
  *(uint64_t *)arguments[0] += arguments[1];
}
static void op_sum(NullDevice *device, NullSymbol *kernel, uint64_t *arguments) {
  uint64_t sum = 0;
  for (uint64_t i = 1; i <= 20; ++i)
    sum += i * arguments[i];
  *(uint64_t *)arguments[0] = sum;
}
static void op_exchange(NullDevice *device, NullSymbol *kernel, uint64_t *arguments) {
  *(uint64_t *)arguments[0] = *kernel->variable;
  *kernel->variable = arguments[1];
}
static uint64_t triple(uint64_t value) { return 3 * value; }
static void op_call(NullDevice *device, NullSymbol *kernel, uint64_t *arguments) {
  const uint64_t function = null_device_translate(device, arguments[0]);
  uint64_t *target = (uint64_t *)arguments[1];
  *target = function ? ((uint64_t (*)(uint64_t))function)(*target) : 0;
}

static const struct {
  const char *name;
  void (*run)(NullDevice *, NullSymbol *, uint64_t *);
} kOperations[] = {{"nothing", op_nothing}, {"store", op_store},       {"add", op_add},
                   {"sum", op_sum},         {"exchange", op_exchange}, {"call", op_call}};

bool null_image_is_valid(const __tgt_device_image *image) {
  const size_t size = (size_t)((const char *)image->ImageEnd - (const char *)image->ImageStart);
  return size >= sizeof kMagic - 1 && memcmp(image->ImageStart, kMagic, sizeof kMagic - 1) == 0;
}

static NullSymbol *add_symbol(NullImage *image, const char *name) {
  NullSymbol *symbol = calloc(1, sizeof *symbol);
  symbol->name = strdup(name);
  symbol->next = image->symbols;
  return image->symbols = symbol;
}

static bool add_variable(NullImage *image, const char *name, uint64_t value) {
  NullSymbol *symbol = add_symbol(image, name);
  symbol->variable = malloc(sizeof value);
  *symbol->variable = value;
  if (!image->first_variable)
    image->first_variable = symbol->variable;
  return true;
}

static bool add_kernel(NullImage *image, const char *name, const char *operation) {
  for (size_t i = 0; i < sizeof kOperations / sizeof *kOperations; ++i)
    if (strcmp(kOperations[i].name, operation) == 0 && (kOperations[i].run != op_exchange || image->first_variable)) {
      NullSymbol *symbol = add_symbol(image, name);
      symbol->operation = kOperations[i].run;
      symbol->variable = image->first_variable;
      return true;
    }
  return false;
}

static bool add_line(NullImage *image, const char *line) {
  char kind[16], name[128], detail[32] = "";
  if (sscanf(line, "%15s %127s %31s", kind, name, detail) < 2)
    return false;
  if (strcmp(kind, "variable") == 0)
    return add_variable(image, name, strtoull(detail, NULL, 0));
  if (strcmp(kind, "function") == 0)
    return add_variable(image, name, (uint64_t)triple);
  return strcmp(kind, "kernel") == 0 && add_kernel(image, name, detail);
}

/* Lines up to one that says "end", without which the image is cut short. */
static bool parse(NullImage *image, char *text) {
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    if (strcmp(line, "end") == 0)
      return true;
    if (!add_line(image, line))
      return false;
  }
  return false;
}

/* One entry for each entry of the image, in its order; null for what the image lacks. */
static void make_table(NullImage *loaded, const __tgt_device_image *image) {
  const size_t count = (size_t)(image->EntriesEnd - image->EntriesBegin);
  __tgt_offload_entry *entries = calloc(count + 1, sizeof *entries);
  for (size_t i = 0; i < count; ++i) {
    entries[i] = image->EntriesBegin[i];
    entries[i].addr = NULL;
    for (NullSymbol *symbol = loaded->symbols; symbol; symbol = symbol->next)
      if (strcmp(symbol->name, entries[i].name) == 0)
        entries[i].addr = symbol->operation ? (void *)symbol : (void *)symbol->variable;
  }
  loaded->table.EntriesBegin = entries;
  loaded->table.EntriesEnd = entries + count;
}

NullImage *null_image_load(const __tgt_device_image *image, const char **error) {
  if (!null_image_is_valid(image)) {
    *error = "the image is none of the null device";
    return NULL;
  }
  const size_t size = (size_t)((const char *)image->ImageEnd - (const char *)image->ImageStart);
  char *text = strndup(image->ImageStart, size);
  NullImage *loaded = calloc(1, sizeof *loaded);
  const bool is_sound = parse(loaded, text + sizeof kMagic - 1);
  free(text);
  if (!is_sound) {
    *error = "the image is cut short or has a line that makes no sense";
    null_image_free(loaded);
    return NULL;
  }
  make_table(loaded, image);
  return loaded;
}

void null_image_free(NullImage *image) {
  while (image->symbols) {
    NullSymbol *symbol = image->symbols;
    image->symbols = symbol->next;
    if (!symbol->operation)
      free(symbol->variable);
    free(symbol->name);
    free(symbol);
  }
  free(image->table.EntriesBegin);
  free(image);
}
