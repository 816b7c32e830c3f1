/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linked into device images that are embedded in programs: room for the metadata that emulator_hsa_relabel writes.
 */
#include "emulator/hsa/stand_in_hsa.h"

SIM_NOTE_SPACE
