// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes: members mapped through this, templates, references, lambdas, containers of the standard library.

// RUN: %clangxx -std=c++17 %s -o %t
// RUN: %run %t

#include "check.h"

#include <algorithm>
#include <vector>

template <typename T> class Buffer {
public:
  explicit Buffer(int n) : data_(new T[n]), n_(n) {
    T *data = data_;
    for (int i = 0; i < n; i++)
      data[i] = T(i);
#pragma omp target enter data map(to : this[0 : 1]) map(to : data_[0 : n_])
  }
  ~Buffer() {
#pragma omp target exit data map(delete : data_[0 : n_]) map(delete : this[0 : 1])
    delete[] data_;
  }
  void scale(T factor) {
#pragma omp target
    {
      HERE();
      for (int i = 0; i < n_; i++)
        data_[i] *= factor;
    }
  }
  T *fetch() {
    T *data = data_;
    int n = n_;
#pragma omp target update from(data[0 : n])
    return data;
  }

private:
  T *data_;
  int n_;
};

template <typename T> T sum_on_device(const std::vector<T> &values) {
  const T *data = values.data();
  size_t n = values.size();
  T sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : data[0 : n]) map(tofrom : sum)
  for (size_t i = 0; i < n; i++)
    sum += data[i];
  return sum;
}

int main() {
  {
    Buffer<double> a(100);
    Buffer<int> b(50);
    a.scale(0.5);
    b.scale(3);
    b.scale(2);
    CHECK(a.fetch()[99] == 49.5);
    CHECK_EQ(b.fetch()[49], 49 * 6);
  }
  CHECK_EQ(sum_on_device(std::vector<int>(1000, 3)), 3000);
  CHECK(sum_on_device(std::vector<double>(10, 0.25)) == 2.5);

  int value = 5, result = 0;
  int &reference = value;
  int offset = 100;
  auto add = [=](int x) { return x + offset; };
#pragma omp target map(tofrom : reference) map(from : result) map(to : add)
  {
    HERE();
    reference *= 2;
    result = add(std::max(reference, 3));
  }
  CHECK_EQ(value, 10);
  CHECK_EQ(result, 110);

  std::vector<float> x(256, 1.0f);
  float *p = x.data();
#pragma omp target data map(tofrom : p[0 : 256])
  for (int step = 0; step < 4; step++) {
#pragma omp target parallel for
    for (int i = 0; i < 256; i++) {
      if (i == 0)
        HERE();
      p[i] *= 2;
    }
  }
  CHECK(std::all_of(x.begin(), x.end(), [](float v) { return v == 16.0f; }));
  return finish();
}
