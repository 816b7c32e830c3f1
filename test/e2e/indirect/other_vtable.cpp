// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual calls of objects whose class another image has: on a GPU as other_image.c says, for the vtable.

// RUN: %indirect-clangxx -Wno-openmp-mapping -DLIBRARY -shared -fPIC %s -o %t.lib.so
// RUN: %indirect-clangxx -Wno-openmp-mapping -rdynamic %s -o %t -ldl
// RUN: %if !executor %{ %run %t %t.lib.so merged library-class executable-class %}
// RUN: %if executor %{ %run %t %t.lib.so own 2>&1 | %check --check-prefix=OWN %}
// RUN: %if executor %{ %expect-abort %t %t.lib.so library-class 2>&1 | %check --check-prefix=LIBRARY %}
// RUN: %if executor %{ %expect-abort %t %t.lib.so executable-class 2>&1 | %check --check-prefix=EXECUTABLE %}
// RUN: %if executor && sim-amdgpu %{ %run LIBOMPTARGET_CALLS_ACROSS_IMAGES=true %t %t.lib.so merged library-class executable-class %}
// Where vtables are announced.
// REQUIRES: runtime-omptarget, clang-22-or-later

// OWN-NOT: omptarget
// OWN: ok
// LIBRARY: call{{.*}} failed on device 0: vtable for Theirs is in the image of other_vtable.cpp.tmp.lib.so, called from other_vtable.cpp.tmp:
// EXECUTABLE: library_call{{.*}} failed on device 0: vtable for Ours is in the image of other_vtable.cpp.tmp, called from other_vtable.cpp.tmp.lib.so:

#include "indirect_check.h"

#include <cstring>
#include <dlfcn.h>

#ifdef LIBRARY
enum { IMAGE = 20000 };
#else
enum { IMAGE = 10000 };
#endif

#pragma omp declare target
struct Base {
  int value = 1;
  virtual int first(int x) { return value + x + IMAGE + side(); }
  virtual int second(int x) { return value * x + IMAGE + side(); }
};
// One vtable on the host, as the executable's comes before the library's, and one in each image.
struct Shared : Base {
  int second(int x) override { return value + 2 * x + IMAGE + side(); }
};
#ifdef LIBRARY
struct Theirs : Base {
#else
struct Ours : Base {
#endif
  int second(int x) override { return value - x + IMAGE + side(); }
};
#pragma omp end declare target

// Clang 23 translates on its own, which changes nothing.
static inline int call_second(void *object) {
  using Virtual = int (*)(void *, int);
  Virtual *vtable = *static_cast<Virtual **>(object);
  return static_cast<Virtual *>(omptarget_translate_pointer(vtable))[1](object, 5);
}

// Compilers announce the vtables of what is mapped by name.
template <typename T> static int announce() {
  T object;
  int result = 0;
#pragma omp target map(to : object) map(from : result)
  result = object.value;
  return result;
}

#ifdef LIBRARY
// A region of its own: of one that two modules have, the kernel of the first is run.
extern "C" int library_call(Base *object) {
  int result = 0;
  char *bytes = reinterpret_cast<char *>(object);
#pragma omp target map(to : bytes[0 : sizeof(Base)]) map(from : result)
  result = call_second(bytes);
  return result;
}
extern "C" Base *library_object() {
  static Theirs object;
  CHECK_EQ(announce<Theirs>() + announce<Shared>(), 2);
  return failed_checks == 0 ? &object : nullptr;
}
#else
static int call(Base *object) {
  int result = 0;
  char *bytes = reinterpret_cast<char *>(object);
#pragma omp target map(to : bytes[0 : sizeof(Base)]) map(from : result)
  {
    HERE();
    result = call_second(bytes);
  }
  return result;
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  auto *library_call = reinterpret_cast<int (*)(Base *)>(dlsym(library, "library_call"));
  Base *theirs = reinterpret_cast<Base *(*)()>(dlsym(library, "library_object"))();
  CHECK_EQ(announce<Ours>() + announce<Shared>(), 2);
  Ours ours;
  Shared shared;
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "own") == 0) {
      CHECK_EQ(call(&ours), -4 + IMAGE + ON_DEVICE);
      CHECK_EQ(call(&shared), 11 + IMAGE + ON_DEVICE);
      CHECK_EQ(library_call(theirs), -4 + 20000 + ON_DEVICE);
      CHECK_EQ(library_call(&shared), 11 + 20000 + ON_DEVICE);
    } else if (strcmp(argv[i], "merged") == 0) {
      CHECK_EQ(call(&shared), library_call(&shared));
    } else if (strcmp(argv[i], "library-class") == 0) {
      CHECK_EQ(call(theirs), -4 + 20000 + ON_DEVICE);
    } else {
      CHECK_EQ(library_call(&ours), -4 + IMAGE + ON_DEVICE);
    }
  }
  return finish();
}
#endif
