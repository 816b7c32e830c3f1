#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long_settings.py COMMAND...: runs a command with settings of 100,000 characters."""
import os
import subprocess
import sys

SETTINGS = ("LIBOMPTARGET_INFO", "LIBOMPTARGET_DEBUG", "LIBOMPTARGET_HOST_DEVICES", "OMP_AVAILABLE_DEVICES")
sys.exit(subprocess.run(sys.argv[1:], env=dict(os.environ, **{name: "A" * 100000 for name in SETTINGS})).returncode)
