// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings that make no sense are pointed out, and the program goes on.

// REQUIRES: runtime-omptarget
// RUN: %clang %inputs/observed.c -o %t
// RUN: %run LIBOMPTARGET_INF=1 LIBOMPTARGET_INFO=lots LIBOMPTARGET_DEBUG=maping %t 2>&1 | %check
// RUN: env LIBOMPTARGET_PROFILE=%t.json LIBOMPTARGET_PROFILE_GRANULARITY=-1 %run %t 2>&1 | %FileCheck %s --check-prefix=GRANULARITY
// RUN: %python %inputs/long_settings.py %run %t 2>&1 | %FileCheck %s --check-prefix=LONG
// RUN: %run LIBOMPTARGET_DEBUG=device LIBOMPTARGET_DEBUG_FILE=%t.trace %t
// RUN: %FileCheck %s --check-prefix=TRACE < %t.trace
// RUN: %run %t 2>&1 | %FileCheck %s --check-prefix=NOTHING --allow-empty

// CHECK-DAG: omptarget warning: LIBOMPTARGET_DEBUG: no such topic: 'maping'
// CHECK-DAG: omptarget warning: LIBOMPTARGET_INF is no setting of this runtime and has no effect; did you mean LIBOMPTARGET_INFO?
// CHECK-DAG: omptarget warning: LIBOMPTARGET_INFO: 'lots' is no integer; the default '0' is used
// GRANULARITY: omptarget warning: LIBOMPTARGET_PROFILE_GRANULARITY: -1 is not between 0 and {{[0-9]+}}; the default 0 is used
// LONG-NOT: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
// LONG-DAG: LIBOMPTARGET_INFO: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)' is no integer; the default '0' is used
// LONG-DAG: LIBOMPTARGET_DEBUG: no such topic: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)'
// LONG-DAG: LIBOMPTARGET_HOST_DEVICES: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)' is neither
// LONG-DAG: OMP_AVAILABLE_DEVICES: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)' is no list of devices
// TRACE: Libomptarget --> [{{.*}} ms] [thread {{[0-9]+}}] [device 0] [device] initialising device 0 of plugin [[MACHINE]]
// NOTHING-NOT: {{.}}
