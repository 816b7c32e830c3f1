# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The archive for systems from glibc 2.28 on: a build of its own, against an older C library.
add_custom_target(release COMMAND ${PROJECT_SOURCE_DIR}/src/packaging/build ${PROJECT_BINARY_DIR}/release-archive
                  USES_TERMINAL VERBATIM COMMENT "Building the release")
