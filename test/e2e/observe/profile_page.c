// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_PROFILE=file.html: a page that shows what happened, opened in a browser.

// REQUIRES: runtime-omptarget, clang-15-or-later, chromium
// RUN: %clang -g -pthread %S/profile.c -o %t
// RUN: rm -f %t.html
// RUN: %run LIBOMPTARGET_PROFILE=%t.html %t
// RUN: %python %inputs/check_profile_page.py %t.html
