// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings that make no sense are pointed out, and the program goes on.

// REQUIRES: runtime-omptarget
// RUN: %clang %inputs/observed.c -o %t
// RUN: %run LIBOMPTARGET_INF=1 LIBOMPTARGET_INFO=lots LIBOMPTARGET_DEBUG=maping %t 2>&1 | %check
// RUN: %run OMPX_APU_MAP=1 OMP_FLAVOUR_DEV_1=2 OMPX_FORCE_SYNC_REGIONS=1 LIBOMPTARGET_KERNEL_TRACE=1 %t 2>&1 | %FileCheck %s --check-prefix=OTHERS
// RUN: env LIBOMPTARGET_PROFILE=%t.json LIBOMPTARGET_PROFILE_GRANULARITY=-1 %run %t 2>&1 | %FileCheck %s --check-prefix=GRANULARITY
// RUN: %python %inputs/long_settings.py %run %t 2>&1 | %FileCheck %s --check-prefix=LONG
// RUN: %run LIBOMPTARGET_DEBUG=device LIBOMPTARGET_DEBUG_FILE=%t.trace %t
// RUN: %FileCheck %s --check-prefix=TRACE < %t.trace
// RUN: %run %t 2>&1 | %FileCheck %s --check-prefix=NOTHING --allow-empty

// CHECK-DAG: omptarget warning: LIBOMPTARGET_DEBUG: no such topic: 'maping'
// CHECK-DAG: omptarget warning: LIBOMPTARGET_INF is no setting of this runtime and has no effect; did you mean LIBOMPTARGET_INFO?
// CHECK-DAG: omptarget warning: LIBOMPTARGET_INFO: 'lots' is no integer; the default '0' is used
// OTHERS-DAG: omptarget warning: OMPX_APU_MAP is no setting of this runtime and has no effect; did you mean OMPX_APU_MAPS?
// OTHERS-DAG: omptarget warning: OMP_FLAVOUR_DEV_1 is no setting of this runtime and has no effect
// OTHERS-DAG: omptarget warning: OMPX_FORCE_SYNC_REGIONS is a setting of AMD's runtime that this one does not have; it has no effect
// OTHERS-DAG: omptarget warning: LIBOMPTARGET_KERNEL_TRACE: it has an effect on AMD's GPUs only, and the program uses none; LIBOMPTARGET_INFO=16 prints a line for each kernel of any device
// GRANULARITY: omptarget warning: LIBOMPTARGET_PROFILE_GRANULARITY: -1 is not between 0 and {{[0-9]+}}; the default 0 is used
// LONG-NOT: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
// LONG-DAG: LIBOMPTARGET_INFO: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)' is no integer; the default '0' is used
// LONG-DAG: LIBOMPTARGET_DEBUG: no such topic: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)'
// LONG-DAG: LIBOMPTARGET_HOST_DEVICES: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)' is neither
// LONG-DAG: OMP_AVAILABLE_DEVICES: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA... (100000 characters)' is no list of devices
// TRACE: Libomptarget --> [{{.*}} ms] [thread {{[0-9]+}}] [device 0] [device] initialising device 0 of plugin [[MACHINE]]
// NOTHING-NOT: {{.}}
