// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The routines that read interoperability objects (OpenMP 6.0, chapter 26). Every property is read by every routine,
// also properties that do not exist, of no object, and of objects that were destroyed. Names, types and return codes
// have words. A preference list chooses among the runtimes that a device has. Objects with both types, which no clang
// tells from those for the target alone, have a queue.

// RUN: %clang -fopenmp-version=51 %s -o %t -ldl
// RUN: %run %t %plugin-name
// The runtimes of LLVM know fewer of the properties. Those of 14 and 15 take an object for no object, and those of 22
// and 23 crash when a property of omp_interop_none is read.
// UNSUPPORTED: runtime-llvm

#define _GNU_SOURCE // RTLD_DEFAULT
#include "check.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { kFirst = -9, kLast = -1, kOther = -6 };
enum Kind { kInteger, kText, kPointer };
static const struct Property {
  const char *name, *type;
  enum Kind kind;
} properties[] = {
    {"fr_id", "intptr_t", kInteger},        {"fr_name", "const char *", kText},     {"vendor", "intptr_t", kInteger},
    {"vendor_name", "const char *", kText}, {"device_num", "intptr_t", kInteger},   {"platform", "void *", kPointer},
    {"device", "void *", kPointer},         {"device_context", "void *", kPointer}, {"targetsync", "void *", kPointer}};
static const struct Runtime {
  const char *plugin, *name, *vendor;
  int id, vendor_id, has_context;
} runtimes[] = {{"cuda", "cuda_driver", "nvidia", 2, 11, 1},
                {"amdgpu", "hsa", "amd", 7, 1, 0},
                {"cuda", "cuda", "nvidia", 1, 11, 0}};
static const struct Runtime *runtime; // the plugin's, or null

static int type_code(enum Kind kind) {
  return kind == kInteger ? omp_irc_type_int : kind == kText ? omp_irc_type_str : omp_irc_type_ptr;
}

// The code of each routine for each property; a value is there if the code is 0.
static void read_all(omp_interop_t object, const struct Runtime *its) {
  for (int p = kFirst; p <= kLast; p++) {
    const struct Property *property = &properties[-p - 1];
    const omp_interop_property_t id = (omp_interop_property_t)p;
    int code = 99;
    const intptr_t number = omp_get_interop_int(object, id, &code);
    CHECK_EQ(code, property->kind == kInteger ? omp_irc_success : type_code(property->kind));
    CHECK(property->kind == kInteger || number == 0);
    CHECK_EQ(omp_get_interop_int(object, id, NULL), number);
    const char *text = omp_get_interop_str(object, id, &code);
    CHECK_EQ(code, property->kind == kText ? omp_irc_success : type_code(property->kind));
    CHECK_EQ(text != NULL, property->kind == kText);
    CHECK(omp_get_interop_str(object, id, NULL) == text);
    void *pointer = omp_get_interop_ptr(object, id, &code);
    if (property->kind != kPointer)
      CHECK(code == type_code(property->kind) && !pointer);
    else if (id == omp_ipr_platform || (id == omp_ipr_device_context && !its->has_context))
      CHECK(code == omp_irc_no_value && !pointer);
    else if (id != omp_ipr_device) // device 0 of CUDA is 0
      CHECK(code == omp_irc_success && pointer);
    CHECK(omp_get_interop_ptr(object, id, NULL) == pointer);
  }
}

static void values(omp_interop_t object, const struct Runtime *its, int device) {
  CHECK_EQ(omp_get_interop_int(object, omp_ipr_device_num, NULL), device);
  CHECK_EQ(omp_get_interop_int(object, omp_ipr_fr_id, NULL), its->id);
  CHECK_EQ(omp_get_interop_int(object, omp_ipr_vendor, NULL), its->vendor_id);
  const char *name = omp_get_interop_str(object, omp_ipr_fr_name, NULL);
  CHECK(name && strcmp(name, its->name) == 0);
  name = omp_get_interop_str(object, omp_ipr_vendor_name, NULL);
  CHECK(name && strcmp(name, its->vendor) == 0);
}

// None of the routines has a value for such an object, and the code says why.
static void reads_nothing(omp_interop_t object, int property, int wanted) {
  const omp_interop_property_t id = (omp_interop_property_t)property;
  int code = 99;
  CHECK_EQ(omp_get_interop_int(object, id, &code), 0);
  CHECK_EQ(code, wanted);
  code = 99;
  CHECK(omp_get_interop_ptr(object, id, &code) == NULL);
  CHECK_EQ(code, wanted);
  code = 99;
  CHECK(omp_get_interop_str(object, id, &code) == NULL);
  CHECK_EQ(code, wanted);
  CHECK_EQ(omp_get_interop_int(object, id, NULL), 0);
  CHECK(omp_get_interop_ptr(object, id, NULL) == NULL && omp_get_interop_str(object, id, NULL) == NULL);
}

static void words(omp_interop_t object) {
  for (int p = kFirst; p <= kLast; p++) {
    const struct Property *property = &properties[-p - 1];
    const char *name = omp_get_interop_name(object, (omp_interop_property_t)p);
    CHECK(name && strcmp(name, property->name) == 0);
    const char *type = omp_get_interop_type_desc(object, (omp_interop_property_t)p);
    CHECK(object ? type && strcmp(type, property->type) == 0 : !type);
  }
  static const int outside[] = {-10, 0, 1, INT32_MIN, INT32_MAX};
  for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++) {
    CHECK(omp_get_interop_name(object, (omp_interop_property_t)outside[i]) == NULL);
    CHECK(omp_get_interop_type_desc(object, (omp_interop_property_t)outside[i]) == NULL);
    reads_nothing(object, outside[i], omp_irc_out_of_range);
  }
  CHECK_EQ(omp_get_num_interop_properties(object), 0); // of the implementation's own
  const char *earlier = "";
  for (int code = kOther; code <= omp_irc_no_value; code++) {
    const char *text = omp_get_interop_rc_desc(object, (omp_interop_rc_t)code);
    CHECK(text && *text && strcmp(text, earlier) != 0);
    earlier = text ? text : "";
  }
  CHECK(omp_get_interop_rc_desc(object, (omp_interop_rc_t)(kOther - 1)) == NULL);
  CHECK(omp_get_interop_rc_desc(object, (omp_interop_rc_t)2) == NULL);
}

// The form of OpenMP 6.0, which has the preferences. No clang calls it yet.
struct Preference {
  int32_t id, attributes;
  int64_t own;
};
typedef omp_interop_t (*Get)(void *, int32_t, int64_t, int32_t, const struct Preference *, void *, void *);
typedef int (*Finish)(void *, omp_interop_t, void *, void *);

static void prefers(int device, const struct Preference *list, int count, const struct Runtime *wanted) {
  Get get;
  *(void **)&get = dlsym(RTLD_DEFAULT, "__tgt_interop_get");
  Finish use, release;
  *(void **)&use = dlsym(RTLD_DEFAULT, "__tgt_interop_use60");
  *(void **)&release = dlsym(RTLD_DEFAULT, "__tgt_interop_release");
  omp_interop_t object = get(NULL, 2, device, count, list, NULL, NULL);
  CHECK_EQ(object != omp_interop_none, wanted != NULL);
  if (object) {
    values(object, wanted, device);
    read_all(object, wanted);
    CHECK_EQ(use(NULL, object, NULL, NULL), 0);
    CHECK_EQ(release(NULL, object, NULL, NULL), 0);
    fflush(stdout);
  }
  CHECK(use(NULL, omp_interop_none, NULL, NULL) != 0 && release(NULL, omp_interop_none, NULL, NULL) != 0);
}

static void preferences(int device) {
  const struct Preference cuda = {1, 0, 0}, driver = {2, 1, 0}, hip = {5, 0, 0}, hsa = {7, 0, 0}, unknown = {99, 3, 7};
  const int is_cuda = runtime && runtime->id == 2;
  prefers(device, NULL, 0, runtime);
  prefers(device, NULL, 3, runtime);
  prefers(device, (struct Preference[]){unknown, hip}, 2, runtime);
  prefers(device, (struct Preference[]){hip, hsa, driver, cuda}, 4, runtime);
  prefers(device, (struct Preference[]){unknown, cuda, driver}, 3, is_cuda ? &runtimes[2] : runtime);
  prefers(device, (struct Preference[]){driver}, -1, runtime);
}

int main(int argc, char **argv) {
  for (int i = 0; i < 2; i++)
    if (argc > 1 && strcmp(argv[1], runtimes[i].plugin) == 0)
      runtime = &runtimes[i];
  for (int p = kFirst; p <= kLast; p++)
    reads_nothing(omp_interop_none, p, omp_irc_empty);
  words(omp_interop_none);
  for (int device = 0; device < omp_get_num_devices(); device++) {
    omp_interop_t plain = omp_interop_none, queue = omp_interop_none, both = omp_interop_none;
#pragma omp interop init(target : plain) device(device)
#pragma omp interop init(targetsync : queue) device(device)
#pragma omp interop init(target, targetsync : both) device(device)
    omp_interop_t objects[] = {plain, queue, both};
    for (int i = 0; i < 3; i++) {
      CHECK_EQ(objects[i] != omp_interop_none, runtime != NULL);
      if (!objects[i])
        continue;
      values(objects[i], runtime, device);
      read_all(objects[i], runtime);
      words(objects[i]);
    }
#pragma omp interop destroy(plain)
#pragma omp interop destroy(queue)
#pragma omp interop destroy(both)
    CHECK(!plain && !queue && !both);
    for (int i = 0; i < 3; i++)
      for (int p = kFirst; p <= kLast; p++)
        reads_nothing(objects[i], p, objects[i] ? kOther : omp_irc_empty);
    reads_nothing((omp_interop_t)(intptr_t)-8, omp_ipr_device_num, kOther);
    preferences(device);
  }
  return finish();
}
