// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of hand_made.c: the kernel hand_made(int *x, int y), which adds y to *x, in the form that a macro names.
// ENVIRONMENT=N gives it a kernel environment of N bytes.

#ifdef ENVIRONMENT
const char hand_made_kernel_environment[ENVIRONMENT] = {0};
#endif

#if defined(LEADING)
void hand_made(void *implicit, int *x, long y) {
  (void)implicit;
#elif defined(TRAILING)
void hand_made(int *x, long y, void *implicit) {
  if (implicit != (void *)~0ul)
    return;
#elif defined(CELLS)
void hand_made(void **cells) {
  int *x = *(int **)cells[0], y = *(int *)cells[1];
  if (*(void **)cells[2] != (void *)~0ul)
    return;
#else
void hand_made(int *x, long y) {
#endif
  *x += (int)y;
}
