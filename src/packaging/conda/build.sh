#!/usr/bin/env bash
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# conda build runs this in the sources, with PREFIX, CPU_COUNT and CMAKE_ARGS in the environment. All goes into a folder
# of its own, as files of these names may come with LLVM's packages. An activated environment has it in its paths.
set -euo pipefail
folder=$PREFIX/opt/omptarget
# The later prefix counts: CMAKE_ARGS has that of the environment.
# shellcheck disable=SC2086
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$folder" \
  -DLLVM_DIR="$PREFIX/lib/cmake/llvm" -DOMPTARGET_TESTS=OFF \
  -DOMPTARGET_SYSTEM_LIBGOMP=../../../../lib/libgomp.so.1 # that of the environment, seen from lib/gomp
cmake --build build-conda -j "${CPU_COUNT:-2}"
cmake --install build-conda --strip

mkdir -p "$PREFIX/bin" "$PREFIX/share/man/man1"
for program in "$folder"/bin/*; do
  ln -sfn "../opt/omptarget/bin/${program##*/}" "$PREFIX/bin/"
done
mv "$folder"/share/man/man1/* "$PREFIX/share/man/man1/"
rm -r "$folder/share/man"
for event in activate deactivate; do
  mkdir -p "$PREFIX/etc/conda/$event.d"
  cp "src/packaging/conda/$event.sh" "$PREFIX/etc/conda/$event.d/omptarget.sh"
done
