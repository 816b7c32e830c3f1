# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by test/run and docs/examples/run: the Debian packages that they need, and LLVM's own OpenMP runtimes of five
# versions. These are unpacked side by side below the build folder, since as packages they exclude one another. Defines
# functions only.

CLANG_VERSIONS=(14 15 16 19 22)

# Packages for building the library, for compiling programs for it, and beyond that for the tests.
BUILD_PACKAGES=(cmake ninja-build g++ llvm-19-dev zlib1g-dev libzstd-dev libffi-dev)
# clang 14 needs llvm-14 for separately compiled objects, clang 22 llvm-22 for every offloading program.
COMPILER_PACKAGES=(clang-14 clang-tools-14 llvm-14 clang-15 clang-tools-15 clang-16 clang-tools-16 clang-19
  clang-tools-19
                   clang-22 clang-tools-22 llvm-22 python3
                   llvm-16-dev llvm-22-dev # the compiler plugin
                   lld-14 lld-15 lld-16 lld-19 lld-22 rocm-device-libs) # linking for AMD GPUs
TEST_PACKAGES=(libgtest-dev libgmock-dev llvm-19-tools libclang-rt-19-dev binutils
               patchelf # compilers of other releases
               flang-19 flang-22 gfortran # Fortran programs
               valgrind # counts of instructions, exit handlers
               qemu-user-static # programs of other machines
               libhsa-runtime-dev) # AMD's runtime, without a GPU
# Packages that the archive of a release takes beyond those for building and compiling.
ARCHIVE_PACKAGES=(binutils ca-certificates git patchelf xz-utils zstd)
# Packages of a few tests, which are left out without them.
OPTIONAL_PACKAGES=(gdb # names in core files
                   rpm python3-yaml tcl lua5.4 # recipes and module files
                   chromium # the page that LIBOMPTARGET_PROFILE writes, in a browser
                   openmpi-bin libopenmpi-dev mpich libmpich-dev) # ranks

say() { printf '\n== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Brings the package lists up to date, once per run. Without root they are lists of this tree's own, by APT_CONFIG.
update_package_lists() {
  local own
  [ -z "${package_lists_updated:-}" ] || return 0
  package_lists_updated=1
  if [ "$(id -u)" != 0 ]; then
    own=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/build/package-lists
    mkdir -p "$own"/{lists,archives}/partial || return 0
    printf 'Dir::State::Lists "%s/lists";\nDir::Cache "%s";\n' "$own" "$own" >"$own/apt.conf"
    export APT_CONFIG=$own/apt.conf
  fi
  apt-get update -qq </dev/null || echo "warning: apt-get update failed; going on with the lists as they are" >&2
}

# may_install NAME...: root may, and said so: by OMPTARGET_INSTALL_PACKAGES=1, or by an answer on the terminal.
may_install() {
  local answer
  [ "$(id -u)" = 0 ] || return 1
  [ -z "${OMPTARGET_INSTALL_PACKAGES:-}" ] || return 0
  [ -t 0 ] && [ -t 2 ] || return 1
  printf 'packages that are missing: %s\ninstall them? [y/N] ' "$*" >&2
  read -r answer && [[ $answer == [yY]* ]]
}

# require_packages NAME...: installs those that are missing if may_install, or names them and ends.
require_packages() {
  local name missing=()
  command -v dpkg-query >/dev/null || die "this script needs Debian 12 (bookworm): there is no dpkg-query here"
  for name; do
    is_installed "$name" || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  may_install "${missing[@]}" ||
    die "missing packages. Root installs them with: apt-get install --no-install-recommends ${missing[*]}" \
      "(as root, OMPTARGET_INSTALL_PACKAGES=1 in the environment lets this script do that)"
  say "installing ${#missing[@]} packages: ${missing[*]}"
  update_package_lists
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null ||
    die "could not install: ${missing[*]}"
}

# wish_for_packages NAME...: installs them if that can be done, and else says what is missing.
wish_for_packages() {
  local name
  for name; do
    is_installed "$name" && continue
    if may_install "$name" && update_package_lists &&
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$name" </dev/null; then
      continue
    fi
    echo "warning: without the package $name the tests that need it are left out" >&2
  done
}

# fetch_packages FOLDER NAME...: unpacks packages into the folder without installing them.
fetch_packages() {
  local folder=$1 debs
  shift
  debs=$(mktemp -d) || return 1
  (cd "$debs" && apt-get download -qq "$@" </dev/null 2>"$debs/messages") ||
    { update_package_lists; (cd "$debs" && apt-get download -qq "$@" </dev/null 2>"$debs/messages"); } ||
    { cat "$debs/messages" >&2; rm -rf "$debs"; return 1; }
  local deb
  for deb in "$debs"/*.deb; do
    dpkg -x "$deb" "$folder" || { rm -rf "$debs"; return 1; }
  done
  rm -rf "$debs"
}

# unpack_llvm_runtimes FOLDER: LLVM N's own runtime becomes FOLDER/N: lib (libomptarget and its plugins), include
# (omp.h) and omp, which holds nothing but the libomp that goes with it.
unpack_llvm_runtimes() {
  local folder=$1 version
  for version in "${CLANG_VERSIONS[@]}"; do
    [ -e "$folder/$version/complete" ] && continue
    say "unpacking LLVM $version's own OpenMP runtime"
    rm -rf "${folder:?}/$version"
    mkdir -p "$folder/$version"
    unpack_llvm_runtime "$folder/$version" "$version" || die "could not fetch LLVM $version's OpenMP runtime"
  done
}

unpack_llvm_runtime() {
  local folder=$1 version=$2 host=$2 packages=("libomp-$2-dev" "libomp5-$2")
  if [ "$version" = 22 ]; then # has no libomp of its own: LLVM 19's serves it
    packages=(libomp-22-dev liboffload-22)
    host=19
  fi
  fetch_packages "$folder" "${packages[@]}" || return 1
  link_runtime "$folder" "$version" "$host"
}

# link_runtime FOLDER VERSION HOST: lib, include and omp in the folder of an unpacked runtime; libomp is LLVM HOST's.
link_runtime() {
  local folder=$1 version=$2 host=$3
  ln -s "usr/lib/llvm-$version/lib" "$folder/lib"
  ln -s "$(cd "$folder" && echo usr/lib/llvm-"$version"/lib/clang/*/include)" "$folder/include"
  # The plain name that the linker looks for is in a development package that would bring nothing else.
  [ -e "$folder/lib/libomptarget.so" ] || ln -s libomptarget.so."$version".1 "$folder/lib/libomptarget.so"
  mkdir "$folder/omp"
  ln -s "../../$host/usr/lib/llvm-$host/lib/libomp.so.5" "$folder/omp/libomp.so.5"
  ln -s libomp.so.5 "$folder/omp/libomp.so"
  [ -e "$folder/omp/libomp.so" ] && [ -e "$folder/lib/libomptarget.so" ] && [ -e "$folder/include/omp.h" ] || return 1
  touch "$folder/complete"
}
