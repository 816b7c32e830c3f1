// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers to pointers, each level mapped for itself.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

struct Node {
  int value;
  struct Node *next;
};

static void rows(void) {
  static int *row[4];
  for (int i = 0; i < 4; i++) {
    row[i] = malloc(8 * sizeof(int));
    for (int j = 0; j < 8; j++)
      row[i][j] = i * 8 + j;
  }
  int **matrix = row;
#pragma omp target enter data map(to : matrix[0 : 4])
  for (int i = 0; i < 4; i++) {
#pragma omp target enter data map(to : matrix[i][0 : 8])
  }
  int sum = 0;
#pragma omp target map(tofrom : sum)
  {
    HERE();
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 8; j++) {
        sum += matrix[i][j];
        matrix[i][j]++;
      }
  }
  CHECK_EQ(sum, 31 * 32 / 2);
  for (int i = 0; i < 4; i++) {
#pragma omp target exit data map(from : matrix[i][0 : 8])
  }
#pragma omp target exit data map(delete : matrix[0 : 4]) // mapping a row counted for the matrix too
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++)
      CHECK_EQ(row[i][j], i * 8 + j + 1);
}

static void list(void) {
  static struct Node nodes[5], *head = 0;
  for (int i = 0; i < 5; i++) {
    nodes[i].value = i;
    nodes[i].next = head;
    head = &nodes[i];
  }
#pragma omp target enter data map(to : head[0 : 1])
  for (struct Node *n = head; n->next; n = n->next) {
#pragma omp target enter data map(to : n->next[0 : 1])
  }
  int sum = 0, count = 0;
#pragma omp target map(tofrom : sum, count)
  {
    HERE();
    for (struct Node *n = head; n; n = n->next) {
      sum += n->value;
      n->value *= 10;
      count++;
    }
  }
  CHECK_EQ(sum, 10);
  CHECK_EQ(count, 5);
  for (struct Node *n = head; n; n = n->next) {
#pragma omp target update from(n->value)
  }
  for (int i = 0; i < 5; i++) {
    CHECK_EQ(nodes[i].value, i * 10);
    CHECK(nodes[i].next == (i ? &nodes[i - 1] : 0));
  }
}

int main(void) {
  rows();
  list();
  return finish();
}
