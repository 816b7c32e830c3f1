# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nests that do not run as device code, with the reason each."""

LEFT_OUT = {"amdgpu": {}, "cuda": {}}
