# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by test/cross/run: has the kernel start programs of another machine by qemu while tests run, so that they can
# start one another. Defines functions only.

binfmt_folder=/proc/sys/fs/binfmt_misc

# start_machine_programs MACHINE NUMBER EMULATOR: NUMBER is the machine's in ELF headers, in hexadecimal. Fails where
# the kernel cannot be told; then programs run by the emulator, one at a time.
start_machine_programs() {
  local entry=$binfmt_folder/omptarget-$1 zeros='\x00\x00\x00\x00\x00\x00\x00\x00' ones='\xff\xff\xff\xff\xff\xff\xff'
  [ -e "$binfmt_folder/register" ] || mount -t binfmt_misc binfmt_misc "$binfmt_folder" 2>/dev/null || return 1
  [ ! -e "$entry" ] || return 0
  # 64-bit little-endian ELF files of version 1, executables or shared objects.
  printf '%s' ":omptarget-$1:M::\x7fELF\x02\x01\x01$zeros\x00\x02\x00\x$2\x00:${ones}\x00$ones\xff\xfe\xff\xff\xff:$(command -v "$3"):F" \
    >"$binfmt_folder/register" 2>/dev/null || return 1
  registered_machine=$1
}

# To be run at the end: the kernel forgets what it was told.
stop_machine_programs() {
  [ -z "${registered_machine:-}" ] || echo -1 >"$binfmt_folder/omptarget-$registered_machine"
}
