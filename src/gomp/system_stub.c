// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for the system's libgomp while this library is linked: has what it calls by name.

void GOMP_task(void) {}
void GOMP_taskwait_depend(void) {}
