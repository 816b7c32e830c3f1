// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of string.h, strings.h and ctype.h in regions return what the host's return, for random text and at
// boundaries. No check finds a fault. Text ends at the end of its block.
// REQUIRES: rtl-ours
// Code of clang 16 and 19 for AMD's GPUs is wrong at -O0, or cannot be linked.
// RUN: %if !(emulator-amdgpu && (clang-16 || clang-19)) %{ %clang -D_GNU_SOURCE -O0 %s -o %t.0 && %run %t.0 %}
// RUN: %clang -D_GNU_SOURCE -O2 %s -o %t.2 && %run %t.2
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_STRICT_BARRIERS=1 SIM_EXECUTOR_STRICT_LANES=1 %t.2 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -x c++ %s -o %t.cxx && %run %t.cxx

// CHECK-NOT: {{.}}
// CHECK: right
// CHECK-NOT: {{.}}

#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXTS 64
#define SIZE 24    // bytes of a text with its end
#define RESULTS 64 // of a pair of texts

static long sign(int value) { return (value > 0) - (value < 0); }
static long at(const void *found, const void *begin) { return found ? (const char *)found - (const char *)begin : -1; }
/// A number that depends on all bytes.
static long sum(const char *bytes, int count) {
  unsigned long result = 5381;
  for (int i = 0; i < count; i++)
    result = result * 33 + (unsigned char)bytes[i];
  return (long)result;
}

/// Calls each function with the two texts. Returns the number of results.
static int call_all(const char *a, const char *b, long *r) {
  char to[3 * SIZE];
  int n = 0, letter = b[0], most = (unsigned char)a[0] % SIZE;
  r[n++] = strlen(a);
  r[n++] = strnlen(a, most);
  r[n++] = sign(strcmp(a, b));
  r[n++] = sign(strncmp(a, b, most));
  r[n++] = sign(strcasecmp(a, b));
  r[n++] = sign(strncasecmp(a, b, most));
  r[n++] = sign(strcoll(a, b));
  r[n++] = sign(memcmp(a, b, 1));
  r[n++] = sign(bcmp(a, b, 1)) != 0;
  r[n++] = at(strchr(a, letter), a);
  r[n++] = at(strchr(a, 0), a);
  r[n++] = at(strrchr(a, letter), a);
  r[n++] = at(strchrnul(a, letter), a);
  r[n++] = at(index(a, letter), a);
  r[n++] = at(rindex(a, letter), a);
  r[n++] = at(memchr(a, letter, strlen(a)), a);
  r[n++] = at(memrchr(a, letter, strlen(a)), a);
  r[n++] = at(rawmemchr(a, 0), a);
  r[n++] = at(strstr(a, b), a);
  r[n++] = at(strcasestr(a, b), a);
  r[n++] = at(strstr(a, ""), a);
  r[n++] = at(memmem(a, strlen(a), b, strlen(b) < 2 ? strlen(b) : 2), a);
  r[n++] = strspn(a, b);
  r[n++] = strcspn(a, b);
  r[n++] = at(strpbrk(a, b), a);
#define COPIES(call)                                                                                                   \
  memset(to, '#', sizeof to);                                                                                          \
  to[0] = 'x';                                                                                                         \
  to[1] = 0;                                                                                                           \
  r[n] = at((call), to);                                                                                               \
  r[n++] ^= sum(to, sizeof to)
  COPIES(strcpy(to, a));
  COPIES(strncpy(to, a, most));
  COPIES(stpcpy(to, a));
  COPIES(stpncpy(to, a, most));
  COPIES(strcat(to, a));
  COPIES(strncat(to, a, most));
  COPIES(mempcpy(to, a, strlen(a) + 1));
  COPIES(memccpy(to, a, letter, strlen(a) + 1));
  COPIES((bcopy(a, to, strlen(a) + 1), to));
  COPIES((bzero(to, most), to));
  COPIES(memset(memcpy(to + 1, a, strlen(a)), letter, most / 2));
  COPIES(memmove(strcpy(to, a) + 1, to, strlen(a)));
  r[n++] = strxfrm(to, a, sizeof to);
  r[n++] = sum(to, SIZE);
  // Tokens: how many, and of what.
  char *state, *rest = to;
  long tokens = 0;
  strcpy(to, a);
  for (char *token = strtok_r(to, b, &state); token; token = strtok_r(NULL, b, &state))
    tokens = tokens * 31 + sum(token, strlen(token));
  r[n++] = tokens;
  strcpy(to, a);
  for (char *token = strtok(to, b); token; token = strtok(NULL, b))
    tokens = tokens * 31 + at(token, to);
  r[n++] = tokens;
  strcpy(to, a);
  for (char *token; (token = strsep(&rest, b));)
    tokens = tokens * 31 + at(token, to);
  r[n++] = tokens;
  r[n++] = ffs(letter) + 100 * ffsl((long)letter << 40) + 10000 * ffsll((long long)letter << 20);
  char *copy = strdup(a), *part = strndup(a, most);
  r[n++] = sum(copy, strlen(a) + 1) + sum(part, strlen(part) + 1);
  free(copy);
  free(part);
  return n;
}

/// All classes of a letter, by the functions or macros of the headers.
static int classes_of(int c) {
  return !!isalnum(c) | !!isalpha(c) << 1 | !!isblank(c) << 2 | !!iscntrl(c) << 3 | !!isdigit(c) << 4 |
         !!isgraph(c) << 5 | !!islower(c) << 6 | !!isprint(c) << 7 | !!ispunct(c) << 8 | !!isspace(c) << 9 |
         !!isupper(c) << 10 | !!isxdigit(c) << 11 | !!isascii(c) << 12 | toascii(c) << 13;
}
/// The same by functions, which headers cannot replace by macros.
static int classes_by_functions(int c) {
  return !!(isalnum)(c) | !!(isalpha)(c) << 1 | !!(isblank)(c) << 2 | !!(iscntrl)(c) << 3 | !!(isdigit)(c) << 4 |
         !!(isgraph)(c) << 5 | !!(islower)(c) << 6 | !!(isprint)(c) << 7 | !!(ispunct)(c) << 8 | !!(isspace)(c) << 9 |
         !!(isupper)(c) << 10 | !!(isxdigit)(c) << 11;
}

static unsigned next(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

int main(void) {
  static long expected[TEXTS][RESULTS], found[TEXTS][RESULTS];
  char *text = (char *)malloc(TEXTS * SIZE); // the last text ends where the block does
  unsigned state = 7;
  for (int i = 0; i < TEXTS; i++) {
    // Few letters, so that things are found; some bytes beyond 127; the last text is of full length.
    const int length = i == TEXTS - 1 ? SIZE - 1 : i < 2 ? i : (int)(next(&state) % SIZE);
    for (int j = 0; j < SIZE; j++)
      text[i * SIZE + j] = j < length ? "abABc, \xe4\xff."[next(&state) % (i % 2 ? 10 : 4)] : 0;
  }
  for (int i = 0; i < TEXTS; i++)
    call_all(text + i * SIZE, text + (i * 7 + 3) % TEXTS * SIZE, expected[i]);
#pragma omp target teams distribute parallel for thread_limit(32) map(to : text[0 : TEXTS * SIZE]) map(from : found)
  for (int i = 0; i < TEXTS; i++) {
    for (int j = 0; j < RESULTS; j++)
      found[i][j] = 0;
    call_all(text + i * SIZE, text + (i * 7 + 3) % TEXTS * SIZE, found[i]);
  }
  for (int i = 0; i < TEXTS; i++)
    for (int j = 0; j < RESULTS; j++)
      if (expected[i][j] != found[i][j]) {
        printf("text %d '%s', result %d: %ld on the host, %ld on the device\n", i, text + i * SIZE, j, expected[i][j],
               found[i][j]);
        return 1;
      }

  static int letters[384][4];
#pragma omp target teams distribute parallel for map(from : letters)
  for (int i = 0; i < 384; i++) {
    letters[i][0] = classes_of(i - 128);
    letters[i][1] = classes_by_functions(i - 128);
    letters[i][2] = tolower(i - 128) + 1000 * (tolower)(i - 128);
    letters[i][3] = toupper(i - 128) + 1000 * (toupper)(i - 128);
  }
  for (int c = -128; c < 256; c++) {
    CHECK_EQ(classes_of(c), letters[c + 128][0]);
    CHECK_EQ(classes_by_functions(c), letters[c + 128][1]);
    CHECK_EQ(tolower(c) + 1000 * (tolower)(c), letters[c + 128][2]);
    CHECK_EQ(toupper(c) + 1000 * (toupper)(c), letters[c + 128][3]);
  }
  free(text);
  if (failed_checks == 0)
    printf("right\n");
  return failed_checks != 0;
}
