// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omptarget-info says what is wrong with an object file, a missing library and a missing installation.

// REQUIRES: runtime-omptarget
// UNSUPPORTED: sanitizer, emulated
// RUN: %clang -c %s -o %t.o
// RUN: not %prefix/bin/omptarget-info %t.o 2>&1 | %check --check-prefix=OBJECT
// OBJECT: it is an object file, whose tables the linker has yet to make; expected what is linked from it

// RUN: rm -rf %t.folder && mkdir -p %t.folder/bin
// RUN: %clang -DLIBRARY -shared -fPIC %s -o %t.folder/libabsent.so
// RUN: %clang %s -o %t -Wl,--no-as-needed -L%t.folder -labsent && rm %t.folder/libabsent.so
// RUN: %prefix/bin/omptarget-info %t | %check --check-prefix=ABSENT
// RUN: %prefix/bin/omptarget-info --json %t | %check --check-prefix=JSON
// ABSENT: it asks for libabsent.so
// ABSENT-NEXT: gets none: no folder that the loader looks in has it, and so the program does not start
// JSON: "missingLibraries": [
// JSON: "name": "libabsent.so"

// RUN: cp %prefix/bin/omptarget-info %t.folder/bin && not %t.folder/bin/omptarget-info > %t.none
// RUN: %check --check-prefix=NONE < %t.none
// NONE: {{no plugin was found in|not used: }}

// Links between installed pages lead to files that are installed.
// RUN: %python %inputs/check_page_links.py %prefix/share/doc/omptarget

#ifndef LIBRARY
int main(void) {
#pragma omp target
  {
  }
  return 0;
}
#endif
