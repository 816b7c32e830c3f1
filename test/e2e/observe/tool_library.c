// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omptarget-info tells which libomptarget a program gets: what the dynamic loader does is what the tool says.

// REQUIRES: runtime-omptarget, llvm-loads-here
// A sanitizer's runtime would have to be loaded as well.
// UNSUPPORTED: sanitizer
// DEFINE: %{get-ours} = %python %inputs/check_library_choice.py %prefix/bin/omptarget-info %prefix/lib
// DEFINE: %{get-llvms} = %python %inputs/check_library_choice.py %prefix/bin/omptarget-info %llvmfolder/lib
// DEFINE: %{rpath} = -Wl,-rpath,%llvmfolder/lib,-rpath,%ompfolder

// RUN: %clang %s -o %t.rpath %{rpath} -Wl,--disable-new-dtags
// RUN: %{get-llvms} %t.rpath | %FileCheck %s --check-prefix=RPATH
// RUN: %{get-llvms} %t.rpath LD_LIBRARY_PATH=%prefix/lib | %FileCheck %s --check-prefix=RPATH
// RPATH: asks for libomptarget.so
// RPATH-NEXT: gets {{.*}}/libomptarget.so{{.*}}, which is not omptarget
// RPATH-NEXT: why: DT_RPATH of {{.*}}.rpath names {{.*}}/lib; the loader looks there before LD_LIBRARY_PATH
// RPATH-NEXT: to get omptarget: LD_LIBRARY_PATH has no effect on DT_RPATH; link with -Wl,--enable-new-dtags
// RPATH-NEXT: or change it: patchelf --force-rpath --set-rpath '
// RPATH-NEXT: or, for one run: {{.*}} --inhibit-rpath '' --library-path '

// RUN: %clang %s -o %t.runpath %{rpath} -Wl,--enable-new-dtags
// RUN: %{get-llvms} %t.runpath | %FileCheck %s --check-prefix=RUNPATH
// RUN: %{get-ours} %t.runpath LD_LIBRARY_PATH=/nonexistent::%prefix/lib | %FileCheck %s --check-prefix=VARIABLE
// RUN: %{get-llvms} %t.runpath "LD_LIBRARY_PATH=%llvmfolder/lib;%prefix/lib" | %FileCheck %s --check-prefix=ORDER
// RUNPATH: gets {{.*}}, which is not omptarget
// RUNPATH-NEXT: why: DT_RUNPATH of {{.*}}.runpath names {{.*}}/lib; the loader looks there after LD_LIBRARY_PATH
// RUNPATH-NEXT: to get omptarget: set LD_LIBRARY_PATH={{.*}}/lib
// VARIABLE: gets {{.*}}, which is omptarget
// VARIABLE-NEXT: why: LD_LIBRARY_PATH names
// VARIABLE-NOT: to get omptarget
// ORDER: why: LD_LIBRARY_PATH names
// ORDER-NEXT: to get omptarget: put {{.*}} first in LD_LIBRARY_PATH

// A folder beside the program, in each way to write it.
// RUN: rm -rf %t.beside && mkdir -p %t.beside/bin %t.beside/folder
// RUN: ln -s %prefix/lib/libomptarget.so* %t.beside/folder/
// RUN: %clang %s -o %t.beside/bin/program '-Wl,-rpath,${ORIGIN}/no,-rpath,$ORIGIN/../folder,-rpath,%ompfolder'
// RUN: %{get-ours} %t.beside/bin/program | %FileCheck %s --check-prefix=BESIDE
// BESIDE: why: {{DT_RUNPATH|DT_RPATH}} of {{.*}}/bin/program names {{.*}}/bin/../folder;

// A library asks for it, and the program's DT_RPATH counts; its DT_RUNPATH would not. (Clang 14 to 16 name a folder in
// all that they link, which would take the place of both. Only they have the option against it.)
// RUN: %clang -fno-openmp-implicit-rpath -DLIBRARY -shared -fPIC %s -o %t.library.so || %clang -DLIBRARY -shared -fPIC %s -o %t.library.so
// RUN: %plainclang -DMAIN %s -o %t.passes-on %t.library.so %{rpath} -Wl,--disable-new-dtags
// RUN: %{get-llvms} %t.passes-on LD_LIBRARY_PATH=%prefix/lib | %FileCheck %s --check-prefix=LIBRARY
// LIBRARY: does not offload
// LIBRARY: {{.*}}.library.so asks for libomptarget.so
// LIBRARY: why: DT_RPATH of {{.*}}.passes-on names
// RUN: %plainclang -DMAIN %s -o %t.keeps %t.library.so %{rpath} -Wl,--enable-new-dtags
// RUN: %{get-ours} %t.keeps LD_LIBRARY_PATH=%prefix/lib:%ompfolder
// RUN: env -u LD_LIBRARY_PATH %prefix/bin/omptarget-info %t.keeps | %FileCheck %s --check-prefix=NONE
// NONE: gets none
// NONE-NEXT: why: no folder that the loader looks in has it
// NONE-NEXT: to get omptarget: set LD_LIBRARY_PATH=

// A file of that name that is no library: the loader stops there. One that it cannot use: it looks on.
// RUN: rm -rf %t.bad && mkdir -p %t.bad
// RUN: %python -c "import os, sys; [open(sys.argv[2] + '/' + name, 'w').write('none') for name in os.listdir(sys.argv[1]) if name.startswith('libomptarget.so')]" %prefix/lib %t.bad
// RUN: env LD_LIBRARY_PATH=%t.bad:%prefix/lib %prefix/bin/omptarget-info %t.runpath | %FileCheck %s --check-prefix=BAD
// RUN: not env LD_LIBRARY_PATH=%t.bad:%prefix/lib %t.runpath 2>&1 | %FileCheck %s --check-prefix=STOPS
// BAD: the loader stops at {{.*}}.bad/libomptarget.so{{.*}}: it is no ELF file
// STOPS: {{file too short|invalid ELF header}}

#include <stdio.h>
#include <string.h>

int offload(int x);

#ifndef MAIN
int offload(int x) {
#pragma omp target map(tofrom : x)
  x += 1;
  return x;
}
#endif

#ifndef LIBRARY
int main() {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  while (fgets(line, sizeof line, maps))
    if (strstr(line, " r-xp ") && strstr(line, "/libomptarget.so"))
      fputs(strchr(line, '/'), stdout);
  return offload(1) != 2;
}
#endif
