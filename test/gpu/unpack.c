// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unpack FILE.tar.zst FOLDER: what "tar -xf" does with regular files in no folder, for machines that have no zstd.
// Linked statically.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

enum { kBlock = 512 };

/// The blocks of an archive, as they come: the head of a file, then its contents.
typedef struct {
  const char *folder;
  char block[kBlock];
  size_t filled;
  FILE *file;
  char path[4096];
  mode_t mode;
  unsigned long long left; ///< bytes of the file that are still to come
} Archive;

static int fail(const char *what, const char *name) {
  fprintf(stderr, "unpack: %s %s\n", what, name);
  return 0;
}

static int end_file(Archive *archive) {
  const int ended = fclose(archive->file) == 0 && chmod(archive->path, archive->mode) == 0;
  archive->file = NULL;
  return ended || fail("cannot write", archive->path);
}

static int take_block(Archive *archive) {
  const char *block = archive->block;
  if (archive->file) {
    const size_t size = archive->left < kBlock ? (size_t)archive->left : kBlock;
    if (fwrite(block, 1, size, archive->file) != size)
      return fail("cannot write", archive->path);
    archive->left -= size;
    return archive->left > 0 || end_file(archive);
  }
  if (block[0] == 0) // the end has blocks of zeros
    return 1;
  if (memcmp(block + 257, "ustar", 5) != 0 || (block[156] != '0' && block[156] != 0) || memchr(block, '/', 100))
    return fail("no regular file:", block);
  snprintf(archive->path, sizeof archive->path, "%s/%.100s", archive->folder, block);
  archive->mode = (mode_t)strtoul(block + 100, NULL, 8) & 0777;
  archive->left = strtoull(block + 124, NULL, 8);
  archive->file = fopen(archive->path, "wb");
  if (!archive->file)
    return fail("cannot write", archive->path);
  return archive->left > 0 || end_file(archive);
}

static int take(Archive *archive, const char *bytes, size_t size) {
  while (size > 0) {
    const size_t room = kBlock - archive->filled, part = size < room ? size : room;
    memcpy(archive->block + archive->filled, bytes, part);
    archive->filled += part;
    bytes += part;
    size -= part;
    if (archive->filled < kBlock)
      break;
    archive->filled = 0;
    if (!take_block(archive))
      return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  static Archive archive;
  FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
  ZSTD_DStream *stream = ZSTD_createDStream();
  const size_t in_size = ZSTD_DStreamInSize(), out_size = ZSTD_DStreamOutSize();
  char *from = malloc(in_size), *to = malloc(out_size);
  if (!in || !stream || !from || !to)
    return !fail("cannot read", argc > 1 ? argv[1] : "?");
  archive.folder = argv[2];
  size_t left = 1;
  for (size_t got; (got = fread(from, 1, in_size, in)) != 0;) {
    ZSTD_inBuffer source = {from, got, 0};
    while (source.pos < source.size) {
      ZSTD_outBuffer target = {to, out_size, 0};
      left = ZSTD_decompressStream(stream, &target, &source);
      if (ZSTD_isError(left))
        return !fail(ZSTD_getErrorName(left), argv[1]);
      if (!take(&archive, to, target.pos))
        return 1;
    }
  }
  if (left != 0 || archive.file)
    return !fail("ends too early:", argv[1]);
  return 0;
}
