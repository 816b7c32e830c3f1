// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses an offloading shared library, on data that this program has mapped itself.

#include <omp.h>
#include <stdio.h>

void image_brighten(unsigned char *pixels, int n, int by);
int image_calls(void);
int image_is_on_device(void);

int main(void) {
  enum { kPixels = 640 * 480 };
  static unsigned char pixels[kPixels];
  for (int i = 0; i < kPixels; i++)
    pixels[i] = (unsigned char)(i % 256);

  image_brighten(pixels, kPixels, 10); // maps and copies the pixels itself
#pragma omp target data map(tofrom : pixels)
  {
    image_brighten(pixels, kPixels, 20); // finds them present
#pragma omp target teams distribute parallel for
    for (int i = 0; i < kPixels; i++)
      pixels[i] /= 2;
  }

  int wrong = 0;
  for (int i = 0; i < kPixels; i++) {
    const int bright = i % 256 + 30 > 255 ? 255 : i % 256 + 30;
    wrong += pixels[i] != bright / 2;
  }
  printf("the library ran on the %s, %d times; %d of %d pixels are wrong\n", image_is_on_device() ? "device" : "host",
         image_calls(), wrong, kPixels);
  return wrong != 0 || !image_is_on_device() || image_calls() != 2;
}
