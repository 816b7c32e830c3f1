// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which vtables clang 22 and later announce, which docs/use/indirect.md tells: those of objects and references that
// stand in map clauses, with their bases. Where none is announced, a GPU would read the host's vtable. One object by
// name anywhere in the module makes up for it.

// RUN: %indirect-clangxx -Wno-openmp-mapping -S -emit-llvm --offload-host-only %s -o %t.ll
// RUN: %check --check-prefix=ANNOUNCED --input-file=%t.ll
// RUN: %check --check-prefix=SILENT --allow-empty --input-file=%t.ll
// RUN: %indirect-clangxx -Wno-openmp-mapping %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, clang-22-or-later

#include "indirect_check.h"

#pragma omp declare target
struct Base {
  virtual int number() const { return 1; }
};
struct Named : Base {
  int number() const override { return 2; }
};
struct Referred : Base {
  int number() const override { return 3; }
};
struct Pointed : Base {
  int number() const override { return 4; }
};
struct Element : Base {
  int number() const override { return 5; }
};
struct Inner : Base {
  int number() const override { return 6; }
};
struct Holder {
  Inner inner;
};
struct Entered : Base {
  int number() const override { return 7; }
};
struct MadeUpFor : Base {
  int number() const override { return 8; }
};
#pragma omp end declare target

// ANNOUNCED-DAG: offloading.entry.{{.*}}_ZTV4Base
// ANNOUNCED-DAG: offloading.entry.{{.*}}_ZTV5Named
// ANNOUNCED-DAG: offloading.entry.{{.*}}_ZTV8Referred
// ANNOUNCED-DAG: offloading.entry.{{.*}}_ZTV9MadeUpFor
// SILENT-NOT: offloading.entry.{{.*}}_ZTV7Pointed
// SILENT-NOT: offloading.entry.{{.*}}_ZTV7Element
// SILENT-NOT: offloading.entry.{{.*}}_ZTV5Inner
// SILENT-NOT: offloading.entry.{{.*}}_ZTV7Entered

static int sum(Pointed *pointed, Element (&elements)[2], Holder &holder, Entered *entered, MadeUpFor *made_up_for) {
  int result = 0;
#pragma omp target map(to : pointed[0 : 1]) map(tofrom : result)
  result += sizeof(*pointed) != 0;
#pragma omp target map(to : elements) map(tofrom : result)
  result += sizeof(elements[0]) != 0;
#pragma omp target map(to : holder) map(tofrom : result)
  result += sizeof(holder) != 0;
#pragma omp target enter data map(to : entered[0 : 1])
#pragma omp target exit data map(delete : entered[0 : 1])
#pragma omp target map(to : made_up_for[0 : 1]) map(tofrom : result)
  result += sizeof(*made_up_for) != 0;
  return result;
}

int main() {
  Named named;
  Referred object, &referred = object;
  int result = 0;
#pragma omp target map(to : named, referred) map(tofrom : result)
  result = (sizeof(named) != 0) + (sizeof(referred) != 0);
  CHECK(result == 2);
  Pointed pointed;
  Element elements[2];
  Holder holder;
  Entered entered;
  MadeUpFor by_name, behind_a_pointer;
#pragma omp target map(to : by_name) map(tofrom : result)
  result = sizeof(by_name) != 0;
  CHECK(result == 1);
  CHECK(sum(&pointed, elements, holder, &entered, &behind_a_pointer) == 4);
  return finish();
}
