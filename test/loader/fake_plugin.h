/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A fake plugin's record of the calls it got. Tests find it as the symbol fake_record of the plugin.
 */
#ifndef OMPTARGET_TEST_FAKE_PLUGIN_H
#define OMPTARGET_TEST_FAKE_PLUGIN_H

#include <stdint.h>

enum { FAKE_NONE, FAKE_REGION, FAKE_TEAM_REGION, FAKE_REGION_ASYNC, FAKE_TEAM_REGION_ASYNC, FAKE_LAUNCH };

typedef struct FakeRecord {
  int32_t launch_form; /* FAKE_* of the last launch */
  uint32_t version;    /* the argument block's */
  uint32_t count;      /* arguments */
  uint64_t first;      /* the first two arguments */
  uint64_t second;
  int32_t had_queue; /* the last launch or copy got a queue */
  int32_t teams;
  int32_t threads;
  uint64_t trip_count;
  int32_t delete_kind;
  const char *arch; /* the last is_valid_binary_info's */
  int32_t had_info;
  int32_t submits; /* calls so far */
  int32_t synchronizes;
  int32_t events; /* that exist */
  uint64_t map_count;
  int64_t requires_mask;
} FakeRecord;

#endif
