# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameters of a run (lit.cfg.py lists them), and what follows from them."""

import os
import shutil

from tables import VERSIONS


class Parameters:
    """Ends lit with a message if a parameter is missing or has no meaning."""

    def __init__(self, lit_config, here):
        self.lit_config = lit_config
        self.here = here
        self.suite = self.get("suite")
        if self.suite not in VERSIONS + ["mixed"]:
            lit_config.fatal("suite %s: expected one of %s, mixed" % (self.suite, ", ".join(VERSIONS)))
        self.is_mixed = self.suite == "mixed"
        self.prefix = os.path.abspath(self.get("prefix"))
        self.runtimes = os.path.abspath(self.get("llvm_runtimes"))
        self.output = os.path.abspath(self.get("output"))
        self.tools = self.get("llvm_tools")
        self.on_llvm = self.get("runtime", "omptarget") == "llvm"
        self.plugins = self.get("plugins", "")
        self.plugin_folder = self.get("plugin_folder", "")
        self.plugins_of = self.get("plugins_of", "")
        self.driver = self.get("driver", "")
        self.sanitizer = self.get("sanitizer", "")
        self.sanitizer_library = self.get("sanitizer_library") if self.sanitizer else ""
        self.sysroot = self.get("sysroot", "")
        self.machine = self.get("machine", "x86_64")
        self.machine_root = os.path.abspath(self.get("machine_root")) if self.machine != "x86_64" else ""
        self.watch = self.get("watch", "")
        self.sample = int(self.get("sample", 1))
        self.seed = self.get("seed", "1")
        self.other_compilers = os.path.join(os.path.dirname(self.runtimes), "compilers", "bin")
        # The compilers of the suite's programs.
        self.versions = self.mixed_versions() if self.is_mixed else [self.suite]
        # Two different libomp in one process end it; LLVM 19's serves the modules of every compiler.
        self.libomp = "19" if self.is_mixed else self.suite
        self.libomp_folder = self.get("libomp_folder", "")

    def get(self, name, default=None):
        value = self.lit_config.params.get(name, default)
        if value is None:
            self.lit_config.fatal("parameter %s is missing: lit --param %s=..." % (name, name))
        return value

    def mixed_versions(self):
        """Those that are asked for, or all that are there."""
        if self.get("versions", ""):
            return [version for version in VERSIONS if version in self.get("versions").split(",")]
        return [version for version in VERSIONS if self.clang_path("clang-" + version) and
                os.path.exists(os.path.join(self.runtimes, version, "complete"))]

    def clang_path(self, name):
        """The compiler of Debian 12, or one that test/tools/unpack-compilers has brought; otherwise None."""
        return shutil.which(name) or shutil.which(name, path=self.other_compilers)
