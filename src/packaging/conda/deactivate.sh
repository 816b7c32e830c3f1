# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Takes out again what activate.sh puts into the paths.
case ":${LD_LIBRARY_PATH:-}:" in
  *":$OMPTARGET_ROOT/lib:"*)
    LD_LIBRARY_PATH=":$LD_LIBRARY_PATH:"
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH%%":$OMPTARGET_ROOT/lib:"*}:${LD_LIBRARY_PATH#*":$OMPTARGET_ROOT/lib:"}"
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH#:}"
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH%:}"
    [ -n "$LD_LIBRARY_PATH" ] || unset LD_LIBRARY_PATH
    ;;
esac
unset OMPTARGET_ROOT
