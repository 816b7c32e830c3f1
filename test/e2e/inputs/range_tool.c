// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vendor's tool that prints ranges, on both ways in. As NVIDIA's it is named by NVTX_INJECTION64_PATH and fills the
// table of functions of the program's NVTX; as AMD's it is the library of roctx. With the names of the vendor's own
// header where it is.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if __has_include("nvtx3/nvToolsExt.h")
#include "nvtx3/nvToolsExt.h"
_Static_assert(NVTX_ETID_CALLBACKS == 1 && NVTX_ETID_VERSIONINFO == 3 && NVTX_CB_MODULE_CORE == 1, "tables");
_Static_assert(NVTX_CBID_CORE_RangePushA == 9 && NVTX_CBID_CORE_RangePop == 11 && NVTX_CBID_CORE_SIZE == 16,
               "functions");
_Static_assert(sizeof(NvtxExportTableCallbacks) == 16 && sizeof(NvtxExportTableVersionInfo) == 24, "records");
#endif

static _Thread_local int depth;

static int begin(const char *text) {
  printf("range %d: %s\n", depth, text);
  return depth++;
}

static int end(void) {
  if (depth == 0)
    printf("WRONG: more ends than ranges\n");
  return --depth;
}

int roctxRangePushA(const char *text) { return begin(text); }
int roctxRangePop(void) { return end(); }

static void check_depth(void) { printf("%s: %d ranges are open at the end\n", depth == 0 ? "right" : "WRONG", depth); }
__attribute__((destructor)) static void finish(void) { check_depth(); }

typedef void (*Function)(void);
struct Callbacks {
  size_t size;
  int (*table)(int module, Function ***slots, unsigned *size);
};
struct Version {
  size_t size;
  uint32_t version, reserved;
  void (*set)(uint32_t);
};

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
  const char *refuses = getenv("RANGE_TOOL_REFUSES");
  const struct Callbacks *callbacks = export_table(1);
  const struct Version *version = export_table(3);
  Function **slots = NULL;
  unsigned size = 0;
  if (refuses || !callbacks || callbacks->size < sizeof *callbacks || !version || version->version < 2 ||
      export_table(77) || callbacks->table(5, NULL, NULL) != 0 || !callbacks->table(1, &slots, &size) || size < 12)
    return 0;
  version->set(2);
  *slots[9] = (Function)begin;
  *slots[11] = (Function)end;
  return 1;
}
