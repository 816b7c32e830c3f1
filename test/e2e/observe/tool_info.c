// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omptarget-info: what is in a module of every compiler, and where it would run.

// REQUIRES: runtime-omptarget
// The runtime is linked into programs by the library's compiler, and what it exports does not suffice to open plugins.
// UNSUPPORTED: tsan
// RUN: %clangxx -x c++ %s -o %t
// RUN: %strip -o %t.stripped %t
// RUN: %clangxx -x c++ %s -o %t.packed -Wl,-z,pack-relative-relocs
// RUN: readelf -S %t.packed | %FileCheck %s --check-prefix=PACKED
// RUN: %prefix/bin/omptarget-info %t.packed | %check
// RUN: %python %inputs/check_info_tool.py %prefix/bin/omptarget-info %t %t.damaged
// RUN: %prefix/bin/omptarget-info %t | %check
// RUN: %prefix/bin/omptarget-info %t.stripped | %check
// RUN: %prefix/bin/omptarget-info --json %t | %python -c "import json,sys; d=json.load(sys.stdin); p=d['modules'][0]['parts'][0]; assert p['images'][0]['runsHere'] and p['images'][0]['devices']==[0,1,2,3], p; assert any(e['kind']=='kernel' and e['readableName'].startswith('work(int*)') for e in p['entries']), p; assert [len(x['devices']) for x in d['plugins'] if x['name']=='%machine']==[4]"
// RUN: %prefix/bin/omptarget-info --json %t | %python -c "import json,re,sys; p=json.load(sys.stdin)['modules'][0]; i=p['parts'][0]['images'][0]; v=re.search('clang version ([0-9]+)', i['compilers'][0])[1]; assert re.fullmatch('clang %%s( or older)?' %% v, p['parts'][0]['generation']), p"
// RUN: %python -c "import re,sys; b=open(sys.argv[1],'rb').read(); open(sys.argv[2],'wb').write(re.sub(rb'Debian clang version [^\x00]*', lambda m: b'AMD clang version 17.0'.ljust(len(m[0])), b))" %t %t.vendor
// RUN: %prefix/bin/omptarget-info %t.vendor | %FileCheck %s --check-prefix=VENDOR
// RUN: %prefix/bin/omptarget-info | %FileCheck %s --check-prefix=MACHINE
// RUN: not %prefix/bin/omptarget-info %s 2>&1 | %FileCheck %s --check-prefix=BAD
// RUN: echo "int main(void) { return 0; }" > %t.none.c && %plainclang %t.none.c -o %t.none && %prefix/bin/omptarget-info %t.none | %FileCheck %s --check-prefix=NONE
// RUN: env LIBOMPTARGET_PLUGINS=none %prefix/bin/omptarget-info %t 2>&1 | %FileCheck %s --check-prefix=NOWHERE

// CHECK: compiler: {{.*}}clang version
// CHECK: offloads as clang {{.*}} does it
// CHECK: image 0: [[MACHINE]], ELF, {{[0-9]+}} bytes
// CHECK-NEXT: would run on devices 0, 1, 2, 3 of plugin [[MACHINE]]
// CHECK-DAG: global counter (4 bytes)
// CHECK-DAG: kernel work(int*), line [[# @LINE + 16]]
// VENDOR: compiler: AMD clang version 17.0 {{.*}}(AMD's clang: not tried with omptarget, see compatibility.md)
// VENDOR: offloads as clang {{.*}} does it
// PACKED: .relr.dyn
// MACHINE: plugin [[MACHINE]]: 4 device(s)
// MACHINE: device 0: [[MACHINE]]
// BAD: omptarget-info: {{.*}}: it is no ELF file
// NONE: does not offload
// NOWHERE: would not run here
// NOWHERE: libomptarget.rtl.none.so

#pragma omp declare target
int counter = 0;
#pragma omp end declare target

void work(int *x) {
#pragma omp target map(tofrom : x[0 : 1])
  x[0] += ++counter;
}

int main() {
  int x = 0;
  work(&x);
  return x != 1;
}
