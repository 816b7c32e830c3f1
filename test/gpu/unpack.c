// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unpack FILE.zst OUTPUT: what zstd -d does, for machines that have no zstd. Linked statically.

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

int main(int argc, char **argv) {
  FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
  FILE *out = in ? fopen(argv[2], "wb") : NULL;
  ZSTD_DStream *stream = ZSTD_createDStream();
  const size_t in_size = ZSTD_DStreamInSize(), out_size = ZSTD_DStreamOutSize();
  char *from = malloc(in_size), *to = malloc(out_size);
  if (!in || !out || !stream || !from || !to) {
    fprintf(stderr, "unpack: cannot read %s or write %s\n", argc > 1 ? argv[1] : "?", argc > 2 ? argv[2] : "?");
    return 1;
  }
  size_t left = 1;
  for (size_t got; (got = fread(from, 1, in_size, in)) != 0;) {
    ZSTD_inBuffer source = {from, got, 0};
    while (source.pos < source.size) {
      ZSTD_outBuffer target = {to, out_size, 0};
      left = ZSTD_decompressStream(stream, &target, &source);
      if (ZSTD_isError(left) || fwrite(to, 1, target.pos, out) != target.pos) {
        fprintf(stderr, "unpack: %s: %s\n", argv[1], ZSTD_isError(left) ? ZSTD_getErrorName(left) : "cannot write");
        return 1;
      }
    }
  }
  if (left != 0)
    fprintf(stderr, "unpack: %s ends too early\n", argv[1]);
  return left != 0 || fclose(out) != 0;
}
