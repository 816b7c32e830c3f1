# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Programs of clang get omptarget instead of LLVM's libomptarget.
export OMPTARGET_ROOT="$CONDA_PREFIX/opt/omptarget"
export LD_LIBRARY_PATH="$OMPTARGET_ROOT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
