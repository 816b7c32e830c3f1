# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced beside setup.sh and other_releases.sh: clangs that Debian 12 does not have, from Debian 13 and unstable. Each
# lies in a tree of its own, whose programs get their dynamic linker and libraries. So they run on this machine, as
# any user, and compile with its headers and link with its C library. Defines functions only.

OTHER_CLANG_VERSIONS=(17 18 21 23)
# Packages of each compiler beside the programs' libraries.
OTHER_CLANG_PACKAGES=(clang-N clang-tools-N llvm-N llvm-N-linker-tools lld-N libclang-common-N-dev)
declare -A OTHER_CLANG_RELEASE=([17]=trixie [18]=trixie [21]=sid [23]=sid)
declare -A OTHER_CLANG_LIBRARY=([17]=libclang-cpp17t64 [18]=libclang-cpp18 [21]=libclang-cpp21 [23]=libclang-cpp23)
declare -A OTHER_RUNTIME_PACKAGES=([17]="libomp-17-dev libomp5-17t64" [18]="libomp-18-dev libomp5-18"
                                   [21]="libomp-21-dev liboffload-21 libomp5"
                                   [23]="libomp-23-dev liboffload-23 libomp5")
# Fortran: the compiler, its library of MLIR, and what programs need of its development package.
OTHER_FLANG_VERSIONS=(23)
# Headers for a compiler plugin.
declare -A OTHER_CLANG_EXTRA=([23]=llvm-23-dev)

# unpack_clang COMPILERS RUNTIMES VERSION: COMPILERS/VERSION is the tree, and COMPILERS/bin gets clang-VERSION and the
# other programs. RUNTIMES/VERSION gets LLVM's own runtime in the form that unpack_llvm_runtimes makes. Its sysroot is
# the folder of the dynamic linker and libraries that this runtime needs to run.
unpack_clang() {
  local compilers=$1 runtimes=$2 version=$3 lists
  mkdir -p "$compilers/bin" "$runtimes"
  compilers=$(cd "$compilers" && pwd -P)
  runtimes=$(cd "$runtimes" && pwd -P)
  if [ "$(cat "$compilers/$version/complete" 2>/dev/null)" = "$compilers" ] &&
    [ -e "$runtimes/$version/complete" ]; then
    return
  fi
  say "unpacking clang $version from Debian ${OTHER_CLANG_RELEASE[$version]}"
  lists=$(mktemp -d)
  fetch_clang "$lists" "$compilers/$version" "$version" &&
    patch_clang "$compilers" "$version" &&
    unpack_other_runtime "$lists" "$runtimes/$version" "$version" "$compilers/$version" &&
    "$compilers/bin/clang-$version" --version | head -n 1 || { rm -rf "$lists"; return 1; }
  rm -rf "$lists"
  echo "$compilers" >"$compilers/$version/complete"
}

fetch_clang() {
  local lists=$1 tree=$2 version=$3 release=${OTHER_CLANG_RELEASE[$3]} libraries
  rm -rf "$tree"
  mapfile -t libraries < <(libraries_of "$lists" "$release" "${OTHER_CLANG_LIBRARY[$version]}")
  [ ${#libraries[@]} -gt 0 ] ||
    { echo "Debian $release has no ${OTHER_CLANG_LIBRARY[$version]} any more" >&2; return 1; }
  # shellcheck disable=SC2086
  unpack_release_packages "$lists" "$release" "$tree" "${OTHER_CLANG_PACKAGES[@]//N/$version}" "${libraries[@]}" \
    ${OTHER_CLANG_EXTRA[$version]:-} || return 1
  rm -rf "$tree"/usr/share "$tree"/etc "$tree"/var "$tree/usr/lib/llvm-$version"/lib/lib*.a # from the headers' package
  # Libraries say that theirs are in ../lib.
  ln -sfn x86_64-linux-gnu "$tree/usr/lib/lib"
}

# Programs get the tree's own dynamic linker by its full name, and a path to the libraries that theirs inherit.
patch_clang() {
  local compilers=$1 version=$2 tree=$1/$2 program linker
  linker=$tree/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
  [ -e "$linker" ] || { echo "no dynamic linker in $tree" >&2; return 1; }
  for program in "$tree/usr/lib/llvm-$version"/bin/*; do
    if [ ! -L "$program" ] && [ "$(head -c 4 "$program" | tr -d '\0')" = $'\x7fELF' ]; then
      patchelf --set-interpreter "$linker" --force-rpath --set-rpath "$tree/usr/lib/x86_64-linux-gnu" "$program" ||
        return 1
    fi
  done
  for program in "$tree"/usr/bin/*-"$version"; do
    ln -sfn "../$version/usr/bin/${program##*/}" "$compilers/bin/${program##*/}"
  done
}

# unpack_flang COMPILERS VERSION: adds flang to the tree of that clang, if it is one of OTHER_FLANG_VERSIONS.
unpack_flang() {
  local compilers version=$2 tree lists
  [[ " ${OTHER_FLANG_VERSIONS[*]} " == *" $version "* ]] || return 0
  compilers=$(cd "$1" && pwd -P)
  tree=$compilers/$version
  [ "$(cat "$tree/flang_complete" 2>/dev/null)" = "$compilers" ] && return
  say "unpacking flang $version from Debian ${OTHER_CLANG_RELEASE[$version]}"
  lists=$(mktemp -d)
  fetch_flang "$lists" "$tree" "$version" && patch_clang "$compilers" "$version" &&
    "$compilers/bin/flang-$version" --version | head -n 1 || { rm -rf "$lists"; return 1; }
  rm -rf "$lists"
  echo "$compilers" >"$tree/flang_complete"
}

fetch_flang() {
  local lists=$1 tree=$2 version=$3 release=${OTHER_CLANG_RELEASE[$3]} libraries
  mapfile -t libraries < <(libraries_of "$lists" "$release" "libmlir-$version" libquadmath0)
  [ ${#libraries[@]} -gt 0 ] || { echo "Debian $release has no libmlir-$version any more" >&2; return 1; }
  unpack_release_packages "$lists" "$release" "$tree" "flang-$version" "${libraries[@]}" || return 1
  # Eight hundred megabytes of archives, but for modules and the library that programs link.
  unpack_release_packages "$lists" "$release" "$tree" "libflang-$version-dev" \
    -- "./usr/lib/llvm-$version/lib/clang/*" || return 1
  rm -rf "$tree"/usr/share "$tree"/etc "$tree"/var
  # Names that Debian 12's C library does not have yet.
  objcopy --redefine-sym __isoc23_strtol=strtol --redefine-sym __isoc23_strtoul=strtoul \
    "$tree/usr/lib/llvm-$version/lib/clang/$version/lib/x86_64-pc-linux-gnu/libflang_rt.runtime.a"
}

unpack_other_runtime() {
  local lists=$1 folder=$2 version=$3 tree=$4
  rm -rf "$folder"
  # shellcheck disable=SC2086
  unpack_release_packages "$lists" "${OTHER_CLANG_RELEASE[$version]}" "$folder" ${OTHER_RUNTIME_PACKAGES[$version]} ||
    return 1
  # Its libomp needs a newer C library than that of Debian 12: LLVM 19's serves programs that run on ours.
  ln -s "$tree/usr/lib/x86_64-linux-gnu" "$folder/sysroot"
  link_runtime "$folder" "$version" 19
}
