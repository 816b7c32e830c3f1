/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loaded before all others: counts the allocations that code of libomptarget.so, or of the library that FAIL_IN names,
 * asks for, and says their number when the process ends; with FAIL_ALLOCATION=N it refuses the N-th.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);

static char *begin, *end; /* the library's code, once it is there */
static long number;

/* Another thread may be in the middle of loading the library: only its code, which is mapped at once, shows that it is
 * there. */
static void find_library(void) {
  static __thread int is_looking;
  char line[512];
  if (is_looking || __atomic_load_n(&end, __ATOMIC_ACQUIRE))
    return;
  is_looking = 1;
  const char *const wanted = getenv("FAIL_IN");
  FILE *const maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    char *first, *last;
    if (strstr(line, " r-xp ") && strstr(line, wanted ? wanted : "/libomptarget.so") &&
        sscanf(line, "%p-%p", (void **)&first, (void **)&last) == 2) {
      begin = first;
      __atomic_store_n(&end, last, __ATOMIC_RELEASE);
      break;
    }
  }
  if (maps)
    fclose(maps);
  is_looking = 0;
}

void *malloc(size_t size) {
  const char *const caller = __builtin_return_address(0);
  find_library();
  if (__atomic_load_n(&end, __ATOMIC_ACQUIRE) && caller >= begin && caller < end) {
    const char *const wanted = getenv("FAIL_ALLOCATION");
    if (__atomic_add_fetch(&number, 1, __ATOMIC_SEQ_CST) == (wanted ? atol(wanted) : -1))
      return NULL;
  }
  return __libc_malloc(size);
}

__attribute__((destructor)) static void tell(void) { fprintf(stderr, "host allocations %ld\n", number); }
